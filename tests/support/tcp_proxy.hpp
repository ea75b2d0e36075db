/// @file
/// TcpProxy: stands between txsink and MySQL and strikes at COMMIT, or at large packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace txsink::test {

/// What happens to a connection when its client says COMMIT.
enum class CommitFault : std::uint8_t {
    none,
    cut_before,     ///< both sides are closed; the server never sees the COMMIT
    cut_after,      ///< the server gets the COMMIT; its reply is swallowed, then both are closed
    freeze_before,  ///< nothing is passed on any more, nothing is closed: an orphan transaction
    freeze_after,   ///< the server gets the COMMIT; then as freeze_before
};

/// Forwards 127.0.0.1:port() to a server on 127.0.0.1, whose packets must not be encrypted or
/// compressed.
/// Threading: one thread of its own; calls from any.
class TcpProxy {
public:
    /// Errors: std::runtime_error: no socket.
    explicit TcpProxy(std::uint16_t server_port);
    /// Closes all connections.
    ~TcpProxy();
    TcpProxy(const TcpProxy&) = delete;
    TcpProxy& operator=(const TcpProxy&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept;

    /// From now on each `every`-th COMMIT, counted over all connections, meets `fault`, until it
    /// has struck `times` times.
    void strike(CommitFault fault, int every, int times);
    /// How often the faults struck since the last strike().
    [[nodiscard]] int struck() const;
    /// From now on a packet of a client with more bytes than these closes its connection.
    void limit_packets(std::size_t bytes);
    /// Packets of clients so far.
    [[nodiscard]] std::size_t packets() const;
    /// Closes all present connections at once.
    void cut_all();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace txsink::test
