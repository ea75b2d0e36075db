/// @file
/// DeadLetterProducer: copies dead letters to a Kafka topic.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "txsink/batch/dead_letter.hpp"
#include "txsink/core/topic_partition.hpp"
#include "txsink/kafka/kafka_settings.hpp"

namespace txsink::kafka {

/// Writes each dead letter as a record with the key, value and timestamp that it had, and with
/// the headers txsink-topic, txsink-partition, txsink-offset, txsink-code, txsink-error and
/// txsink-target before its own. At least once: a repeated batch is copied again.
///
/// Invariant: acks=all, idempotent; what is queued is bounded in number, bytes and time.
/// Threading: one thread.
class DeadLetterProducer {
public:
    /// Takes of `settings` the properties that a producer has, and request_timeout: how long a
    /// letter may be under way. No network. Errors: SinkError configuration.
    DeadLetterProducer(KafkaSettings settings, std::string topic);
    ~DeadLetterProducer();
    DeadLetterProducer(const DeadLetterProducer&) = delete;
    DeadLetterProducer& operator=(const DeadLetterProducer&) = delete;

    /// Returns once all `letters`, refused records of `partition`, are acknowledged.
    /// Errors: SinkError; connection: no answer in time, worth another try; configuration: no
    /// such topic, or one that refuses such records; access_denied.
    void produce(const TopicPartition& partition, std::span<const batch::DeadLetter> letters);

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace txsink::kafka
