/// @file
/// Reads the offset rows of a connector, for people and for --until-end.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/core/fence.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/topic_partition.hpp"

namespace txsink::mysql {

class Session;

/// A row of txsink_offsets.
struct OffsetRow {
    TopicPartition partition;
    Offset next{0};
    /// What the row was made with.
    Offset start{0};
    /// 0: nobody has claimed it yet.
    Fence fence{};
    std::string owner;
    std::string cluster_id;
    std::uint64_t records = 0;
    std::uint64_t dead_letters = 0;
    /// Newest record of the last batch, ms since 1970 UTC.
    std::optional<std::int64_t> last_timestamp_ms;
    /// Since the row changed last, by the server's clock.
    std::chrono::milliseconds age{0};
};

/// The rows of `connector`, as last committed, sorted by topic and partition. Waits for no lock.
/// Errors: configuration: the table is not there.
[[nodiscard]] std::vector<OffsetRow> read_offset_rows(Session& session, std::string_view connector);

}  // namespace txsink::mysql
