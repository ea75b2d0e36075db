/// @file
/// What the pipeline does besides recovering: batches, positions, holes, refusals, the end.
#include "txsink/pipeline/pipeline.hpp"

#include <stop_token>

#include "pipeline/verdict.hpp"
#include "support/pipeline_world.hpp"

namespace txsink::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Judge, DecidesByTokenAndOffset) {
    using pipeline::judge;
    using pipeline::StoredOffset;
    using pipeline::Verdict;
    const Fence mine{7};
    const Offset begin{10};
    const Offset end{20};
    EXPECT_EQ(judge(std::nullopt, mine, begin, end), Verdict::taken);
    EXPECT_EQ(judge(StoredOffset{end, Fence{8}}, mine, begin, end), Verdict::taken);
    EXPECT_EQ(judge(StoredOffset{end, mine}, mine, begin, end), Verdict::committed);
    EXPECT_EQ(judge(StoredOffset{begin, mine}, mine, begin, end), Verdict::not_committed);
    EXPECT_EQ(judge(StoredOffset{Offset{9}, mine}, mine, begin, end), Verdict::moved);
    EXPECT_EQ(judge(StoredOffset{Offset{15}, mine}, mine, begin, end), Verdict::moved);
    EXPECT_EQ(judge(StoredOffset{Offset{21}, mine}, mine, begin, end), Verdict::moved);
    EXPECT_EQ(judge(StoredOffset{begin, mine}, mine, begin, begin), Verdict::committed);
}

class PipelineTest : public PipelineWorld {};

TEST_F(PipelineTest, WritesInBatchesOfTheGivenRows) {
    broker.produce(p0, 7);
    auto only = worker(3);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
    EXPECT_EQ(only->statistics.commits, 3U);
    EXPECT_EQ(only->statistics.records, 7U);
    EXPECT_EQ(only->statistics.rows, 7U);
    EXPECT_EQ(only->source.acknowledged.at(p0), Offset{7});
}

TEST_F(PipelineTest, WritesWhenTheLingerHasPassed) {
    broker.produce(p0, 1);
    auto settings = settings_with_rows(1'000'000);
    settings.batch.linger = milliseconds{100};
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return only->source.is_reading(p0); });
    const auto since = clock.now();
    only->run_until([&] { return is_done(p0); });
    EXPECT_GE(clock.now() - since, milliseconds{100});
    EXPECT_LE(clock.now() - since, milliseconds{200});
}

/// B10: holes left by compaction are legal.
TEST_F(PipelineTest, B10_GapsAreLegal) {
    auto& log = broker.logs[p0];
    for (const int offset : {0, 3, 7}) {
        log.records[Offset{offset}] = {{}, "{\"id\":" + std::to_string(offset) + "}"};
    }
    log.end = Offset{8};
    database.offsets[p0] = {Offset{1}, Offset{0}, Fence{}, broker.cluster_id};
    auto only = worker();
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), (std::vector<std::int64_t>{3, 7}));
}

/// Markers at the tail are stepped over with the offset of the end-of-partition event.
TEST_F(PipelineTest, StepsOverMarkersAtTheTail) {
    broker.produce(p0, 2);
    broker.logs[p0].append_marker();
    auto only = worker(100);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.next_of(p0), 3);
    expect_exactly_once(p0);
    broker.logs[p0].append_marker();  // now an otherwise empty batch
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.next_of(p0), 4);
    expect_exactly_once(p0);
}

/// B08: what the group committed does not count; the stored offset does.
TEST_F(PipelineTest, B08_StartsWhereTheTableSays) {
    broker.produce(p0, 100);
    broker.group_offsets[p0] = Offset{50};
    database.offsets[p0] = {Offset{80}, Offset{0}, Fence{}, broker.cluster_id};
    auto only = worker(1000);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(only->source.assigned_at(p0), Offset{80});
    EXPECT_EQ(database.applied_of(p0).front(), 80);
    EXPECT_EQ(database.applied_of(p0).size(), 20U);
}

/// B16: a partition added later is read from its start, whatever the policy says.
TEST_F(PipelineTest, B16_AddedPartitionIsReadFromItsStart) {
    broker.produce(p0, 5);
    auto settings = settings_with_rows(3);
    settings.start.kind = pipeline::StartKind::latest;
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    broker.produce(p1, 5);
    only->source.give({p1});
    only->run_until([&] { return is_done(p1); });
    expect_exactly_once(p1, 0);
    EXPECT_EQ(database.applied_of(p0), std::vector<std::int64_t>{});
}

/// B12: records were deleted before they were read.
TEST_F(PipelineTest, B12_OutOfRangeStopsAndNamesTheOffsets) {
    broker.produce(p0, 120);
    database.offsets[p0] = {Offset{5}, Offset{0}, Fence{}, broker.cluster_id};
    broker.logs[p0].low = Offset{100};
    auto only = worker();
    only->source.give({p0});
    try {
        only->run_turns(20);
        FAIL() << "it went on";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_NE(std::string{error.what()}.find("orders[0]"), std::string::npos);
        EXPECT_EQ(error.detail, "stored 5, the log has 100 to 120");
    }
    EXPECT_EQ(database.next_of(p0), 5);
    EXPECT_TRUE(database.applied.empty());
}

/// B12, B13: by option it goes on behind the hole, the hole is recorded, others are unaffected.
TEST_F(PipelineTest, B13_OutOfRangeGoesOnAndRecordsTheGap) {
    broker.produce(p0, 120);
    broker.produce(p1, 4);
    database.offsets[p0] = {Offset{5}, Offset{0}, Fence{}, broker.cluster_id};
    broker.logs[p0].low = Offset{100};
    auto settings = settings_with_rows(50);
    settings.on_out_of_range = pipeline::OnOutOfRange::earliest;
    auto only = worker(settings);
    only->source.give({p0, p1});
    only->run_until([&] { return is_done(p0) && is_done(p1); });
    ASSERT_EQ(database.gaps.size(), 1U);
    EXPECT_EQ(database.gaps[0].first, p0);
    EXPECT_EQ(database.gaps[0].second.from, Offset{5});
    EXPECT_EQ(database.gaps[0].second.to, Offset{100});
    EXPECT_EQ(database.applied_of(p0).front(), 100);
    EXPECT_EQ(database.applied_of(p0).size(), 20U);
    expect_exactly_once(p1);
}

/// What was read before the hole opened is committed before the jump.
TEST_F(PipelineTest, OutOfRangeWhileRunningKeepsWhatWasRead) {
    broker.produce(p0, 4);
    auto settings = settings_with_rows(3);
    settings.on_out_of_range = pipeline::OnOutOfRange::earliest;
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return database.applied.size() >= 3; });
    broker.produce(p0, 10);
    broker.logs[p0].low = Offset{9};
    only->run_until([&] { return is_done(p0); });
    std::vector<std::int64_t> want{0, 1, 2};
    if (database.applied_of(p0)[3] == 3) {
        want.push_back(3);
    }
    ASSERT_EQ(database.gaps.size(), 1U);
    EXPECT_EQ(to_int(database.gaps[0].second.from), static_cast<std::int64_t>(want.size()));
    for (int offset = 9; offset < 14; ++offset) {
        want.push_back(offset);
    }
    EXPECT_EQ(database.applied_of(p0), want);
}

TEST_F(PipelineTest, StoredOffsetBeyondTheEndStops) {
    broker.produce(p0, 3);
    database.offsets[p0] = {Offset{50}, Offset{0}, Fence{}, broker.cluster_id};
    auto only = worker();
    only->source.give({p0});
    try {
        only->run_turns(200);
        FAIL() << "it went on";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_EQ(error.detail, "stored 50, the log has 0 to 3");
    }
    EXPECT_EQ(database.next_of(p0), 50);
}

TEST_F(PipelineTest, RecreatedTopicIsReadAnewByOption) {
    broker.produce(p0, 3);
    database.offsets[p0] = {Offset{50}, Offset{0}, Fence{}, broker.cluster_id};
    auto settings = settings_with_rows(3);
    settings.on_topic_recreated = pipeline::OnTopicRecreated::restart;
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), (std::vector<std::int64_t>{0, 1, 2}));
    ASSERT_EQ(database.gaps.size(), 1U);
    EXPECT_EQ(database.gaps[0].second.from, Offset{50});
    EXPECT_EQ(database.gaps[0].second.to, Offset{0});
}

/// An offset beyond the last stable one (stored under read_uncommitted, say) is not beyond the end
/// of the log: the broker decides what is out of range.
TEST_F(PipelineTest, StoredBeyondTheStableEndIsNoRecreatedTopic) {
    broker.produce(p0, 5);
    broker.logs[p0].stable_end = Offset{2};
    database.offsets[p0] = {Offset{4}, Offset{0}, Fence{}, broker.cluster_id};
    auto settings = settings_with_rows(3);
    settings.on_topic_recreated = pipeline::OnTopicRecreated::restart;
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), std::vector<std::int64_t>{4});
    EXPECT_TRUE(database.gaps.empty());
}

TEST_F(PipelineTest, AnotherClusterStopsAndFencesNobody) {
    broker.produce(p0, 3);
    database.offsets[p0] = {Offset{2}, Offset{0}, Fence{5}, "cluster-2"};
    auto only = worker();
    only->source.give({p0});
    try {
        only->run_turns(20);
        FAIL() << "it went on";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
    }
    EXPECT_EQ(database.offsets.at(p0).fence, Fence{5});
    EXPECT_EQ(database.next_of(p0), 2);
}

TEST_F(PipelineTest, AnotherClusterIsReadAnewByOption) {
    broker.produce(p0, 3);
    database.offsets[p0] = {Offset{2}, Offset{0}, Fence{5}, "cluster-2"};
    auto settings = settings_with_rows(3);
    settings.on_topic_recreated = pipeline::OnTopicRecreated::restart;
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(database.offsets.at(p0).cluster_id, "cluster-1");
    EXPECT_EQ(database.gaps.size(), 1U);
}

/// Two deployments with one name on two clusters would read everything anew for ever.
TEST_F(PipelineTest, AnotherClusterASecondTimeIsARival) {
    broker.produce(p0, 3);
    database.offsets[p0] = {Offset{2}, Offset{0}, Fence{5}, "cluster-2"};
    auto settings = settings_with_rows(3);
    settings.on_topic_recreated = pipeline::OnTopicRecreated::restart;
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    database.offsets.at(p0) = {Offset{2}, Offset{0}, Fence{6}, "cluster-2"};
    try {
        only->run_turns(2'000);
        FAIL() << "it went on";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::fenced);
    }
    EXPECT_EQ(database.gaps.size(), 1U);
}

/// A record that the mapping refuses: what precedes it is committed, and the stored offset names
/// it, so that stepping over it skips nothing else.
TEST_F(PipelineTest, BadRecordStopsExactlyThere) {
    broker.produce(p0, 3);
    broker.logs[p0].append_marker();
    broker.logs[p0].append({{}, "not json"});
    broker.produce(p0, 3);
    broker.produce(p1, 2);
    auto only = worker(100);
    only->source.give({p0, p1});
    try {
        only->run_turns(50);
        FAIL() << "it went on";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::bad_record);
        EXPECT_EQ(std::string{error.what()}.rfind("orders[0]@4: ", 0), 0U) << error.what();
    }
    EXPECT_EQ(database.applied_of(p0), (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(database.next_of(p0), 4);
    EXPECT_EQ(database.violations, std::vector<std::string>{});
}

/// B01: the same for a record that the server refuses; its batch mates before it land.
TEST_F(PipelineTest, B01_RecordRefusedByTheServerStopsExactlyThere) {
    broker.produce(p0, 5);
    broker.produce(p1, 2);
    database.refused = {"(2)"};
    auto only = worker(100);
    only->source.give({p0});
    try {
        only->run_turns(50);
        FAIL() << "it went on";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::bad_record);
        EXPECT_EQ(std::string{error.what()}.rfind("orders[0]@2: ", 0), 0U) << error.what();
    }
    EXPECT_EQ(database.applied_of(p0), (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(database.next_of(p0), 2);
}

/// B19: while the database is away the group is served and nothing is lost; then it goes on.
TEST_F(PipelineTest, B19_PollsWhileTheDatabaseIsAway) {
    broker.produce(p0, 20);
    auto only = worker(5);
    bool is_away = false;
    only->sink.at = [&](Point) {
        if (is_away) {
            throw lost_connection(false);
        }
    };
    only->source.give({p0});
    only->run_until([&] { return database.applied.size() >= 5; });
    is_away = true;
    const auto since = clock.now();
    const int polls_before = only->source.polls;
    only->run_until([&] { return clock.now() - since >= std::chrono::minutes{10}; }, 200'000);
    // At least one poll each 250 ms of that time.
    EXPECT_GE(only->source.polls - polls_before, 2'400);
    EXPECT_EQ(only->source.pauses, 1);
    EXPECT_EQ(only->statistics.pipelines_waiting, 1U);
    is_away = false;
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(only->statistics.pipelines_waiting, 0U);
    expect_exactly_once(p0);
}

TEST_F(PipelineTest, GivesUpAtTheRetryDeadline) {
    broker.produce(p0, 2);
    auto settings = settings_with_rows(5);
    settings.retry.deadline = seconds{60};
    auto only = worker(settings);
    only->sink.at = [&](Point at) {
        if (at == Point::before_begin || at == Point::read_offset) {
            throw lost_connection(false);
        }
    };
    only->source.give({p0});
    const auto since = clock.now();
    try {
        only->run_turns(20'000);
        FAIL() << "it went on";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::unavailable);
        EXPECT_EQ(exit_code(error.kind), 69);
    }
    EXPECT_GE(clock.now() - since, seconds{60});
    EXPECT_LE(clock.now() - since, seconds{70});
}

/// An error that is not known stops the pipeline: data is never skipped on it.
TEST_F(PipelineTest, UnknownErrorStops) {
    broker.produce(p0, 2);
    auto only = worker();
    only->sink.at = [](Point at) {
        if (at == Point::before_commit) {
            throw SinkError{ErrorKind::internal, "unknown error 9999"};
        }
    };
    only->source.give({p0});
    EXPECT_THROW(only->run_turns(20), SinkError);
    EXPECT_TRUE(database.applied.empty());
    EXPECT_EQ(database.next_of(p0), 0);
}

/// A definition that has changed is read again once; the records come again under it.
TEST_F(PipelineTest, SchemaDriftReadsTheTableAgainOnce) {
    broker.produce(p0, 4);
    auto only = worker(2);
    int drifts = 0;
    only->sink.at = [&](Point at) {
        if (at == Point::after_offsets && drifts < 1) {
            ++drifts;
            throw SinkError{ErrorKind::schema_drift, "unknown column (1054)"};
        }
    };
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
    only->sink.at = [&](Point at) {
        if (at == Point::after_offsets) {
            throw SinkError{ErrorKind::schema_drift, "unknown column (1054)"};
        }
    };
    broker.produce(p0, 1);
    EXPECT_THROW(only->run_turns(200), SinkError);
}

/// A route whose table cannot be written stops the pipeline, however well another one does: the
/// neighbour's commits in between are no cure.
TEST_F(PipelineTest, SchemaDriftBesideABusyPartitionIsNotRetriedForEver) {
    const TopicPartition other{"other", 0};
    broker.produce(p0, 2);
    broker.produce(other, 2);
    auto only = worker(2);
    only->sink.refuse = [&](const batch::Batch& batch) {
        for (const auto& part : batch.partitions) {
            if (part.partition == other) {
                throw SinkError{ErrorKind::schema_drift, "unknown column in a trigger (1054)"};
            }
        }
    };
    only->source.give({p0, other});
    EXPECT_THROW(
        {
            for (int i = 0; i < 2'000; ++i) {
                broker.produce(p0, i % 3 == 0 ? 2 : 0);
                only->pipeline.turn(milliseconds{50});
            }
        },
        SinkError);
    EXPECT_GT(only->statistics.commits, 0U);
    EXPECT_TRUE(database.applied_of(other).empty());
    EXPECT_EQ(database.violations, std::vector<std::string>{});
}

/// A partition that cannot be claimed for now does not keep the others from being read.
TEST_F(PipelineTest, PartitionWithoutALeaderDoesNotHoldUpTheOthers) {
    broker.produce(p0, 3);
    broker.produce(p1, 3);
    broker.leaderless = {p0};
    // Partition 0 was added later: its claim has to ask where its log begins.
    database.offsets[p1] = {Offset{0}, Offset{0}, Fence{}, broker.cluster_id};
    auto only = worker();
    only->source.give({p0, p1});
    only->run_until([&] { return is_done(p1); });
    EXPECT_TRUE(database.applied_of(p0).empty());
    broker.leaderless.clear();
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
    expect_exactly_once(p1);
}

/// Brokers that have not told their cluster's id yet are not another cluster.
TEST_F(PipelineTest, WaitsForTheClusterId) {
    broker.produce(p0, 3);
    database.offsets[p0] = {Offset{1}, Offset{0}, Fence{5}, broker.cluster_id};
    const auto id = std::exchange(broker.cluster_id, "");
    auto settings = settings_with_rows(3);
    settings.on_topic_recreated = pipeline::OnTopicRecreated::restart;
    auto only = worker(settings);
    only->source.give({p0});
    only->run_turns(5);
    EXPECT_EQ(database.offsets.at(p0).fence, Fence{5});
    EXPECT_GT(only->statistics.retries, 0U);
    broker.cluster_id = id;
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), (std::vector<std::int64_t>{1, 2}));
    EXPECT_TRUE(database.gaps.empty());
}

TEST_F(PipelineTest, TooBigATransactionIsMadeSmaller) {
    broker.produce(p0, 16);
    auto only = worker(16);
    only->sink.at = [](Point) {};
    int refusals = 0;
    only->sink.at = [&](Point at) {
        if (at == Point::before_commit && refusals < 2) {
            ++refusals;
            throw SinkError{ErrorKind::too_big, "transaction too big (1197)"};
        }
    };
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
    EXPECT_GE(only->statistics.commits, 4U);
}

/// B18: paused for want of room, revoked and given back: it is read again.
TEST_F(PipelineTest, B18_IsNotLeftPaused) {
    broker.produce(p0, 20);
    auto only = worker(2);
    bool is_away = true;
    only->sink.at = [&](Point at) {
        if (is_away && at == Point::before_begin) {
            throw deadlock();
        }
    };
    only->source.give({p0});
    only->run_until([&] { return only->source.pauses > 0; });
    only->source.take({p0});
    only->source.give({p0});
    is_away = false;
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
}

/// A stop is no excuse: the refused record of the last batch is reported, and what precedes it
/// is written.
TEST_F(PipelineTest, StopReportsARefusedRecordOfTheLastBatch) {
    broker.produce(p0, 3);
    database.refused = {"(1)"};
    auto settings = settings_with_rows(1'000);
    settings.batch.linger = std::chrono::hours{1};
    auto only = worker(settings);
    std::stop_source stop;
    only->source.give({p0});
    only->run_turns(3);
    stop.request_stop();
    try {
        only->pipeline.run(stop.get_token());
        FAIL() << "it ended as if all were well";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::bad_record);
    }
    EXPECT_TRUE(only->source.is_closed);
    EXPECT_EQ(database.applied_of(p0), std::vector<std::int64_t>{0});
    EXPECT_EQ(database.next_of(p0), 1);
}

TEST_F(PipelineTest, StopWritesWhatWasReadAndCloses) {
    broker.produce(p0, 2);
    auto settings = settings_with_rows(1'000);
    settings.batch.linger = std::chrono::hours{1};
    auto only = worker(settings);
    std::stop_source stop;
    only->source.give({p0});
    only->run_turns(3);
    stop.request_stop();
    only->pipeline.run(stop.get_token());
    EXPECT_TRUE(only->source.is_closed);
    expect_exactly_once(p0);
}

}  // namespace
}  // namespace txsink::test
