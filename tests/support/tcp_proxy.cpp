/// @file
/// TcpProxy over one poll() loop.
#include "support/tcp_proxy.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace txsink::test {
namespace {

/// The payload of a COM_QUERY packet.
constexpr std::string_view kCommit{
    "\x03"
    "COMMIT"};
constexpr std::size_t kHeaderBytes = 4;  // 3 of length, little endian, and a sequence number

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

int checked(int result, const char* what) {
    if (result < 0) {
        throw std::runtime_error{std::string{what} + ": " + std::strerror(errno)};
    }
    return result;
}

/// A socket and what is still to be written to it.
struct End {
    int socket = -1;
    std::string to_write;

    void close() {
        if (socket >= 0) {
            ::close(socket);
            socket = -1;
        }
        to_write.clear();
    }
    /// False: broken.
    bool write_some() {
        while (!to_write.empty()) {
            const auto written =
                ::send(socket, to_write.data(), to_write.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (written < 0) {
                return errno == EAGAIN || errno == EINTR;
            }
            to_write.erase(0, static_cast<std::size_t>(written));
        }
        return true;
    }
    /// Appends what has come; false: the peer has closed, or broken.
    bool read_some(std::string& into) const {
        std::array<char, 64 * 1024> buffer{};
        const auto got = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got > 0) {
            into.append(buffer.data(), static_cast<std::size_t>(got));
            return true;
        }
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    }
};

struct Connection {
    End client;
    End server;
    std::string from_client;  ///< not yet a whole packet
    bool is_frozen = false;
    CommitFault after = CommitFault::none;  ///< cut_after, freeze_after: when the reply comes

    void close() {
        client.close();
        server.close();
    }
    [[nodiscard]] bool is_closed() const { return client.socket < 0 && server.socket < 0; }
};

/// The first whole packet of `bytes`, or nothing.
std::string_view first_packet(std::string_view bytes) {
    if (bytes.size() < kHeaderBytes) {
        return {};
    }
    const auto byte = [&](std::size_t i) {
        return std::size_t{static_cast<unsigned char>(bytes[i])};
    };
    const auto size = kHeaderBytes + byte(0) + (byte(1) << 8) + (byte(2) << 16);
    return bytes.size() < size ? std::string_view{} : bytes.substr(0, size);
}

}  // namespace

struct TcpProxy::State {
    int listener = -1;
    int wake = -1;
    std::uint16_t port = 0;
    std::uint16_t server_port = 0;

    std::atomic<std::size_t> largest_packet = SIZE_MAX - kHeaderBytes;
    std::atomic<std::size_t> packets = 0;

    mutable std::mutex mutex;  // guards what follows, up to the thread's own
    CommitFault fault = CommitFault::none;
    int every = 1;
    int times = 0;
    int commits = 0;
    int struck = 0;
    bool must_cut = false;
    bool must_end = false;

    std::list<Connection> connections;
    std::thread thread;

    void open();
    void loop();
    void accept_one();
    void step(Connection& connection, short client_events, short server_events);
    void on_client_bytes(Connection& connection);
    void on_server_bytes(Connection& connection, const std::string& bytes);
    CommitFault fault_of_this_commit();
    void poke() const {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(wake, &one, sizeof one);
    }
};

void TcpProxy::State::open() {
    listener = checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    wake = checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
    auto address = loopback(0);
    socklen_t size = sizeof address;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket interface
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    checked(::bind(listener, generic, size), "bind");
    checked(::listen(listener, 16), "listen");
    checked(::getsockname(listener, generic, &size), "getsockname");
    port = ntohs(address.sin_port);
}

void TcpProxy::State::loop() {
    std::vector<pollfd> polled;
    for (;;) {
        polled.assign({{wake, POLLIN, 0}, {listener, POLLIN, 0}});
        for (const auto& each : connections) {
            for (const End* end : {&each.client, &each.server}) {
                const auto events =
                    static_cast<short>(POLLIN | (end->to_write.empty() ? 0 : POLLOUT));
                // A frozen connection is not even read; poll() skips negative sockets.
                polled.push_back({each.is_frozen ? -1 : end->socket, events, 0});
            }
        }
        ::poll(polled.data(), polled.size(), -1);
        std::uint64_t ignored = 0;
        [[maybe_unused]] const auto got = ::read(wake, &ignored, sizeof ignored);
        {
            const std::scoped_lock lock{mutex};
            if (must_end) {
                return;
            }
            if (must_cut) {
                must_cut = false;
                connections.remove_if([](auto& each) { return each.close(), true; });
                continue;
            }
        }
        auto at = polled.begin() + 2;
        for (auto& each : connections) {
            const auto client_events = (at++)->revents;
            const auto server_events = (at++)->revents;
            step(each, client_events, server_events);
        }
        connections.remove_if([](const auto& each) { return each.is_closed(); });
        if ((polled[1].revents & POLLIN) != 0) {
            accept_one();
        }
    }
}

void TcpProxy::State::accept_one() {
    Connection fresh;
    fresh.client.socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fresh.client.socket < 0) {
        return;
    }
    fresh.server.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback(server_port);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket interface
    if (::connect(fresh.server.socket, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) {
        fresh.close();
        return;
    }
    const int on = 1;
    ::setsockopt(fresh.client.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(fresh.server.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections.push_back(std::move(fresh));
}

void TcpProxy::State::step(Connection& connection, short client_events, short server_events) {
    bool is_whole = true;
    if ((client_events & (POLLIN | POLLHUP | POLLERR)) != 0) {
        is_whole = connection.client.read_some(connection.from_client);
        on_client_bytes(connection);
    }
    // The fault of a COMMIT may have closed or frozen it.
    if (connection.is_closed() || connection.is_frozen) {
        return;
    }
    if ((server_events & (POLLIN | POLLHUP | POLLERR)) != 0) {
        std::string bytes;
        is_whole = connection.server.read_some(bytes) && is_whole;
        on_server_bytes(connection, bytes);
    }
    if (connection.is_closed() || connection.is_frozen) {
        return;
    }
    is_whole = connection.server.write_some() && connection.client.write_some() && is_whole;
    if (!is_whole) {
        connection.close();
    }
}

void TcpProxy::State::on_client_bytes(Connection& connection) {
    for (auto packet = first_packet(connection.from_client); !packet.empty();
         packet = first_packet(connection.from_client)) {
        ++packets;
        if (packet.size() > kHeaderBytes + largest_packet) {
            connection.close();
            return;
        }
        if (packet.substr(kHeaderBytes) == kCommit) {
            switch (const auto met = fault_of_this_commit()) {
                case CommitFault::none:
                    break;
                case CommitFault::cut_before:
                    connection.close();
                    return;
                case CommitFault::freeze_before:
                    connection.is_frozen = true;
                    return;
                case CommitFault::cut_after:
                case CommitFault::freeze_after:
                    connection.after = met;
                    break;
            }
        }
        connection.server.to_write += packet;
        connection.from_client.erase(0, packet.size());
    }
}

void TcpProxy::State::on_server_bytes(Connection& connection, const std::string& bytes) {
    if (connection.after == CommitFault::none || bytes.empty()) {
        connection.client.to_write += bytes;
    } else if (connection.after == CommitFault::cut_after) {
        connection.close();
    } else {
        connection.is_frozen = true;
    }
}

CommitFault TcpProxy::State::fault_of_this_commit() {
    const std::scoped_lock lock{mutex};
    if (fault == CommitFault::none || struck >= times || ++commits % every != 0) {
        return CommitFault::none;
    }
    ++struck;
    return fault;
}

TcpProxy::TcpProxy(std::uint16_t server_port) : state_{std::make_unique<State>()} {
    state_->server_port = server_port;
    state_->open();
    state_->thread = std::thread{[state = state_.get()] { state->loop(); }};
}

TcpProxy::~TcpProxy() {
    {
        const std::scoped_lock lock{state_->mutex};
        state_->must_end = true;
    }
    state_->poke();
    state_->thread.join();
    for (auto& each : state_->connections) {
        each.close();
    }
    ::close(state_->listener);
    ::close(state_->wake);
}

std::uint16_t TcpProxy::port() const noexcept {
    return state_->port;
}

void TcpProxy::strike(CommitFault fault, int every, int times) {
    const std::scoped_lock lock{state_->mutex};
    state_->fault = fault;
    state_->every = every;
    state_->times = times;
    state_->commits = 0;
    state_->struck = 0;
}

int TcpProxy::struck() const {
    const std::scoped_lock lock{state_->mutex};
    return state_->struck;
}

void TcpProxy::limit_packets(std::size_t bytes) {
    state_->largest_packet = bytes;
}

std::size_t TcpProxy::packets() const {
    return state_->packets;
}

void TcpProxy::cut_all() {
    {
        const std::scoped_lock lock{state_->mutex};
        state_->must_cut = true;
    }
    state_->poke();
}

}  // namespace txsink::test
