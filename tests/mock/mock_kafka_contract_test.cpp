// Facts of librdkafka that the code rests on. When an upgrade turns one of these red, the place
// that relies on it (named in the test) has to be thought through again.
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <chrono>
#include <utility>

#include "kafka/client.hpp"
#include "support/await_quiet.hpp"
#include "support/mock_cluster.hpp"
#include "support/test_producer.hpp"
#include "support/test_topics.hpp"

namespace txsink::kafka {
namespace {

using std::chrono::steady_clock;

class MockKafkaContract : public ::testing::Test {
protected:
    MockKafkaContract() { cluster.create_topic("t", 2); }

    KafkaSettings settings() const {
        KafkaSettings result;
        result.properties = {{"bootstrap.servers", cluster.address()},
                             {"group.id", "g"},
                             {"session.timeout.ms", "3500"},
                             {"heartbeat.interval.ms", "100"}};
        return result;
    }
    Client connect() const { return Client{settings()}; }
    static Partitions at(std::int32_t partition, std::int64_t offset) {
        auto list = make_partitions(1);
        rd_kafka_topic_partition_list_add(list.get(), "t", partition)->offset = offset;
        return list;
    }
    static rd_kafka_resp_err_t code_of(rd_kafka_error_t* raw) {
        const Error error{raw};
        return error == nullptr ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error.get());
    }
    static void assign(const Client& client, std::int64_t offset) {
        EXPECT_EQ(code_of(rd_kafka_incremental_assign(client.get(), at(0, offset).get())),
                  RD_KAFKA_RESP_ERR_NO_ERROR);
    }
    static void unassign(const Client& client) {
        EXPECT_EQ(code_of(rd_kafka_incremental_unassign(client.get(), at(0, 0).get())),
                  RD_KAFKA_RESP_ERR_NO_ERROR);
    }
    /// The next message, whatever it says.
    static Message next(const Client& client) {
        Message message;
        const auto deadline = steady_clock::now() + std::chrono::seconds{15};
        while (message == nullptr && steady_clock::now() < deadline) {
            message.reset(rd_kafka_consumer_poll(client.get(), 50));
        }
        return message;
    }

    test::MockCluster cluster;
};

// Consumer::start() with fixed partitions, KafkaAdmin::connect().
TEST_F(MockKafkaContract, AssignsIncrementallyWithoutAGroup) {
    test::TestProducer{cluster.address()}.produce_numbers("t", 0, 0, 5);
    const Client client = connect();
    rd_kafka_poll_set_consumer(client.get());
    assign(client, 3);
    const auto message = next(client);
    ASSERT_NE(message, nullptr);
    EXPECT_EQ(message->offset, 3);
}

// stack.md 2: the offset of the list is what counts, not what the group has committed.
TEST_F(MockKafkaContract, AbsoluteOffsetWinsOverTheCommittedOne) {
    test::TestProducer{cluster.address()}.produce_numbers("t", 0, 0, 100);
    test::commit_group_offset(cluster.address(), "g", "t", 0, 50);
    const Client client = connect();
    rd_kafka_poll_set_consumer(client.get());
    assign(client, 80);
    const auto message = next(client);
    ASSERT_NE(message, nullptr);
    EXPECT_EQ(message->offset, 80);
}

// Consumer::take_end().
TEST_F(MockKafkaContract, EndOfPartitionCarriesTheNextOffset) {
    test::TestProducer{cluster.address()}.produce_numbers("t", 0, 0, 5);
    const Client client = connect();
    rd_kafka_poll_set_consumer(client.get());
    assign(client, 5);
    const auto message = next(client);
    ASSERT_NE(message, nullptr);
    EXPECT_EQ(message->err, RD_KAFKA_RESP_ERR__PARTITION_EOF);
    EXPECT_EQ(message->offset, 5);
}

// Consumer::take_out_of_range() compares the message's offset with the position. stack.md 3.
TEST_F(MockKafkaContract, OutOfRangeIsAnErrorThatCarriesTheOffsetAskedFor) {
    test::TestProducer{cluster.address()}.produce_numbers("t", 0, 0, 5);
    const Client client = connect();
    rd_kafka_poll_set_consumer(client.get());
    assign(client, 77);
    const auto message = next(client);
    ASSERT_NE(message, nullptr);
    EXPECT_EQ(message->err, RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET);
    EXPECT_EQ(message->offset, 77);
    EXPECT_STREQ(rd_kafka_topic_name(message->rkt), "t");
    EXPECT_EQ(message->partition, 0);
}

// The same place: such an error outlives the assignment that it is about.
TEST_F(MockKafkaContract, OutOfRangeOfAnEarlierAssignmentIsDeliveredLater) {
    test::TestProducer{cluster.address()}.produce_numbers("t", 0, 0, 5);
    const Client client = connect();
    rd_kafka_poll_set_consumer(client.get());
    assign(client, 5);
    ASSERT_NE(next(client), nullptr);  // the end
    unassign(client);
    assign(client, 77);
    test::await_quiet(client.get(), "t");
    unassign(client);
    assign(client, 2);
    const auto first = next(client);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->err, RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET);
    EXPECT_EQ(first->offset, 77);
    const auto second = next(client);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(second->offset, 2);
}

// Consumer::revoke(): what a revoke of never assigned partitions has to say. stack.md 6.
TEST_F(MockKafkaContract, UnassigningNothingWorksAndNamingTheUnassignedDoesNot) {
    const Client client = connect();
    const auto none = make_partitions(0);
    EXPECT_EQ(code_of(rd_kafka_incremental_unassign(client.get(), none.get())),
              RD_KAFKA_RESP_ERR_NO_ERROR);
    EXPECT_EQ(code_of(rd_kafka_incremental_unassign(client.get(), at(0, 0).get())),
              RD_KAFKA_RESP_ERR__INVALID_ARG);
}

// Consumer::assign() unassigns first.
TEST_F(MockKafkaContract, AssigningTwiceIsAConflict) {
    const Client client = connect();
    EXPECT_EQ(code_of(rd_kafka_incremental_assign(client.get(), at(0, 0).get())),
              RD_KAFKA_RESP_ERR_NO_ERROR);
    EXPECT_EQ(code_of(rd_kafka_incremental_assign(client.get(), at(0, 3).get())),
              RD_KAFKA_RESP_ERR__CONFLICT);
}

// list_offsets(): timestamps -2 and -1 are log start and end, for all partitions in one call.
TEST_F(MockKafkaContract, OffsetsForTimesTakesTheProtocolsSpecialTimestamps) {
    test::TestProducer{cluster.address()}.produce_numbers("t", 1, 0, 9);
    const Client client = connect();
    for (const auto& [timestamp, want] :
         {std::pair{RD_KAFKA_OFFSET_BEGINNING, 0}, std::pair{RD_KAFKA_OFFSET_END, 9}}) {
        const auto list = make_partitions(2);
        rd_kafka_topic_partition_list_add(list.get(), "t", 1)->offset = timestamp;
        rd_kafka_topic_partition_list_add(list.get(), "t", 0)->offset = timestamp;
        ASSERT_EQ(rd_kafka_offsets_for_times(client.get(), list.get(), 10'000),
                  RD_KAFKA_RESP_ERR_NO_ERROR);
        EXPECT_EQ(list->elems[0].partition, 1);  // in the order asked
        EXPECT_EQ(list->elems[0].offset, want);
        EXPECT_EQ(list->elems[1].offset, 0);
    }
}

// Consumer::poll() returns right after a rebalance, before the next record.
TEST_F(MockKafkaContract, YieldInACallbackEndsThePoll) {
    struct Seen {
        int callbacks = 0;
    } seen;
    auto conf = make_conf(settings());
    rd_kafka_conf_set_rebalance_cb(
        conf.get(),
        [](rd_kafka_t* handle,
           rd_kafka_resp_err_t code,
           rd_kafka_topic_partition_list_t* partitions,
           void* opaque) {
            ++static_cast<Seen*>(Client::owner_of(opaque))->callbacks;
            const Error ignored{code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS
                                    ? rd_kafka_incremental_assign(handle, partitions)
                                    : rd_kafka_incremental_unassign(handle, partitions)};
            rd_kafka_yield(handle);
        });
    const Client client{settings(), std::move(conf), &seen};
    rd_kafka_poll_set_consumer(client.get());
    const auto topics = at(RD_KAFKA_PARTITION_UA, 0);
    rd_kafka_subscribe(client.get(), topics.get());
    const auto began = steady_clock::now();
    const Message message{rd_kafka_consumer_poll(client.get(), 20'000)};
    EXPECT_EQ(message, nullptr);
    EXPECT_EQ(seen.callbacks, 1);
    EXPECT_LT(steady_clock::now() - began, std::chrono::seconds{19});
    rd_kafka_consumer_close(client.get());
}

}  // namespace
}  // namespace txsink::kafka
