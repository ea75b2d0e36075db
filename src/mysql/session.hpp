/// @file
/// Session: one connection to one server, with every setting that exactly-once rests on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/batch/write_plan.hpp"
#include "txsink/mysql/mysql_settings.hpp"

namespace txsink::mysql {

/// A result row; nothing for NULL.
using Row = std::vector<std::optional<std::string>>;

/// An open connection. All transaction control is SQL text: the driver's own methods for it
/// swallow errors.
///
/// After construction the session has READ COMMITTED, autocommit, strict sql_mode, UTC, utf8mb4
/// and the timeouts of its settings, each of them read back.
/// Errors: every call throws SinkError (see error_table.hpp); after one with `reconnect` the
/// session is of no further use.
/// Threading: one thread at a time.
class Session {
public:
    /// Connects to `host`, whether or not it is writable.
    /// Errors: configuration: a setting did not take, or TLS is weaker than asked for.
    Session(const MysqlSettings& settings, const Host& host);
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    /// Closes; the server rolls back what is open. Never throws.
    ~Session();

    /// Runs one statement; the rows that it may return are dropped.
    void execute(std::string_view sql);
    /// Runs one statement; returns the rows that it changed (not those that it matched).
    std::uint64_t execute_update(std::string_view sql);
    /// Runs one statement that returns rows.
    [[nodiscard]] std::vector<Row> query(std::string_view sql);
    /// COMMIT. Errors: each has outcome_unknown and reconnect, whatever its code.
    void execute_commit();

    /// Whether the server takes writes, asked now (read_only is off).
    [[nodiscard]] bool is_writable();

    [[nodiscard]] bool is_mariadb() const noexcept;
    /// As the server says it: "10.11.19-MariaDB-log".
    [[nodiscard]] const std::string& version() const noexcept;
    /// major * 10000 + minor * 100 + patch.
    [[nodiscard]] int version_number() const noexcept;
    [[nodiscard]] batch::Dialect dialect() const noexcept;
    /// Bytes.
    [[nodiscard]] std::size_t max_allowed_packet() const noexcept;
    /// Empty: not encrypted.
    [[nodiscard]] const std::string& tls_cipher() const noexcept;
    /// The server's number of this connection, as KILL takes it.
    [[nodiscard]] std::uint64_t connection_id() const noexcept;
    [[nodiscard]] const Host& host() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace txsink::mysql
