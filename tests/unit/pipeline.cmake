txsink_add_tests(unit_pipeline_tests LABEL unit
    SOURCES fake_sink_contract_test.cpp pipeline_crash_test.cpp pipeline_limits_test.cpp pipeline_refusals_test.cpp pipeline_test.cpp pipeline_trace_test.cpp pipeline_writing_test.cpp supervisor_test.cpp
    LINK txsink::pipeline fmt::fmt)

# The same with writes that last: all of them happen late; or they happen at once and the pipeline hears of it late.
# What is counted, and what stands in the database at a moment, is not for the latter.
add_test(NAME pipeline_late_writes COMMAND unit_pipeline_tests --gtest_brief=1)
add_test(NAME pipeline_late_outcomes
    COMMAND unit_pipeline_tests --gtest_brief=1 --gtest_filter=*EveryCrashPoint.*:*EveryFault*:*Every*Both*:Traces.*:PipelineFaults.*-*B34_Commit*)
set_tests_properties(pipeline_late_writes pipeline_late_outcomes PROPERTIES LABELS unit TIMEOUT 120)
set_property(TEST pipeline_late_writes PROPERTY ENVIRONMENT TXSINK_TEST_LATE_WRITES=all)
set_property(TEST pipeline_late_outcomes PROPERTY ENVIRONMENT TXSINK_TEST_LATE_WRITES=outcome)
