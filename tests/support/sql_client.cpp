/// @file
/// SqlClient over MySQL Connector/C++.
#include "support/sql_client.hpp"

#ifdef TXSINK_MYSQL_JDBC_H
#include <mysql/jdbc.h>
#else
#include <cppconn/connection.h>
#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>
#include <cppconn/statement.h>
#endif

#include <charconv>
#include <mutex>
#include <utility>

namespace txsink::test {
namespace {

sql::Driver& driver() {
    static std::mutex mutex;  // the driver's first use is not thread-safe
    const std::scoped_lock lock{mutex};
    static sql::Driver* const only = get_driver_instance();
    return *only;
}

template <typename Call>
auto told(const std::string& sql, Call&& call) {
    try {
        return call();
    } catch (const sql::SQLException& error) {
        throw SqlError{std::string{error.what()} + " [" + std::to_string(error.getErrorCode()) +
                           "] at: " + sql.substr(0, 200),
                       error.getErrorCode()};
    }
}

}  // namespace

ServerAddress ServerAddress::parse(const std::string& uri) {
    constexpr std::string_view kScheme = "mysql://";
    const auto at = uri.find('@');
    const auto colon = uri.find(':', at == uri.npos ? 0 : at);
    unsigned port = 0;
    if (uri.starts_with(kScheme) && at != uri.npos && colon != uri.npos) {
        std::from_chars(uri.data() + colon + 1, uri.data() + uri.size(), port);
    }
    if (port == 0) {
        throw std::runtime_error{"not of the form mysql://user@host:port/: " + uri};
    }
    return {uri.substr(kScheme.size(), at - kScheme.size()),
            uri.substr(at + 1, colon - at - 1),
            static_cast<std::uint16_t>(port)};
}

struct SqlClient::State {
    State() { driver().threadInit(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        statement.reset();
        connection.reset();
        driver().threadEnd();
    }
    std::unique_ptr<sql::Connection> connection;
    std::unique_ptr<sql::Statement> statement;
};

SqlClient::SqlClient(const ServerAddress& server) : state_{std::make_unique<State>()} {
    told("connect", [&] {
        sql::ConnectOptionsMap options;
        options["hostName"] = sql::SQLString{server.host};
        options["port"] = static_cast<int>(server.port);
        options["userName"] = sql::SQLString{server.user};
        options["password"] = sql::SQLString{""};
        // A paused or killed server must not hang a test.
        options["OPT_CONNECT_TIMEOUT"] = 10;
        options["OPT_READ_TIMEOUT"] = 60;
        state_->connection.reset(driver().connect(options));
        state_->statement.reset(state_->connection->createStatement());
        return 0;
    });
}

SqlClient::~SqlClient() = default;

void SqlClient::execute(const std::string& sql) {
    told(sql, [&] { return state_->statement->execute(sql); });
}

std::vector<SqlClient::Row> SqlClient::rows(const std::string& sql) {
    return told(sql, [&] {
        const std::unique_ptr<sql::ResultSet> result{state_->statement->executeQuery(sql)};
        const auto columns = result->getMetaData()->getColumnCount();
        std::vector<Row> all;
        while (result->next()) {
            Row row;
            for (std::uint32_t i = 1; i <= columns; ++i) {
                row.push_back(result->isNull(i) ? "NULL" : result->getString(i).asStdString());
            }
            all.push_back(std::move(row));
        }
        return all;
    });
}

std::string SqlClient::text(const std::string& sql) {
    const auto all = rows(sql);
    if (all.size() != 1 || all.front().size() != 1) {
        throw std::runtime_error{"not one value but " + std::to_string(all.size()) +
                                 " rows: " + sql};
    }
    return all.front().front();
}

std::int64_t SqlClient::number(const std::string& sql) {
    const auto value = text(sql);
    std::int64_t number = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc{}) {
        throw std::runtime_error{"not a number but " + value + ": " + sql};
    }
    return number;
}

}  // namespace txsink::test
