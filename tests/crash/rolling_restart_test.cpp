/// @file
/// Processes that share the partitions of a topic, restarted one after the other under load.
#include <algorithm>
#include <csignal>
#include <thread>

#include "support/commit_watch.hpp"
#include "support/ledger_world.hpp"

namespace txsink::test {
namespace {

constexpr int kPartitions = 12;
/// The longest time without a commit of a partition that stays with its process.
constexpr milliseconds kLongestPause{5'000};

class RollingRestart : public LedgerWorld, public ::testing::WithParamInterface<int> {
protected:
    /// How many partitions are in the hands of a process. Owners are named host:pid:pipeline.
    std::int64_t owned_by(const Process& process) {
        return sql->number("SELECT COUNT(*) FROM " + sql_name("txsink_offsets") +
                           " WHERE owner LIKE '%:" + std::to_string(process.pid()) + ":0'");
    }
    /// Waits until every member has the same share.
    bool wait_until_shared() {
        return eventually(seconds{30}, [&] {
            return std::all_of(members_.begin(), members_.end(), [&](const Process* member) {
                return owned_by(*member) == kPartitions / GetParam();
            });
        });
    }
    /// Stops a process and waits until the others, where there are any, have what it had.
    void stop(Process& process) {
        process.signal(SIGTERM);
        expect_exit(process, {0, 0}, seconds{30});
        if (members_.size() > 1) {
            EXPECT_TRUE(eventually(seconds{30}, [&] { return owned_by(process) == 0; }));
        }
    }
    /// Of what stayed where it was, nothing waited for long.
    void expect_no_long_pause(CommitWatch& watch, const std::string& step) {
        milliseconds longest{0};
        int untouched = 0;
        for (const auto& [number, partition] : watch.take()) {
            if (partition.has_changed_hands) {
                continue;
            }
            ++untouched;
            longest = std::max(longest, partition.longest_pause);
            EXPECT_LE(partition.longest_pause.count(), kLongestPause.count())
                << step << ": partition " << number << " stayed with " << partition.owner;
        }
        std::cout << step << ": " << untouched << " partitions stayed, longest pause "
                  << longest.count() << " ms" << std::endl;
    }

    std::vector<Process*> members_;
};

TEST_P(RollingRestart, SharesPartitionsAndKeepsTheOthersGoing) {
    open(kPartitions);
    // What a user has, not what makes other tests fast.
    options.erase("kafka.session.timeout.ms");
    options.erase("kafka.heartbeat.interval.ms");
    for (int i = 0; i < GetParam(); ++i) {
        members_.push_back(&run());
    }
    std::jthread producing{[this](const std::stop_token& stop) {
        for (; !stop.stop_requested(); pause_briefly(milliseconds{20})) {
            producer->produce(3 * kPartitions);
        }
    }};
    ASSERT_TRUE(wait_until_shared()) << "at the start";
    CommitWatch watch{mysql, database};
    for (std::size_t i = 0; i < members_.size(); ++i) {
        const auto name = "member " + std::to_string(i + 1);
        static_cast<void>(watch.take());
        stop(*members_[i]);
        expect_no_long_pause(watch, name + " stopped");
        members_[i] = &run();
        ASSERT_TRUE(wait_until_shared()) << name << " came back";
        expect_no_long_pause(watch, name + " came back");
    }
    producing.request_stop();
    producing.join();
    ASSERT_TRUE(wait_for_all(seconds{30}));
    for (Process* member : members_) {
        member->signal(SIGTERM);
        expect_exit(*member, {0, 0}, seconds{30});
    }
    expect_exactly_once();
}

INSTANTIATE_TEST_SUITE_P(Processes,
                         RollingRestart,
                         ::testing::Values(1, 2, 4),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace txsink::test
