# Of the commands: what `infer` proposes and `preview` shows.
txsink_add_tests(unit_infer_tests LABEL unit
    SOURCES infer_test.cpp
    LINK txsink_cli fmt::fmt)
