# Every type of column, against every kind of value.
txsink_add_tests(unit_types_tests LABEL unit
    SOURCES column_encoder_test.cpp encode_geometry_test.cpp encode_meaning_test.cpp
            encode_number_test.cpp encode_temporal_test.cpp encode_text_test.cpp
    LINK txsink::decode txsink::mapping)
