/// @file
/// Names of partitions and of records, as Kafka's clients use them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "txsink/core/offset_range.hpp"

namespace txsink {

/// One partition of one topic. Ordered by topic (bytes), then by partition.
struct TopicPartition {
    std::string topic;
    std::int32_t partition = 0;

    friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

/// `topic[partition]`.
[[nodiscard]] std::string to_string(const TopicPartition& partition);

/// `topic[partition]@offset`: how every message names a record.
[[nodiscard]] std::string record_name(std::string_view topic,
                                      std::int32_t partition,
                                      Offset offset);

}  // namespace txsink

template <>
struct std::hash<txsink::TopicPartition> {
    std::size_t operator()(const txsink::TopicPartition& value) const noexcept;
};
