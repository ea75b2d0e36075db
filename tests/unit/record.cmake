txsink_add_tests(unit_record_tests LABEL unit
    SOURCES json_decoder_test.cpp number_test.cpp route_test.cpp
            record_mapper_test.cpp route_mapping_test.cpp source_reader_test.cpp source_test.cpp sql_literal_test.cpp
    LINK txsink::decode txsink::mapping fmt::fmt simdjson::simdjson)
# Alone, because it counts every allocation of its process.
txsink_add_tests(unit_record_allocation_tests LABEL unit
    SOURCES record_allocation_test.cpp
    LINK txsink::batch txsink::mapping)
