/// @file
/// FakeDatabase and FakeSink: the offsets table and one target table in memory, with faults.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_broker.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/pipeline/sink.hpp"

namespace txsink::test {

/// Thrown where a real process would be gone.
struct ProcessKilled : std::exception {};

/// Where a fault can strike a FakeSink.
enum class Point {
    before_begin,
    after_offsets,
    after_dead_letters,
    before_commit,
    at_commit,     ///< COMMIT was sent; FakeSink::commit_happens says whether it took effect
    after_commit,  ///< the reply has come
    claim_before_commit,
    claim_after_commit,
    read_offset,
    isolate,
};

struct AppliedRow {
    TopicPartition partition;
    Offset offset{0};
    std::string tuple;
};

struct OffsetRow {
    Offset next{0};
    Offset start{0};
    Fence fence{};
    std::string cluster_id;
};

/// What would be in MySQL. Keeps *every* application of a row, never a map by offset, so that a
/// second application shows; and checks each commit against the log: a batch that moves a row
/// from `next` to `end` must hold exactly the records of the log in between, each either applied,
/// or dead-lettered, or passed over on purpose.
struct FakeDatabase {
    explicit FakeDatabase(const FakeBroker& the_broker) : broker{the_broker} {}

    const FakeBroker& broker;
    std::map<TopicPartition, OffsetRow> offsets;
    std::vector<AppliedRow> applied;
    std::vector<std::pair<TopicPartition, pipeline::Gap>> gaps;
    /// Every write of one, in order: where a real table keeps the newest. Those of records that a
    /// batch moved past once more, and that were not refused again, are gone.
    std::vector<std::pair<TopicPartition, batch::DeadLetter>> dead_letters;
    std::vector<std::string> violations;
    /// A transaction whose client is gone: it holds its rows until the server notices.
    std::optional<batch::Batch> orphan;
    bool orphan_commits = false;
    /// Tuples and statements that the table refuses.
    std::vector<std::string> refused;
    /// Statements that find no row.
    std::vector<std::string> missing;

    /// State that a fail-over can fall back to.
    struct Snapshot {
        std::map<TopicPartition, OffsetRow> offsets;
        std::vector<AppliedRow> applied;
        std::vector<std::pair<TopicPartition, batch::DeadLetter>> dead_letters;
    };
    [[nodiscard]] Snapshot snapshot() const { return {offsets, applied, dead_letters}; }
    void go_back_to(const Snapshot& past) {
        offsets = past.offsets;
        applied = past.applied;
        dead_letters = past.dead_letters;
        orphan.reset();
    }

    [[nodiscard]] std::vector<std::int64_t> applied_of(const TopicPartition& partition) const {
        std::vector<std::int64_t> found;
        for (const auto& row : applied) {
            if (row.partition == partition) {
                found.push_back(to_int(row.offset));
            }
        }
        return found;
    }
    [[nodiscard]] std::vector<std::int64_t> dead_of(const TopicPartition& partition) const {
        std::vector<std::int64_t> found;
        for (const auto& [of, letter] : dead_letters) {
            if (of == partition) {
                found.push_back(to_int(letter.offset));
            }
        }
        return found;
    }
    [[nodiscard]] std::int64_t next_of(const TopicPartition& partition) const {
        return to_int(offsets.at(partition).next);
    }
    void settle_orphan() {
        if (orphan) {
            const auto late = std::exchange(orphan, std::nullopt);
            if (orphan_commits) {
                apply(*late);
            }
        }
    }
    void apply(const batch::Batch& batch) {
        for (const auto& part : batch.partitions) {
            auto& row = offsets[part.partition];
            check(part, row.next);
            apply_rows(part);
            keep_dead_letters(part);
            row.next = part.end;
        }
    }
    void apply_rows(const batch::PartitionBatch& part) {
        for (const auto& change : part.rows.changes()) {
            std::string text{part.rows.text().substr(change.begin, change.size)};
            if (std::find(missing.begin(), missing.end(), text) == missing.end()) {
                applied.push_back({part.partition, change.offset, std::move(text)});
            }
        }
    }
    void keep_dead_letters(const batch::PartitionBatch& part) {
        std::erase_if(dead_letters, [&](const auto& kept) {
            const Offset offset = kept.second.offset;
            return kept.first == part.partition && part.begin <= offset && offset < part.end &&
                   std::none_of(part.dead_letters.begin(),
                                part.dead_letters.end(),
                                [&](const auto& letter) { return letter.offset == offset; });
        });
        for (const auto& letter : part.dead_letters) {
            dead_letters.emplace_back(part.partition, letter);
        }
    }

private:
    /// Each record of a part once, however many rows it has; in offset order.
    static std::vector<Offset> held_by(const batch::PartitionBatch& part) {
        std::vector<Offset> held;
        for (const auto& change : part.rows.changes()) {
            held.push_back(change.offset);
        }
        held.erase(std::unique(held.begin(), held.end()), held.end());
        for (const auto& letter : part.dead_letters) {
            held.push_back(letter.offset);
        }
        for (const auto& skipped : part.skipped) {
            held.push_back(skipped.offset);
        }
        held.insert(held.end(), part.filtered.begin(), part.filtered.end());
        std::sort(held.begin(), held.end());
        return held;
    }
    void check(const batch::PartitionBatch& part, Offset from) {
        const auto log = broker.logs.find(part.partition);
        if (log == broker.logs.end()) {
            return;  // a test of the sink alone
        }
        const auto held = held_by(part);
        if (part.records != held.size()) {
            violations.push_back(fmt::format("{}: {} records, {} counted",
                                             to_string(part.partition),
                                             held.size(),
                                             part.records));
        }
        if (!std::is_sorted(part.dead_letters.begin(),
                            part.dead_letters.end(),
                            [](const auto& a, const auto& b) { return a.offset < b.offset; })) {
            violations.push_back(to_string(part.partition) + ": dead letters out of order");
        }
        const auto owed = log->second.offsets(from, part.end);
        if (held != owed) {
            violations.push_back(fmt::format("{}: [{},{}) applied {} records where {} were owed",
                                             to_string(part.partition),
                                             to_int(from),
                                             to_int(part.end),
                                             held.size(),
                                             owed.size()));
        }
    }
};

class FakeSink final : public pipeline::Sink {
public:
    explicit FakeSink(FakeDatabase& database, mapping::TableDefinition table = {})
        : database_{database}, table_{std::move(table)} {}

    /// Called at every point; may throw SinkError or ProcessKilled.
    std::function<void(Point)> at = [](Point) {};
    /// Called with each batch between its offsets and its rows; may throw SinkError.
    std::function<void(const batch::Batch&)> refuse = [](const batch::Batch&) {};
    /// Whether a COMMIT takes effect whose reply is lost at Point::at_commit.
    bool commit_happens = false;
    /// With a lost COMMIT: the transaction stays behind as an orphan instead.
    bool leaves_orphan = false;
    /// Every table that was asked for, and one that does not exist.
    std::vector<mapping::TableName> loaded;
    std::string missing_table = "(none)";
    /// The route that isolate() names, instead of the row's own.
    const mapping::Route* blamed = nullptr;
    /// Rows that each commit misses besides those of FakeDatabase::missing.
    std::uint64_t more_missed = 0;
    /// How often finish_write() says that the write still lasts; whether it happens at once and
    /// only its outcome is late, or all of it is. The suites run in each of three ways.
    int lag = is_late("all") || is_late("outcome") ? 2 : 0;
    bool writes_early = is_late("outcome");
    /// What writes are said to take.
    std::chrono::microseconds write_time{std::chrono::hours{1}};

    /// Ways to be wrong, for the tests of the tests.
    enum class Breakage {
        none,
        no_compare_and_set,
        offsets_before_rows,
        offsets_after_rows,
        dead_letters_before,
        dead_letters_after,
    };
    Breakage breakage = Breakage::none;

    [[nodiscard]] bool is_writing() const noexcept { return writing_ != nullptr; }

    void open() override {}
    void close() noexcept override {}
    mapping::TableDefinition load_table(const mapping::TableName& name) override {
        loaded.push_back(name);
        if (name.table == missing_table) {
            throw SinkError{ErrorKind::configuration, "there is no table " + to_string(name)};
        }
        return table_;
    }

    bool has_offsets(std::string_view topic) override {
        return std::any_of(database_.offsets.begin(), database_.offsets.end(), [&](const auto& o) {
            return topic.empty() || o.first.topic == topic;
        });
    }
    void create_offsets(std::span<const pipeline::PartitionStart> starts,
                        std::string_view cluster_id) override {
        for (const auto& start : starts) {
            database_.offsets.emplace(
                start.partition,
                OffsetRow{start.offset, start.offset, Fence{}, std::string{cluster_id}});
        }
    }
    pipeline::ClaimedOffset claim(const TopicPartition& partition,
                                  Fence fence,
                                  Offset start,
                                  std::string_view cluster_id,
                                  bool any_cluster) override {
        database_.settle_orphan();
        const auto made = OffsetRow{start, start, Fence{}, std::string{cluster_id}};
        const auto found = database_.offsets.find(partition);
        OffsetRow row = found == database_.offsets.end() ? made : found->second;
        if (row.cluster_id != cluster_id && !any_cluster) {
            return {row.next, row.start, row.cluster_id, false};
        }
        row.fence = fence;
        at(Point::claim_before_commit);
        database_.offsets[partition] = row;
        at(Point::claim_after_commit);
        return {row.next, row.start, row.cluster_id, true};
    }
    std::optional<pipeline::StoredOffset> read_offset(const TopicPartition& partition) override {
        at(Point::read_offset);
        database_.settle_orphan();
        const auto found = database_.offsets.find(partition);
        if (found == database_.offsets.end()) {
            return std::nullopt;
        }
        return pipeline::StoredOffset{found->second.next, found->second.fence};
    }
    void start_write(const batch::Batch& batch) override {
        if (writing_ != nullptr) {
            throw SinkError{ErrorKind::internal, "a write while another one lasts"};
        }
        writing_ = &batch;
        asked_ = 0;
        if (writes_early) {
            perform_once();
        }
    }
    std::optional<pipeline::WriteOutcome> finish_write(std::chrono::milliseconds) override {
        if (asked_++ < lag) {
            return std::nullopt;
        }
        perform_once();
        writing_ = nullptr;
        if (failure_) {
            std::rethrow_exception(std::exchange(failure_, nullptr));
        }
        return std::exchange(outcome_, std::nullopt);
    }
    pipeline::WriteSummary last_write() const noexcept override {
        return {missed_ + more_missed, write_time, {}};
    }
    std::vector<pipeline::RefusedRecord> isolate(const batch::Batch& batch,
                                                 std::size_t most) override {
        at(Point::isolate);
        auto found = refused_of(batch);
        found.resize(std::min(found.size(), most));
        for (auto& record : found) {
            record.route = blamed != nullptr ? blamed : record.route;
        }
        return found;
    }
    bool jump(const TopicPartition& partition,
              Fence fence,
              const pipeline::Gap& gap,
              std::string_view cluster_id) override {
        const auto found = database_.offsets.find(partition);
        if (found == database_.offsets.end() || found->second.fence != fence ||
            found->second.next != gap.from) {
            return false;
        }
        found->second.next = gap.to;
        found->second.cluster_id = cluster_id;
        database_.gaps.emplace_back(partition, gap);
        return true;
    }

private:
    static bool is_late(std::string_view what) {
        const char* late = std::getenv("TXSINK_TEST_LATE_WRITES");
        return late != nullptr && late == what;
    }
    /// What would run on another thread.
    void perform_once() {
        if (outcome_ || failure_) {
            return;
        }
        try {
            outcome_ = perform(*writing_);
        } catch (...) {
            failure_ = std::current_exception();
        }
    }
    pipeline::WriteOutcome perform(const batch::Batch& batch) {
        at(Point::before_begin);
        database_.settle_orphan();
        if (breakage != Breakage::no_compare_and_set && !matches(batch)) {
            return pipeline::WriteOutcome::offsets_differ;
        }
        if (breakage == Breakage::offsets_before_rows) {
            move_offsets(batch);
        }
        at(Point::after_offsets);
        if (breakage == Breakage::dead_letters_before) {
            keep_dead_letters(batch);
        }
        refuse(batch);
        if (!refused_of(batch).empty()) {
            throw SinkError{ErrorKind::bad_record, "the table refuses a row"};
        }
        if (breakage == Breakage::offsets_after_rows) {
            apply_rows(batch);
        }
        at(Point::after_dead_letters);
        at(Point::before_commit);
        try {
            at(Point::at_commit);
        } catch (...) {
            lose_commit(batch);
            throw;
        }
        commit(batch);
        missed_ = missed_of(batch);
        at(Point::after_commit);
        if (breakage == Breakage::dead_letters_after) {
            keep_dead_letters(batch);
        }
        return pipeline::WriteOutcome::committed;
    }
    [[nodiscard]] bool matches(const batch::Batch& batch) const {
        return std::all_of(batch.partitions.begin(), batch.partitions.end(), [&](const auto& part) {
            const auto found = database_.offsets.find(part.partition);
            return found != database_.offsets.end() && found->second.fence == part.fence &&
                   found->second.next == part.begin;
        });
    }
    [[nodiscard]] static bool is_among(const std::vector<std::string>& list,
                                       const batch::PartitionBatch& part,
                                       const mapping::RowChange& change) {
        const auto text = part.rows.text().substr(change.begin, change.size);
        return std::find(list.begin(), list.end(), text) != list.end();
    }
    [[nodiscard]] bool misses(const batch::PartitionBatch& part,
                              const mapping::RowChange& change) const {
        return change.shape->required_rows > 0 && is_among(database_.missing, part, change);
    }
    [[nodiscard]] std::uint64_t missed_of(const batch::Batch& batch) const {
        std::uint64_t missed = 0;
        for (const auto& part : batch.partitions) {
            for (const auto& change : part.rows.changes()) {
                missed += change.shape->may_miss && misses(part, change) ? 1 : 0;
            }
        }
        return missed;
    }
    /// Each record once, by its first change that is refused.
    [[nodiscard]] std::vector<pipeline::RefusedRecord> refused_of(const batch::Batch& batch) const {
        std::vector<pipeline::RefusedRecord> found;
        for (const auto& part : batch.partitions) {
            for (const auto& change : part.rows.changes()) {
                const bool is_known = !found.empty() && found.back().partition == part.partition &&
                                      found.back().offset == change.offset;
                if (is_known) {
                    continue;
                }
                if (is_among(database_.refused, part, change)) {
                    found.push_back({part.partition,
                                     change.offset,
                                     {RecordErrorCode::refused_by_server,
                                      "id",
                                      "refused by the server (1062)",
                                      1062},
                                     change.shape->route});
                } else if (!change.shape->may_miss && misses(part, change)) {
                    found.push_back({part.partition,
                                     change.offset,
                                     {RecordErrorCode::row_missing, {}, "there is no such row"},
                                     change.shape->route});
                }
            }
        }
        return found;
    }
    void commit(const batch::Batch& batch) {
        switch (breakage) {
            case Breakage::none:
            case Breakage::no_compare_and_set:
                database_.apply(batch);
                break;
            case Breakage::offsets_before_rows:
                apply_rows(batch);
                break;
            case Breakage::offsets_after_rows:
                move_offsets(batch);
                break;
            case Breakage::dead_letters_before:
            case Breakage::dead_letters_after:
                apply_rows(batch);
                move_offsets(batch);
                break;
        }
    }
    void lose_commit(const batch::Batch& batch) {
        if (leaves_orphan) {
            database_.orphan = batch;
            database_.orphan_commits = commit_happens;
        } else if (commit_happens) {
            commit(batch);
        }
    }
    void move_offsets(const batch::Batch& batch) {
        for (const auto& part : batch.partitions) {
            database_.offsets[part.partition].next = part.end;
        }
    }
    void keep_dead_letters(const batch::Batch& batch) {
        for (const auto& part : batch.partitions) {
            database_.keep_dead_letters(part);
        }
    }
    void apply_rows(const batch::Batch& batch) {
        for (const auto& part : batch.partitions) {
            database_.apply_rows(part);
        }
    }

    FakeDatabase& database_;
    mapping::TableDefinition table_;
    std::uint64_t missed_ = 0;
    /// The write that lasts, how often its end was asked for, and how it ended.
    const batch::Batch* writing_ = nullptr;
    int asked_ = 0;
    std::optional<pipeline::WriteOutcome> outcome_;
    std::exception_ptr failure_;
};

/// A lost connection, as the real sink reports it.
[[nodiscard]] inline SinkError lost_connection(bool outcome_unknown) {
    SinkError error{ErrorKind::connection, "writing: lost connection to the server"};
    error.native_code = 2013;
    error.reconnect = true;
    error.outcome_unknown = outcome_unknown;
    return error;
}

[[nodiscard]] inline SinkError deadlock() {
    SinkError error{ErrorKind::replay, "writing: deadlock found"};
    error.native_code = 1213;
    return error;
}

}  // namespace txsink::test
