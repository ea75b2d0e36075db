# The delivery protocol as an explicit-state model: it holds, each breakage shows, what must be harmless is.
find_package(Python3 3.9 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "No Python 3: the protocol model is not checked")
  return()
endif()

function(txsink_add_model_check test name)
  add_test(NAME ${test} COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/model/check ${name})
  set_tests_properties(${test} PROPERTIES LABELS "unit;script" TIMEOUT 300)
endfunction()

txsink_add_model_check(model_protocol_holds protocol)
foreach(name no-compare-and-set no-expected-offset blind-retry-on-the-token counter-instead-of-token
        stale-messages-kept rewind-by-seek offsets-after-the-rows offsets-before-the-rows
        no-rollback-after-1205 statement-again-after-1213 no-second-claim no-idle-check)
  txsink_add_model_check(model_breakage_${name} ${name})
endforeach()
foreach(name no-token guess-committed guess-not-committed read-without-lock wrong-start)
  txsink_add_model_check(model_harmless_${name} ${name})
endforeach()
