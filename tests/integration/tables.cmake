# What is read from, and made in, the database beside the sink: tables, migrations, statements.
txsink_add_tests(integration_tables_tests LABEL integration TIMEOUT 120
    SOURCES write_plan_test.cpp
    LINK txsink::mysql txsink_test_mysql fmt::fmt)
