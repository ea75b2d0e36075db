txsink_add_tests(unit_plan_tests LABEL unit
    SOURCES dead_letter_test.cpp write_plan_test.cpp
    LINK txsink::batch)
txsink_add_tests(unit_migrations_tests LABEL unit
    SOURCES migrations_test.cpp
    LINK txsink::mysql)
target_compile_definitions(unit_migrations_tests PRIVATE
    TXSINK_SQL_DIR="${PROJECT_SOURCE_DIR}/sql")
