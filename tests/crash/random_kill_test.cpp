/// @file
/// Killed with -9 at random moments while records flow: each record once.
#include <random>
#include <thread>

#include "support/ledger_world.hpp"

namespace txsink::test {
namespace {

constexpr int kKills = 20;
constexpr std::int64_t kRecordsPerKill = 10'000;

class RandomKills : public LedgerWorld {
protected:
    enum class Membership : std::uint8_t { fixed, static_member, dynamic_member };

    /// Each kill falls into a process that has work: the next records are produced beside it.
    void kill_at_random(std::mt19937& random, const Options& more) {
        std::jthread producing{[this] { producer->produce(kRecordsPerKill); }};
        std::uniform_int_distribution<int> moment{0, 400};
        const bool at_start = moment(random) < 100;
        const auto before = committed();
        Process& process = run(more);
        if (!at_start) {
            ASSERT_TRUE(wait_for_committed(before + 1, seconds{30}));
        }
        // Not a wait for something: the moment itself is what is random.
        pause_briefly(milliseconds{moment(random)});
        process.kill();
    }
    Options membership(std::mt19937& random) {
        switch (Membership{std::uniform_int_distribution<std::uint8_t>{0, 2}(random)}) {
            case Membership::fixed:
                return {{"assign", topic + ":0-2"}};
            case Membership::static_member:
                return {{"instance", topic}};
            case Membership::dynamic_member:
                break;
        }
        return {};
    }
};

TEST_F(RandomKills, EachRecordOnce) {  // B02
    std::mt19937 random{test_seed()};
    open();
    options["batch.rows"] = "100";
    for (int i = 0; i < kKills && !HasFatalFailure(); ++i) {
        kill_at_random(random, membership(random));
    }
    EXPECT_EQ(producer->total(), kKills * kRecordsPerKill);
    expect_exit(run_until_end({{"batch.rows", "2000"}}), {0, 0}, seconds{60});
    expect_exactly_once();
    EXPECT_GT(observer->changes(), 0);
}

}  // namespace
}  // namespace txsink::test
