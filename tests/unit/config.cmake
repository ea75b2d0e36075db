txsink_add_tests(unit_observe_tests LABEL unit
    SOURCES observe_test.cpp
    LINK txsink::observe fmt::fmt spdlog::spdlog)
