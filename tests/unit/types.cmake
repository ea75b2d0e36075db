# Every type of column, against every kind of value; and the page that shows it.
txsink_add_tests(unit_types_tests LABEL unit
    SOURCES column_encoder_test.cpp encode_geometry_test.cpp encode_meaning_test.cpp
            encode_number_test.cpp encode_shortcuts_test.cpp encode_temporal_test.cpp
            encode_text_test.cpp types_doc_test.cpp ../support/type_cells.cpp
    LINK txsink::decode txsink::mapping)
target_compile_definitions(unit_types_tests PRIVATE TXSINK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
