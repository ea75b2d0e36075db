# The parts of the benchmark that need no server.
include(${PROJECT_SOURCE_DIR}/tests/bench/end_to_end/parts.cmake)
txsink_add_tests(unit_bench_tests LABEL unit
    SOURCES bench/figures_test.cpp bench/options_test.cpp bench/prepared_rows_test.cpp
            bench/records_test.cpp bench/report_test.cpp
    LINK txsink_bench_parts txsink::config simdjson::simdjson fmt::fmt)
