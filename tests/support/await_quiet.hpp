/// @file
/// await_quiet: waits until librdkafka has fetched what there is, while nobody polls.
#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace txsink::test {

/// Returns once nothing has been added to the consumer's queue for several fetches (700 ms).
/// Precondition: the consumer has been fetching before, so that its connections are up.
inline void await_quiet(rd_kafka_t* handle, const char* topic) {
    using std::chrono::steady_clock;
    rd_kafka_queue_t* queue = rd_kafka_queue_get_consumer(handle);
    std::size_t length = 0;
    auto since = steady_clock::now();
    while (steady_clock::now() - since < std::chrono::milliseconds{700}) {
        if (const auto now = rd_kafka_queue_length(queue); now != length) {
            length = now;
            since = steady_clock::now();
        }
        std::int64_t low = 0;
        std::int64_t high = 0;  // a round trip, as something to wait for
        rd_kafka_query_watermark_offsets(handle, topic, 0, &low, &high, 1'000);
    }
    rd_kafka_queue_destroy(queue);
}

}  // namespace txsink::test
