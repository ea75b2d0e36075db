/// @file
/// Batch: what one transaction applies; and BatchPolicy: when it is full.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "txsink/batch/dead_letter.hpp"
#include "txsink/core/fence.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/result.hpp"
#include "txsink/core/topic_partition.hpp"
#include "txsink/mapping/row_buffer.hpp"

namespace txsink::batch {

/// A batch is written when any of these is reached.
struct BatchPolicy {
    std::size_t rows = 5'000;
    std::size_t bytes = 4 * 1024 * 1024;
    /// At most: where writes are quick, it is not waited for so long.
    std::chrono::milliseconds linger{100};
};

/// A refused record that is not kept.
struct SkippedRecord {
    Offset offset{0};
    RecordError error;
};

/// The part of a batch that belongs to one partition.
///
/// Invariant: 0 <= begin <= end; `begin` is what was claimed or last committed, not the first
/// record's offset. begin == end: nothing to write yet. `end` may lie beyond the last record
/// (transaction markers, compaction, filtered records).
struct PartitionBatch {
    TopicPartition partition;
    Fence fence{};
    Offset begin{0};
    Offset end{0};
    /// Records consumed in [begin, end), with or without a row.
    std::uint64_t records = 0;
    /// Newest record timestamp in ms, or -1.
    std::int64_t last_timestamp_ms = -1;
    mapping::RowBuffer rows;
    /// Refused records of [begin, end), in offset order; written in the batch's transaction.
    std::vector<DeadLetter> dead_letters;
    /// Refused records of [begin, end) that are not kept, in offset order.
    std::vector<SkippedRecord> skipped;
    /// Records of [begin, end) that ask for no row: no route takes them, no event, an empty array.
    std::vector<Offset> filtered;
    /// Where the routes keep refused records: all records of [begin, end) that have rows.
    KeptRecords kept;

    [[nodiscard]] bool moves() const noexcept { return begin < end; }
    /// Memory held by rows and records, in bytes, about.
    [[nodiscard]] std::size_t capacity() const noexcept {
        return rows.capacity() + kept.capacity();
    }
};

/// Invariant: partitions are sorted, distinct, and each moves.
struct Batch {
    std::vector<PartitionBatch> partitions;

    [[nodiscard]] bool is_empty() const noexcept { return partitions.empty(); }
    [[nodiscard]] std::size_t rows() const noexcept {
        std::size_t count = 0;
        for (const auto& part : partitions) {
            count += part.rows.changes().size();
        }
        return count;
    }
    [[nodiscard]] PartitionBatch* find(const TopicPartition& partition) noexcept {
        const auto at = std::find_if(partitions.begin(), partitions.end(), [&](const auto& part) {
            return part.partition == partition;
        });
        return at == partitions.end() ? nullptr : &*at;
    }
    void drop(const TopicPartition& partition) {
        std::erase_if(partitions, [&](const auto& part) { return part.partition == partition; });
    }
};

}  // namespace txsink::batch
