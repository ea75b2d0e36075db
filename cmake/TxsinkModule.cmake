# txsink_add_module(NAME SOURCES ... HEADERS ... LINK ... LINK_PRIVATE ...)
#
# One static library per module of ARCHITECTURE.md. Its public headers are a verified
# FILE_SET, so that each compiles alone; flags are private, so that nothing leaks to users.
function(txsink_add_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;LINK;LINK_PRIVATE" ${ARGN})
  set(target txsink_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(txsink::${name} ALIAS ${target})
  list(TRANSFORM ARG_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/txsink/${name}/)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                                  FILES ${ARG_HEADERS})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${ARG_LINK}
                                  PRIVATE ${ARG_LINK_PRIVATE} $<BUILD_INTERFACE:txsink_build_flags>)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON)
  set_property(GLOBAL APPEND PROPERTY TXSINK_MODULES ${target})
endfunction()
