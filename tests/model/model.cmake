# The delivery protocol as an explicit-state model: it holds, each breakage shows, what must be harmless is.
find_package(Python3 3.9 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "No Python 3: the protocol model is not checked")
  return()
endif()

function(txsink_add_model_check test faults name)
  add_test(NAME ${test}
           COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/model/check --faults ${faults} ${name})
  set_tests_properties(${test} PROPERTIES LABELS "unit;script" TIMEOUT 300)
endfunction()

txsink_add_model_check(model_protocol_holds 2 protocol)
# These end at the first violation.
foreach(name no-compare-and-set no-expected-offset blind-retry-on-the-token counter-instead-of-token
        stale-messages-kept rewind-by-seek offsets-after-the-rows offsets-before-the-rows
        no-rollback-after-1205 statement-again-after-1213 start-not-in-row)
  txsink_add_model_check(model_breakage_${name} 2 ${name})
endforeach()
# These visit every state; with two faults each takes as long as the protocol itself.
foreach(name no-second-claim no-idle-check)
  txsink_add_model_check(model_breakage_${name} 1 ${name})
endforeach()
foreach(name no-token guess-committed guess-not-committed read-without-lock wrong-start)
  txsink_add_model_check(model_harmless_${name} 1 ${name})
endforeach()
