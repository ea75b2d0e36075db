/// @file
/// PacketProbe: whether a session was lost because a packet was too large.
#pragma once

#include <cstddef>
#include <limits>

#include "mysql/session.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {

/// Packets up to this size are never suspected.
inline constexpr std::size_t kSmallestStatementBytes = 4 * 1024;

/// Tells a server, or a proxy, that takes no packet of a size from one that just went away.
///
/// Many say so (1153); others close the connection, which looks like a restart, a read timeout or
/// a KILL. So a loss is only a suspicion: before the next packet as large, one of its size is sent
/// that waits for no lock and changes nothing. Only when that was lost too, in two sessions one
/// after the other, the size is to blame: a good record must not be refused for a server that
/// restarts.
/// It outlives sessions. Threading: one thread.
class PacketProbe {
public:
    /// To be asked before a packet of `bytes` is sent. Returns false when the server does not take
    /// packets of that size; the session is lost then.
    /// Errors: connection: not known yet: ask again in a new session.
    [[nodiscard]] bool allows(Session& session, std::size_t bytes);

    /// To be told of the error that a packet of `bytes` met. Returns true when the server said
    /// that it is too large.
    [[nodiscard]] bool is_too_large(const SinkError& error, std::size_t bytes);

private:
    /// The smallest packet that a session was lost at; none: no suspicion.
    std::size_t suspected_ = std::numeric_limits<std::size_t>::max();
    /// Probes lost one after another.
    int lost_ = 0;
};

}  // namespace txsink::mysql
