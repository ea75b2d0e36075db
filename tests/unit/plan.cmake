txsink_add_tests(unit_plan_tests LABEL unit
    SOURCES write_plan_test.cpp
    LINK txsink::batch)
