/// @file
/// Batches that are refused as a whole, records too big for a transaction, refusals in a row, and
/// how many refused records are looked for.
#include "support/pipeline_world.hpp"

namespace txsink::test {
namespace {

using mapping::OnBadRecord;
using Offsets = std::vector<std::int64_t>;

class Limits : public PipelineWorld {
protected:
    [[nodiscard]] static SinkError error_of(Worker& worker) {
        try {
            worker.run_turns(500);
        } catch (const SinkError& error) {
            return error;
        }
        return {ErrorKind::internal, "it went on"};
    }
    [[nodiscard]] static SinkError transaction_too_big() {
        SinkError error{ErrorKind::too_big, "writing: the transaction is too big (1197)"};
        error.native_code = 1197;
        return error;
    }
    [[nodiscard]] static bool has_tuple(const batch::Batch& batch, const std::string& tuple) {
        return std::any_of(batch.partitions.begin(), batch.partitions.end(), [&](const auto& part) {
            const auto& changes = part.rows.changes();
            return std::any_of(changes.begin(), changes.end(), [&](const auto& change) {
                return part.rows.text().substr(change.begin, change.size) == tuple;
            });
        });
    }
};

// --- no record alone is to blame

/// Refuses batches as a whole.
[[nodiscard]] SinkError refusal() {
    SinkError error{ErrorKind::bad_record, "writing test.ledger: a constraint refuses the row"};
    error.native_code = 3819;
    error.detail = "constraint ledger_chk_1";
    return error;
}

TEST_F(Limits, BatchWithoutACulpritIsTriedUnderTablesReadAgain) {
    broker.produce(p0, 5);
    auto only = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    only->sink.refuse = [&](const batch::Batch&) {
        if (only->sink.loaded.size() < 2) {
            throw refusal();
        }
    };
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
    EXPECT_EQ(only->sink.loaded.size(), 2U);
    EXPECT_EQ(only->statistics.retries, 1U);
}

TEST_F(Limits, BatchWithoutACulpritStopsAfterThreeRounds) {
    broker.produce(p0, 5);
    auto only = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    int writes = 0;
    only->sink.refuse = [&](const batch::Batch&) {
        ++writes;
        throw refusal();
    };
    only->source.give({p0});
    const auto error = error_of(*only);
    EXPECT_EQ(error.kind, ErrorKind::bad_record);
    EXPECT_STREQ(error.what(),
                 "the tables refuse a batch as a whole, but none of its records alone");
    EXPECT_EQ(error.detail,
              "orders[0] from offset 0 to before 5; 3 times without a commit between; the server's "
              "words: writing test.ledger: a constraint refuses the row: constraint ledger_chk_1");
    EXPECT_FALSE(error.hint.empty());
    EXPECT_EQ(error.native_code, 3819);
    EXPECT_EQ(writes, 3);
    EXPECT_TRUE(database.applied.empty());
}

/// A row that is in the way now and then is no reason to stop.
TEST_F(Limits, CommitForgetsTheRoundsBeforeIt) {
    broker.produce(p0, 40);
    auto only = worker(settings_with_policy(4, OnBadRecord::fail));
    int writes = 0;
    only->sink.refuse = [&](const batch::Batch&) {
        if (++writes % 3 != 0) {
            throw refusal();
        }
    };
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
}

// --- too big

TEST_F(Limits, RecordTooBigForATransactionIsADeadLetter) {
    broker.produce(p0, 16);
    broker.produce(p1, 16);
    auto only = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    int refusals = 0;
    only->sink.refuse = [&](const batch::Batch& batch) {
        if (has_tuple(batch, "(7)")) {
            ++refusals;
            throw transaction_too_big();
        }
    };
    only->source.give({p0, p1});
    only->run_until([&] { return is_done(p0) && is_done(p1); });
    expect_exactly_once_but({7}, p0);
    expect_exactly_once_but({7}, p1);
    const auto& letter = database.dead_letters.front().second;
    EXPECT_EQ(letter.error.code, RecordErrorCode::too_large);
    EXPECT_EQ(letter.error.native_code, 1197);
    EXPECT_EQ(letter.value, R"({"id":7})");
    EXPECT_LE(refusals, 14);
}

TEST_F(Limits, RecordTooBigForATransactionStopsAtIt) {
    broker.produce(p0, 16);
    auto only = worker(settings_with_policy(100, OnBadRecord::fail));
    only->sink.refuse = [&](const batch::Batch& batch) {
        if (has_tuple(batch, "(7)")) {
            throw transaction_too_big();
        }
    };
    only->source.give({p0});
    const auto error = error_of(*only);
    EXPECT_EQ(error.kind, ErrorKind::bad_record);
    EXPECT_EQ(std::string{error.what()}.rfind("orders[0]@7: the record's 1 rows are too big", 0),
              0U)
        << error.what();
    EXPECT_EQ(database.next_of(p0), 7);
    EXPECT_EQ(database.violations, std::vector<std::string>{});
}

/// A record of very many rows among many of one is found by its weight, not by halving.
TEST_F(Limits, RecordOfManyRowsIsIsolatedInFewSteps) {
    const auto item = [](std::int64_t id) { return "{\"id\":" + std::to_string(id) + "}"; };
    const auto append = [&](int items) {
        std::string list;
        for (int i = 0; i < items; ++i) {
            list += (list.empty() ? "" : ",") + item(i);
        }
        broker.logs[p0].append({{}, "{\"items\":[" + list + "]}"});
    };
    for (int i = 0; i < 700; ++i) {
        append(i == 300 ? 5'000 : 1);
    }
    auto settings = settings_with_policy(2'000, OnBadRecord::dead_letter);
    settings.routes.front().for_each = mapping::parse_source("$.items");
    auto only = worker(settings);
    int refusals = 0;
    only->sink.refuse = [&](const batch::Batch& batch) {
        if (batch.rows() >= 5'000) {
            ++refusals;
            throw transaction_too_big();
        }
    };
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once_but({300}, p0);
    EXPECT_LE(refusals, 3);
    EXPECT_LE(only->statistics.commits, 3U);
    EXPECT_EQ(only->sink.loaded.size(), 1U);
}

/// 3100 comes in answer to COMMIT: what the row says goes first.
TEST_F(Limits, TooBigInAnswerToCommitIsSettledByTheRow) {
    for (const bool happens : {false, true}) {
        SCOPED_TRACE(happens);
        const TopicPartition partition{"orders", happens ? 1 : 0};
        broker.produce(partition, 8);
        auto only = worker(settings_with_policy(100, OnBadRecord::dead_letter));
        int refusals = 0;
        only->sink.commit_happens = happens;
        only->sink.at = [&](Point at) {
            if (at == Point::at_commit && refusals++ < 1) {
                auto error = transaction_too_big();
                error.outcome_unknown = true;
                throw error;
            }
        };
        only->source.give({partition});
        only->run_until([&] { return is_done(partition); });
        expect_exactly_once(partition);
        EXPECT_EQ(only->statistics.rewinds, 0U);
        EXPECT_EQ(only->statistics.commits_settled, happens ? 1U : 0U);
    }
}

/// What is read again after a batch was made smaller has its refused records again.
TEST_F(Limits, SmallerBatchStopsAtTheSameRecord) {
    broker.produce(p0, 16);
    broker.produce_bad(p0);
    broker.produce(p0, 3);
    auto only = worker(settings_with_policy(100, OnBadRecord::fail));
    only->sink.refuse = [&](const batch::Batch& batch) {
        if (batch.rows() > 4) {
            throw transaction_too_big();
        }
    };
    only->source.give({p0});
    const auto error = error_of(*only);
    EXPECT_EQ(std::string{error.what()}.rfind("orders[0]@16: ", 0), 0U) << error.what();
    EXPECT_EQ(database.applied_of(p0).size(), 16U);
    EXPECT_EQ(database.next_of(p0), 16);
    EXPECT_EQ(database.violations, std::vector<std::string>{});
}

TEST_F(Limits, BatchesGrowBack) {
    broker.produce(p0, 16);
    auto only = worker(16);
    std::size_t largest = 0;
    bool is_tight = true;
    only->sink.refuse = [&](const batch::Batch& batch) {
        if (is_tight && batch.rows() > 2) {
            throw transaction_too_big();
        }
        largest = std::max(largest, batch.rows());
    };
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(largest, 2U);
    is_tight = false;
    broker.produce(p0, 800);
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(largest, 16U);
    expect_exactly_once(p0);
}

// --- in a row

TEST_F(Limits, SlowTopicOfRefusalsAlikeStops) {
    auto only = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    broker.produce(p0, 1);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    for (int i = 0; i < 19; ++i) {
        broker.produce_bad(p0);
        only->run_until([&] { return is_done(p0); });
        clock.advance(std::chrono::hours{1});
    }
    broker.produce_bad(p0);
    const auto error = error_of(*only);
    EXPECT_EQ(error.kind, ErrorKind::bad_record);
    EXPECT_EQ(std::string{error.what()}.rfind(
                  "20 records in a row are refused alike: the last orders[0]@20: ", 0),
              0U)
        << error.what();
    EXPECT_EQ(database.dead_of(p0).size(), 19U);
    EXPECT_EQ(database.next_of(p0), 20);
}

TEST_F(Limits, SlowTopicThatTheServerRefusesStops) {
    auto only = worker(settings_with_policy(100, OnBadRecord::skip));
    for (int i = 0; i < 25; ++i) {
        database.refused.push_back("(" + std::to_string(i) + ")");
    }
    broker.produce(p0, 0);
    only->source.give({p0});
    SinkError error{ErrorKind::internal, "it went on"};
    try {
        for (int i = 0; i < 25; ++i) {
            broker.produce(p0, 1);
            only->run_until([&] { return is_done(p0); });
        }
    } catch (const SinkError& stop) {
        error = stop;
    }
    EXPECT_EQ(error.kind, ErrorKind::bad_record) << error.what();
    EXPECT_EQ(database.next_of(p0), 19);
}

TEST_F(Limits, AppliedRecordEndsTheRun) {
    auto only = worker(settings_with_policy(100, OnBadRecord::skip));
    broker.produce(p0, 1);
    only->source.give({p0});
    for (int i = 1; i < 60; ++i) {
        i % 20 == 0 ? broker.produce(p0, 1) : broker.produce_bad(p0);
        only->run_until([&] { return is_done(p0); });
    }
    EXPECT_EQ(only->statistics.skipped, 57U);
}

TEST_F(Limits, AnotherCauseEndsTheRun) {
    auto only = worker(settings_with_policy(100, OnBadRecord::skip));
    broker.produce(p0, 1);
    only->source.give({p0});
    for (int i = 0; i < 60; ++i) {
        if (i % 15 == 0) {
            broker.logs[p0].append({{}, R"({"id":"x"})"});
        } else {
            broker.produce_bad(p0);
        }
        only->run_until([&] { return is_done(p0); });
    }
    EXPECT_EQ(only->statistics.skipped, 60U);
}

// --- how many

/// bad-record.limit is of the process: pipelines that share their counters share it.
TEST_F(Limits, LimitCountsOverAllPipelines) {
    for (int i = 0; i < 3; ++i) {
        broker.produce(p0, 3);
        broker.produce_bad(p0);
        broker.produce(p1, 3);
        broker.produce_bad(p1);
    }
    auto settings = settings_with_policy(100, OnBadRecord::skip);
    settings.bad_record_limit.count = 5;
    pipeline::Statistics statistics;
    FakeSource sources[2]{{broker, clock}, {broker, clock}};
    FakeSink sinks[2]{FakeSink{database, ledger_table()}, FakeSink{database, ledger_table()}};
    pipeline::Pipeline first{settings, sources[0], sinks[0], clock, statistics};
    pipeline::Pipeline second{settings, sources[1], sinks[1], clock, statistics};
    sources[0].give({p0});
    for (int i = 0; i < 50; ++i) {
        first.turn(std::chrono::milliseconds{50});
    }
    EXPECT_TRUE(is_done(p0));
    sources[1].give({p1});
    EXPECT_THROW(
        {
            for (int i = 0; i < 50; ++i) {
                second.turn(std::chrono::milliseconds{50});
            }
        },
        SinkError);
}

/// Where the limit stops us anyway, no more is looked for.
TEST_F(Limits, NoMoreIsLookedForThanTheLimit) {
    broker.produce(p0, 100);
    for (int i = 10; i < 60; ++i) {
        database.refused.push_back("(" + std::to_string(i) + ")");
    }
    auto settings = settings_with_policy(100, OnBadRecord::dead_letter);
    settings.bad_record_limit.count = 4;
    auto only = worker(settings);
    only->source.give({p0});
    const auto error = error_of(*only);
    EXPECT_NE(std::string{error.what()}.find(": the last orders[0]@14: "), std::string::npos)
        << error.what();
    EXPECT_EQ(database.next_of(p0), 10);
}

/// Where the first refused record stops us, only that one is looked for.
TEST_F(Limits, OneIsLookedForWhereTheFirstStops) {
    broker.produce(p0, 10);
    database.refused = {"(2)", "(4)", "(6)"};
    auto only = worker(settings_with_policy(100, OnBadRecord::fail));
    mapping::Route lenient;  // shows, by its policy, how many were found at a time
    lenient.on_bad_record = OnBadRecord::skip;
    only->sink.blamed = &lenient;
    int searches = 0;
    only->sink.at = [&](Point at) { searches += at == Point::isolate ? 1 : 0; };
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(searches, 3);
}

// --- what else must hold

TEST_F(Limits, RefusedRecordThatIsNotKeptIsAnInternalError) {
    broker.produce(p0, 3);
    database.refused = {"(1)"};
    auto only = worker(settings_with_policy(100, OnBadRecord::fail));
    mapping::Route lenient;
    lenient.on_bad_record = OnBadRecord::dead_letter;
    only->sink.blamed = &lenient;
    only->source.give({p0});
    const auto error = error_of(*only);
    EXPECT_EQ(error.kind, ErrorKind::internal);
    EXPECT_NE(std::string{error.what()}.find("offset 1 was refused, but is not kept"),
              std::string::npos)
        << error.what();
}

/// Three policies in one batch of one topic.
TEST_F(Limits, RoutesOfOneTopicEachByTheirPolicy) {
    auto settings = settings_with_rows(100);
    const auto route = settings.routes.front();
    settings.routes.clear();
    for (const auto& [kind, policy] : {std::pair{"a", OnBadRecord::dead_letter},
                                       std::pair{"b", OnBadRecord::skip},
                                       std::pair{"c", OnBadRecord::fail}}) {
        settings.routes.push_back(route);
        settings.routes.back().name = kind;
        settings.routes.back().when = mapping::parse_filter(std::string{"$.kind = '"} + kind + "'");
        settings.routes.back().on_bad_record = policy;
    }
    for (const char* kind : {"a", "b", "c", "a", "b", "c", "a"}) {
        const auto id = broker.logs[p0].records.size();
        broker.logs[p0].append(
            {{}, "{\"id\":" + std::to_string(id) + ",\"kind\":\"" + kind + "\"}"});
    }
    database.refused = {"(3)", "(4)", "(5)", "(6)"};
    auto only = worker(settings);
    only->source.give({p0});
    const auto error = error_of(*only);
    EXPECT_EQ(std::string{error.what()}.rfind("orders[0]@5: ", 0), 0U) << error.what();
    EXPECT_EQ(database.applied_of(p0), (Offsets{0, 1, 2}));
    EXPECT_EQ(database.dead_of(p0), Offsets{3});
    EXPECT_EQ(only->statistics.skipped, 1U);
    EXPECT_EQ(database.next_of(p0), 5);
    EXPECT_EQ(database.violations, std::vector<std::string>{});
}

/// Revoked, and given back or to another, between the search and the second write.
TEST_F(Limits, RevokeAfterTheSearchDropsWhatWasTakenOut) {
    broker.produce(p0, 6);
    broker.produce(p1, 6);
    broker.produce_bad(p0);
    database.refused = {"(1)", "(3)"};
    auto first = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    first->sink.lag = 0;  // else it comes in the middle of the second write
    bool is_taken = false;
    first->sink.at = [&](Point at) {
        if (at == Point::isolate && !std::exchange(is_taken, true)) {
            first->source.take({p0});
        }
    };
    first->source.give({p0, p1});
    first->run_until([&] { return is_done(p1); });
    EXPECT_TRUE(is_taken);
    EXPECT_TRUE(database.applied_of(p0).empty());
    EXPECT_TRUE(database.dead_of(p0).empty());
    auto second = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    second->source.give({p0});
    second->run_until([&] { return is_done(p0); });
    expect_exactly_once_but({1, 3, 6}, p0);
    expect_exactly_once_but({1, 3}, p1);
}

TEST_F(Limits, DeadLettersOfADroppedBatchAreMadeAgainOnce) {
    broker.produce(p0, 6);
    broker.produce_bad(p0);
    database.refused = {"(1)", "(3)"};
    auto only = worker(settings_with_policy(100, OnBadRecord::dead_letter));
    bool is_taken = false;
    only->sink.at = [&](Point at) {
        if (at == Point::isolate && !std::exchange(is_taken, true)) {
            only->source.take({p0});
            only->source.give({p0});
        }
    };
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    EXPECT_TRUE(is_taken);
    expect_exactly_once_but({1, 3, 6}, p0);
    EXPECT_EQ(only->statistics.dead_letters, 3U);
}

}  // namespace
}  // namespace txsink::test
