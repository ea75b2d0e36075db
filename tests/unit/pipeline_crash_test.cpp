/// @file
/// Every crash point and every fault, at every batch: each record is applied exactly once.
#include <optional>
#include <tuple>

#include "support/pipeline_world.hpp"

namespace txsink::test {
namespace {

constexpr int kRecords = 9;
constexpr std::size_t kRowsPerBatch = 2;

/// Strikes once, at the n-th pass of a point.
class Once {
public:
    Once(Point point, int pass) : point_{point}, left_{pass} {}
    [[nodiscard]] bool strikes(Point point) { return point == point_ && --left_ == 0; }

private:
    Point point_;
    int left_;
};

class PipelineFaults : public PipelineWorld {
protected:
    void fill() {
        broker.produce(p0, kRecords);
        broker.produce(p1, kRecords - 2);
    }
    /// Runs a process until both partitions are done or it is killed. Returns whether it lived.
    bool run_process(const std::function<void(FakeSink&)>& prepare) {
        auto process = worker(kRowsPerBatch);
        prepare(process->sink);
        process->source.give({p0, p1});
        try {
            process->run_until([&] { return is_done(p0) && is_done(p1); });
        } catch (const ProcessKilled&) {
            return false;
        }
        return true;
    }
    void expect_both_exactly_once() {
        expect_exactly_once(p0);
        expect_exactly_once(p1);
    }
};

using CrashCase = std::tuple<Point, bool, int>;  // where, whether COMMIT took effect, which batch

class EveryCrashPoint : public PipelineFaults, public ::testing::WithParamInterface<CrashCase> {};

TEST_P(EveryCrashPoint, AppliesEachRecordExactlyOnce) {
    const auto [point, happens, pass] = GetParam();
    fill();
    Once once{point, pass};
    const bool lived = run_process([&, where = happens](FakeSink& sink) {
        sink.commit_happens = where;
        sink.at = [&](Point at) {
            if (once.strikes(at)) {
                throw ProcessKilled{};
            }
        };
    });
    if (!lived) {
        EXPECT_TRUE(run_process([](FakeSink&) {}));
    }
    expect_both_exactly_once();
}

INSTANTIATE_TEST_SUITE_P(All,
                         EveryCrashPoint,
                         ::testing::Combine(::testing::Values(Point::before_begin,
                                                              Point::after_offsets,
                                                              Point::before_commit,
                                                              Point::at_commit,
                                                              Point::after_commit,
                                                              Point::claim_before_commit,
                                                              Point::claim_after_commit),
                                            ::testing::Bool(),
                                            ::testing::Range(1, 9)));

enum class Fault { deadlock, lock_wait, lost, lost_at_commit, orphan };

using FaultCase = std::tuple<Fault, Point, bool, int>;

class EveryFault : public PipelineFaults, public ::testing::WithParamInterface<FaultCase> {};

TEST_P(EveryFault, AppliesEachRecordExactlyOnce) {
    const auto [fault, point, happens, pass] = GetParam();
    fill();
    Once once{point, pass};
    const bool lived = run_process([&, what = fault, commits = happens](FakeSink& sink) {
        sink.commit_happens = commits;
        sink.leaves_orphan = what == Fault::orphan;
        sink.at = [&, what](Point at) {
            if (once.strikes(at)) {
                if (what == Fault::deadlock || what == Fault::lock_wait) {
                    throw deadlock();
                }
                throw lost_connection(at == Point::at_commit);
            }
        };
    });
    EXPECT_TRUE(lived);
    expect_both_exactly_once();
}

INSTANTIATE_TEST_SUITE_P(InTransaction,
                         EveryFault,
                         ::testing::Combine(::testing::Values(Fault::deadlock, Fault::lost),
                                            ::testing::Values(Point::before_begin,
                                                              Point::after_offsets,
                                                              Point::before_commit,
                                                              Point::read_offset,
                                                              Point::claim_before_commit),
                                            ::testing::Values(false),
                                            ::testing::Range(1, 6)));

INSTANTIATE_TEST_SUITE_P(AtCommit,
                         EveryFault,
                         ::testing::Combine(::testing::Values(Fault::lost_at_commit, Fault::orphan),
                                            ::testing::Values(Point::at_commit),
                                            ::testing::Bool(),
                                            ::testing::Range(1, 6)));

INSTANTIATE_TEST_SUITE_P(ClaimInDoubt,
                         EveryFault,
                         ::testing::Combine(::testing::Values(Fault::lost),
                                            ::testing::Values(Point::claim_after_commit),
                                            ::testing::Values(false),
                                            ::testing::Range(1, 3)));

/// B34: a COMMIT whose reply was lost is settled by the offset row, and only by it.
TEST_F(PipelineFaults, B34_CommitInDoubtIsSettledByTheOffsetRow) {
    broker.produce(p0, 4);
    auto process = worker(2);
    Once once{Point::at_commit, 1};
    process->sink.commit_happens = true;
    process->sink.at = [&](Point at) {
        if (once.strikes(at)) {
            throw lost_connection(true);
        }
    };
    process->source.give({p0});
    process->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
    EXPECT_EQ(process->statistics.commits_settled, 1U);
    EXPECT_EQ(process->statistics.records, 4U);
}

// The tests of the tests: a sink that breaks the protocol must be caught by the same oracle.

class BrokenSink : public PipelineFaults,
                   public ::testing::WithParamInterface<std::tuple<FakeSink::Breakage, Point>> {
protected:
    [[nodiscard]] bool is_caught(FakeSink::Breakage breakage, Point point) {
        fill();
        Once once{point, 2};
        const bool lived = run_process([&](FakeSink& sink) {
            sink.breakage = breakage;
            sink.at = [&](Point at) {
                if (once.strikes(at)) {
                    throw ProcessKilled{};
                }
            };
        });
        if (!lived) {
            (void)run_process([&](FakeSink& sink) { sink.breakage = breakage; });
        }
        const auto owed = [&](const TopicPartition& partition) {
            return broker.logs.at(partition).records.size();
        };
        return database.applied_of(p0).size() != owed(p0) ||
               database.applied_of(p1).size() != owed(p1) || !database.violations.empty();
    }
};

TEST_P(BrokenSink, IsCaught) {
    const auto [breakage, point] = GetParam();
    EXPECT_TRUE(is_caught(breakage, point));
}

INSTANTIATE_TEST_SUITE_P(
    OffsetsOutsideTheTransaction,
    BrokenSink,
    ::testing::Values(std::tuple{FakeSink::Breakage::offsets_before_rows, Point::before_commit},
                      std::tuple{FakeSink::Breakage::offsets_after_rows, Point::before_commit}));

TEST_F(PipelineFaults, WithoutTheCompareAndSetAZombieDoublesRecords) {
    broker.produce(p0, 2);
    auto zombie = worker(10);
    zombie->sink.breakage = FakeSink::Breakage::no_compare_and_set;
    zombie->source.give({p0});
    zombie->run_turns(2);  // claimed; two records read, not yet written
    auto owner = worker(10);
    owner->source.give({p0});
    owner->run_until([&] { return is_done(p0); });
    zombie->run_turns(50);
    EXPECT_EQ(database.applied_of(p0), (std::vector<std::int64_t>{0, 1, 0, 1}));
    EXPECT_FALSE(database.violations.empty());
}

}  // namespace
}  // namespace txsink::test
