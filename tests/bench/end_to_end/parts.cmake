# The parts of the benchmark that need no server; their tests are in tests/unit/bench.
include_guard(GLOBAL)

add_library(txsink_bench_parts STATIC)
foreach(part IN ITEMS chart connector_log figures json latency_figures options prepared_rows records
                      report results workload zipf)
  target_sources(txsink_bench_parts PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${part}.cpp)
endforeach()
target_include_directories(txsink_bench_parts PUBLIC ${CMAKE_CURRENT_LIST_DIR}
                                                     ${PROJECT_SOURCE_DIR}/tests)
target_compile_features(txsink_bench_parts PUBLIC cxx_std_20)
target_link_libraries(txsink_bench_parts PUBLIC txsink::batch PRIVATE fmt::fmt txsink_build_flags)
# Short files, of which each has names of its own.
set_target_properties(txsink_bench_parts PROPERTIES UNITY_BUILD OFF)
