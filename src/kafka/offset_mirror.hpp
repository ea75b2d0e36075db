/// @file
/// OffsetMirror: copies acknowledged offsets to the consumer group, for lag tools; best effort.
#pragma once

#include <chrono>
#include <map>
#include <span>

#include "kafka/client.hpp"
#include "kafka/log_limit.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/topic_partition.hpp"

namespace txsink::kafka {

/// Invariant: what is committed to the group was acknowledged before, for the present assignment
/// of its partition. Errors are logged, never thrown: nothing depends on the copy.
/// Threading: that of the consumer.
class OffsetMirror {
public:
    OffsetMirror(const Client& client, std::chrono::milliseconds interval)
        : client_{client}, interval_{interval} {}

    void acknowledge(const TopicPartition& partition, Offset next);
    /// The partition was taken back, or its position was set anew.
    void forget(const TopicPartition& partition) { offsets_.erase(partition); }

    /// Sends what is new, unless that was done less than the interval ago.
    void send_if_due();
    /// Sends what is new of these partitions and waits for the reply, about a second at most.
    void send_now(std::span<const TopicPartition> partitions);
    /// The reply to an earlier send_if_due().
    void take_reply(rd_kafka_resp_err_t code);

private:
    struct Mirrored {
        Offset acknowledged{-1};
        Offset sent{-1};
    };

    const Client& client_;
    std::chrono::milliseconds interval_;
    std::map<TopicPartition, Mirrored> offsets_;
    bool has_news_ = false;
    std::chrono::steady_clock::time_point last_send_{};
    LogLimit log_;
};

}  // namespace txsink::kafka
