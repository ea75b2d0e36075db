txsink_add_tests(integration_kafka_tests LABEL integration TIMEOUT 120
    SOURCES kafka_source_real_test.cpp
    LINK txsink::kafka txsink_test_kafka)
