/// @file
/// KafkaAdmin: what commands other than `run` ask the brokers: topics, watermarks, groups.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "txsink/core/topic_partition.hpp"
#include "txsink/kafka/kafka_settings.hpp"
#include "txsink/pipeline/record_source.hpp"
#include "txsink/pipeline/start_policy.hpp"

namespace txsink::kafka {

/// A topic and how many partitions it has; they are numbered from 0.
struct TopicSize {
    std::string topic;
    std::int32_t partitions = 0;
};

/// A connection that asks; never joins a group, never writes.
///
/// Each question waits at most about `request_timeout` of the settings.
/// Errors: SinkError; configuration: options, a topic that does not exist; access_denied;
/// unavailable: no broker answers (names the addresses).
/// Threading: one thread.
class KafkaAdmin {
public:
    /// No network. Errors: configuration.
    explicit KafkaAdmin(KafkaSettings settings);
    ~KafkaAdmin();
    KafkaAdmin(const KafkaAdmin&) = delete;
    KafkaAdmin& operator=(const KafkaAdmin&) = delete;

    /// Returns the cluster's id, once a broker answers.
    [[nodiscard]] std::string connect();

    /// The present topics that the settings' topics (names and '^regex') and fixed partitions
    /// mean, sorted. Errors: configuration: a name that does not exist, a pattern without a match.
    [[nodiscard]] std::vector<TopicSize> topics();

    /// Where the partitions' logs begin and end for our isolation level: two requests for each
    /// broker, however many partitions.
    [[nodiscard]] std::map<TopicPartition, pipeline::Watermarks> watermarks(
        std::span<const TopicPartition> partitions);
    /// The ends alone: what --until-end runs to.
    [[nodiscard]] std::map<TopicPartition, Offset> ends(std::span<const TopicPartition> partitions);

    [[nodiscard]] std::vector<pipeline::PartitionStart> start_offsets(
        const std::string& topic, const pipeline::StartPolicy& policy);

    /// Members of a group right now; 0 when there is no such group.
    [[nodiscard]] int live_members(const std::string& group);

private:
    class Asker;
    std::unique_ptr<Asker> asker_;
};

}  // namespace txsink::kafka
