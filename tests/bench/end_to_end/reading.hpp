/// @file
/// Reads a topic to its end the way that txsink does, and the settings that all parts share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "txsink/config/settings.hpp"
#include "txsink/core/consumer_record.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/kafka_source.hpp"
#include "workload.hpp"

namespace txsink::bench {

/// What `txsink run` would make of these options, without its environment and files.
[[nodiscard]] config::Settings settings_of(const SinkOptions& options);

/// Partitions first, first + step, ... below `count`.
[[nodiscard]] std::vector<TopicPartition> every(const std::string& topic,
                                                int count,
                                                int first = 0,
                                                int step = 1);

/// A consumer with fixed partitions, each read from its beginning.
/// Errors: SinkError. Threading: one thread.
class TopicReader {
public:
    TopicReader(kafka::KafkaSettings settings, const std::vector<TopicPartition>& partitions);
    ~TopicReader() { source_.close(); }
    TopicReader(const TopicReader&) = delete;
    TopicReader& operator=(const TopicReader&) = delete;

    /// Visits every record in the order in which they come, until each partition has reached its
    /// end. Returns how many.
    template <typename Visitor>
    std::uint64_t read(Visitor&& visit) {
        begin();
        std::uint64_t records = 0;
        for (auto left = partitions_; left > 0;) {
            const auto& event = source_.poll(kLongestWait);
            if (event.kind == pipeline::EventKind::record) {
                visit(event.record);
                ++records;
            } else if (event.kind == pipeline::EventKind::end_of_partition) {
                --left;
            } else {
                refuse(event);
            }
        }
        return records;
    }

private:
    static constexpr std::chrono::milliseconds kLongestWait{30'000};

    void begin();
    static void refuse(const pipeline::SourceEvent& event);

    std::size_t partitions_;
    kafka::KafkaSource source_;
};

}  // namespace txsink::bench
