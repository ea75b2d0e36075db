# The README's example, run word for word.
add_test(NAME readme_example COMMAND ${PROJECT_SOURCE_DIR}/tests/readme/run-example)
set_tests_properties(readme_example PROPERTIES
    LABELS integration TIMEOUT 120 SKIP_RETURN_CODE 77 RUN_SERIAL TRUE
    ENVIRONMENT_MODIFICATION PATH=path_list_prepend:$<TARGET_FILE_DIR:txsink>)
