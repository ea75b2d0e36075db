#include "limit.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "mysql/session.hpp"
#include "prepared_session.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::bench {
namespace {

using std::chrono::steady_clock;

void expect_moved(std::uint64_t moved, const ScriptTransaction& transaction) {
    if (moved != transaction.partitions) {
        throw SinkError{ErrorKind::internal, "an offset row did not move: is it not at its start?"};
    }
}

/// Text, in the packets that the sink makes.
class TextPlayer {
public:
    explicit TextPlayer(const mysql::MysqlSettings& settings)
        : session_{settings, settings.hosts.front(), mysql::Packets::several} {}

    void prepare(const Script&) {}
    void play(const ScriptTransaction& transaction) {
        session_.execute("START TRANSACTION");
        expect_moved(session_.execute_update(transaction.offsets), transaction);
        packet_.clear();
        std::size_t bytes = 0;
        for (const auto& statement : transaction.statements) {
            if (!packet_.empty() && bytes + statement.sql.size() > kPacketBytes) {
                send();
                bytes = 0;
            }
            bytes += statement.sql.size() + mysql::kPacketStatementBytes;
            packet_.push_back({statement.sql, statement.is_counted});
        }
        send();
        session_.execute_commit();
    }
    void roll_back() { session_.roll_back(); }

private:
    static constexpr std::size_t kPacketBytes = 1024 * 1024;

    void send() {
        if (!packet_.empty()) {
            session_.execute_each(packet_);
            packet_.clear();
        }
    }

    mysql::Session session_;
    std::vector<mysql::PacketStatement> packet_;
};

class PreparedPlayer {
public:
    explicit PreparedPlayer(const mysql::MysqlSettings& settings) : session_{settings} {}

    void prepare(const Script& script) {
        for (const auto& transaction : script) {
            for (const auto& statement : transaction.statements) {
                if (statement.prepared) {
                    session_.prepare(*statement.prepared);
                }
            }
        }
    }
    void play(const ScriptTransaction& transaction) {
        session_.execute("START TRANSACTION");
        expect_moved(session_.execute_update(transaction.offsets), transaction);
        for (const auto& statement : transaction.statements) {
            if (statement.prepared) {
                session_.execute(*statement.prepared);
            } else {
                session_.execute(statement.sql);
            }
        }
        session_.execute("COMMIT");
    }
    void roll_back() { session_.execute("ROLLBACK"); }

private:
    PreparedSession session_;
};

/// Returns how often a transaction was run again.
template <typename Player>
std::uint64_t play_all(Player& player, const Script& script) {
    std::uint64_t repeated = 0;
    for (std::size_t i = 0; i < script.size();) {
        try {
            player.play(script[i]);
            ++i;
        } catch (const SinkError& error) {
            if (error.kind != ErrorKind::replay) {
                throw;
            }
            player.roll_back();
            ++repeated;
        }
    }
    return repeated;
}

template <typename Player>
Played play_with(std::span<const Script> scripts, const mysql::MysqlSettings& settings) {
    std::latch ready{static_cast<std::ptrdiff_t>(scripts.size()) + 1};
    std::atomic<std::uint64_t> repeated{0};
    std::mutex mutex;
    std::exception_ptr failure;
    std::vector<std::jthread> threads;
    for (const auto& script : scripts) {
        threads.emplace_back([&] {
            bool has_arrived = false;
            try {
                Player player{settings};
                player.prepare(script);
                has_arrived = true;
                ready.arrive_and_wait();
                repeated += play_all(player, script);
            } catch (...) {
                const std::lock_guard lock{mutex};
                failure = std::current_exception();
            }
            if (!has_arrived) {
                ready.count_down();
            }
        });
    }
    ready.arrive_and_wait();
    const auto started = steady_clock::now();
    threads.clear();
    const std::chrono::duration<double> took = steady_clock::now() - started;
    if (failure != nullptr) {
        std::rethrow_exception(failure);
    }
    return {took.count(), repeated};
}

}  // namespace

Played play(std::span<const Script> scripts,
            const mysql::MysqlSettings& settings,
            Protocol protocol) {
    return protocol == Protocol::text ? play_with<TextPlayer>(scripts, settings)
                                      : play_with<PreparedPlayer>(scripts, settings);
}

}  // namespace txsink::bench
