/// @file
/// What every Sink must do: one suite, run by the real sink and by the fake alike.
///
/// Include it in one source of an executable and instantiate SinkContract with a factory:
///   INSTANTIATE_TEST_SUITE_P(Fake, SinkContract, ::testing::Values(&make_fake_world));
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/first_refused.hpp"
#include "support/skip.hpp"
#include "txsink/batch/batch.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/row_buffer.hpp"
#include "txsink/pipeline/sink.hpp"

namespace txsink::test {

/// One database with one target table, for one connector that reads topics "orders" (partitions
/// 0 to 2) and "events" (partition 0).
class SinkWorld {
public:
    SinkWorld() = default;
    SinkWorld(const SinkWorld&) = delete;
    SinkWorld& operator=(const SinkWorld&) = delete;
    virtual ~SinkWorld() = default;

    /// A further worker of the connector; several live at once.
    [[nodiscard]] virtual std::unique_ptr<pipeline::Sink> make_sink() = 0;

    /// The shape of an insert into the target table, and tuples for it: one that the table takes,
    /// as often as it comes, and one that it refuses.
    [[nodiscard]] virtual const mapping::RowShape* shape() = 0;
    [[nodiscard]] virtual std::string good_tuple(const TopicPartition& partition,
                                                 Offset offset) = 0;
    [[nodiscard]] virtual std::string refused_tuple(const TopicPartition& partition,
                                                    Offset offset) = 0;

    /// The shape of statements on the target table, each of which has to find a row, and such
    /// statements: one that does (and adds a row), and one that does not.
    [[nodiscard]] virtual const mapping::RowShape* statement_shape(bool may_miss) = 0;
    [[nodiscard]] virtual std::string good_statement(const TopicPartition& partition,
                                                     Offset offset) = 0;
    [[nodiscard]] virtual std::string missing_statement() = 0;

    /// Offsets of all rows that a partition's records have made, ascending, duplicates kept.
    [[nodiscard]] virtual std::vector<std::int64_t> applied(const TopicPartition& partition) = 0;
    /// Dead letters as {offset, error code}, ascending; of several of one record the newest.
    [[nodiscard]] virtual std::vector<std::pair<std::int64_t, std::string>> dead_letters(
        const TopicPartition& partition) = 0;
    /// Recorded gaps as {from, to}, oldest first.
    [[nodiscard]] virtual std::vector<std::pair<std::int64_t, std::int64_t>> gaps(
        const TopicPartition& partition) = 0;
};

/// Returns nothing where the world cannot be had here: the test is skipped.
using MakeSinkWorld = std::unique_ptr<SinkWorld> (*)();

class SinkContract : public ::testing::TestWithParam<MakeSinkWorld> {
protected:
    using Offsets = std::vector<std::int64_t>;
    using Gaps = std::vector<std::pair<std::int64_t, std::int64_t>>;
    /// {partition, offset, code}
    using Refusals = std::vector<std::tuple<int, std::int64_t, RecordErrorCode>>;
    using Letters = std::vector<std::pair<std::int64_t, std::string>>;

    static constexpr const char* kCluster = "cluster-1";
    const TopicPartition p0{"orders", 0};
    const TopicPartition p1{"orders", 1};
    const TopicPartition p2{"orders", 2};
    const TopicPartition e0{"events", 0};

    void SetUp() override {
        world = GetParam()();
        if (world == nullptr) {
            TXSINK_SKIP("no MySQL server; run this under tools/with-services");
        }
        sink = world->make_sink();
    }

    /// Records [begin, end) of a partition, those in `refused` with a row that is refused.
    batch::PartitionBatch part(const TopicPartition& partition,
                               Fence fence,
                               std::int64_t begin,
                               std::int64_t end,
                               const Offsets& refused = {}) {
        batch::PartitionBatch made;
        made.partition = partition;
        made.fence = fence;
        made.begin = Offset{begin};
        made.end = Offset{end};
        made.records = static_cast<std::uint64_t>(end - begin);
        made.last_timestamp_ms = 1'700'000'000'000;
        for (std::int64_t i = begin; i < end; ++i) {
            const bool is_refused = std::count(refused.begin(), refused.end(), i) > 0;
            made.rows.open() += is_refused ? world->refused_tuple(partition, Offset{i})
                                           : world->good_tuple(partition, Offset{i});
            made.rows.close(world->shape(), Offset{i});
        }
        return made;
    }

    /// Appends one more change to the last record of a part.
    static void append(batch::PartitionBatch& to,
                       const mapping::RowShape* shape,
                       const std::string& text) {
        to.rows.open() += text;
        to.rows.close(shape, Offset{to_int(to.end) - 1});
    }

    static batch::DeadLetter dead_letter(std::int64_t offset, RecordErrorCode code) {
        batch::DeadLetter letter;
        letter.offset = Offset{offset};
        letter.value = "v";
        letter.error = {code, "id", "no good", 0};
        letter.target = "test.log";
        return letter;
    }

    /// Where and why records are refused.
    Refusals refusals(const batch::Batch& what, std::size_t most = 100) {
        Refusals found;
        for (const auto& refused : sink->isolate(what, most)) {
            EXPECT_FALSE(refused.error.message.empty());
            EXPECT_EQ(refused.error.native_code != 0,
                      refused.error.code == RecordErrorCode::refused_by_server);
            found.emplace_back(
                refused.partition.partition, to_int(refused.offset), refused.error.code);
        }
        return found;
    }

    template <typename... Parts>
    static batch::Batch batch(Parts... parts) {
        batch::Batch made;
        (made.partitions.push_back(std::move(parts)), ...);
        return made;
    }

    pipeline::ClaimedOffset claim(pipeline::Sink& by,
                                  const TopicPartition& partition,
                                  Fence fence,
                                  std::int64_t start = 0) {
        return by.claim(partition, fence, Offset{start}, kCluster, false);
    }

    /// {next, fence} as read by a worker of its own.
    std::pair<std::int64_t, std::uint64_t> stored(const TopicPartition& partition) {
        const auto row = world->make_sink()->read_offset(partition);
        EXPECT_TRUE(row.has_value());
        return row ? std::pair{to_int(row->next), to_int(row->fence)}
                   : std::pair{std::int64_t{-1}, std::uint64_t{0}};
    }

    static std::pair<std::int64_t, std::uint64_t> at(std::int64_t next, Fence fence) {
        return {next, to_int(fence)};
    }

    std::unique_ptr<SinkWorld> world;
    std::unique_ptr<pipeline::Sink> sink;
    const Fence mine{0xf000'0000'0000'0001};  // beyond the signed range on purpose
    const Fence other{0x0000'0000'0000'0007};
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SinkContract);

using pipeline::WriteOutcome;

TEST_P(SinkContract, FirstClaimMakesTheRowWithItsStart) {
    const auto claimed = claim(*sink, p0, mine, 5);
    EXPECT_TRUE(claimed.is_claimed);
    EXPECT_EQ(claimed.next, Offset{5});
    EXPECT_EQ(claimed.start, Offset{5});
    EXPECT_EQ(claimed.cluster_id, kCluster);
    EXPECT_EQ(stored(p0), at(5, mine));
}

TEST_P(SinkContract, ClaimTakesOverAndKeepsOffsetAndStart) {
    claim(*sink, p0, mine, 5);
    ASSERT_EQ(sink->write(batch(part(p0, mine, 5, 8))), WriteOutcome::committed);
    const auto second = world->make_sink();
    const auto claimed = claim(*second, p0, other, 0);
    EXPECT_TRUE(claimed.is_claimed);
    EXPECT_EQ(claimed.next, Offset{8});
    EXPECT_EQ(claimed.start, Offset{5});
    EXPECT_EQ(stored(p0), at(8, other));
}

TEST_P(SinkContract, ClaimForAnotherClusterFencesNobody) {
    claim(*sink, p0, mine, 5);
    const auto claimed = sink->claim(p0, other, Offset{0}, "cluster-2", false);
    EXPECT_FALSE(claimed.is_claimed);
    EXPECT_EQ(claimed.cluster_id, kCluster);
    EXPECT_EQ(claimed.next, Offset{5});
    EXPECT_EQ(stored(p0), at(5, mine));
}

TEST_P(SinkContract, ClaimForAnyClusterTakesTheRow) {
    claim(*sink, p0, mine, 5);
    const auto claimed = sink->claim(p0, other, Offset{0}, "cluster-2", true);
    EXPECT_TRUE(claimed.is_claimed);
    EXPECT_EQ(claimed.cluster_id, kCluster);
    EXPECT_EQ(stored(p0), at(5, other));
}

TEST_P(SinkContract, CreateOffsetsLeavesExistingRowsAlone) {
    claim(*sink, p1, mine, 9);
    for (int time = 0; time < 2; ++time) {
        const std::vector<pipeline::PartitionStart> starts{
            {p0, Offset{1}}, {p1, Offset{2}}, {p2, Offset{3}}};
        sink->create_offsets(starts, kCluster);
        EXPECT_EQ(stored(p0), at(1, Fence{}));
        EXPECT_EQ(stored(p1), at(9, mine));
        EXPECT_EQ(stored(p2), at(3, Fence{}));
    }
    EXPECT_EQ(claim(*sink, p2, mine).start, Offset{3});
}

TEST_P(SinkContract, CreateOffsetsOfNothingIsNothing) {
    sink->create_offsets({}, kCluster);
    EXPECT_FALSE(sink->has_offsets({}));
}

TEST_P(SinkContract, HasOffsetsByTopicAndAtAll) {
    EXPECT_FALSE(sink->has_offsets("orders"));
    EXPECT_FALSE(sink->has_offsets({}));
    claim(*sink, p0, mine);
    EXPECT_TRUE(sink->has_offsets("orders"));
    EXPECT_TRUE(sink->has_offsets({}));
    EXPECT_FALSE(sink->has_offsets("events"));
    EXPECT_FALSE(sink->has_offsets("Orders"));
}

TEST_P(SinkContract, ReadOffsetOfAMissingRowIsNothing) {
    EXPECT_FALSE(sink->read_offset(p0).has_value());
}

TEST_P(SinkContract, WriteAppliesRowsAndMovesOffsets) {
    claim(*sink, e0, mine, 100);
    claim(*sink, p0, other, 0);
    ASSERT_EQ(sink->write(batch(part(e0, mine, 100, 103), part(p0, other, 0, 2))),
              WriteOutcome::committed);
    EXPECT_EQ(world->applied(e0), (Offsets{100, 101, 102}));
    EXPECT_EQ(world->applied(p0), (Offsets{0, 1}));
    EXPECT_EQ(stored(e0), at(103, mine));
    EXPECT_EQ(stored(p0), at(2, other));
    ASSERT_EQ(sink->write(batch(part(p0, other, 2, 4))), WriteOutcome::committed);
    EXPECT_EQ(world->applied(p0), (Offsets{0, 1, 2, 3}));
    EXPECT_EQ(stored(e0), at(103, mine));
}

TEST_P(SinkContract, WriteWithoutRowsMovesTheOffset) {
    claim(*sink, p0, mine, 0);
    auto moved = part(p0, mine, 0, 4);
    moved.rows.clear();
    moved.records = 0;
    moved.last_timestamp_ms = -1;
    EXPECT_EQ(sink->write(batch(std::move(moved))), WriteOutcome::committed);
    EXPECT_EQ(stored(p0), at(4, mine));
    EXPECT_EQ(world->applied(p0), Offsets{});
}

TEST_P(SinkContract, WriteUnderAnotherTokenAppliesNothing) {
    claim(*sink, p0, mine, 0);
    EXPECT_EQ(sink->write(batch(part(p0, other, 0, 2))), WriteOutcome::offsets_differ);
    EXPECT_EQ(sink->write(batch(part(p0, Fence{}, 0, 2))), WriteOutcome::offsets_differ);
    EXPECT_EQ(world->applied(p0), Offsets{});
    EXPECT_EQ(stored(p0), at(0, mine));
}

TEST_P(SinkContract, AZombieWritesNothingAfterATakeOver) {
    claim(*sink, p0, mine, 0);
    const auto second = world->make_sink();
    claim(*second, p0, other);
    EXPECT_EQ(sink->write(batch(part(p0, mine, 0, 2))), WriteOutcome::offsets_differ);
    EXPECT_EQ(second->write(batch(part(p0, other, 0, 2))), WriteOutcome::committed);
    EXPECT_EQ(world->applied(p0), (Offsets{0, 1}));
    EXPECT_EQ(stored(p0), at(2, other));
}

TEST_P(SinkContract, WriteFromAnotherBeginAppliesNothing) {
    claim(*sink, p0, mine, 5);
    EXPECT_EQ(sink->write(batch(part(p0, mine, 4, 6))), WriteOutcome::offsets_differ);
    EXPECT_EQ(sink->write(batch(part(p0, mine, 6, 8))), WriteOutcome::offsets_differ);
    EXPECT_EQ(world->applied(p0), Offsets{});
    EXPECT_EQ(stored(p0), at(5, mine));
}

TEST_P(SinkContract, TheSameBatchTwiceAppliesOnce) {
    claim(*sink, p0, mine, 0);
    const auto once = batch(part(p0, mine, 0, 3));
    EXPECT_EQ(sink->write(once), WriteOutcome::committed);
    EXPECT_EQ(sink->write(once), WriteOutcome::offsets_differ);
    EXPECT_EQ(world->applied(p0), (Offsets{0, 1, 2}));
    EXPECT_EQ(stored(p0), at(3, mine));
}

TEST_P(SinkContract, OnePartitionThatDiffersStopsTheWholeBatch) {
    claim(*sink, p0, mine, 0);
    claim(*sink, p1, mine, 0);
    claim(*sink, p2, mine, 0);
    claim(*world->make_sink(), p1, other);
    EXPECT_EQ(sink->write(batch(part(p0, mine, 0, 2), part(p1, mine, 0, 2), part(p2, mine, 0, 2))),
              WriteOutcome::offsets_differ);
    for (const auto& partition : {p0, p1, p2}) {
        EXPECT_EQ(world->applied(partition), Offsets{});
    }
    EXPECT_EQ(stored(p0), at(0, mine));
    EXPECT_EQ(stored(p1), at(0, other));
    EXPECT_EQ(sink->write(batch(part(p0, mine, 0, 2), part(p2, mine, 0, 2))),
              WriteOutcome::committed);
}

TEST_P(SinkContract, WriteWithoutAnOffsetRowAppliesNothing) {
    EXPECT_EQ(sink->write(batch(part(p0, mine, 0, 2))), WriteOutcome::offsets_differ);
    EXPECT_EQ(world->applied(p0), Offsets{});
}

TEST_P(SinkContract, ARefusedRowAppliesNothing) {
    claim(*sink, p0, mine, 0);
    claim(*sink, p1, mine, 0);
    const auto refused = batch(part(p0, mine, 0, 2), part(p1, mine, 0, 4, {2}));
    try {
        static_cast<void>(sink->write(refused));
        FAIL() << "was not refused";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::bad_record) << error.what() << error.detail;
        EXPECT_FALSE(error.outcome_unknown);
    }
    EXPECT_EQ(world->applied(p0), Offsets{});
    EXPECT_EQ(world->applied(p1), Offsets{});
    EXPECT_EQ(stored(p0), at(0, mine));
    EXPECT_EQ(stored(p1), at(0, mine));
    EXPECT_EQ(sink->write(batch(part(p0, mine, 0, 2), part(p1, mine, 0, 2))),
              WriteOutcome::committed);
    EXPECT_EQ(world->applied(p1), (Offsets{0, 1}));
}

TEST_P(SinkContract, IsolateNamesTheFirstRefusedRecordAndAppliesNothing) {
    claim(*sink, p0, mine, 0);
    claim(*sink, p1, mine, 10);
    const auto refused =
        first_refused(*sink, batch(part(p0, mine, 0, 9), part(p1, mine, 10, 23, {16, 12, 17, 22})));
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->partition, p1);
    EXPECT_EQ(refused->offset, Offset{12});
    EXPECT_EQ(refused->error.code, RecordErrorCode::refused_by_server);
    EXPECT_FALSE(refused->error.message.empty());
    EXPECT_EQ(world->applied(p0), Offsets{});
    EXPECT_EQ(world->applied(p1), Offsets{});
    EXPECT_EQ(stored(p0), at(0, mine));
    EXPECT_EQ(stored(p1), at(10, mine));
}

TEST_P(SinkContract, IsolateFindsARefusedRecordAnywhere) {
    claim(*sink, p0, mine, 0);
    for (std::int64_t i = 0; i < 7; ++i) {
        const auto refused = first_refused(*sink, batch(part(p0, mine, 0, 7, {i})));
        ASSERT_TRUE(refused.has_value()) << i;
        EXPECT_EQ(refused->offset, Offset{i});
    }
}

TEST_P(SinkContract, IsolateOfAGoodBatchFindsAndAppliesNothing) {
    claim(*sink, p0, mine, 0);
    const auto good = batch(part(p0, mine, 0, 5));
    EXPECT_FALSE(first_refused(*sink, good).has_value());
    EXPECT_EQ(world->applied(p0), Offsets{});
    EXPECT_EQ(sink->write(good), WriteOutcome::committed);
}

TEST_P(SinkContract, IsolateNamesEveryRefusedRecordInOrderUpToALimit) {
    using enum RecordErrorCode;
    claim(*sink, p0, mine, 0);
    claim(*sink, p1, mine, 10);
    const auto bad =
        batch(part(p0, mine, 0, 9, {3, 8, 0}), part(p1, mine, 10, 23, {16, 12, 17, 22}));
    EXPECT_EQ(refusals(bad),
              (Refusals{{0, 0, refused_by_server},
                        {0, 3, refused_by_server},
                        {0, 8, refused_by_server},
                        {1, 12, refused_by_server},
                        {1, 16, refused_by_server},
                        {1, 17, refused_by_server},
                        {1, 22, refused_by_server}}));
    EXPECT_EQ(refusals(bad, 2), (Refusals{{0, 0, refused_by_server}, {0, 3, refused_by_server}}));
    EXPECT_EQ(refusals(bad, 0), Refusals{});
    EXPECT_EQ(world->applied(p0), Offsets{});
    EXPECT_EQ(stored(p1), at(10, mine));
}

TEST_P(SinkContract, ARecordIsRefusedAsAWholeWhicheverOfItsChangesIs) {
    using enum RecordErrorCode;
    claim(*sink, p0, mine, 0);
    auto several = part(p0, mine, 0, 3, {1});
    append(several, world->shape(), world->good_tuple(p0, Offset{2}));
    append(several, world->shape(), world->refused_tuple(p0, Offset{2}));
    append(several, world->shape(), world->refused_tuple(p0, Offset{2}));
    append(several, world->shape(), world->good_tuple(p0, Offset{2}));
    auto bad = batch(std::move(several));
    EXPECT_EQ(refusals(bad), (Refusals{{0, 1, refused_by_server}, {0, 2, refused_by_server}}));
    // Without them the rest lands.
    bad.partitions[0].rows.remove(Offset{1});
    bad.partitions[0].rows.remove(Offset{2});
    EXPECT_EQ(sink->write(bad), WriteOutcome::committed);
    EXPECT_EQ(world->applied(p0), Offsets{0});
    EXPECT_EQ(stored(p0), at(3, mine));
}

TEST_P(SinkContract, StatementsAreAppliedInTheirOrder) {
    claim(*sink, p0, mine, 0);
    auto mixed = part(p0, mine, 0, 2);
    for (int i = 0; i < 3; ++i) {
        append(mixed, world->statement_shape(false), world->good_statement(p0, Offset{1}));
    }
    append(mixed, world->shape(), world->good_tuple(p0, Offset{1}));
    EXPECT_EQ(sink->write(batch(std::move(mixed))), WriteOutcome::committed);
    EXPECT_EQ(world->applied(p0), (Offsets{0, 1, 1, 1, 1, 1}));
    EXPECT_EQ(sink->last_write().missed_rows, 0U);
}

TEST_P(SinkContract, AStatementThatFindsTooFewRowsIsABadRecord) {
    using enum RecordErrorCode;
    claim(*sink, p0, mine, 0);
    auto missing = part(p0, mine, 0, 3, {1});
    append(missing, world->statement_shape(false), world->good_statement(p0, Offset{2}));
    append(missing, world->statement_shape(false), world->missing_statement());
    append(missing, world->statement_shape(false), world->good_statement(p0, Offset{2}));
    auto bad = batch(std::move(missing));
    EXPECT_EQ(refusals(bad), (Refusals{{0, 1, refused_by_server}, {0, 2, row_missing}}));
    bad.partitions[0].rows.remove(Offset{1});
    EXPECT_EQ(refusals(bad), (Refusals{{0, 2, row_missing}}));
    try {
        static_cast<void>(sink->write(bad));
        FAIL() << "was not refused";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::bad_record) << error.what() << error.detail;
    }
    EXPECT_EQ(world->applied(p0), Offsets{});
    EXPECT_EQ(stored(p0), at(0, mine));
}

TEST_P(SinkContract, AStatementThatMayMissIsCounted) {
    claim(*sink, p0, mine, 0);
    auto some = part(p0, mine, 0, 2);
    append(some, world->statement_shape(true), world->missing_statement());
    append(some, world->statement_shape(true), world->good_statement(p0, Offset{1}));
    append(some, world->statement_shape(true), world->missing_statement());
    const auto missing = batch(std::move(some));
    EXPECT_EQ(refusals(missing), Refusals{});
    EXPECT_EQ(sink->write(missing), WriteOutcome::committed);
    EXPECT_EQ(sink->last_write().missed_rows, 2U);
    EXPECT_EQ(world->applied(p0), (Offsets{0, 1, 1}));
    EXPECT_EQ(sink->write(batch(part(p0, mine, 2, 3))), WriteOutcome::committed);
    EXPECT_EQ(sink->last_write().missed_rows, 0U);
}

TEST_P(SinkContract, DeadLettersAreWrittenWithTheirBatch) {
    using enum RecordErrorCode;
    claim(*sink, p0, mine, 0);
    claim(*sink, p1, mine, 0);
    auto with = part(p0, mine, 0, 4);
    with.rows.remove(Offset{1});
    with.dead_letters = {dead_letter(1, not_json), dead_letter(2, out_of_range)};
    auto other_part = part(p1, mine, 0, 1);
    other_part.rows.clear();
    other_part.dead_letters = {dead_letter(0, wrong_kind)};
    const auto whole = batch(std::move(with), std::move(other_part));
    EXPECT_EQ(refusals(whole), Refusals{});
    EXPECT_EQ(world->dead_letters(p0), Letters{});
    ASSERT_EQ(sink->write(whole), WriteOutcome::committed);
    EXPECT_EQ(world->dead_letters(p0), (Letters{{1, "not-json"}, {2, "out-of-range"}}));
    EXPECT_EQ(world->dead_letters(p1), (Letters{{0, "wrong-kind"}}));
    EXPECT_EQ(world->applied(p0), (Offsets{0, 2, 3}));
    // Once: the compare-and-set comes first.
    EXPECT_EQ(sink->write(whole), WriteOutcome::offsets_differ);
}

TEST_P(SinkContract, DeadLettersOfABatchThatIsRefusedAreNotWritten) {
    claim(*sink, p0, mine, 0);
    auto some = part(p0, mine, 0, 3, {2});
    some.dead_letters = {dead_letter(1, RecordErrorCode::not_json)};
    const auto refused = batch(std::move(some));
    EXPECT_THROW(static_cast<void>(sink->write(refused)), SinkError);
    auto others = refused;
    others.partitions[0].rows.clear();
    others.partitions[0].fence = other;
    EXPECT_EQ(sink->write(others), WriteOutcome::offsets_differ);
    EXPECT_EQ(world->dead_letters(p0), Letters{});
}

TEST_P(SinkContract, ADeadLetterOfTheSameRecordTakesThePlaceOfTheOlder) {
    claim(*sink, p0, mine, 0);
    auto first = part(p0, mine, 0, 1);
    first.dead_letters = {dead_letter(0, RecordErrorCode::not_json)};
    ASSERT_EQ(sink->write(batch(std::move(first))), WriteOutcome::committed);
    // Read again, as after `offsets set`.
    ASSERT_TRUE(sink->jump(p0, mine, {Offset{1}, Offset{0}, "set"}, kCluster));
    auto second = part(p0, mine, 0, 1);
    second.dead_letters = {dead_letter(0, RecordErrorCode::too_deep)};
    ASSERT_EQ(sink->write(batch(std::move(second))), WriteOutcome::committed);
    EXPECT_EQ(world->dead_letters(p0), (Letters{{0, "too-deep"}}));
}

TEST_P(SinkContract, ADeadLetterOfARecordThatIsAppliedAfterAllGoes) {
    claim(*sink, p0, mine, 0);
    claim(*sink, p1, mine, 0);
    auto first = part(p0, mine, 0, 4);
    first.dead_letters = {dead_letter(1, RecordErrorCode::not_json),
                          dead_letter(3, RecordErrorCode::not_json)};
    auto neighbour = part(p1, mine, 0, 4);
    neighbour.dead_letters = {dead_letter(1, RecordErrorCode::not_json)};
    ASSERT_EQ(sink->write(batch(std::move(first), std::move(neighbour))), WriteOutcome::committed);
    ASSERT_TRUE(sink->jump(p0, mine, {Offset{4}, Offset{0}, "set"}, kCluster));
    ASSERT_EQ(sink->write(batch(part(p0, mine, 0, 1), part(p1, mine, 4, 5))),
              WriteOutcome::committed);
    EXPECT_EQ(world->dead_letters(p0), (Letters{{1, "not-json"}, {3, "not-json"}}));
    auto second = part(p0, mine, 1, 3);
    second.dead_letters = {dead_letter(2, RecordErrorCode::too_deep)};
    ASSERT_EQ(sink->write(batch(std::move(second))), WriteOutcome::committed);
    EXPECT_EQ(world->dead_letters(p0), (Letters{{2, "too-deep"}, {3, "not-json"}}));
    EXPECT_EQ(world->dead_letters(p1), (Letters{{1, "not-json"}}));
}

TEST_P(SinkContract, ADeadLetterOfAnEarlierOwnerGoesWhenItsRecordIsApplied) {
    claim(*sink, p0, mine, 0);
    auto first = part(p0, mine, 0, 4);
    first.dead_letters = {dead_letter(2, RecordErrorCode::not_json)};
    ASSERT_EQ(sink->write(batch(std::move(first))), WriteOutcome::committed);
    const auto second = world->make_sink();
    claim(*second, p0, other);
    // As where the topic was made again.
    ASSERT_TRUE(second->jump(p0, other, {Offset{4}, Offset{0}, "topic-recreated"}, kCluster));
    ASSERT_EQ(second->write(batch(part(p0, other, 0, 2))), WriteOutcome::committed);
    EXPECT_EQ(world->dead_letters(p0), (Letters{{2, "not-json"}}));
    EXPECT_THROW(static_cast<void>(second->write(batch(part(p0, other, 2, 4, {3})))), SinkError);
    EXPECT_EQ(world->dead_letters(p0), (Letters{{2, "not-json"}}));
    ASSERT_EQ(second->write(batch(part(p0, other, 2, 4))), WriteOutcome::committed);
    EXPECT_EQ(world->dead_letters(p0), Letters{});
}

TEST_P(SinkContract, JumpMovesTheOffsetAndRecordsTheGap) {
    claim(*sink, p0, mine, 5);
    EXPECT_TRUE(sink->jump(p0, mine, {Offset{5}, Offset{9}, "out-of-range"}, kCluster));
    EXPECT_EQ(stored(p0), at(9, mine));
    EXPECT_EQ(world->gaps(p0), (Gaps{{5, 9}}));
    EXPECT_EQ(sink->write(batch(part(p0, mine, 9, 10))), WriteOutcome::committed);
}

TEST_P(SinkContract, JumpFromElsewhereMovesAndRecordsNothing) {
    claim(*sink, p0, mine, 5);
    EXPECT_FALSE(sink->jump(p0, mine, {Offset{4}, Offset{9}, "out-of-range"}, kCluster));
    EXPECT_FALSE(sink->jump(p0, other, {Offset{5}, Offset{9}, "out-of-range"}, kCluster));
    EXPECT_FALSE(sink->jump(p1, mine, {Offset{5}, Offset{9}, "out-of-range"}, kCluster));
    EXPECT_EQ(stored(p0), at(5, mine));
    EXPECT_EQ(world->gaps(p0), Gaps{});
}

TEST_P(SinkContract, JumpToAnotherClusterTakesItsId) {
    claim(*sink, p0, mine, 5);
    EXPECT_TRUE(sink->claim(p0, other, Offset{0}, "cluster-2", true).is_claimed);
    EXPECT_TRUE(sink->jump(p0, other, {Offset{5}, Offset{0}, "topic-recreated"}, "cluster-2"));
    EXPECT_EQ(world->gaps(p0), (Gaps{{5, 0}}));
    const auto again = sink->claim(p0, mine, Offset{0}, "cluster-2", false);
    EXPECT_TRUE(again.is_claimed);
    EXPECT_EQ(again.next, Offset{0});
}

TEST_P(SinkContract, JumpToWhereItIsMatchesToo) {
    claim(*sink, p0, mine, 0);
    EXPECT_TRUE(sink->jump(p0, mine, {Offset{0}, Offset{0}, "topic-recreated"}, kCluster));
    EXPECT_EQ(world->gaps(p0), (Gaps{{0, 0}}));
}

TEST_P(SinkContract, GoesOnAfterClose) {
    sink->open();
    claim(*sink, p0, mine, 0);
    sink->close();
    sink->close();
    EXPECT_EQ(sink->write(batch(part(p0, mine, 0, 2))), WriteOutcome::committed);
    EXPECT_EQ(world->applied(p0), (Offsets{0, 1}));
}

TEST_P(SinkContract, HoldsTheWholeRangeOfOffsetsAndTokens) {
    constexpr std::int64_t kLast = INT64_MAX;
    const Fence widest{UINT64_MAX};
    claim(*sink, p0, widest, kLast - 2);
    claim(*sink, p1, Fence{1}, 0);
    auto far = part(p0, widest, kLast - 2, kLast);
    ASSERT_EQ(sink->write(batch(std::move(far), part(p1, Fence{1}, 0, 1))),
              WriteOutcome::committed);
    EXPECT_EQ(stored(p0), at(kLast, widest));
    EXPECT_EQ(stored(p1), at(1, Fence{1}));
}

}  // namespace txsink::test
