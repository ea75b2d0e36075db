# Each type of column against each kind of value, through the encoders and through the real binary.
txsink_add_tests(integration_types_tests LABEL integration TIMEOUT 120
    SOURCES type_matrix_test.cpp ../support/process.cpp ../support/type_cells.cpp
    LINK txsink::mysql txsink::decode txsink::mapping txsink_test_mysql txsink_test_kafka fmt::fmt)
target_compile_definitions(integration_types_tests PRIVATE
    TXSINK_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    "TXSINK_BIN_BUILT=\"$<TARGET_FILE:txsink>\"")
add_dependencies(integration_types_tests txsink)
