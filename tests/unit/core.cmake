txsink_add_tests(unit_core_tests LABEL unit
    SOURCES core_test.cpp
    LINK txsink::core)
