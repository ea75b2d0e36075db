/// @file
/// The limit: rendered transactions, played as fast as the server takes them.
#pragma once

#include <cstdint>
#include <span>

#include "script.hpp"
#include "txsink/mysql/mysql_settings.hpp"

namespace txsink::bench {

enum class Protocol : std::uint8_t {
    text,      ///< multi-row statements, as the sink sends them
    prepared,  ///< the same rows in server-prepared multi-row statements of a few sizes
};

struct Played {
    double seconds = 0;
    /// Transactions run again, after a deadlock between the sessions.
    std::uint64_t repeated = 0;
};

/// Plays each script in a session and a thread of its own; the clock runs from when all sessions
/// are open to the last COMMIT.
/// Errors: SinkError, the driver's; internal: an offset row did not move.
[[nodiscard]] Played play(std::span<const Script> scripts,
                          const mysql::MysqlSettings& settings,
                          Protocol protocol);

}  // namespace txsink::bench
