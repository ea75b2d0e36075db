/// @file
/// Questions to the brokers: partitions of a topic, where logs begin and end, committed offsets.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kafka/client.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/topic_partition.hpp"
#include "txsink/pipeline/record_source.hpp"
#include "txsink/pipeline/start_policy.hpp"

namespace txsink::kafka {

struct FoundTopics {
    std::vector<std::string> present;  ///< sorted, distinct
    std::vector<std::string> missing;  ///< names that are not there, patterns that match nothing
};

/// The topics that `wanted`, names and '^regex' patterns as a subscription takes them, mean now.
/// With nothing wanted: whether a broker answers.
/// Errors: connection; access_denied; configuration: a pattern that is not one.
[[nodiscard]] FoundTopics find_topics(const Client& client,
                                      std::span<const std::string> wanted,
                                      std::chrono::milliseconds timeout);

/// Names and patterns of all that the settings subscribe to or have fixed.
[[nodiscard]] std::vector<std::string> wanted_topics(const KafkaSettings& settings);

/// All present partitions of `topic`, sorted.
/// Errors: configuration: no such topic; connection; access_denied.
[[nodiscard]] std::vector<TopicPartition> partitions_of(const Client& client,
                                                        const std::string& topic,
                                                        std::chrono::milliseconds timeout);

/// What list_offsets() takes for a timestamp beside milliseconds since 1970.
inline constexpr std::int64_t kLogStart = RD_KAFKA_OFFSET_BEGINNING;
inline constexpr std::int64_t kLogEnd = RD_KAFKA_OFFSET_END;

/// Of each partition, in their order, the first offset whose record is not older than `timestamp`;
/// the end when there is none. The end is that of the client's isolation level. One request for
/// each leading broker, however many partitions.
/// Errors: connection; configuration: no such topic or partition; access_denied.
[[nodiscard]] std::vector<Offset> list_offsets(const Client& client,
                                               std::span<const TopicPartition> partitions,
                                               std::int64_t timestamp,
                                               std::chrono::milliseconds timeout);

/// Offsets that `group` has committed, in the order of `partitions`.
/// Errors: configuration: the group has live members, or a partition without a commit.
[[nodiscard]] std::vector<Offset> adopt_group(const KafkaSettings& settings,
                                              const std::string& group,
                                              std::span<const TopicPartition> partitions);

/// Members of `group` right now; 0 for a group that does not exist.
[[nodiscard]] int live_members(const Client& client,
                               const std::string& group,
                               std::chrono::milliseconds timeout);

/// Start offsets of all present partitions of `topic` under `policy`, sorted by partition.
[[nodiscard]] std::vector<pipeline::PartitionStart> start_offsets(
    const Client& client,
    const KafkaSettings& settings,
    const std::string& topic,
    const pipeline::StartPolicy& policy);

/// Empty when no broker answered in time.
[[nodiscard]] std::string cluster_id(const Client& client, std::chrono::milliseconds timeout);

}  // namespace txsink::kafka
