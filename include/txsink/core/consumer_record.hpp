/// @file
/// A record as it comes from Kafka.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "txsink/core/offset_range.hpp"

namespace txsink {

/// One header of a record. Names may repeat.
struct RecordHeader {
    std::string_view name;
    /// Absent: null (differs from empty). Any bytes.
    std::optional<std::string_view> value;
};

/// One record of a partition; borrows its bytes from the source.
///
/// Threading: valid until the next poll of the source that delivered it.
struct ConsumerRecord {
    std::string_view topic;
    std::int32_t partition = 0;
    Offset offset{0};
    /// Milliseconds since 1970-01-01 UTC, or -1 when the broker has none.
    std::int64_t timestamp_ms = -1;
    /// Absent: Kafka's null (differs from empty).
    std::optional<std::string_view> key;
    /// Absent: a tombstone.
    std::optional<std::string_view> value;
    /// In the record's order.
    std::span<const RecordHeader> headers{};
};

}  // namespace txsink
