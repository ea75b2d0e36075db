# The real binary: what it says to wrong input, and its commands on real servers.
txsink_add_tests(integration_cli_tests LABEL integration TIMEOUT 120
    SOURCES cli_check_test.cpp cli_servers_test.cpp cli_usage_test.cpp hostile_text_test.cpp
            random_routes_test.cpp ../support/process.cpp
    LINK txsink::mysql txsink::decode txsink_test_mysql txsink_test_kafka fmt::fmt)
# Another binary can be given in the environment: TXSINK_BIN.
target_compile_definitions(integration_cli_tests PRIVATE
    "TXSINK_BIN_BUILT=\"$<TARGET_FILE:txsink>\"")
add_dependencies(integration_cli_tests txsink)

# Commands that look at records: previews, proposals and dead letters.
txsink_add_tests(integration_cli_records_tests LABEL integration TIMEOUT 120
    SOURCES cli_dead_letters_test.cpp infer_test.cpp preview_test.cpp ../support/process.cpp
            ../support/tcp_proxy.cpp
    LINK txsink::mysql txsink::decode txsink_test_mysql txsink_test_kafka fmt::fmt)
target_compile_definitions(integration_cli_records_tests PRIVATE
    TXSINK_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    "TXSINK_BIN_BUILT=\"$<TARGET_FILE:txsink>\"")
add_dependencies(integration_cli_records_tests txsink)
