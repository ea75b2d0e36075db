txsink_add_tests(unit_decode_tests LABEL unit
    SOURCES key_decoder_test.cpp record_decoder_test.cpp recorded_messages_decoder_test.cpp
    LINK txsink::decode)
target_compile_definitions(unit_decode_tests PRIVATE
    TXSINK_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
# Alone, because it counts every allocation of its process.
txsink_add_tests(unit_decode_allocation_tests LABEL unit
    SOURCES decoder_allocation_test.cpp
    LINK txsink::decode)
target_compile_definitions(unit_decode_allocation_tests PRIVATE
    TXSINK_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
