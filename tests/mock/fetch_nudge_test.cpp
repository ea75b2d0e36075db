/// @file
/// A queue that is being emptied is refilled long before librdkafka's second is over.
#include "kafka/fetch_nudge.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "kafka/client.hpp"
#include "support/await_quiet.hpp"
#include "support/mock_cluster.hpp"
#include "support/test_producer.hpp"

namespace txsink::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// How long after half of a full queue was taken it takes until there is more in it again.
milliseconds refill_time(const Client& client, FetchNudge& nudge) {
    test::await_quiet(client.get(), "t");
    const Queue queue{rd_kafka_queue_get_consumer(client.get())};
    const std::size_t full = rd_kafka_queue_length(queue.get());
    EXPECT_GT(full, 900U);
    for (int i = 0; i < 520; ++i) {
        const Message message{rd_kafka_consumer_poll(client.get(), 5'000)};
        if (message != nullptr && message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            nudge.after(*message);
        }
    }
    const auto begun = steady_clock::now();
    const std::size_t left = full - 520;
    while (rd_kafka_queue_length(queue.get()) <= left &&
           steady_clock::now() - begun < std::chrono::seconds{5}) {
    }
    return std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun);
}

TEST(FetchNudge, RefillsAQueueBeforeItIsEmpty) {
    test::MockCluster cluster;
    cluster.create_topic("t", 1);
    {
        test::TestProducer producer{cluster.address()};
        const std::string value(2'048, 'x');
        for (int i = 0; i < 2'200; ++i) {
            producer.produce("t", 0, std::nullopt, value);
        }
        producer.flush();
    }
    KafkaSettings settings;
    settings.properties = {{"bootstrap.servers", cluster.address()},
                           {"group.id", "g"},
                           {"message.max.bytes", "100000"},
                           {"fetch.max.bytes", "262144"},
                           {"fetch.message.max.bytes", "262144"},
                           {"queued.max.messages.kbytes", "2048"}};
    const Client client{settings};
    const auto list = make_partitions(1);
    rd_kafka_topic_partition_list_add(list.get(), "t", 0)->offset = 0;
    rd_kafka_poll_set_consumer(client.get());
    const Error error{rd_kafka_incremental_assign(client.get(), list.get())};
    ASSERT_EQ(error, nullptr);
    const Message first{rd_kafka_consumer_poll(client.get(), 15'000)};
    ASSERT_NE(first, nullptr);
    FetchNudge nudge{client};
    // Without it this takes most of a second, unless something else happens to wake the thread.
    EXPECT_LT(refill_time(client, nudge), milliseconds{400});
}

}  // namespace
}  // namespace txsink::kafka
