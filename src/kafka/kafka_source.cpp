#include "txsink/kafka/kafka_source.hpp"

#include <span>
#include <utility>

#include "kafka/consumer.hpp"
#include "kafka/offsets.hpp"

namespace txsink::kafka {

KafkaSource::KafkaSource(KafkaSettings settings)
    : consumer_{std::make_unique<Consumer>(std::move(settings))} {}

KafkaSource::~KafkaSource() = default;

void KafkaSource::start() {
    consumer_->start();
}

const pipeline::SourceEvent& KafkaSource::poll(std::chrono::milliseconds timeout) {
    return consumer_->poll(timeout);
}

void KafkaSource::assign(const TopicPartition& partition,
                         Offset offset,
                         pipeline::AssignmentTag tag) {
    consumer_->assign(partition, offset, tag);
}

void KafkaSource::unassign(const TopicPartition& partition) {
    consumer_->unassign(partition);
}

void KafkaSource::pause() {
    consumer_->pause();
}

void KafkaSource::resume() {
    consumer_->resume();
}

bool KafkaSource::is_assignment_lost() {
    return consumer_->is_assignment_lost();
}

void KafkaSource::acknowledge(const TopicPartition& partition, Offset next) {
    consumer_->acknowledge(partition, next);
}

std::vector<std::string> KafkaSource::topics() {
    const auto& settings = consumer_->settings();
    return find_topics(consumer_->client(), wanted_topics(settings), settings.request_timeout)
        .present;
}

std::vector<pipeline::PartitionStart> KafkaSource::start_offsets(
    const std::string& topic, const pipeline::StartPolicy& policy) {
    return kafka::start_offsets(consumer_->client(), consumer_->settings(), topic, policy);
}

pipeline::Watermarks KafkaSource::watermarks(const TopicPartition& partition) {
    const auto timeout = consumer_->settings().request_timeout;
    const std::span one{&partition, 1};
    try {
        return {list_offsets(consumer_->client(), one, kLogStart, timeout).front(),
                list_offsets(consumer_->client(), one, kLogEnd, timeout).front()};
    } catch (SinkError& error) {
        // Brokers say so for a moment after a restart or an election; poll() tells of a topic that
        // is really gone.
        if (error.kind == ErrorKind::configuration) {
            error.kind = ErrorKind::connection;
        }
        throw;
    }
}

std::string KafkaSource::cluster_id() {
    const auto& settings = consumer_->settings();
    // Joining a group connects and finds the leaders. Without one librdkafka gets to either at its
    // next round, once a second, unless it is asked something.
    if (!settings.assign.empty()) {
        try {
            static_cast<void>(topics());
        } catch (const SinkError& error) {
            if (error.kind == ErrorKind::connection) {
                return {};
            }
            throw;
        }
    }
    return kafka::cluster_id(consumer_->client(), settings.request_timeout);
}

void KafkaSource::close() noexcept {
    consumer_->close();
}

}  // namespace txsink::kafka
