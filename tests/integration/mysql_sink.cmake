# The sink and its session.
txsink_add_tests(integration_sink_tests LABEL integration TIMEOUT 60
    SOURCES connector_contract_test.cpp dead_letters_test.cpp mysql_sink_records_test.cpp
            mysql_sink_test.cpp packet_size_test.cpp session_test.cpp sink_contract_test.cpp
            ../support/tcp_proxy.cpp
    LINK txsink::mysql txsink_test_mysql fmt::fmt MySQLConnectorCpp::MySQLConnectorCpp)
# Those that change the whole server run alone.
txsink_add_tests(integration_mysql_server_tests LABEL integration TIMEOUT 120 SERIAL
    SOURCES mysql_server_test.cpp
    LINK txsink::mysql txsink_test_mysql fmt::fmt)
