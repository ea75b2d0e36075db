/// @file
/// Several processes in one group: zombies, joins and leaves; each record once.
#include <csignal>
#include <deque>
#include <random>
#include <set>
#include <thread>

#include "support/ledger_world.hpp"

namespace txsink::test {
namespace {

class Group : public LedgerWorld {
protected:
    /// The processes that own partitions now, as the offsets table names them.
    std::set<std::string> owners() {
        std::set<std::string> all;
        for (const auto& row : sql->rows("SELECT owner FROM " + sql_name("txsink_offsets"))) {
            all.insert(row.front());
        }
        return all;
    }
    /// Waits until two processes share the partitions, producing meanwhile: a partition changes
    /// hands by being claimed, whether or not it has records.
    bool wait_for_two_owners() {
        return eventually(
            seconds{40}, [&] { return owners().size() == 2; }, milliseconds{50});
    }
    void stop(Process& process) {
        process.signal(SIGTERM);
        expect_exit(process, {0, 0}, seconds{30});
    }
};

/// Where a process is stopped, past its session timeout, while another takes over.
class Zombie : public Group, public ::testing::WithParamInterface<const char*> {};

TEST_P(Zombie, DoublesNothingAndComesBack) {  // B03
    open(4);
    producer->produce(20'000);
    Process& zombie = run({}, {{"TXSINK_FAILPOINT", std::string{GetParam()} + ":5:stop"}});
    ASSERT_TRUE(eventually(seconds{30}, [&] { return zombie.is_stopped(); }));
    Process& other = run();
    ASSERT_TRUE(wait_for_all(seconds{60})) << "not taken over";
    zombie.signal(SIGCONT);
    ASSERT_TRUE(wait_for_two_owners()) << "the zombie did not come back";
    producer->produce(4'000);
    ASSERT_TRUE(wait_for_all(seconds{30}));
    stop(zombie);
    stop(other);
    expect_exactly_once();
}

INSTANTIATE_TEST_SUITE_P(StoppedAt,
                         Zombie,
                         ::testing::Values("before-begin", "after-offsets", "after-commit"),
                         [](const auto& param_info) {
                             std::string name;
                             for (const char c : std::string{param_info.param}) {
                                 name += c == '-' ? '_' : c;
                             }
                             return name;
                         });

/// Processes with two pipelines each come and go, politely and not, while records flow.
TEST_F(Group, JoinAndLeave) {
    std::mt19937 random{test_seed()};
    open(8);  // more than there are ever members, so that each gets some
    options["pipelines"] = "2";
    options["batch.rows"] = "100";
    std::deque<Process*> members{&run(), &run()};
    constexpr int kRounds = 8;
    for (int i = 0; i < kRounds; ++i) {
        std::jthread producing{[this] { producer->produce(5'000); }};
        ASSERT_TRUE(wait_for_committed(std::int64_t{i} * 5'000 + 1, seconds{60}));
        members.push_back(&run());
        ASSERT_TRUE(eventually(seconds{30}, [&] { return members.back()->has_said("assigned"); }));
        Process& leaving = *members.front();
        members.pop_front();
        if (std::uniform_int_distribution<int>{0, 1}(random) == 0) {
            leaving.kill();
        } else {
            stop(leaving);
        }
    }
    ASSERT_TRUE(wait_for_all(seconds{60}));
    for (Process* member : members) {
        stop(*member);
    }
    expect_exactly_once();
}

}  // namespace
}  // namespace txsink::test
