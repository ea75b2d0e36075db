/// @file
/// A session for server-prepared statements, set up as txsink's own sessions are.
#pragma once

#ifdef TXSINK_MYSQL_JDBC_H
#include <mysql/jdbc.h>
#else
#include <cppconn/connection.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/statement.h>
#endif

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "prepared_rows.hpp"
#include "txsink/mysql/mysql_settings.hpp"

namespace txsink::bench {

/// Errors: SinkError. Threading: one thread.
class PreparedSession {
public:
    explicit PreparedSession(const mysql::MysqlSettings& settings);

    void execute(const std::string& sql);
    std::uint64_t execute_update(const std::string& sql);
    /// Runs the rows, in statements that are prepared once for each size.
    void execute(const PreparedRows& rows);
    /// Prepares what execute() will need for such rows.
    void prepare(const PreparedRows& rows);

private:
    sql::PreparedStatement& statement_for(const PreparedRows& rows, std::size_t size);
    void bind(sql::PreparedStatement& statement,
              const PreparedRows& rows,
              std::size_t first,
              std::size_t size);

    std::unique_ptr<sql::Connection> connection_;
    std::unique_ptr<sql::Statement> statement_;
    /// By head and tail, and rows.
    std::map<std::pair<std::string, std::size_t>, std::unique_ptr<sql::PreparedStatement>>
        prepared_;
};

}  // namespace txsink::bench
