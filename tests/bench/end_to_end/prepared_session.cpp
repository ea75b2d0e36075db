#include "prepared_session.hpp"

#ifndef TXSINK_MYSQL_JDBC_H
#include <cppconn/datatype.h>
#endif

#include "mysql/connection.hpp"
#include "mysql/session.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::bench {

PreparedSession::PreparedSession(const mysql::MysqlSettings& settings) {
    mysql::announce_thread();
    const auto& host = settings.hosts.front();
    mysql::Session model{settings, host};
    mysql::translating([&] {
        connection_ = mysql::open_connection(settings, host, mysql::Packets::single);
        statement_.reset(connection_->createStatement());
        for (const auto& row : model.query(
                 "SHOW SESSION VARIABLES WHERE Variable_name IN ('transaction_isolation', "
                 "'tx_isolation', 'autocommit', 'completion_type', 'sql_mode', 'time_zone', "
                 "'character_set_client', 'character_set_connection', 'character_set_results', "
                 "'collation_connection')")) {
            statement_->execute("SET SESSION " + row.at(0).value_or("") + " = " +
                                mapping::string_literal(row.at(1).value_or("")));
        }
        for (const auto& row : model.query(
                 "SHOW SESSION VARIABLES WHERE Variable_name IN ('innodb_lock_wait_timeout', "
                 "'lock_wait_timeout', 'wait_timeout', 'net_read_timeout')")) {
            statement_->execute("SET SESSION " + row.at(0).value_or("") + " = " +
                                row.at(1).value_or("0"));
        }
    });
}

void PreparedSession::execute(const std::string& sql) {
    mysql::translating([&] { statement_->execute(sql); });
}

std::uint64_t PreparedSession::execute_update(const std::string& sql) {
    return mysql::translating(
        [&] { return static_cast<std::uint64_t>(statement_->executeUpdate(sql)); });
}

void PreparedSession::execute(const PreparedRows& rows) {
    mysql::translating([&] {
        for (std::size_t row = 0; row < rows.rows();) {
            const auto size = prepared_size(rows.rows() - row);
            auto& statement = statement_for(rows, size);
            bind(statement, rows, row, size);
            statement.executeUpdate();
            row += size;
        }
    });
}

void PreparedSession::prepare(const PreparedRows& rows) {
    mysql::translating([&] {
        for (std::size_t row = 0; row < rows.rows();) {
            const auto size = prepared_size(rows.rows() - row);
            static_cast<void>(statement_for(rows, size));
            row += size;
        }
    });
}

sql::PreparedStatement& PreparedSession::statement_for(const PreparedRows& rows, std::size_t size) {
    auto& prepared = prepared_[{rows.head + rows.tail, size}];
    if (prepared == nullptr) {
        prepared.reset(connection_->prepareStatement(with_placeholders(rows, size)));
    }
    return *prepared;
}

void PreparedSession::bind(sql::PreparedStatement& statement,
                           const PreparedRows& rows,
                           std::size_t first,
                           std::size_t size) {
    const std::size_t begin = first * rows.columns;
    for (std::size_t i = 0; i < size * rows.columns; ++i) {
        const auto parameter = static_cast<unsigned>(i + 1);
        const auto& cell = rows.cells[begin + i];
        if (const auto* number = std::get_if<std::int64_t>(&cell)) {
            statement.setInt64(parameter, *number);
        } else if (const auto* text = std::get_if<std::string>(&cell)) {
            statement.setString(parameter, *text);
        } else {
            statement.setNull(parameter, sql::DataType::SQLNULL);
        }
    }
}

}  // namespace txsink::bench
