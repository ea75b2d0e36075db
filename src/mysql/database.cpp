#include "txsink/mysql/database.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mysql/session.hpp"
#include "mysql/statement_text.hpp"
#include "mysql/table_reader.hpp"
#include "mysql/writable_session.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mysql {
namespace {

constexpr int kOldestMysql = 8'00'00;
constexpr int kOldestMariadb = 10'06'00;

bool is_privilege_error(int code) {
    constexpr int kDatabaseDenied = 1044;
    constexpr int kTableDenied = 1142;
    constexpr int kColumnDenied = 1143;
    return code == kDatabaseDenied || code == kTableDenied || code == kColumnDenied;
}

/// What the one who wrote the options can do when no session opens.
const char* hint_for_opening(int code) {
    switch (code) {
        case 1045:
        case 1698:
            return "mend the user of mysql.uri or the password (mysql.password-file, "
                   "TXSINK_MYSQL_PASSWORD)";
        case 1049:
            return "create it, or mend the name at the end of mysql.uri";
        case 2002:
        case 2003:
        case 2005:
            return "is it running? check host and port of mysql.uri";
        default:
            return "";
    }
}

std::string join(const std::vector<std::string>& parts) {
    std::string all;
    for (const auto& part : parts) {
        all += (all.empty() ? "" : ", ") + part;
    }
    return all;
}

/// A statement that needs `privilege` on the table and, explained, does nothing.
std::string probe(std::string_view privilege,
                  const std::string& table,
                  const std::vector<std::string>& columns) {
    if (privilege == "SELECT") {
        return fmt::format("EXPLAIN SELECT {} FROM {} WHERE 1 = 0", join(columns), table);
    }
    if (privilege == "DELETE") {
        return fmt::format("EXPLAIN DELETE FROM {} WHERE 1 = 0", table);
    }
    if (privilege == "INSERT") {
        const std::vector<std::string> nulls(columns.size(), "NULL");
        return fmt::format(
            "EXPLAIN INSERT INTO {} ({}) VALUES ({})", table, join(columns), join(nulls));
    }
    std::vector<std::string> sets;
    for (const auto& column : columns) {
        sets.push_back(column + " = NULL");
    }
    return fmt::format("EXPLAIN UPDATE {} SET {} WHERE 1 = 0", table, join(sets));
}

}  // namespace

Database::Database(const MysqlSettings& settings) {
    try {
        session_ = std::make_unique<Session>(open_writable_session(settings).session);
    } catch (SinkError& error) {
        if (error.hint.empty()) {
            error.hint = hint_for_opening(error.native_code);
        }
        throw;
    }
}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Session& Database::session() noexcept {
    return *session_;
}

std::string Database::server_name() const {
    return fmt::format("{} {} at {}:{}",
                       session_->is_mariadb() ? "MariaDB" : "MySQL",
                       session_->version(),
                       session_->host().name,
                       session_->host().port);
}

batch::Dialect Database::dialect() const noexcept {
    return session_->dialect();
}

std::string_view Database::version_needed() const {
    const int oldest = session_->is_mariadb() ? kOldestMariadb : kOldestMysql;
    if (session_->version_number() >= oldest) {
        return {};
    }
    return session_->is_mariadb() ? "MariaDB 10.6" : "MySQL 8.0";
}

mapping::TableDefinition Database::load_table(const mapping::TableName& name) {
    return read_table(*session_, name);
}

std::vector<std::string> Database::missing_privileges(
    const mapping::TableName& name, std::span<const std::string_view> privileges) {
    const auto definition = read_table(*session_, name);
    const auto table = fmt::format("{}.{}",
                                   mapping::identifier(definition.name.database),
                                   mapping::identifier(definition.name.table));
    std::vector<std::string> columns;
    for (const auto& column : definition.columns) {
        if (!column.is_generated) {
            columns.push_back(mapping::identifier(column.name));
        }
    }
    std::vector<std::string> missing;
    for (const auto privilege : privileges) {
        try {
            static_cast<void>(session_->query(probe(privilege, table, columns)));
        } catch (const SinkError& error) {
            // Anything else (a NULL for a NOT NULL column, say) comes after the privileges.
            if (is_privilege_error(error.native_code)) {
                missing.emplace_back(privilege);
            } else if (error.reconnect) {
                throw;
            }
        }
    }
    return missing;
}

std::string Database::complaint_about(std::string_view statement) {
    if (!is_row_statement(statement)) {
        return "it is none of INSERT, REPLACE, UPDATE, DELETE and WITH";
    }
    return session_->complaint_about(statement);
}

std::vector<std::string> Database::privileges_over_read_only() {
    const auto rows = session_->query(
        "SELECT DISTINCT PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES "
        "WHERE GRANTEE = CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', 1), '''@''', "
        "SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''') AND PRIVILEGE_TYPE IN "
        "('SUPER', 'READ ONLY ADMIN', 'READ_ONLY ADMIN', 'CONNECTION ADMIN', 'CONNECTION_ADMIN') "
        "ORDER BY PRIVILEGE_TYPE");
    std::vector<std::string> found;
    for (const auto& row : rows) {
        found.push_back(row.at(0).value_or(""));
    }
    return found;
}

}  // namespace txsink::mysql
