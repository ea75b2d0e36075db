/// @file
/// Traces of the protocol's model, as tests over fakes: each is a sequence that loses, doubles or
/// stalls when a sentence of the protocol is left out.
#include "support/pipeline_world.hpp"

namespace txsink::test {
namespace {

using std::chrono::seconds;

class Traces : public PipelineWorld {};

/// A member that was kicked, and does not know it yet, claims late and so fences the owner; the
/// owner finds out, waits for two heartbeats, and claims again.
TEST_F(Traces, LateClaimOfAKickedMemberThenTheOwnersRecovery) {
    broker.produce(p0, 4);
    auto owner = worker(2);
    owner->source.give({p0});
    owner->run_until([&] { return is_done(p0); });

    auto kicked = worker(2);
    kicked->source.give({p0});
    kicked->run_turns(2);
    ASSERT_TRUE(kicked->source.is_reading(p0));
    kicked->source.take({p0});
    kicked->run_turns(2);

    broker.produce(p0, 5);
    owner->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
    EXPECT_EQ(owner->statistics.takeovers, 1U);
}

/// The claim is skipped when the group has already given the partitions to others.
TEST_F(Traces, NoClaimWhenTheAssignmentIsLost) {
    broker.produce(p0, 2);
    auto kicked = worker();
    kicked->source.is_lost = true;
    kicked->source.give({p0});
    kicked->run_turns(20);
    EXPECT_FALSE(database.offsets.contains(p0));
    EXPECT_FALSE(kicked->source.is_reading(p0));
}

/// One worker; the database goes back to before its claim: the token is not there any more.
TEST_F(Traces, DatabaseGoesBackToBeforeTheClaim) {
    broker.produce(p0, 4);
    auto first = worker(2);
    first->source.give({p0});
    first->run_until([&] { return is_done(p0); });
    const auto past = database.snapshot();

    auto second = worker(2);
    second->source.give({p0});
    broker.produce(p0, 4);
    second->run_until([&] { return is_done(p0); });

    database.go_back_to(past);
    broker.produce(p0, 1);
    second->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
    EXPECT_GE(second->statistics.takeovers, 1U);
}

/// The database goes back to after the claim: token ours, offset lower. Read again from there.
TEST_F(Traces, DatabaseGoesBackToAfterTheClaim) {
    broker.produce(p0, 2);
    auto only = worker(2);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    const auto past = database.snapshot();
    broker.produce(p0, 4);
    only->run_until([&] { return is_done(p0); });

    database.go_back_to(past);
    broker.produce(p0, 1);
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
    EXPECT_EQ(only->statistics.rewinds, 1U);
    EXPECT_EQ(only->source.assigned_at(p0), Offset{2});
}

/// An operator moves the offset under a live, idle worker: obeyed within the idle check.
TEST_F(Traces, OperatorsSetUnderAnIdleWorkerIsObeyed) {
    broker.produce(p0, 4);
    auto live = worker(2);
    live->source.give({p0});
    live->run_until([&] { return is_done(p0); });

    database.offsets.at(p0).next = Offset{1};
    database.offsets.at(p0).fence = Fence{4711};
    const auto asked_at = clock.now();
    live->run_until([&] { return database.applied_of(p0).size() == 7; });
    EXPECT_EQ(database.applied_of(p0), (std::vector<std::int64_t>{0, 1, 2, 3, 1, 2, 3}));
    EXPECT_TRUE(is_done(p0));
    // The idle check (20 s), then two heartbeats and their jitter (up to 1.5 s).
    EXPECT_LE(clock.now() - asked_at, seconds{31});
}

/// The same beside a neighbour that has something to write all the time.
TEST_F(Traces, OperatorsSetBesideABusyPartitionIsObeyed) {
    broker.produce(p0, 4);
    broker.produce(p1, 1);
    auto live = worker(2);
    live->source.give({p0, p1});
    live->run_until([&] { return is_done(p0) && is_done(p1); });

    database.offsets.at(p0).next = Offset{1};
    database.offsets.at(p0).fence = Fence{4711};
    const auto asked_at = clock.now();
    live->run_until([&] {
        broker.produce(p1, 1);
        clock.advance(std::chrono::milliseconds{100});
        return database.applied_of(p0).size() == 7 || clock.now() - asked_at > seconds{60};
    });
    EXPECT_EQ(database.applied_of(p0), (std::vector<std::int64_t>{0, 1, 2, 3, 1, 2, 3}));
    EXPECT_LE(clock.now() - asked_at, seconds{31});
    EXPECT_GE(live->statistics.commits, 30U);
    EXPECT_EQ(database.violations, std::vector<std::string>{});
}

/// A batch over two partitions, one of which was taken over: the other one goes on at once.
TEST_F(Traces, OnePartitionOfABatchIsTakenOver) {
    broker.produce(p0, 2);
    broker.produce(p1, 2);
    auto first = worker(100);
    first->source.give({p0, p1});
    first->run_until([&] { return is_done(p0) && is_done(p1); });

    auto second = worker(100);
    second->source.give({p1});
    second->run_turns(3);
    broker.produce(p0, 3);
    broker.produce(p1, 3);
    first->run_until([&] { return is_done(p0); });
    EXPECT_EQ(first->statistics.takeovers, 1U);
    second->run_until([&] { return is_done(p1); });
    expect_exactly_once(p0);
    expect_exactly_once(p1);
}

/// Two pipelines at the first start with `latest`: the first claim decides for all partitions,
/// so that the second one does not take a partition for a new one and read it from the start.
TEST_F(Traces, TwoPipelinesAtTheFirstStartWithLatest) {
    broker.produce(p0, 5);
    broker.produce(p1, 7);
    auto settings = settings_with_rows(3);
    settings.start.kind = pipeline::StartKind::latest;
    auto first = worker(settings);
    auto second = worker(settings);
    first->source.give({p0});
    first->run_turns(2);
    broker.produce(p1, 2);
    second->source.give({p1});
    second->run_until([&] { return is_done(p0) && is_done(p1); });
    expect_exactly_once(p0, 5);
    expect_exactly_once(p1, 7);
}

/// B11: the start decision is stored before the first record, so a crash does not decide again.
TEST_F(Traces, B11_LatestIsDecidedOnce) {
    broker.produce(p0, 10);
    auto settings = settings_with_rows(3);
    settings.start.kind = pipeline::StartKind::latest;
    {
        auto first = worker(settings);
        first->source.give({p0});
        first->sink.at = [](Point at) {
            if (at == Point::claim_before_commit) {
                throw ProcessKilled{};
            }
        };
        EXPECT_THROW(first->run_turns(5), ProcessKilled);
    }
    EXPECT_EQ(database.next_of(p0), 10);
    broker.produce(p0, 3);
    auto second = worker(settings);
    second->source.give({p0});
    second->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0, 10);
}

/// A fail-over that loses the row that a `latest` start had made: made again with the same start.
TEST_F(Traces, FailOverLosesALatestRow) {
    broker.produce(p0, 5);
    auto settings = settings_with_rows(2);
    settings.start.kind = pipeline::StartKind::latest;
    const auto past = database.snapshot();
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    broker.produce(p0, 3);
    only->run_until([&] { return is_done(p0); });

    database.go_back_to(past);
    broker.produce(p0, 1);
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0, 5);
}

/// The same, but the worker that is left took the partition over later: it learnt the start from
/// the row. Its own first position would lose what the other one had applied.
TEST_F(Traces, FailOverLosesARowThatAnotherWorkerHadMade) {
    broker.produce(p0, 5);
    const auto past = database.snapshot();
    auto first = worker(2);
    first->source.give({p0});
    first->run_until([&] { return is_done(p0); });
    auto second = worker(2);
    second->source.give({p0});
    broker.produce(p0, 1);
    second->run_until([&] { return is_done(p0); });

    database.go_back_to(past);
    broker.produce(p0, 1);
    second->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
}

/// A row that was set back before its start, and is then lost, is made again with the lower start.
TEST_F(Traces, FailOverLosesARowThatWasSetBackBeforeItsStart) {
    broker.produce(p0, 5);
    const auto past = database.snapshot();
    auto settings = settings_with_rows(2);
    settings.start.kind = pipeline::StartKind::latest;
    auto only = worker(settings);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    database.offsets.at(p0).next = Offset{3};  // an edit that kept the token
    only->run_until([&] { return is_done(p0) && database.applied_of(p0).size() == 2; });

    database.go_back_to(past);
    broker.produce(p0, 1);
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0, 3);
}

/// After a rewind, a message and an end-of-partition event from before it are still queued. They
/// lie above the new position: taken as the continuation they would lose what is in between.
TEST_F(Traces, RewindWithAnOlderMessageAndAnOldEndStillQueued) {
    broker.produce(p0, 6);
    auto only = worker(2);
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    const auto old_tag = only->source.tag_of(p0);

    database.offsets.at(p0).next = Offset{2};  // an edit that kept the token
    database.applied.resize(2);
    only->run_until([&] { return only->statistics.rewinds == 1; });
    only->source.deliver(p0, Offset{4}, old_tag);
    only->source.deliver_end(Offset{6}, old_tag);
    only->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
    EXPECT_EQ(only->statistics.stale_records_dropped, 2U);
}

/// B17: offsets that were already consumed come again.
TEST_F(Traces, B17_StaleRecordsAreDropped) {
    broker.produce(p0, 14);
    database.offsets[p0] = {Offset{10}, Offset{10}, Fence{}, broker.cluster_id};
    auto only = worker(100);
    only->source.give({p0});
    only->run_until([&] { return only->source.is_reading(p0); });
    const auto tag = only->source.tag_of(p0);
    for (const int offset : {10, 11, 12, 11, 12, 13}) {
        only->source.deliver(p0, Offset{offset}, tag);
    }
    only->run_until([&] { return is_done(p0); });
    EXPECT_EQ(database.applied_of(p0), (std::vector<std::int64_t>{10, 11, 12, 13}));
    EXPECT_GE(only->statistics.stale_records_dropped, 2U);
}

/// A revoke between two attempts of a batch in doubt: the batch loses the partition, and nobody
/// waits for it. What did commit is found by the next owner in the row.
TEST_F(Traces, RevokeBetweenTwoAttemptsOfABatchInDoubt) {
    broker.produce(p0, 2);
    broker.produce(p1, 2);
    auto first = worker(100);
    bool is_away = true;
    bool is_in_doubt = false;
    first->sink.commit_happens = true;
    first->sink.at = [&](Point at) {
        is_in_doubt |= at == Point::at_commit;
        if (is_away && is_in_doubt && (at == Point::at_commit || at == Point::read_offset)) {
            throw lost_connection(at == Point::at_commit);
        }
    };
    first->source.give({p0, p1});
    first->run_until([&] { return first->statistics.retries > 0; });
    first->source.take({p0});
    first->run_until([&] { return !first->source.is_reading(p0); });
    broker.produce(p0, 2);
    auto second = worker(100);
    second->source.give({p0});
    second->run_until([&] { return is_done(p0); });
    is_away = false;
    first->run_until([&] { return first->statistics.commits_settled == 1; });
    broker.produce(p1, 2);
    first->run_until([&] { return is_done(p1); });
    expect_exactly_once(p0);
    expect_exactly_once(p1);
}

/// B05: a revoke while a batch waits for its next attempt and another is being built.
TEST_F(Traces, B05_RevokeDropsWhatIsQueued) {
    broker.produce(p0, 6);
    auto first = worker(2);
    bool is_away = true;
    first->sink.at = [&](Point at) {
        if (is_away && at == Point::before_commit) {
            throw deadlock();
        }
    };
    first->source.give({p0});
    first->run_until([&] { return first->statistics.retries > 2; });
    first->source.take({p0});
    first->run_until([&] { return !first->source.is_reading(p0); });
    is_away = false;
    first->run_turns(20);
    EXPECT_EQ(database.applied_of(p0), std::vector<std::int64_t>{});
    auto second = worker(2);
    second->source.give({p0});
    second->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
}

/// B03: a zombie's first write after a take-over is refused, and it rejoins.
TEST_F(Traces, B03_ZombieIsFenced) {
    broker.produce(p0, 3);
    auto zombie = worker(100);
    zombie->source.give({p0});
    zombie->run_turns(2);
    auto owner = worker(100);
    owner->source.give({p0});
    owner->run_until([&] { return is_done(p0); });
    zombie->run_until([&] { return zombie->statistics.takeovers == 1; });
    zombie->source.take({p0});
    zombie->run_turns(3);
    expect_exactly_once(p0);
}

/// A batch that fails before its transaction begins (a record larger than a packet) while the row
/// has moved: the row is claimed again, or the failure would go on for ever.
TEST_F(Traces, RefusedBeforeTheTransactionUnderATakeOver) {
    broker.produce(p0, 3);
    auto zombie = worker(100);
    bool is_too_large = true;
    zombie->sink.at = [&](Point at) {
        if (is_too_large && at == Point::before_begin) {
            throw SinkError{ErrorKind::bad_record, "larger than max_allowed_packet"};
        }
    };
    zombie->source.give({p0});
    zombie->run_until([&] { return zombie->source.is_reading(p0); });
    database.offsets.at(p0).fence = Fence{4711};
    zombie->run_until([&] { return database.offsets.at(p0).fence != Fence{4711}; });
    is_too_large = false;
    zombie->run_until([&] { return is_done(p0); });
    expect_exactly_once(p0);
}

/// Two deployments with one name take the row from each other without ever committing: the one
/// that notices five times stops with exit code 73.
TEST_F(Traces, AnotherDeploymentWithTheSameName) {
    broker.produce(p0, 1);
    auto only = worker();
    only->source.give({p0});
    only->run_until([&] { return is_done(p0); });
    const auto steal_for_ever = [&] {
        for (int i = 0; i < 5'000; ++i) {
            database.offsets.at(p0).fence = Fence{99};
            only->pipeline.turn(std::chrono::milliseconds{50});
        }
    };
    try {
        steal_for_ever();
        FAIL() << "it did not stop";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::fenced);
        EXPECT_EQ(exit_code(error.kind), 73);
    }
}

}  // namespace
}  // namespace txsink::test
