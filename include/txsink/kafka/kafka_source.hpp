/// @file
/// KafkaSource: a consumer, of librdkafka, as the pipeline's RecordSource.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "txsink/kafka/kafka_settings.hpp"
#include "txsink/pipeline/record_source.hpp"

namespace txsink::kafka {

class Consumer;

/// One member of a consumer group (cooperative), or with fixed partitions.
///
/// Partitions that the group gives are fetched from assign() on, always at the absolute offset
/// given there; never from the group's committed offsets or a position of librdkafka's own.
/// Invariant: offsets committed to the group are only ever those acknowledged.
/// Errors: SinkError; configuration: options; access_denied: password, ACL; fenced: another
/// process has the same instance name; connection: a request that is worth another try.
/// Threading: one thread.
/// Source: librdkafka's rdkafka.h and CONFIGURATION.md.
class KafkaSource final : public pipeline::RecordSource {
public:
    /// No network before start(). Errors: configuration.
    explicit KafkaSource(KafkaSettings settings);
    ~KafkaSource() override;

    void start() override;
    [[nodiscard]] const pipeline::SourceEvent& poll(std::chrono::milliseconds timeout) override;
    /// Of a partition that the group has taken back meanwhile: does nothing, as its `revoked`
    /// event is on the way.
    void assign(const TopicPartition& partition,
                Offset offset,
                pipeline::AssignmentTag tag) override;
    void unassign(const TopicPartition& partition) override;
    void pause() override;
    void resume() override;
    [[nodiscard]] bool is_assignment_lost() override;
    void acknowledge(const TopicPartition& partition, Offset next) override;
    [[nodiscard]] std::vector<std::string> topics() override;
    /// Errors: configuration: no such topic, policy `fail`, a group without a commit for a
    /// partition or with live members.
    [[nodiscard]] std::vector<pipeline::PartitionStart> start_offsets(
        const std::string& topic, const pipeline::StartPolicy& policy) override;
    /// Errors: connection: also a partition that no broker knows now, as that may pass; for good
    /// ones there is the event `topic_missing`.
    [[nodiscard]] pipeline::Watermarks watermarks(const TopicPartition& partition) override;
    /// Empty when no broker answered within the request timeout.
    [[nodiscard]] std::string cluster_id() override;
    /// Ends within close_timeout, and about a second for the mirror. Nothing may be called after.
    void close() noexcept override;

private:
    std::unique_ptr<Consumer> consumer_;
};

}  // namespace txsink::kafka
