/// @file
/// SqlClient: a test's own session with the server, to prepare, disturb and judge.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace txsink::test {

/// `code`: the server's or the driver's error number.
struct SqlError : std::runtime_error {
    SqlError(const std::string& message, int code_in)
        : std::runtime_error{message}, code{code_in} {}
    int code;
};

/// The parts of TXSINK_TEST_MYSQL (mysql://user@host:port/).
struct ServerAddress {
    std::string user;
    std::string host;
    std::uint16_t port = 0;
    [[nodiscard]] static ServerAddress parse(const std::string& uri);
};

/// A session without a default database: names are qualified. Independent of the code under test.
///
/// Errors: SqlError.
/// Threading: the thread that made it.
class SqlClient {
public:
    using Row = std::vector<std::string>;  ///< NULL is "NULL"

    explicit SqlClient(const ServerAddress& server);
    ~SqlClient();
    SqlClient(const SqlClient&) = delete;
    SqlClient& operator=(const SqlClient&) = delete;

    void execute(const std::string& sql);
    [[nodiscard]] std::vector<Row> rows(const std::string& sql);
    /// The one value of the one row. Errors: std::runtime_error: there is another number of rows.
    [[nodiscard]] std::string text(const std::string& sql);
    [[nodiscard]] std::int64_t number(const std::string& sql);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace txsink::test
