# The test of the lint script itself.
add_test(NAME lint_selftest COMMAND ${PROJECT_SOURCE_DIR}/tests/lint/selftest)
set_tests_properties(lint_selftest PROPERTIES LABELS "unit;script" TIMEOUT 120)
