txsink_add_tests(unit_observe_tests LABEL unit
    SOURCES observe_test.cpp
    LINK txsink::observe fmt::fmt spdlog::spdlog)
txsink_add_tests(unit_config_tests LABEL unit
    SOURCES config_help_test.cpp config_load_test.cpp config_routes_test.cpp
            config_route_checks_test.cpp config_values_test.cpp
    LINK txsink::config fmt::fmt)
target_compile_definitions(unit_config_tests PRIVATE TXSINK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
txsink_add_tests(unit_cli_tests LABEL unit
    SOURCES cli_output_test.cpp cli_patience_test.cpp
    LINK txsink_cli fmt::fmt spdlog::spdlog)
target_compile_definitions(unit_cli_tests PRIVATE TXSINK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
