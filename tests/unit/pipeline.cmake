txsink_add_tests(unit_pipeline_tests LABEL unit
    SOURCES fake_sink_contract_test.cpp pipeline_crash_test.cpp pipeline_limits_test.cpp pipeline_refusals_test.cpp pipeline_test.cpp pipeline_trace_test.cpp supervisor_test.cpp
    LINK txsink::pipeline fmt::fmt)
