/// @file
/// Consumer: polling, the group's rebalances and what is fetched; the working part of KafkaSource.
#pragma once

#include <chrono>
#include <deque>
#include <exception>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kafka/client.hpp"
#include "kafka/consumer_errors.hpp"
#include "kafka/fetch_nudge.hpp"
#include "kafka/offset_mirror.hpp"
#include "txsink/kafka/kafka_settings.hpp"
#include "txsink/pipeline/record_source.hpp"

namespace txsink::kafka {

/// The methods are those of pipeline::RecordSource.
///
/// A pause is an unassign that remembers the position, and not librdkafka's pause: that one is a
/// flag and a position of librdkafka's own on each partition, which survive a re-assignment. So
/// there is one way to start fetching: incremental_assign at an absolute offset.
class Consumer {
public:
    explicit Consumer(KafkaSettings settings);
    ~Consumer() { close(); }
    Consumer(const Consumer&) = delete;
    Consumer& operator=(const Consumer&) = delete;

    void start();
    const pipeline::SourceEvent& poll(std::chrono::milliseconds timeout);
    void assign(const TopicPartition& partition, Offset offset, pipeline::AssignmentTag tag);
    void unassign(const TopicPartition& partition);
    void pause();
    void resume();
    bool is_assignment_lost();
    void acknowledge(const TopicPartition& partition, Offset next);
    void close() noexcept;

    [[nodiscard]] const KafkaSettings& settings() const noexcept { return settings_; }
    [[nodiscard]] const Client& client() const noexcept { return client_; }

private:
    /// A partition that the group has given, or a fixed one.
    struct Given {
        pipeline::AssignmentTag tag;
        /// Where fetching goes on after a pause: one past what was delivered last.
        Offset position{0};
        /// assign() was called, and neither unassign() nor a revoke since.
        bool is_assigned = false;
        /// librdkafka has it in its assignment: assigned, and not paused.
        bool is_fetching = false;
    };
    using GivenPartitions = std::unordered_map<TopicPartition, Given>;
    using Entry = GivenPartitions::value_type;

    Conf make_consumer_conf();
    [[nodiscard]] bool has_group() const noexcept { return settings_.assign.empty(); }

    static void on_rebalance(rd_kafka_t*,
                             rd_kafka_resp_err_t code,
                             rd_kafka_topic_partition_list_t* partitions,
                             void* opaque);
    static void on_error(rd_kafka_t*, int code, const char* reason, void* opaque);
    static void on_commit(rd_kafka_t*,
                          rd_kafka_resp_err_t code,
                          rd_kafka_topic_partition_list_t*,
                          void* opaque);
    void take_rebalance(rd_kafka_resp_err_t code,
                        const rd_kafka_topic_partition_list_t& partitions);
    void give(std::vector<TopicPartition> partitions);
    void revoke(std::vector<TopicPartition> partitions);
    void queue_event(pipeline::EventKind kind, std::vector<TopicPartition> partitions);

    bool take(const rd_kafka_message_t& message);
    void take_record(const rd_kafka_message_t& message, Entry& entry);
    void take_headers(const rd_kafka_message_t& message);
    void take_end(Offset offset, Given& given);
    bool take_out_of_range(const rd_kafka_message_t& message, Entry& entry);
    void take_missing_topic(const rd_kafka_message_t& message);
    const pipeline::SourceEvent& take_queued();
    Entry* find(const rd_kafka_message_t& message);

    void fetch(Entry& entry);
    void stop_fetching(std::span<Entry* const> entries);
    std::vector<Entry*> all();
    void leave();

    KafkaSettings settings_;
    std::exception_ptr failure_;  ///< of a callback, thrown by the poll that ran it
    std::deque<pipeline::SourceEvent> queued_;
    pipeline::SourceEvent event_;
    std::vector<RecordHeader> headers_;  ///< of event_.record
    GivenPartitions given_;
    bool is_paused_ = false;
    bool is_lost_ = false;
    bool is_closed_ = false;
    /// The fetched partition of the last message: neighbours are mostly of the same one.
    struct {
        const rd_kafka_topic_t* topic = nullptr;
        std::int32_t partition = 0;
        Entry* entry = nullptr;
    } last_;
    TopicPartition wanted_;  ///< reused by find()
    Client client_;
    OffsetMirror mirror_;
    ConsumerErrors errors_;
    FetchNudge nudge_;
    Message message_;  ///< what event_ borrows from; gone before client_
};

}  // namespace txsink::kafka
