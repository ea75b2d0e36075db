/// @file
/// Sink: where batches become durable. The port that `mysql` implements.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/batch/batch.hpp"
#include "txsink/core/fence.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/result.hpp"
#include "txsink/core/topic_partition.hpp"
#include "txsink/mapping/route.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::pipeline {

/// A partition's offset row, as read.
struct StoredOffset {
    Offset next{0};
    Fence fence{};
    friend bool operator==(const StoredOffset&, const StoredOffset&) = default;
};

/// Where reading of a partition without an offset row starts.
struct PartitionStart {
    TopicPartition partition;
    Offset offset{0};
};

/// What a claim found in the row that it now owns.
struct ClaimedOffset {
    Offset next{0};
    /// txsink_offsets.start_offset: the start that the row was made with. Whoever claims the row
    /// remembers it: should the database go back to before the row was made, the row is made
    /// with it again, also by a worker that did not decide it.
    Offset start{0};
    /// The row's cluster id before the claim. When it differs from the source's, the row was
    /// claimed only if the caller asked for that; see Sink::claim.
    std::string cluster_id;
    bool is_claimed = false;
};

enum class WriteOutcome : std::uint8_t {
    committed,
    /// The compare-and-set matched fewer rows than the batch has partitions: rolled back, nothing
    /// applied; the offset rows tell which partitions are still ours.
    offsets_differ,
};

/// What a committed batch took.
struct WriteSummary {
    /// Updates and statements that found fewer rows than they required, and may
    /// (RowShape::may_miss).
    std::uint64_t missed_rows = 0;
    /// From START TRANSACTION until COMMIT was sent, and from there to its reply.
    std::chrono::microseconds statements{0};
    std::chrono::microseconds commit{0};
};

/// A record that a target table refuses, and why.
struct RefusedRecord {
    TopicPartition partition;
    Offset offset{0};
    RecordError error;
    /// Of the change that was refused; lives as long as its shape.
    const mapping::Route* route = nullptr;
};

/// What a jump of the stored offset leaves in txsink_gaps.
struct Gap {
    Offset from{0};
    Offset to{0};
    std::string reason;  ///< "out of range", "topic recreated", ...
    /// The offsets behind the jump are of another log than those before it.
    bool is_another_log = false;
};

/// One pipeline's way to the database: one connector, one session at a time.
///
/// Every call may throw SinkError. After an error with `reconnect` the session is gone, and the
/// next call opens a new one (on the next host that is writable). Nothing here retries.
/// A write lasts from start_write() until finish_write() has told its outcome, by a value or by
/// an error; no other call but close() may be made meanwhile.
/// Threading: one thread; a write may use another one inside.
class Sink {
public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;

    /// Opens a session on a writable server unless there is one.
    virtual void open() = 0;
    /// Ends the session, after the write that lasts, if one does; never throws.
    virtual void close() noexcept = 0;

    /// The definition of a target table. Errors: configuration: no such table or database.
    [[nodiscard]] virtual mapping::TableDefinition load_table(const mapping::TableName& name) = 0;

    /// Whether the connector has offset rows of `topic`; an empty topic: of any topic. A hint.
    [[nodiscard]] virtual bool has_offsets(std::string_view topic) = 0;

    /// Makes the offset rows of partitions, unclaimed (fence 0), in one transaction; rows that
    /// exist stay as they are. Safe to repeat. Precondition: sorted by partition.
    virtual void create_offsets(std::span<const PartitionStart> starts,
                                std::string_view cluster_id) = 0;

    /// Takes over one partition: writes `fence` into its row (made with `start` if it is missing)
    /// and reads it, in one transaction. Waits for whoever holds the row.
    /// If the row's cluster id is not `cluster_id` and `any_cluster` is false, rolls back and
    /// returns is_claimed = false: nobody was fenced.
    /// Errors: outcome_unknown: claim again (with a new fence).
    [[nodiscard]] virtual ClaimedOffset claim(const TopicPartition& partition,
                                              Fence fence,
                                              Offset start,
                                              std::string_view cluster_id,
                                              bool any_cluster) = 0;

    /// Reads one own row FOR UPDATE on a writable server, then rolls back: waits for a transaction
    /// that still holds the row (an orphan of a lost session), so the answer is final.
    [[nodiscard]] virtual std::optional<StoredOffset> read_offset(
        const TopicPartition& partition) = 0;

    /// Begins to apply every row of `batch` and to move its offsets, in one transaction. The batch
    /// must stay as it is while the write lasts.
    virtual void start_write(const batch::Batch& batch) = 0;
    /// Waits for the write's end, at most `timeout`; nothing: it still lasts.
    /// On offsets_differ, and on any throw without outcome_unknown, nothing was applied.
    /// Errors: bad_record: the server refused a row: isolate() finds which.
    [[nodiscard]] virtual std::optional<WriteOutcome> finish_write(
        std::chrono::milliseconds timeout) = 0;
    /// Both, one after the other.
    [[nodiscard]] WriteOutcome write(const batch::Batch& batch);

    /// Of the batch that was committed last.
    [[nodiscard]] virtual WriteSummary last_write() const noexcept = 0;

    /// Finds the first `most` records of `batch`, by partition and offset, that the target tables
    /// refuse when the records before them, but for the refused ones, are applied one after
    /// another; applies nothing. A record is refused as a whole, whichever of its changes is.
    /// Nothing returned: none was refused this time.
    [[nodiscard]] virtual std::vector<RefusedRecord> isolate(const batch::Batch& batch,
                                                             std::size_t most) = 0;

    /// Moves an own offset row from `gap.from` to `gap.to` and records the gap, in one
    /// transaction; the row also takes `cluster_id`. Returns false when the row did not match.
    /// Errors: outcome_unknown: read the row; configuration: to another log, while dead letters of
    /// this one stand at its offsets, which would be written over.
    [[nodiscard]] virtual bool jump(const TopicPartition& partition,
                                    Fence fence,
                                    const Gap& gap,
                                    std::string_view cluster_id) = 0;
};

inline WriteOutcome Sink::write(const batch::Batch& batch) {
    start_write(batch);
    for (;;) {
        if (const auto outcome = finish_write(std::chrono::seconds{1})) {
            return *outcome;
        }
    }
}

}  // namespace txsink::pipeline
