/// @file
/// The SQL of txsink_offsets and txsink_gaps.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "txsink/batch/batch.hpp"
#include "txsink/core/fence.hpp"
#include "txsink/core/topic_partition.hpp"
#include "txsink/pipeline/sink.hpp"

namespace txsink::mysql {

/// Who writes: the connector whose rows these are, and the name that people see.
struct Identity {
    std::string connector;
    std::string owner;
};

/// A literal in the own character set and collation of the key columns. Without it the comparison
/// would convert the column, and the index could not be used.
[[nodiscard]] std::string key_literal(std::string_view text);

/// SELECT 1 for a connector with rows of `topic`; of any topic when it is empty.
[[nodiscard]] std::string has_offsets_sql(const Identity& who, std::string_view topic);

/// INSERT of unclaimed rows that leaves existing ones alone.
[[nodiscard]] std::string create_offsets_sql(const Identity& who,
                                             std::span<const pipeline::PartitionStart> starts,
                                             std::string_view cluster_id);

/// INSERT, or take-over by a new token, of one row.
[[nodiscard]] std::string claim_sql(const Identity& who,
                                    const TopicPartition& partition,
                                    Fence fence,
                                    Offset start,
                                    std::string_view cluster_id);

/// SELECT ... FOR UPDATE of one row: next_offset, fence, start_offset, cluster_id, read_only.
[[nodiscard]] std::string lock_offset_sql(const Identity& who, const TopicPartition& partition);

/// The compare-and-set of a batch, into `sql` (reused): moves the row of each partition from
/// `begin` to `end` if it is still at `begin` under the partition's token. It changes as many rows
/// as the batch has partitions, or somebody else has been there. Locks exactly these rows.
/// Precondition: the batch is not empty.
void render_compare_and_set(std::string& sql, const Identity& who, const batch::Batch& batch);

/// The compare-and-set of a jump over a gap, and the row that records it.
[[nodiscard]] std::string jump_sql(const Identity& who,
                                   const TopicPartition& partition,
                                   Fence fence,
                                   const pipeline::Gap& gap,
                                   std::string_view cluster_id);
[[nodiscard]] std::string gap_sql(const Identity& who,
                                  const TopicPartition& partition,
                                  const pipeline::Gap& gap);

}  // namespace txsink::mysql
