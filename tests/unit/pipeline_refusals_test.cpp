/// @file
/// Refused records: kept, skipped or stopped at, exactly once like all others; and too many.
#include <stop_token>
#include <tuple>

#include "support/pipeline_world.hpp"

namespace txsink::test {
namespace {

using mapping::OnBadRecord;
using Offsets = std::vector<std::int64_t>;

class Refusals : public PipelineWorld {
protected:
    /// Records {"id":<offset>}, but for those at `bad`, which the mapping refuses.
    void produce(const TopicPartition& partition, std::int64_t count, const Offsets& bad) {
        for (std::int64_t i = 0; i < count; ++i) {
            if (std::find(bad.begin(), bad.end(), i) == bad.end()) {
                broker.produce(partition, 1);
            } else {
                broker.produce_bad(partition);
            }
        }
    }
    [[nodiscard]] static std::string error_of(Worker& worker) {
        try {
            worker.run_turns(200);
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, ErrorKind::bad_record) << error.what();
            return error.what();
        }
        return "it went on";
    }
};

TEST_F(Refusals, DeadLetterKeepsTheRecordWhole) {
    produce(p0, 4, {2});
    auto only = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once_but({2}, p0);
    const auto& letter = database.dead_letters.front().second;
    EXPECT_EQ(letter.key, "key");
    EXPECT_EQ(letter.value, "not json");
    EXPECT_NE(letter.headers.find("trace"), std::string::npos);
    EXPECT_EQ(letter.timestamp_ms, 1'700'000'000'002);
    EXPECT_EQ(letter.error.code, RecordErrorCode::not_json);
    EXPECT_EQ(letter.target, "test.ledger");
    EXPECT_EQ(only->statistics.dead_letters, 1U);
    EXPECT_EQ(only->statistics.records, 4U);
    EXPECT_EQ(only->statistics.rows, 3U);
}

/// B01: the batch mates of a record that the server refuses land in the transaction that keeps it.
TEST_F(Refusals, B01_ServersRefusalIsADeadLetterBesideItsMates) {
    broker.produce(p0, 3);
    broker.produce(p1, 3);
    database.refused = {"(1)"};
    auto only = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    only->source.give({p0, p1});
    only->run_until([&] { return is_done(p0) && is_done(p1); });
    expect_exactly_once_but({1}, p0);
    expect_exactly_once_but({1}, p1);
    const auto& letter = database.dead_letters.front().second;
    EXPECT_EQ(letter.value, R"({"id":1})");
    EXPECT_EQ(letter.timestamp_ms, 1'700'000'000'001);
    EXPECT_EQ(letter.error.code, RecordErrorCode::refused_by_server);
    EXPECT_EQ(letter.error.native_code, 1062);
    EXPECT_EQ(only->statistics.commits, 1U);
    EXPECT_EQ(only->statistics.retries, 0U);
}

TEST_F(Refusals, BothKindsStandInOffsetOrder) {
    produce(p0, 8, {1, 3, 6});
    database.refused = {"(0)", "(2)", "(7)"};
    auto only = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once_but({0, 1, 2, 3, 6, 7}, p0);
    EXPECT_EQ(only->statistics.dead_letters, 6U);
}

TEST_F(Refusals, SkippedRecordsAreCountedAndNotKept) {
    produce(p0, 6, {1, 3});
    database.refused = {"(4)"};
    auto only = worker(settings_with_policy(100, OnBadRecord::skip));
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), (Offsets{0, 2, 5}));
    EXPECT_EQ(database.dead_of(p0), Offsets{});
    EXPECT_EQ(database.violations, std::vector<std::string>{});
    EXPECT_EQ(only->statistics.skipped, 3U);
    EXPECT_EQ(only->statistics.records, 6U);
}

/// A batch of nothing but dead letters is written by its size, not only after the linger.
TEST_F(Refusals, OnlyDeadLettersFillABatch) {
    produce(p0, 10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    auto settings = settings_with_policy(2, OnBadRecord::dead_letter);
    settings.batch.linger = std::chrono::hours{1};
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); }, 50);
    expect_exactly_once_but({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, p0);
    EXPECT_EQ(only->statistics.commits, 5U);
}

/// Records that leave no row are remembered, so they count for the size of a batch, too.
TEST_F(Refusals, OnlySkippedRecordsFillABatch) {
    produce(p0, 10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    auto settings = settings_with_policy(1'000, OnBadRecord::skip);
    settings.batch.linger = std::chrono::hours{1};
    settings.batch.bytes = 5 * sizeof(batch::SkippedRecord);
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); }, 50);
    EXPECT_EQ(only->statistics.commits, 2U);
    EXPECT_EQ(only->statistics.skipped, 10U);
}

/// Copies of records count for the size of a batch.
TEST_F(Refusals, KeptRecordsAreBounded) {
    broker.produce(p0, 100);
    broker.produce(p1, 100);
    const auto commits = [&](OnBadRecord policy, const TopicPartition& partition) {
        auto settings = settings_with_policy(1'000, policy);
        settings.batch.bytes = 100;
        auto only = worker(settings);
        only->source.give({partition});
        only->run_until([&] { return is_done(partition); });
        return only->statistics.commits.load();
    };
    EXPECT_GT(commits(OnBadRecord::dead_letter, p0), 2 * commits(OnBadRecord::skip, p1));
}

/// A topic of the subscription that no route takes: by option its records only move the offset.
TEST_F(Refusals, TopicWithoutARouteIsIgnoredByOption) {
    const TopicPartition stranger{"strange", 0};
    broker.produce(stranger, 5);
    auto settings = settings_with_rows(100);
    settings.on_unrouted = mapping::OnUnrouted::ignore;
    auto only = worker(settings);
    only->source.give({stranger});
    only->run_until([&] { return is_done(stranger); });
    EXPECT_EQ(database.applied_of(stranger), Offsets{});
    EXPECT_EQ(only->statistics.filtered, 5U);
    EXPECT_EQ(only->statistics.records, 5U);
}

TEST_F(Refusals, TopicWithoutARouteStops) {
    const TopicPartition stranger{"strange", 0};
    broker.produce(stranger, 5);
    auto only = worker(100);
    only->source.give({stranger});
    EXPECT_THROW(only->run_turns(20), SinkError);
    EXPECT_TRUE(database.applied.empty());
}

/// Statements that find no row, where that is allowed.
TEST_F(Refusals, MissedRowsAreCounted) {
    broker.produce(p0, 6);
    auto only = worker(3);
    only->sink.more_missed = 2;
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(only->statistics.missed_rows, 4U);
}

// --- several routes of one topic

/// Routes over the ledger that take the records of "orders" by a filter.
class Routes : public Refusals {
protected:
    [[nodiscard]] static mapping::Route route(const char* name,
                                              const char* when,
                                              OnBadRecord policy = OnBadRecord::fail) {
        mapping::Route made = settings_with_policy(1, policy).routes.front();
        made.name = name;
        made.topics = {"orders"};
        made.when = *when == '\0' ? mapping::Filter{} : mapping::parse_filter(when);
        return made;
    }
    [[nodiscard]] static pipeline::PipelineSettings settings_of(std::vector<mapping::Route> routes,
                                                                mapping::OnUnrouted unrouted) {
        auto settings = settings_with_rows(100);
        settings.routes = std::move(routes);
        settings.on_unrouted = unrouted;
        return settings;
    }
    void append(const std::string& value) { broker.logs[p0].append({{}, value}); }
};

TEST_F(Routes, FilteredRecordsMoveTheOffsetAndAreCounted) {
    append(R"({"id":1,"kind":"a"})");
    append(R"({"id":2,"kind":"b"})");
    append(R"({"id":3,"kind":"a"})");
    append(R"({"id":4,"kind":"c"})");
    auto only = worker(settings_of({route("a", "$.kind = 'a'")}, mapping::OnUnrouted::ignore));
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), (Offsets{0, 2}));
    EXPECT_EQ(database.violations, std::vector<std::string>{});
    EXPECT_EQ(only->statistics.filtered, 2U);
    EXPECT_EQ(only->statistics.records, 4U);
    EXPECT_EQ(only->statistics.rows, 2U);
}

/// A batch of only filtered records is bounded, too.
TEST_F(Routes, OnlyFilteredRecordsFillABatch) {
    for (int i = 0; i < 12; ++i) {
        append(R"({"id":1,"kind":"b"})");
    }
    auto settings = settings_of({route("a", "$.kind = 'a'")}, mapping::OnUnrouted::ignore);
    settings.batch.linger = std::chrono::hours{1};
    settings.batch.bytes = 4 * sizeof(Offset);
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); }, 50);
    EXPECT_EQ(only->statistics.commits, 3U);
    EXPECT_EQ(only->statistics.filtered, 12U);
}

TEST_F(Routes, UnroutedRecordStopsByDefault) {
    append(R"({"id":1,"kind":"a"})");
    append(R"({"id":2,"kind":"b"})");
    auto only = worker(settings_of({route("a", "$.kind = 'a'")}, mapping::OnUnrouted::error));
    only->source.give({p0});
    EXPECT_EQ(error_of(*only).rfind("orders[0]@1: ", 0), 0U);
    EXPECT_EQ(database.next_of(p0), 1);
}

/// A record with rows by two routes counts once, and is refused whole, whichever row is refused.
TEST_F(Routes, FanOutIsRefusedAsAWhole) {
    append(R"({"id":0,"big":7})");
    append(R"({"id":1,"big":7})");
    append(R"({"id":2,"big":"x"})");
    append(R"({"id":3,"big":7})");
    auto second = route("second", "$.big", OnBadRecord::dead_letter);
    second.columns.emplace_back();
    second.columns.front().column = "id";
    second.columns.front().source = mapping::parse_source("$.big");
    auto first = route("first", "", OnBadRecord::dead_letter);
    database.refused = {"(1)"};
    auto only = worker(settings_of({first, second}, mapping::OnUnrouted::error));
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), (Offsets{0, 0, 3, 3}));
    EXPECT_EQ(database.dead_of(p0), (Offsets{1, 2}));
    EXPECT_EQ(database.violations, std::vector<std::string>{});
    EXPECT_EQ(only->statistics.records, 4U);
    EXPECT_EQ(only->statistics.rows, 4U);
}

TEST_F(Routes, EachRecordByThePolicyOfTheRouteThatRefusesIt) {
    append(R"({"id":"x","kind":"a"})");
    append(R"({"id":"x","kind":"b"})");
    append(R"({"id":5,"kind":"a"})");
    append(R"({"id":5,"kind":"b"})");
    append(R"({"id":6,"kind":"b"})");
    database.refused = {"(5)"};
    auto only = worker(settings_of({route("a", "$.kind = 'a'", OnBadRecord::dead_letter),
                                    route("b", "$.kind = 'b'", OnBadRecord::skip)},
                                   mapping::OnUnrouted::error));
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), Offsets{4});
    EXPECT_EQ(database.dead_of(p0), (Offsets{0, 2}));
    EXPECT_EQ(only->statistics.skipped, 2U);
    EXPECT_EQ(database.violations, std::vector<std::string>{});
}

/// B84: heartbeats and schema changes are no rows: counted, and the offset moves over them.
TEST_F(Routes, B84_EventsThatAreNoRowsAreCounted) {
    append(R"({"before":null,"after":{"id":1},"op":"c","source":{},"ts_ms":1})");
    append(R"({"ts_ms":1700000000000})");
    append(R"({"source":{},"databaseName":"shop","ddl":"DROP TABLE x","tableChanges":[]})");
    append(R"({"before":null,"after":{"id":2},"op":"c","source":{},"ts_ms":1})");
    auto events = route("events", "");
    events.format = mapping::Format::debezium;
    auto only = worker(settings_of({events}, mapping::OnUnrouted::error));
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), (Offsets{0, 3}));
    EXPECT_EQ(only->statistics.filtered, 2U);
    EXPECT_EQ(database.next_of(p0), 4);
}

/// The tables of one expression are named by the topics; one that appears later is read too.
TEST_F(Routes, NewTopicOfAPatternIsReadFromItsStart) {
    auto pattern = route("all", "");
    pattern.topics = {"^shop\\.(.*)"};
    pattern.table = {"test", "${1}_ledger"};
    auto settings = settings_of({pattern}, mapping::OnUnrouted::error);
    settings.start.kind = pipeline::StartKind::latest;
    const TopicPartition old{"shop.orders", 0};
    const TopicPartition added{"shop.items", 0};
    broker.produce(old, 3);
    auto only = worker(settings);
    only->source.give({old});
    only->run_until([&] { return is_done(old); });
    broker.produce(added, 4);
    only->source.give({added});
    only->run_until([&] { return is_done(added); });
    EXPECT_EQ(database.applied_of(old), Offsets{});
    expect_exactly_once(added);
    EXPECT_EQ(
        only->sink.loaded,
        (std::vector<mapping::TableName>{{"test", "orders_ledger"}, {"test", "items_ledger"}}));
}

TEST_F(Routes, MissingTableOfANewTopicStopsClearly) {
    auto pattern = route("all", "");
    pattern.topics = {"^shop\\."};
    pattern.table = {"test", "${topic}"};
    broker.produce({"shop.a", 0}, 1);
    auto only = worker(settings_of({pattern}, mapping::OnUnrouted::error));
    only->sink.missing_table = "shop.a";
    only->source.give({{"shop.a", 0}});
    try {
        only->run_turns(20);
        FAIL() << "it went on";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_NE(std::string{error.what()}.find("shop.a"), std::string::npos);
    }
}

/// What becomes of refused records may differ from topic to topic.
class PolicyMix : public Refusals {
protected:
    [[nodiscard]] static pipeline::PipelineSettings settings(OnBadRecord orders,
                                                             OnBadRecord other) {
        auto mixed = settings_with_policy(100, orders);
        mixed.routes.front().topics = {"orders"};
        mixed.routes.push_back(mixed.routes.front());
        mixed.routes.back().name = "other";
        mixed.routes.back().topics = {"other"};
        mixed.routes.back().on_bad_record = other;
        return mixed;
    }
    const TopicPartition other{"other", 0};
};

TEST_F(PolicyMix, EachRecordByItsRoutesPolicy) {
    produce(p0, 4, {1});
    produce(other, 4, {2});
    database.refused = {"(3)"};
    auto only = worker(settings(OnBadRecord::dead_letter, OnBadRecord::skip));
    only->source.give({p0, other});
    only->run_until([&] { return is_done(p0) && is_done(other); });
    expect_exactly_once_but({1, 3}, p0);
    EXPECT_EQ(database.applied_of(other), (Offsets{0, 1}));
    EXPECT_EQ(only->statistics.skipped, 2U);
}

/// A `fail` amid others: what precedes it is committed, with its dead letters; nothing after it.
TEST_F(PolicyMix, FailStopsExactlyThereBesideDeadLetters) {
    broker.produce(p0, 2);
    broker.produce(other, 5);
    database.refused = {"(1)", "(3)"};
    auto mixed = settings(OnBadRecord::dead_letter, OnBadRecord::fail);
    auto only = worker(mixed);
    only->source.give({p0, other});
    EXPECT_EQ(error_of(*only).rfind("other[0]@1: ", 0), 0U);
    expect_exactly_once_but({1}, p0);
    EXPECT_EQ(database.applied_of(other), Offsets{0});
    EXPECT_EQ(database.next_of(other), 1);
    EXPECT_EQ(database.violations, std::vector<std::string>{});
}

TEST_F(Refusals, FailBehindDeadLettersKeepsThemAndCountsRight) {
    produce(p0, 8, {1, 6});
    database.refused = {"(4)"};
    auto settings = settings_with_policy(100, OnBadRecord::dead_letter);
    auto only = worker(settings);
    const mapping::Route strict;  // as if another route of the topic had made the row
    only->sink.blamed = &strict;
    only->source.give({p0});
    EXPECT_EQ(error_of(*only).rfind("orders[0]@4: ", 0), 0U);
    EXPECT_EQ(database.applied_of(p0), (Offsets{0, 2, 3}));
    EXPECT_EQ(database.dead_of(p0), Offsets{1});
    EXPECT_EQ(database.next_of(p0), 4);
    EXPECT_EQ(database.violations, std::vector<std::string>{});
    EXPECT_EQ(only->statistics.records, 4U);
}

// --- the request to stop

TEST_F(Refusals, StopWritesTheLastBatchWithoutWhatTheServerRefuses) {
    broker.produce(p0, 5);
    database.refused = {"(1)", "(3)"};
    auto settings = settings_with_policy(1'000, OnBadRecord::dead_letter);
    settings.batch.linger = std::chrono::hours{1};
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return only->source.is_reading(p0); });
    only->run_turns(2);  // read, not yet written
    ASSERT_TRUE(database.applied.empty());
    std::stop_source stop;
    stop.request_stop();
    only->pipeline.run(stop.get_token());
    expect_exactly_once_but({1, 3}, p0);
}

// --- too many

TEST_F(Refusals, LimitStopsBeforeTheBatchThatBreaksIt) {
    produce(p0, 30, {3, 4, 13, 14, 15, 25});
    auto settings = settings_with_policy(10, OnBadRecord::dead_letter);
    settings.bad_record_limit.count = 4;
    auto only = worker(settings);
    only->source.give({p0});
    const auto message = error_of(*only);
    EXPECT_EQ(
        message.rfind("more than 4 records were refused within 60 s: the last orders[0]@15: ", 0),
        0U)
        << message;
    EXPECT_EQ(database.dead_of(p0), (Offsets{3, 4}));
    EXPECT_EQ(database.next_of(p0), 13);
    EXPECT_EQ(database.violations, std::vector<std::string>{});
}

TEST_F(Refusals, LimitForgetsWhatIsOlderThanItsWindow) {
    auto settings = settings_with_policy(10, OnBadRecord::skip);
    settings.bad_record_limit.count = 2;
    auto only = worker(settings);
    broker.produce(p0, 1);
    only->source.give({p0});
    for (int i = 0; i < 5; ++i) {
        broker.produce_bad(p0);
        broker.produce_bad(p0);
        only->run_until([&] { return is_done(p0); });
        clock.advance(std::chrono::minutes{1});
    }
    EXPECT_EQ(only->statistics.skipped, 10U);
}

/// What was read again after a fault counts once.
TEST_F(Refusals, LimitCountsARecordOnceHoweverOftenItIsTried) {
    produce(p0, 10, {1, 2, 3});
    auto settings = settings_with_policy(100, OnBadRecord::dead_letter);
    settings.bad_record_limit.count = 3;
    auto only = worker(settings);
    int faults = 5;
    only->sink.at = [&](Point at) {
        if (at == Point::before_commit && faults-- > 0) {
            throw lost_connection(false);
        }
    };
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once_but({1, 2, 3}, p0);
}

TEST_F(Refusals, NoLimitByOption) {
    Offsets bad;
    for (std::int64_t i = 0; i < 3'000; i += 3) {
        bad.push_back(i);
    }
    produce(p0, 3'000, bad);
    auto settings = settings_with_policy(100, OnBadRecord::skip);
    settings.bad_record_limit.count = 0;
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(only->statistics.skipped, 1'000U);
}

class Systemic : public Refusals, public ::testing::WithParamInterface<OnBadRecord> {
protected:
    [[nodiscard]] static Offsets from_to(std::int64_t from, std::int64_t to) {
        Offsets all;
        for (auto i = from; i < to; ++i) {
            all.push_back(i);
        }
        return all;
    }
};

TEST_P(Systemic, MostRecordsRefusedAlikeByTheMappingStop) {
    produce(p0, 40, from_to(19, 40));
    produce(p1, 1, {});
    auto only = worker(settings_with_policy(100, GetParam()));
    only->source.give({p0, p1});
    const auto message = error_of(*only);
    EXPECT_EQ(
        message.rfind("21 of 41 records of a batch are refused alike: the last orders[0]@39: ", 0),
        0U)
        << message;
    EXPECT_EQ(database.applied_of(p0), from_to(0, 19));
    EXPECT_EQ(database.next_of(p0), 19);
    EXPECT_TRUE(is_done(p1));
    EXPECT_TRUE(database.dead_letters.empty());
    EXPECT_EQ(database.violations, std::vector<std::string>{});
}

TEST_P(Systemic, MostRecordsRefusedAlikeByTheServerStop) {
    broker.produce(p0, 50);
    for (int i = 10; i < 50; ++i) {
        database.refused.push_back("(" + std::to_string(i) + ")");
    }
    auto only = worker(settings_with_policy(100, GetParam()));
    only->source.give({p0});
    const auto message = error_of(*only);
    EXPECT_NE(message.find(" of 50 records of a batch are refused alike: "), std::string::npos)
        << message;
    EXPECT_NE(message.find("(code refused-by-server)"), std::string::npos) << message;
    EXPECT_EQ(database.applied_of(p0), from_to(0, 10));
    EXPECT_EQ(database.next_of(p0), 10);
    EXPECT_TRUE(database.dead_letters.empty());
}

INSTANTIATE_TEST_SUITE_P(Policies,
                         Systemic,
                         ::testing::Values(OnBadRecord::dead_letter, OnBadRecord::skip));

TEST_F(Refusals, HalfOfThemOrFewAreNotSystemic) {
    Offsets bad;
    for (std::int64_t i = 0; i < 40; i += 2) {
        bad.push_back(i);
    }
    produce(p0, 40, bad);
    produce(p1, 19, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18});
    auto only = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    only->source.give({p1});
    only->run_until([&] { return is_done(p1); });
    expect_exactly_once_but(bad, p0);
}

TEST_F(Refusals, RefusedForDifferentCausesAreNotSystemic) {
    for (int i = 0; i < 20; ++i) {
        broker.produce_bad(p0);
        broker.logs[p0].append({{}, R"({"id":"x"})"});
    }
    auto only = worker(settings_with_policy(100, OnBadRecord::skip));
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(only->statistics.skipped, 40U);
}

// --- copies

class Copies : public Refusals {
protected:
    [[nodiscard]] pipeline::PipelineSettings settings() {
        auto with_copy = settings_with_policy(100, OnBadRecord::dead_letter);
        with_copy.copy_dead_letters = [this](const TopicPartition& partition,
                                             std::span<const batch::DeadLetter> letters) {
            EXPECT_EQ(partition, p0);
            if (before_copy) {
                before_copy();
            }
            for (const auto& letter : letters) {
                copied.push_back(to_int(letter.offset));
            }
        };
        return with_copy;
    }
    std::function<void()> before_copy;
    Offsets copied;
};

TEST_F(Copies, EachOnceAlthoughTheBatchIsTriedAgain) {
    produce(p0, 8, {1, 5});
    database.refused = {"(3)"};
    auto only = worker(settings());
    int faults = 3;
    only->sink.at = [&](Point at) {
        if (at == Point::before_commit && faults-- > 0) {
            throw deadlock();
        }
    };
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once_but({1, 3, 5}, p0);
    EXPECT_EQ(copied, (Offsets{1, 5, 3}));
}

/// B01: nothing moves before the copy is safe.
TEST_F(Copies, B01_NothingMovesWhileTheCopyFails) {
    produce(p0, 4, {1});
    auto only = worker(settings());
    int faults = 4;
    before_copy = [&] {
        EXPECT_TRUE(database.applied.empty());
        EXPECT_EQ(database.next_of(p0), 0);
        if (faults-- > 0) {
            throw SinkError{ErrorKind::connection, "copying dead letters: no broker answers"};
        }
    };
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once_but({1}, p0);
    EXPECT_EQ(copied, Offsets{1});
    EXPECT_EQ(only->statistics.retries, 4U);
}

TEST_F(Copies, OtherErrorsOfTheCopyStop) {
    produce(p0, 4, {1});
    auto only = worker(settings());
    before_copy = [] { throw SinkError{ErrorKind::configuration, "no such topic"}; };
    only->source.give({p0});
    EXPECT_THROW(only->run_turns(50), SinkError);
    EXPECT_TRUE(database.applied.empty());
    EXPECT_EQ(database.next_of(p0), 0);
}

// --- every crash point and fault, every batch

constexpr std::size_t kRowsPerBatch = 2;

class RefusalFaults : public Refusals {
protected:
    void fill() {
        produce(p0, 10, {0, 3, 4, 8});
        produce(p1, 7, {6});
        database.refused = {"(1)", "(5)"};
    }
    bool run_process(const std::function<void(FakeSink&)>& prepare) {
        auto process = worker(settings_with_policy(kRowsPerBatch, OnBadRecord::dead_letter));
        prepare(process->sink);
        process->source.give({p0, p1});
        try {
            process->run_until([&] { return is_done(p0) && is_done(p1); });
        } catch (const ProcessKilled&) {
            return false;
        }
        return true;
    }
    void expect_both() {
        expect_exactly_once_but({0, 1, 3, 4, 5, 8}, p0);
        expect_exactly_once_but({1, 5, 6}, p1);
    }
};

using CrashCase = std::tuple<Point, bool, int>;  // where, whether COMMIT took effect, which pass

class EveryCrashPointWithDeadLetters : public RefusalFaults,
                                       public ::testing::WithParamInterface<CrashCase> {};

TEST_P(EveryCrashPointWithDeadLetters, EachRecordOnce) {  // B02
    const auto [point, happens, pass] = GetParam();
    fill();
    int left = pass;
    const bool lived = run_process([&, where = point, commits = happens](FakeSink& sink) {
        sink.commit_happens = commits;
        sink.at = [&left, where](Point at) {
            if (at == where && --left == 0) {
                throw ProcessKilled{};
            }
        };
    });
    EXPECT_NE(lived, left <= 0);
    if (!lived) {
        EXPECT_TRUE(run_process([](FakeSink&) {}));
    }
    expect_both();
}

INSTANTIATE_TEST_SUITE_P(All,
                         EveryCrashPointWithDeadLetters,
                         ::testing::Combine(::testing::Values(Point::before_begin,
                                                              Point::after_offsets,
                                                              Point::isolate,
                                                              Point::after_dead_letters,
                                                              Point::before_commit,
                                                              Point::at_commit,
                                                              Point::after_commit,
                                                              Point::claim_after_commit),
                                            ::testing::Bool(),
                                            ::testing::Range(1, 13)));

enum class Fault { deadlock, lost, orphan };

using FaultCase = std::tuple<Fault, Point, bool, int>;

class EveryFaultWithDeadLetters : public RefusalFaults,
                                  public ::testing::WithParamInterface<FaultCase> {};

/// B28: nothing of a failed try stays.
TEST_P(EveryFaultWithDeadLetters, B28_EachRecordOnce) {
    const auto [fault, point, happens, pass] = GetParam();
    fill();
    int left = pass;
    EXPECT_TRUE(run_process([&, what = fault, where = point, commits = happens](FakeSink& sink) {
        sink.commit_happens = commits;
        sink.leaves_orphan = what == Fault::orphan;
        sink.at = [&left, what, where](Point at) {
            if (at == where && --left == 0) {
                throw what == Fault::deadlock ? deadlock()
                                              : lost_connection(at == Point::at_commit);
            }
        };
    }));
    expect_both();
}

INSTANTIATE_TEST_SUITE_P(InTransaction,
                         EveryFaultWithDeadLetters,
                         ::testing::Combine(::testing::Values(Fault::deadlock, Fault::lost),
                                            ::testing::Values(Point::before_begin,
                                                              Point::after_offsets,
                                                              Point::isolate,
                                                              Point::after_dead_letters,
                                                              Point::before_commit,
                                                              Point::read_offset),
                                            ::testing::Values(false),
                                            ::testing::Range(1, 10)));

INSTANTIATE_TEST_SUITE_P(AtCommit,
                         EveryFaultWithDeadLetters,
                         ::testing::Combine(::testing::Values(Fault::lost, Fault::orphan),
                                            ::testing::Values(Point::at_commit),
                                            ::testing::Bool(),
                                            ::testing::Range(1, 10)));

/// A revoke while a batch with dead letters waits for its next attempt: they go with the rows.
TEST_F(RefusalFaults, RevokeBetweenTwoAttemptsDropsTheDeadLettersToo) {
    fill();
    auto first = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    first->sink.at = [](Point at) {
        if (at == Point::after_dead_letters) {
            throw deadlock();
        }
    };
    first->source.give({p0, p1});
    first->run_until([&] { return first->statistics.retries >= 2; });
    first->source.take({p0});
    first->run_turns(1);
    auto second = worker(settings_with_policy(kRowsPerBatch, OnBadRecord::dead_letter));
    second->source.give({p0});
    second->run_until([&] { return is_done(p0); });
    first->sink.at = [](Point) {};
    first->run_until([&] { return is_done(p1); });
    expect_both();
}

/// The database falls back to before a commit: rows and dead letters come again together.
TEST_F(RefusalFaults, DatabaseGoesBackInTime) {
    produce(p0, 4, {1});
    auto only = worker(settings_with_policy(2, OnBadRecord::dead_letter));
    only->source.give({p0});
    only->run_until([&] { return only->source.is_reading(p0); });
    const auto past = database.snapshot();
    only->run_until([&] { return is_done(p0); });
    database.go_back_to(past);
    clock.advance(std::chrono::minutes{1});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once_but({1}, p0);
    EXPECT_EQ(only->statistics.rewinds, 1U);
}

// The tests of the tests.

class DeadLettersOutside
    : public RefusalFaults,
      public ::testing::WithParamInterface<std::tuple<FakeSink::Breakage, Point>> {};

TEST_P(DeadLettersOutside, AreCaught) {
    const auto [breakage, point] = GetParam();
    fill();
    int left = 3;
    const auto prepare = [&, how = breakage, where = point](FakeSink& sink) {
        sink.breakage = how;
        sink.at = [&left, where](Point at) {
            if (at == where && --left == 0) {
                throw ProcessKilled{};
            }
        };
    };
    EXPECT_FALSE(run_process(prepare));
    EXPECT_TRUE(run_process(prepare));
    EXPECT_NE(database.dead_of(p0).size() + database.dead_of(p1).size(), 9U);
}

INSTANTIATE_TEST_SUITE_P(
    Transaction,
    DeadLettersOutside,
    ::testing::Values(std::tuple{FakeSink::Breakage::dead_letters_before, Point::before_commit},
                      std::tuple{FakeSink::Breakage::dead_letters_after, Point::after_commit}));

}  // namespace
}  // namespace txsink::test
