/// @file
/// How long it takes from the start of a process to its first commit.
#include <algorithm>
#include <csignal>

#include "support/ledger_world.hpp"

namespace txsink::test {
namespace {

using std::chrono::steady_clock;

/// Bounds for users are 1.5 s and 4 s (docs/scaling.md). The first is closer here: it takes 0.3 s,
/// and each of librdkafka's rounds that is waited for would add one second.
constexpr milliseconds kFirstRow{1'000};
constexpr milliseconds kRejoined{4'000};
/// A busy machine must not fail a test: the best of some tries says what the process needs.
constexpr int kTries = 4;

class Start : public LedgerWorld {
protected:
    void open_world() {
        open(6);
        // What a user has, not what makes other tests fast.
        options.erase("kafka.session.timeout.ms");
        options.erase("kafka.heartbeat.interval.ms");
        options.erase("batch.linger");
    }
    /// From before it starts until one of its commits can be seen.
    milliseconds time_to_first_commit(const Options& more = {}) {
        producer->produce(600);
        const auto before = committed();
        const auto begun = steady_clock::now();
        run(more);
        EXPECT_TRUE(wait_for_committed(before + 1, seconds{40}));
        return since(begun);
    }
    static milliseconds since(steady_clock::time_point begun) {
        return std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun);
    }
    void stop(Process& process) {
        process.signal(SIGTERM);
        expect_exit(process, {0, 0}, seconds{30});
    }
    /// Tries until one stays within `bound`. `again` brings back what is to be started.
    template <typename Try>
    void expect_within(milliseconds bound, Try&& one_try) {
        milliseconds best = milliseconds::max();
        for (int i = 0; i < kTries && best > bound; ++i) {
            best = std::min(best, one_try());
            std::cout << "best until now: " << best.count() << " ms" << std::endl;
        }
        EXPECT_LE(best.count(), bound.count()) << "ms, at best";
    }
};

TEST_F(Start, WithFixedPartitions) {
    open_world();
    use_fixed_partitions();
    static_cast<void>(time_to_first_commit());  // stores where to start; restarts matter
    stop(last());
    expect_within(kFirstRow, [&] {
        const auto taken = time_to_first_commit();
        stop(last());
        return taken;
    });
    expect_exit(run_until_end(), {0, 0}, seconds{30});
    expect_exactly_once();
}

TEST_F(Start, AloneInAGroupThatItLeft) {
    open_world();
    static_cast<void>(time_to_first_commit());
    expect_within(kRejoined, [&] {
        stop(last());
        return time_to_first_commit();
    });
    ASSERT_TRUE(wait_for_all(seconds{30}));
    stop(last());
    expect_exactly_once();
}

/// A member that comes back gets partitions that another one has to give back first.
TEST_F(Start, BesideAnotherMember) {
    open_world();
    run();
    Process* coming = &run();
    const auto owners = [&] {
        return sql->number("SELECT COUNT(DISTINCT owner) FROM " + sql_name("txsink_offsets"));
    };
    const auto owned_by_it = [&] {
        return sql->number("SELECT COUNT(*) FROM " + sql_name("txsink_offsets") +
                           " WHERE owner LIKE '%:" + std::to_string(coming->pid()) + ":0'");
    };
    ASSERT_TRUE(eventually(seconds{40}, [&] { return owners() == 2; }));
    expect_within(kRejoined, [&] {
        stop(*coming);
        EXPECT_TRUE(eventually(seconds{40}, [&] { return owners() == 1; }));
        const auto begun = steady_clock::now();
        coming = &run();
        EXPECT_TRUE(eventually(seconds{40}, [&] { return owned_by_it() > 0; }));
        producer->produce(600);
        EXPECT_TRUE(wait_for_all(seconds{40}));
        return since(begun);
    });
    for (auto& process : processes) {
        stop(*process);
    }
    expect_exactly_once();
}

/// Killed, a member is missed only after session.timeout.ms; `instance` spares the wait.
TEST_F(Start, AsTheInstanceThatWasKilled) {
    open_world();
    options["instance"] = "a";
    options["kafka.session.timeout.ms"] = "30000";
    static_cast<void>(time_to_first_commit());
    expect_within(kRejoined, [&] {
        last().kill();
        return time_to_first_commit();
    });
    ASSERT_TRUE(wait_for_all(seconds{30}));
    stop(last());
    expect_exactly_once();
}

}  // namespace
}  // namespace txsink::test
