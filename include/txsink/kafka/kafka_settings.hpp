/// @file
/// KafkaSettings: what a consumer needs to know.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "txsink/core/topic_partition.hpp"

namespace txsink::kafka {

struct KafkaSettings {
    /// librdkafka's own properties, passed through: bootstrap.servers, group.id, sasl.*, ...
    /// What exactly-once needs is set on top and cannot be overridden.
    std::map<std::string, std::string> properties;
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
};

}  // namespace txsink::kafka
