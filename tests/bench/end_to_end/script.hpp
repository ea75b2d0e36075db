/// @file
/// What txsink would write of a topic, rendered beforehand.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "prepared_rows.hpp"
#include "txsink/batch/write_plan.hpp"
#include "txsink/config/settings.hpp"
#include "txsink/core/topic_partition.hpp"

namespace txsink::bench {

struct ScriptStatement {
    std::string sql;
    /// Whether the sink asks how many rows it found.
    bool is_counted = false;
    /// The same for a prepared statement, where it can be one.
    std::optional<PreparedRows> prepared;
};

/// One batch, as one transaction.
struct ScriptTransaction {
    /// The compare-and-set of the offset rows, and how many it has to move.
    std::string offsets;
    std::size_t partitions = 0;
    std::vector<ScriptStatement> statements;
};

/// The transactions of one session, in their order.
using Script = std::vector<ScriptTransaction>;

/// Reads the partitions the way a pipeline does and renders its batches: as many rows in each, in
/// the order in which the records come. `settings`: those of the run that it stands for.
/// Offset rows must be unclaimed (fence 0) and at 0 when it is played.
/// Errors: SinkError; also when a record is refused.
[[nodiscard]] Script render_script(const config::Settings& settings,
                                   const std::string& topic,
                                   const std::vector<TopicPartition>& partitions,
                                   batch::Dialect dialect);

}  // namespace txsink::bench
