txsink_add_tests(unit_record_tests LABEL unit
    SOURCES json_decoder_test.cpp number_test.cpp
    LINK txsink::decode txsink::mapping fmt::fmt simdjson::simdjson)
