/// @file
/// KafkaSettings: what a consumer needs to know, and which of librdkafka's properties are fixed.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "txsink/core/topic_partition.hpp"

namespace txsink::kafka {

/// librdkafka's properties by name, as it documents them.
using Properties = std::map<std::string, std::string>;

struct KafkaSettings {
    /// librdkafka's own properties, passed through: bootstrap.servers, group.id, sasl.*, ...
    /// What exactly-once needs is set on top and cannot be overridden.
    Properties properties;
    /// Topic names and '^regex' patterns to subscribe to.
    std::vector<std::string> topics;
    /// Fixed partitions without a group; empty: subscribe.
    std::vector<TopicPartition> assign;
    /// group.instance.id of this consumer; empty: a dynamic member.
    std::string instance_id;
    /// Mirror of the offsets to the group: at most this far apart.
    std::chrono::milliseconds mirror_interval{5'000};
    /// One request to a broker (metadata, watermarks, offsets for times).
    std::chrono::milliseconds request_timeout{10'000};
    /// Leaving the group; after it the consumer is given up as it is.
    std::chrono::milliseconds close_timeout{5'000};
};

/// Refuses properties whose value exactly-once (or the group) depends on.
/// Errors: SinkError configuration: names `kafka.<key>` and says why.
void check_overrides(const Properties& properties);

/// check_overrides(), and has librdkafka check each name and value. No network.
/// Errors: SinkError configuration: names `kafka.<key>`, in librdkafka's words.
void check_properties(const Properties& properties);

}  // namespace txsink::kafka
