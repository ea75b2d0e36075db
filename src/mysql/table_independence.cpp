#include "mysql/table_independence.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <optional>
#include <string>
#include <string_view>

#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mysql {
namespace {

using mapping::string_literal;
using mapping::TableName;

/// Whether the account itself (not through a role) has `privilege` on all tables, or also on this
/// one by its database or itself.
bool has_privilege(Session& session,
                   std::string_view privilege,
                   const std::optional<TableName>& table) {
    const auto account = session.query("SELECT CURRENT_USER()").at(0).at(0).value_or("");
    const auto at = account.rfind('@');
    const auto grantee = fmt::format("'{}'@'{}'", account.substr(0, at), account.substr(at + 1));
    const auto where = " WHERE GRANTEE = " + string_literal(grantee) +
                       " AND PRIVILEGE_TYPE = " + string_literal(privilege);
    std::string sql = "SELECT 1 FROM information_schema.USER_PRIVILEGES" + where;
    if (table) {
        // A database in a grant is a pattern.
        sql += " UNION SELECT 1 FROM information_schema.SCHEMA_PRIVILEGES" + where + " AND " +
               string_literal(table->database) + " LIKE TABLE_SCHEMA" +
               " UNION SELECT 1 FROM information_schema.TABLE_PRIVILEGES" + where +
               " AND TABLE_SCHEMA = " + string_literal(table->database) +
               " AND TABLE_NAME = " + string_literal(table->table);
    }
    return !session.query(sql).empty();
}

/// MySQL: grants on all databases may have exceptions.
bool may_have_exceptions(Session& session) {
    const auto rows = session.query("SHOW GLOBAL VARIABLES LIKE 'partial_revokes'");
    return !rows.empty() && rows[0].at(1) != "OFF";
}

bool has_no_ties(Session& session, const TableName& name) {
    if (!has_privilege(session, "TRIGGER", name) ||
        !has_privilege(session, "SELECT", std::nullopt) || may_have_exceptions(session)) {
        return false;
    }
    const auto database = string_literal(name.database);
    const auto table = string_literal(name.table);
    const auto rows = session.query(fmt::format(
        "SELECT 1 FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = {0} AND "
        "EVENT_OBJECT_TABLE = {1} UNION SELECT 1 FROM "
        "information_schema.REFERENTIAL_CONSTRAINTS WHERE (CONSTRAINT_SCHEMA = {0} AND TABLE_NAME "
        "= {1}) OR (UNIQUE_CONSTRAINT_SCHEMA = {0} AND REFERENCED_TABLE_NAME = {1})",
        database,
        table));
    return rows.empty();
}

}  // namespace

bool is_independent(Session& session, const TableName& name) {
    try {
        return has_no_ties(session, name);
    } catch (const SinkError& error) {
        if (error.reconnect || error.kind == ErrorKind::connection) {
            throw;
        }
        // MariaDB opens every table of the server for this; one that cannot be opened, or that is
        // dropped just then, is no reason to stop.
        spdlog::debug("looking for triggers and foreign keys of {}: {} ({})",
                      to_string(name),
                      error.what(),
                      error.detail);
        return false;
    }
}

}  // namespace txsink::mysql
