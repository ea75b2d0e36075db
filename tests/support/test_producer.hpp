/// @file
/// TestProducer: writes records to a real or mock Kafka, also in transactions.
#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace txsink::test {

/// Name and value; a null value: nullopt.
using TestHeader = std::pair<std::string, std::optional<std::string>>;

/// Idempotent, so a lost reply doubles nothing. Each error throws std::runtime_error.
/// Threading: one thread.
class TestProducer {
public:
    /// With a transactional id: produce between begin() and commit() or abort().
    explicit TestProducer(const std::string& bootstrap, const std::string& transactional_id = {});
    ~TestProducer();
    TestProducer(const TestProducer&) = delete;
    TestProducer& operator=(const TestProducer&) = delete;

    /// Queues a record; in order within its partition. nullopt: Kafka's null. `timestamp_ms` 0:
    /// now. Blocks while the queue is full, so that millions can be produced in a row.
    void produce(const std::string& topic,
                 std::int32_t partition,
                 std::optional<std::string_view> key,
                 std::optional<std::string_view> value,
                 std::int64_t timestamp_ms = 0,
                 std::span<const TestHeader> headers = {});
    /// Waits until all is acknowledged by the broker.
    void flush();
    /// `count` records "0", "1", ... from `first` on with the key of the same text; flushed.
    void produce_numbers(const std::string& topic,
                         std::int32_t partition,
                         std::int64_t first,
                         std::int64_t count);

    void begin();
    /// Flushes and commits.
    void commit();
    void abort();

private:
    static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque);
    void check_deliveries() const;

    std::string failure_;
    rd_kafka_t* handle_;
};

}  // namespace txsink::test
