/// @file
/// Writes records to a topic: as fast as the broker takes them, or at a steady pace.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "records.hpp"

namespace txsink::bench {

/// Where librdkafka puts a record by its key, as Java's producers do.
inline constexpr std::int32_t kByKey = -1;

/// A producer of one topic; idempotent, so that a lost reply doubles nothing.
/// Errors: std::runtime_error. Threading: one thread.
class Loader {
public:
    /// `linger_ms`: how long it waits for a batch to fill.
    Loader(const std::string& bootstrap, const std::string& topic, int linger_ms);
    ~Loader();
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    /// Queues a record; waits while the queue is full.
    void produce(const MadeRecord& record, std::int32_t partition = kByKey);
    /// Waits until the broker has all that was queued.
    void flush();

private:
    static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque);

    std::string failure_;
    rd_kafka_t* handle_ = nullptr;
    rd_kafka_topic_t* topic_ = nullptr;
};

/// Fills `topic` with the records of `plan`. Returns the bytes of their values.
std::uint64_t load_topic(const std::string& bootstrap,
                         const std::string& topic,
                         RecordMaker& maker,
                         std::uint64_t records);

}  // namespace txsink::bench
