txsink_add_tests(unit_mysql_tests LABEL unit
    SOURCES error_table_test.cpp mysql_uri_test.cpp statement_text_test.cpp
    LINK txsink::mysql)
