#include "mysql/error_table.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace txsink::mysql {
namespace {

using enum ErrorKind;
constexpr auto kNames = MessageText::names;
constexpr auto kValues = MessageText::values;
constexpr auto kHidden = MessageText::hidden;

constexpr const char* kPrivileges = "txsink check names the privileges that the account needs";
constexpr const char* kMigrate = "txsink check compares the tables with what txsink needs";
constexpr const char* kPlugin =
    "turn TLS on (mysql.tls), or give the account a password plugin that the client has";

/// Sorted by code.
constexpr ErrorMeaning kTable[] = {
    {0, internal, false, kValues, "the client library was used wrongly", "this is a bug in txsink"},
    {1020, replay, false, kNames, "a row changed since it was read", ""},
    {1040, connection, true, kNames, "the server has too many connections", ""},
    {1044, access_denied, false, kNames, "no access to the database", kPrivileges},
    {1045, access_denied, false, kNames, "wrong user or password", ""},
    {1047, connection, true, kNames, "the node is not part of the cluster", ""},
    {1048, bad_record, false, kNames, "null for a column that takes none", ""},
    {1049, configuration, false, kNames, "the database does not exist", ""},
    {1053, connection, true, kNames, "the server shuts down", ""},
    {1054, schema_drift, false, kNames, "the table no longer has a column", kMigrate},
    {1062, bad_record, false, kValues, "another row has this value of a unique key", ""},
    {1064, internal, false, kHidden, "the server does not understand a statement of ours", ""},
    {1118, bad_record, false, kNames, "the row is too large for the table", ""},
    {1129,
     access_denied,
     false,
     kNames,
     "the server blocks this host",
     "FLUSH HOSTS on the server"},
    {1130, access_denied, false, kNames, "the server does not take this host", ""},
    {1136, schema_drift, false, kNames, "the table has another number of columns", kMigrate},
    {1142, access_denied, false, kNames, "a privilege on the table is missing", kPrivileges},
    {1143, access_denied, false, kNames, "a privilege on a column is missing", kPrivileges},
    {1146, schema_drift, false, kNames, "the table does not exist", kMigrate},
    {1152, connection, true, kNames, "the connection was aborted", ""},
    {1153, too_big, true, kNames, "a statement is over the server's max_allowed_packet", ""},
    {1158, connection, true, kNames, "the connection was lost", ""},
    {1159, connection, true, kNames, "the connection timed out", ""},
    {1160, connection, true, kNames, "the connection was lost", ""},
    {1161, connection, true, kNames, "the connection timed out", ""},
    {1197,
     too_big,
     false,
     kNames,
     "the transaction is over the server's max_binlog_cache_size",
     ""},
    {1203, connection, true, kNames, "the account has too many connections", ""},
    {1205, replay, false, kNames, "another transaction held a lock for too long", ""},
    {1206, replay, false, kNames, "the server is out of memory for locks", ""},
    {1213, replay, false, kNames, "deadlock with another transaction", ""},
    {1226, connection, true, kNames, "the account is over one of its limits", ""},
    {1227, access_denied, false, kNames, "a privilege is missing", kPrivileges},
    {1242, bad_record, false, kNames, "a subquery returns more than one row", ""},
    {1264, bad_record, false, kNames, "a number is out of the column's range", ""},
    {1265, bad_record, false, kNames, "the column would cut the value", ""},
    {1290, fail_over, true, kNames, "the server is read-only", ""},
    {1292, bad_record, false, kValues, "the column does not take the value", ""},
    {1300, bad_record, false, kHidden, "a text is not valid in its character set", ""},
    {1317, connection, true, kNames, "the statement was killed", ""},
    {1364, schema_drift, false, kNames, "a column without a default got no value", kMigrate},
    {1365, bad_record, false, kNames, "a division by zero", ""},
    {1366, bad_record, false, kValues, "the column does not take the value", ""},
    {1369, bad_record, false, kNames, "the view's check option refuses the row", ""},
    {1370, access_denied, false, kNames, "a privilege on a routine is missing", kPrivileges},
    {1390, too_big, false, kNames, "a statement has too many placeholders", ""},
    {1406, bad_record, false, kNames, "a text is too long for the column", ""},
    {1411, bad_record, false, kValues, "a function does not take the value", ""},
    {1412, replay, false, kNames, "the table's definition has just changed", ""},
    {1416, bad_record, false, kNames, "the column does not take the geometry", ""},
    {1441, bad_record, false, kNames, "a date is out of range", ""},
    {1451, bad_record, false, kNames, "other rows refer to the row by a foreign key", ""},
    {1452, bad_record, false, kNames, "no row that the foreign key refers to", ""},
    {1526, bad_record, false, kHidden, "no partition of the table takes the value", ""},
    {1615, replay, false, kNames, "the table's definition has just changed", ""},
    {1644, bad_record, false, kHidden, "a trigger refuses the row", ""},
    {1690, bad_record, false, kHidden, "a number is out of range", ""},
    {1698, access_denied, false, kNames, "wrong user or password", ""},
    {1792, fail_over, true, kNames, "the session is read-only", ""},
    {1820, access_denied, false, kNames, "the password must be changed first", ""},
    {1836, fail_over, true, kNames, "the server is read-only", ""},
    {1862, access_denied, false, kNames, "the password has expired", ""},
    {1906, bad_record, false, kNames, "a generated column takes no value", ""},
    {1927, connection, true, kNames, "the session was killed", ""},
    {1969, replay, false, kNames, "a statement was over max_statement_time", ""},
    {2002, connection, true, kNames, "the server cannot be reached", ""},
    {2003, connection, true, kNames, "the server cannot be reached", ""},
    {2005, connection, true, kNames, "the server's name is not known", ""},
    {2006, connection, true, kNames, "the connection was lost", ""},
    {2013, connection, true, kNames, "the connection was lost", ""},
    {2026,
     connection,
     true,
     kNames,
     "TLS could not be set up",
     "mysql.tls-ca must have the authority that signed the server's certificate, and the "
     "certificate the name by which mysql.uri calls the server"},
    {2055, connection, true, kNames, "the connection was lost", ""},
    {2059, access_denied, false, kNames, "the client lacks the account's password plugin", kPlugin},
    {2061, access_denied, false, kNames, "the account's password plugin asks for TLS", kPlugin},
    {3024, replay, false, kNames, "a statement was over max_execution_time", ""},
    {3037, bad_record, false, kNames, "a geometry is not valid", ""},
    {3072, bad_record, false, kNames, "a geometry is not valid GeoJSON", ""},
    {3100, too_big, false, kNames, "the cluster refuses the transaction as too large", ""},
    {3101, replay, false, kNames, "the cluster rolled the transaction back", ""},
    {3105, bad_record, false, kNames, "a generated column takes no value", ""},
    {3118, access_denied, false, kNames, "the account is locked", ""},
    {3140, bad_record, false, kHidden, "the column takes JSON only", ""},
    {3141, bad_record, false, kHidden, "a function takes JSON only", ""},
    {3144, bad_record, false, kNames, "a JSON value cannot be made from binary text", ""},
    {3159,
     access_denied,
     true,
     kNames,
     "the server takes encrypted connections only",
     "set mysql.tls"},
    {3169, connection, true, kNames, "the session was killed", ""},
    {3548, bad_record, false, kHidden, "the server does not know the spatial reference system", ""},
    {3572, replay, false, kNames, "another transaction holds a lock", ""},
    {3616, bad_record, false, kHidden, "a longitude is out of range", ""},
    {3617, bad_record, false, kHidden, "a latitude is out of range", ""},
    {3643,
     bad_record,
     false,
     kNames,
     "the geometry is of another spatial reference system than the column",
     ""},
    {3819, bad_record, false, kNames, "a CHECK constraint refuses the row", ""},
    {4025, bad_record, false, kNames, "a CHECK constraint refuses the row", ""},
    {4031, connection, true, kNames, "the server closed an idle session", ""},
    {4037, bad_record, false, kNames, "a function takes JSON only", ""},
    {4038, bad_record, false, kNames, "a function takes JSON only", ""},
    {4048, bad_record, false, kNames, "a geometry is not valid GeoJSON", ""},
    {6136, bad_record, false, kHidden, "the column takes vectors only", ""},
    {6138, bad_record, false, kHidden, "a text is not a vector", ""},
};

static_assert(std::is_sorted(std::begin(kTable),
                             std::end(kTable),
                             [](const auto& a, const auto& b) { return a.code < b.code; }));

constexpr ErrorMeaning kUnknown{-1,
                                internal,
                                false,
                                kValues,
                                "the server reports an error that txsink does not know",
                                "nothing was skipped; look the number up in the server's manual"};

}  // namespace

const ErrorMeaning& classify(int code) noexcept {
    const auto* found = std::lower_bound(
        std::begin(kTable), std::end(kTable), code, [](const auto& each, int want) {
            return each.code < want;
        });
    return found != std::end(kTable) && found->code == code ? *found : kUnknown;
}

std::string mask(int code, std::string_view message) {
    switch (classify(code).text) {
        case MessageText::names:
            return std::string{message};
        case MessageText::hidden:
            return {};
        case MessageText::values:
            break;
    }
    const auto first = message.find_first_of("'\"");
    if (first == std::string_view::npos) {
        return std::string{message};
    }
    std::string shown{message.substr(0, first)};
    shown += "'***'";
    if (message.starts_with("Truncated incorrect")) {
        return shown;  // no name follows the value
    }
    // Quotes inside the value are not escaped, so only what follows the last of these is known to
    // be a name; the server cuts values, never this end.
    std::size_t tail = std::string_view::npos;
    for (const std::string_view marker :
         {" for key '", " for column '", " for column `", " for function "}) {
        const auto at = message.rfind(marker);
        if (at != std::string_view::npos && at > first &&
            (tail == std::string_view::npos || at > tail)) {
            tail = at;
        }
    }
    if (tail != std::string_view::npos) {
        shown += message.substr(tail);
    }
    return shown;
}

}  // namespace txsink::mysql
