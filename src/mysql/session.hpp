/// @file
/// Session: one connection to one server, with every setting that exactly-once rests on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/batch/write_plan.hpp"
#include "txsink/mysql/mysql_settings.hpp"

namespace txsink::mysql {

/// A result row; nothing for NULL.
using Row = std::vector<std::optional<std::string>>;

/// How many statements the server takes in one packet of a session.
enum class Packets : std::uint8_t {
    single,   ///< one: a second one in it is a syntax error
    several,  ///< any number: see Session::execute_each
};

/// A statement of a packet, and what became of it.
struct PacketStatement {
    std::string_view sql;
    /// Whether `matched` is asked for: it costs the server a further, small statement.
    bool is_counted = false;
    bool has_run = false;
    /// Rows that it found, also those that it left as they were; of a result set: its rows.
    std::uint64_t matched = 0;
};

/// What a statement costs of a packet, beside its text.
inline constexpr std::size_t kPacketStatementBytes = 32;

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
    Session(const MysqlSettings& settings, const Host& host, Packets packets = Packets::single);
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    /// Closes; the server rolls back what is open. Never throws.
    ~Session();

    /// Runs one statement; the rows that it may return are dropped.
    void execute(std::string_view sql);
    /// Runs one statement; returns the rows that it matched, changed or not. An upsert: see the
    /// server's manual.
    std::uint64_t execute_update(std::string_view sql);
    /// Runs one statement that returns rows.
    [[nodiscard]] std::vector<Row> query(std::string_view sql);
    /// Runs statements one after another, in one round trip where the session takes several in a
    /// packet, and drops the rows that they return. Each of them must be one of has_one_result(),
    /// unless there is only one. Errors: that of the first statement that fails; those before it
    /// have has_run set, and those behind it were not begun. Nothing is left unread.
    void execute_each(std::span<PacketStatement> statements);
    /// What the server says against `statement`, which may hold `?` for values; empty: nothing.
    /// It is prepared, not run. The text is the server's own: not for texts with values in them.
    [[nodiscard]] std::string complaint_about(std::string_view statement);
    /// COMMIT. Errors: each has outcome_unknown and reconnect, whatever its code.
    void execute_commit();
    /// ROLLBACK. Never throws: an error of its own would hide the one that it is called for.
    void roll_back() noexcept;

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
