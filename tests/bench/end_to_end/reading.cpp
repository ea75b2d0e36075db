#include "reading.hpp"

#include <utility>

#include "txsink/config/load.hpp"

namespace txsink::bench {
namespace {

kafka::KafkaSettings with_fixed(kafka::KafkaSettings settings,
                                const std::vector<TopicPartition>& partitions) {
    settings.topics.clear();
    settings.assign = partitions;
    settings.instance_id.clear();
    return settings;
}

}  // namespace

config::Settings settings_of(const SinkOptions& options) {
    config::Sources sources;
    sources.command_line = options;
    return config::load(sources, {});
}

std::vector<TopicPartition> every(const std::string& topic, int count, int first, int step) {
    std::vector<TopicPartition> partitions;
    for (int partition = first; partition < count; partition += step) {
        partitions.push_back({topic, partition});
    }
    return partitions;
}

TopicReader::TopicReader(kafka::KafkaSettings settings,
                         const std::vector<TopicPartition>& partitions)
    : partitions_{partitions.size()}, source_{with_fixed(std::move(settings), partitions)} {}

void TopicReader::begin() {
    source_.start();
    for (std::size_t given = 0; given < partitions_;) {
        const auto& event = source_.poll(kLongestWait);
        if (event.kind != pipeline::EventKind::assigned) {
            refuse(event);
        }
        const auto partitions = event.partitions;
        for (const auto& partition : partitions) {
            source_.assign(partition, Offset{0}, {static_cast<std::uint32_t>(given++), 1});
        }
    }
}

void TopicReader::refuse(const pipeline::SourceEvent& event) {
    throw SinkError{ErrorKind::unavailable,
                    event.kind == pipeline::EventKind::none
                        ? "reading the topic: nothing came for 30 s"
                        : "reading the topic: " + event.message};
}

}  // namespace txsink::bench
