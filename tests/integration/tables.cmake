# What is read from, and made in, the database beside the sink: tables, migrations, statements.
txsink_add_tests(integration_tables_tests LABEL integration TIMEOUT 120
    SOURCES migrations_test.cpp table_reader_test.cpp write_plan_random_test.cpp write_plan_test.cpp
    LINK txsink::mysql txsink_test_mysql fmt::fmt)
target_compile_definitions(integration_tables_tests PRIVATE
    TXSINK_SQL_DIR="${PROJECT_SOURCE_DIR}/sql")
