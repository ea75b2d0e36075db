# Finds MySQL Connector/C++ with its JDBC-style API.
#
# Debian ships neither a CMake file nor a .pc for libmysqlcppconn 1.1; Oracle's 8.x and 9.x
# packages have the same API under <mysql/jdbc.h>. Either one is accepted.
# Defines MySQLConnectorCpp::MySQLConnectorCpp and, for Oracle's layout, TXSINK_MYSQL_JDBC_H.
find_path(MySQLConnectorCpp_INCLUDE_DIR NAMES cppconn/driver.h mysql/jdbc.h
          PATH_SUFFIXES mysql-cppconn mysql-cppconn-8/jdbc)
find_library(MySQLConnectorCpp_LIBRARY NAMES mysqlcppconn)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MySQLConnectorCpp
    REQUIRED_VARS MySQLConnectorCpp_LIBRARY MySQLConnectorCpp_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "install libmysqlcppconn-dev (Debian, Ubuntu)")
if(MySQLConnectorCpp_FOUND AND NOT TARGET MySQLConnectorCpp::MySQLConnectorCpp)
  add_library(MySQLConnectorCpp::MySQLConnectorCpp UNKNOWN IMPORTED)
  set_target_properties(MySQLConnectorCpp::MySQLConnectorCpp PROPERTIES
      IMPORTED_LOCATION "${MySQLConnectorCpp_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${MySQLConnectorCpp_INCLUDE_DIR}")
  if(EXISTS "${MySQLConnectorCpp_INCLUDE_DIR}/mysql/jdbc.h")
    set_property(TARGET MySQLConnectorCpp::MySQLConnectorCpp
                 PROPERTY INTERFACE_COMPILE_DEFINITIONS TXSINK_MYSQL_JDBC_H=1)
  endif()
endif()
mark_as_advanced(MySQLConnectorCpp_INCLUDE_DIR MySQLConnectorCpp_LIBRARY)
