/// @file
/// DeadLetterWriter: the dead letters of batches into their transactions.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mysql/offsets_sql.hpp"
#include "mysql/row_writer.hpp"
#include "mysql/session.hpp"
#include "txsink/batch/batch.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/topic_partition.hpp"

namespace txsink::mysql {

/// Keeps this true: below the stored offset of a partition a dead letter stands for each record
/// that was refused when it was last read, and for no other. Otherwise a replay would apply a
/// second time what was applied after somebody moved the offset back.
///
/// It outlives sessions: what it learns about the size of statements stays.
/// Threading: one thread.
class DeadLetterWriter {
public:
    /// In the transaction of a claim: learns how far the partition's letters reach. An account that
    /// may not read the table, or a database without it, has none.
    void claim(Session& session, const Identity& who, const TopicPartition& partition);

    /// Whether the partition that was claimed last may have letters at `offset` or behind it.
    [[nodiscard]] bool has_letters_from(const TopicPartition& partition, Offset offset) const;

    /// Makes the statements of `batch`. Where the partition had no letters from here on, and has
    /// none now, these are none.
    void build(const Session& session,
               const Identity& who,
               const batch::Batch& batch,
               const RowWriter& writer);

    /// Runs them. Errors: never bad_record; connection: the server did not take one of this size;
    /// the next ones are shorter.
    void write(Session& session, RowWriter& writer);

    /// Before the COMMIT of `batch`, as its answer may be lost.
    void note(const batch::Batch& batch);

private:
    void write(Session& session, RowWriter& writer, const std::string& statement);
    void shorten(std::size_t bytes);

    std::vector<std::string> statements_;
    /// The highest offset that a letter of a claimed partition may have; nothing: it has none.
    std::map<TopicPartition, std::optional<Offset>> last_;
    /// Statements of several letters, and of one, are not longer.
    std::size_t usual_bytes_ = kPacketBytes;
    std::size_t most_bytes_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace txsink::mysql
