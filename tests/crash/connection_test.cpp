/// @file
/// Connections to MySQL cut, silent or orphaned, above all at COMMIT: each record once.
#include <csignal>
#include <memory>
#include <thread>

#include "support/ledger_world.hpp"
#include "support/tcp_proxy.hpp"

namespace txsink::test {
namespace {

class Connections : public LedgerWorld {
protected:
    void open_with_proxy() {
        open();
        use_fixed_partitions();
        proxy = std::make_unique<TcpProxy>(mysql.port);
        mysql_port = proxy->port();
    }
    void TearDown() override {
        LedgerWorld::TearDown();
        proxy.reset();
    }
    /// Runs through records enough for `times` strikes at each `every`-th COMMIT.
    void run_under(CommitFault fault, int every, int times, milliseconds deadline) {
        producer->produce(std::int64_t{every} * times * 500 + 5'000);
        proxy->strike(fault, every, times);
        Process& process = run_until_end();
        expect_exit(process, {0, 0}, deadline);
        EXPECT_EQ(proxy->struck(), times);
        expect_exactly_once();
    }

    std::unique_ptr<TcpProxy> proxy;
};

TEST_F(Connections, CutBeforeCommitReachesTheServer) {  // B06
    open_with_proxy();
    run_under(CommitFault::cut_before, 5, 10, seconds{60});
}

TEST_F(Connections, ReplyOfCommitSwallowed) {  // B34
    open_with_proxy();
    run_under(CommitFault::cut_after, 5, 10, seconds{60});
}

/// Also claims meet it: the first COMMITs of a process are theirs.
TEST_F(Connections, EveryCommitIsInDoubt) {
    open_with_proxy();
    run_under(CommitFault::cut_after, 1, 15, seconds{60});
}

/// The server still holds the transaction of a client that has given up: whoever wants the offset
/// row waits until wait_timeout ends it.
TEST_F(Connections, OrphanTransactionHoldsTheRow) {
    open_with_proxy();
    options["mysql.read-timeout"] = "3s";
    options["mysql.wait-timeout"] = "5s";
    run_under(CommitFault::freeze_before, 7, 2, seconds{60});
}

/// The transaction is there, but nobody says so: the client gives up after its read timeout.
TEST_F(Connections, SilenceAfterCommit) {
    open_with_proxy();
    options["mysql.read-timeout"] = "3s";
    run_under(CommitFault::freeze_after, 7, 2, seconds{60});
}

TEST_F(Connections, CutAtAnyMoment) {
    open_with_proxy();
    options["batch.rows"] = "100";
    constexpr int kCuts = 15;
    Process& process = run();
    for (int i = 0; i < kCuts; ++i) {
        std::jthread producing{[this] { producer->produce(3'000); }};
        ASSERT_TRUE(wait_for_committed(std::int64_t{i} * 3'000 + 1 + 100 * i, seconds{30}));
        proxy->cut_all();
    }
    ASSERT_TRUE(wait_for_all(seconds{30}));
    process.signal(SIGTERM);
    expect_exit(process, {0, 0}, seconds{30});
    expect_exactly_once();
}

/// The sessions of txsink are ended by the server's KILL, in the middle of what they do.
TEST_F(Connections, SessionsKilledByTheServer) {
    open();
    use_fixed_partitions();
    options["batch.rows"] = "100";
    constexpr int kKills = 15;
    Process& process = run();
    int killed = 0;
    for (int i = 0; i < kKills; ++i) {
        std::jthread producing{[this] { producer->produce(3'000); }};
        ASSERT_TRUE(wait_for_committed(std::int64_t{i} * 3'000 + 1 + 100 * i, seconds{30}));
        const auto sessions = sql->rows(
            "SELECT id FROM information_schema.processlist WHERE db = '" + database + "'");
        for (const auto& session : sessions) {
            try {
                sql->execute("KILL " + session.front());
                ++killed;
            } catch (const SqlError&) {
                // It was gone already.
            }
        }
    }
    EXPECT_GT(killed, kKills / 2);
    ASSERT_TRUE(wait_for_all(seconds{30}));
    process.signal(SIGTERM);
    expect_exit(process, {0, 0}, seconds{30});
    expect_exactly_once();
}

}  // namespace
}  // namespace txsink::test
