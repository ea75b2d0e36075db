/// @file
/// What a pipeline does while a batch is being written: it reads on, and may lose partitions.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "support/pipeline_world.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::test {
namespace {

using std::chrono::milliseconds;
using Offsets = std::vector<std::int64_t>;

class Writing : public PipelineWorld {
protected:
    /// A worker that is in the middle of the first write: of records 0 to 2 of each partition
    /// given, whose outcome comes after `lag` more questions.
    std::unique_ptr<Worker> writing(std::vector<TopicPartition> given,
                                    bool early,
                                    int lag = 1'000) {
        auto busy = worker(3 * given.size());
        busy->sink.lag = lag;
        busy->sink.writes_early = early;
        busy->source.give(std::move(given));
        busy->run_until([&] { return busy->sink.is_writing(); });
        return busy;
    }
    void finish(Worker& busy) {
        busy.sink.lag = 0;
        busy.run_until([&] { return !busy.sink.is_writing(); });
    }
};

TEST_F(Writing, ReadsTheNextBatchMeanwhileAndNotMore) {
    broker.produce(p0, 9);
    const auto busy = writing({p0}, false);
    const int polls = busy->source.polls;
    busy->run_turns(20);
    EXPECT_EQ(busy->source.polls - polls, 3) << "the next batch, and nothing when that is full";
    EXPECT_EQ(busy->source.pauses, 0);
    EXPECT_EQ(database.applied_of(p0), Offsets{});
    finish(*busy);
    busy->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
    EXPECT_EQ(busy->statistics.commits, 3U);
}

/// The commit has happened, and nobody here knows it yet.
TEST_F(Writing, PartitionTakenBackMeanwhileIsLeftToItsNextOwner) {
    broker.produce(p0, 6);
    broker.produce(p1, 6);
    const auto first = writing({p0, p1}, true);
    first->source.take({p0});
    first->run_turns(3);
    auto second = worker(3);
    second->source.give({p0});
    second->run_until([&] { return is_done(p0); });
    finish(*first);
    first->run_until([&] { return is_done(p1); });
    expect_exactly_once(p0);
    expect_exactly_once(p1);
    EXPECT_FALSE(first->source.acknowledged.contains(p0)) << "its position is not ours to tell";
    EXPECT_EQ(first->statistics.records + second->statistics.records, 12U);
}

/// The write comes too late: the next owner has claimed the row.
TEST_F(Writing, PartitionTakenOverMeanwhileCostsItsMatesOnlyARepetition) {
    broker.produce(p0, 6);
    broker.produce(p1, 6);
    const auto first = writing({p0, p1}, false);
    first->source.take({p0});
    first->run_turns(3);
    auto second = worker(3);
    second->source.give({p0});
    second->run_until([&] { return is_done(p0); });
    finish(*first);
    first->run_until([&] { return is_done(p1); });
    expect_exactly_once(p0);
    expect_exactly_once(p1);
    EXPECT_EQ(first->statistics.takeovers, 0U);
    EXPECT_EQ(first->statistics.records, 6U);
}

TEST_F(Writing, PartitionGivenBackMeanwhileIsClaimedAfterTheWrite) {
    for (const bool early : {false, true}) {
        SCOPED_TRACE(early ? "committed" : "not yet committed");
        const TopicPartition partition{"orders", early ? 2 : 3};
        broker.produce(partition, 7);
        const auto busy = writing({partition}, early);
        busy->source.take({partition});
        busy->source.give({partition});
        busy->run_turns(5);
        EXPECT_FALSE(busy->source.is_reading(partition)) << "the session is busy";
        finish(*busy);
        busy->run_until([&] { return is_done(partition); });
        expect_exactly_once(partition);
    }
}

/// What the server says against records that are no longer ours is the next owner's to hear.
TEST_F(Writing, RefusalOfABatchThatWasTakenBackIsForgotten) {
    broker.produce(p0, 6);
    for (const auto kind : {ErrorKind::bad_record, ErrorKind::too_big, ErrorKind::schema_drift}) {
        const auto busy = writing({p0}, false);
        busy->sink.refuse = [&](const batch::Batch&) { throw SinkError{kind, "no"}; };
        busy->source.take({p0});
        busy->run_turns(2);
        finish(*busy);
        busy->run_turns(10);
        EXPECT_EQ(database.next_of(p0), 0);
        EXPECT_EQ(busy->statistics.retries, 0U);
    }
    auto next = worker(3);
    next->source.give({p0});
    next->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
}

TEST_F(Writing, LostConnectionOfABatchThatWasTakenBackIsSettled) {
    broker.produce(p0, 3);
    broker.produce(p1, 9);
    const auto busy = writing({p0, p1}, false);
    busy->sink.commit_happens = true;
    bool is_lost = false;
    busy->sink.at = [&](Point at) {
        if (at == Point::at_commit && !std::exchange(is_lost, true)) {
            SinkError error{ErrorKind::connection, "lost connection"};
            error.reconnect = true;
            error.outcome_unknown = true;
            throw error;
        }
    };
    busy->source.take({p0});
    busy->run_turns(2);
    finish(*busy);
    busy->run_until([&] { return is_done(p1); });
    expect_exactly_once(p0);
    expect_exactly_once(p1);
    EXPECT_EQ(busy->statistics.commits_settled, 1U);
}

TEST_F(Writing, StopWaitsForTheWriteAndWritesWhatWasReadBehindIt) {
    broker.produce(p0, 5);
    for (const bool early : {false, true}) {
        SCOPED_TRACE(early);
        auto busy = worker(3);
        busy->sink.lag = 3;
        busy->sink.writes_early = early;
        busy->source.give({p0});
        busy->run_until([&] { return busy->sink.is_writing(); });
        busy->run_turns(1);
        std::stop_source stop;
        stop.request_stop();
        busy->pipeline.run(stop.get_token());
        EXPECT_FALSE(busy->sink.is_writing());
        EXPECT_TRUE(busy->source.is_closed);
        EXPECT_EQ(database.next_of(p0), to_int(broker.logs.at(p0).end));
        broker.produce(p0, 5);
    }
}

/// The hint tells to step over the record: everything before it has to be there.
TEST_F(Writing, StopBeforeARefusedRecordIsToldOnlyWhenAllBeforeItIsCommitted) {
    broker.produce(p0, 5);
    database.refused = {"(2)"};
    auto busy = worker(settings_with_policy(3, mapping::OnBadRecord::fail));
    busy->sink.lag = 3;
    busy->source.give({p0});
    busy->run_until([&] { return busy->sink.is_writing(); });
    std::stop_source stop;
    stop.request_stop();
    try {
        busy->pipeline.run(stop.get_token());
        FAIL() << "it did not say why it stopped";
    } catch (const SinkError& error) {
        EXPECT_EQ(std::string{error.what()}.rfind("orders[0]@2: ", 0), 0U) << error.what();
    }
    EXPECT_EQ(database.applied_of(p0), (Offsets{0, 1}));
    EXPECT_EQ(database.next_of(p0), 2);
}

TEST_F(Writing, StopBeforeARecordIsForgottenWithItsPartition) {
    for (const bool early : {false, true}) {
        SCOPED_TRACE(early);
        const TopicPartition bad{"orders", early ? 4 : 5};
        const TopicPartition good{"orders", early ? 6 : 7};
        broker.produce(bad, 3);
        broker.produce_bad(bad);
        broker.produce(good, 12);
        auto busy = worker(settings_with_policy(3, mapping::OnBadRecord::fail));
        busy->sink.lag = 1'000;
        busy->sink.writes_early = early;
        busy->source.give({bad, good});
        busy->run_until([&] { return busy->sink.is_writing(); });
        busy->run_turns(20);  // it meets the bad record, and drops what comes after that
        busy->source.take({bad});
        busy->run_turns(2);
        finish(*busy);
        busy->run_until([&] { return is_done(good); });
        expect_exactly_once(good);
    }
}

/// Too many refusals are a reason to stop only while a partition that has them is ours.
TEST_F(Writing, SystemicRefusalsAreForgottenWithTheirPartition) {
    for (int i = 0; i < 25; ++i) {
        broker.produce_bad(p0);
    }
    broker.produce(p1, 12);
    auto busy = worker(settings_with_policy(100, mapping::OnBadRecord::dead_letter));
    busy->sink.lag = 1'000;
    busy->sink.at = [&](Point at) {
        if (at == Point::before_begin && busy->sink.lag == 0) {
            busy->sink.at = [](Point) {};
            throw SinkError{ErrorKind::replay, "deadlock"};  // so that p1's rows still wait
        }
    };
    busy->source.give({p0, p1});
    busy->run_until([&] { return busy->sink.is_writing(); });
    busy->source.take({p0});
    busy->run_turns(2);
    finish(*busy);
    busy->run_until([&] { return is_done(p1); });
    expect_exactly_once(p1);
    EXPECT_TRUE(database.dead_of(p0).empty());
}

TEST_F(Writing, StopBeforeARecordIsForgottenWhenTheDatabaseGoesBack) {
    broker.produce(p0, 3);
    broker.produce_bad(p0);
    auto busy = worker(settings_with_policy(3, mapping::OnBadRecord::fail));
    busy->sink.lag = 1'000;
    busy->source.give({p0});
    busy->run_until([&] { return busy->sink.is_writing(); });
    busy->run_turns(20);
    broker.logs[p0].records.at(Offset{3}).value = "{\"id\":3}";  // the next look finds it mended
    bool is_lost = false;
    busy->sink.at = [&](Point at) {
        if (at == Point::before_begin && !std::exchange(is_lost, true)) {
            database.offsets.at(p0).next = Offset{1};
            SinkError error{ErrorKind::connection, "lost connection"};
            error.reconnect = true;
            throw error;
        }
    };
    finish(*busy);
    busy->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), (Offsets{1, 2, 3}));
}

/// What has failed belongs to another process now: nothing is left to wait for.
TEST_F(Writing, FailureOfABatchThatWasTakenBackIsNotRemembered) {
    broker.produce(p0, 3);
    const auto busy = writing({p0}, false);
    busy->sink.at = [](Point) {
        SinkError error{ErrorKind::connection, "lost connection"};
        error.reconnect = true;
        throw error;
    };
    busy->source.take({p0});
    busy->run_turns(2);
    finish(*busy);
    busy->run_turns(3);
    EXPECT_EQ(busy->statistics.pipelines_waiting, 0U);
    clock.advance(std::chrono::hours{2});
    busy->sink.at = [failed = false](Point at) mutable {
        if (at == Point::claim_before_commit && !std::exchange(failed, true)) {
            throw SinkError{ErrorKind::replay, "deadlock"};
        }
    };
    busy->source.give({p0});
    busy->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
}

/// The group must be served while a statement waits for a lock again and again.
TEST_F(Writing, WriteThatLastsIsNotWaitedForWithoutPolling) {
    broker.produce(p0, 9);
    const auto busy = writing({p0}, false);
    busy->run_turns(5);
    clock.advance(std::chrono::seconds{6});
    busy->run_turns(1);
    EXPECT_EQ(busy->source.pauses, 1);
    const int polls = busy->source.polls;
    busy->run_turns(10);
    EXPECT_EQ(busy->source.polls - polls, 10);
    finish(*busy);
    busy->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
}

/// A batch waits for more as long as four writes take, and never longer than batch.linger.
TEST_F(Writing, QuickWritesAreNotWaitedFor) {
    const auto waited_with = [&](std::chrono::microseconds write_time) {
        broker.produce(p0, 1);
        auto settings = settings_with_rows(100);
        settings.batch.linger = milliseconds{100};
        auto quick = worker(settings);
        quick->sink.lag = 0;
        quick->sink.write_time = write_time;
        quick->source.give({p0});
        quick->run_until([&] { return is_done(p0); });
        quick->run_turns(1);
        broker.produce(p0, 1);
        const auto begun = clock.now();
        quick->run_until([&] { return is_done(p0); });
        return std::chrono::duration_cast<milliseconds>(clock.now() - begun).count();
    };
    EXPECT_EQ(waited_with(milliseconds{5}), 20);
    EXPECT_EQ(waited_with(milliseconds{10}), 40);
    EXPECT_EQ(waited_with(milliseconds{50}), 100);
}

}  // namespace
}  // namespace txsink::test
