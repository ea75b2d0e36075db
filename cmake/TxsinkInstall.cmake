# `cmake --install`: the binary, the libraries with their headers, the migrations, and the
# package files that make find_package(txsink) work.
include(CMakePackageConfigHelpers)

get_property(txsink_modules GLOBAL PROPERTY TXSINK_MODULES)
install(TARGETS txsink RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${txsink_modules} EXPORT txsink-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT txsink-targets NAMESPACE txsink::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/txsink)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/txsink-config.cmake.in
    ${PROJECT_BINARY_DIR}/txsink-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/txsink)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/txsink-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/txsink-config.cmake
              ${PROJECT_BINARY_DIR}/txsink-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindMySQLConnectorCpp.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/txsink)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sql DESTINATION ${CMAKE_INSTALL_DATADIR}/txsink)
