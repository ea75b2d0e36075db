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
milliseconds refill_time(const Client& client, FetchNudge* nudge) {
    test::await_quiet(client.get(), "t");
    const Queue queue{rd_kafka_queue_get_consumer(client.get())};
    const std::size_t full = rd_kafka_queue_length(queue.get());
    EXPECT_GT(full, 900U);
    for (int i = 0; i < 520; ++i) {
        const Message message{rd_kafka_consumer_poll(client.get(), 5'000)};
        if (message != nullptr && message->err == RD_KAFKA_RESP_ERR_NO_ERROR && nudge != nullptr) {
            nudge->after(*message);
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
    const auto begin = [](const Client& client) {
        const auto list = make_partitions(1);
        rd_kafka_topic_partition_list_add(list.get(), "t", 0)->offset = 0;
        rd_kafka_poll_set_consumer(client.get());
        const Error error{rd_kafka_incremental_assign(client.get(), list.get())};
        EXPECT_EQ(error, nullptr);
        const Message first{rd_kafka_consumer_poll(client.get(), 15'000)};
        EXPECT_NE(first, nullptr);
    };
    {
        const Client client{settings};
        begin(client);
        FetchNudge nudge{client};
        EXPECT_LT(refill_time(client, &nudge), milliseconds{300});
    }
#if RD_KAFKA_VERSION < 0x020200ff
    // What it is for; with this gone it can go too.
    const Client client{settings};
    begin(client);
    EXPECT_GT(refill_time(client, nullptr), milliseconds{400});
#endif
}

}  // namespace
}  // namespace txsink::kafka
