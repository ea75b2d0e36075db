#include "txsink/kafka/dead_letter_producer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kafka/client.hpp"
#include "kafka/letter_headers.hpp"
#include "support/mock_cluster.hpp"
#include "support/source_probe.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/kafka_source.hpp"
#include "txsink/kafka/property_names.hpp"

namespace txsink::kafka {
namespace {

using std::chrono::milliseconds;
using Headers = std::vector<std::pair<std::string, std::optional<std::string>>>;

TEST(LetterHeaders, AreThoseOfTheRecord) {
    const std::vector<RecordHeader> own{
        {"trace \"1\"\n", "abc"}, {"x", std::string_view{"\0\xff\x10", 3}}, {"x", ""}, {"n", {}}};
    ConsumerRecord record;
    record.headers = own;
    const auto letter = batch::make_dead_letter(record, {}, {});
    const auto read = letter_headers(letter.headers);
    ASSERT_EQ(read.size(), own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
        EXPECT_EQ(read[i].name, own[i].name);
        EXPECT_EQ(read[i].value.has_value(), own[i].value.has_value());
        EXPECT_EQ(read[i].value.value_or(""), own[i].value.value_or(""));
    }
    EXPECT_TRUE(letter_headers("").empty());
}

TEST(LetterHeaders, OtherTextIsRefused) {
    for (const char* text :
         {"x", "{}", "[1]", R"([{"name":"a"}])", R"([{"name":"a","value":"!"}])"}) {
        EXPECT_THROW(static_cast<void>(letter_headers(text)), SinkError) << text;
    }
}

TEST(ProducerProperties, AreTheUsersButForWhatOnlyAConsumerHas) {
    const auto of_consumers = consumer_property_names();
    EXPECT_TRUE(std::binary_search(of_consumers.begin(), of_consumers.end(), "group.id"));
    EXPECT_FALSE(std::binary_search(of_consumers.begin(), of_consumers.end(), "sasl.username"));
    EXPECT_FALSE(std::binary_search(of_consumers.begin(), of_consumers.end(), "acks"));
    KafkaSettings settings;
    settings.properties = {{"group.id", "mine"},
                           {"client.id", "me"},
                           {"sasl.username", "user"},
                           {"acks", "0"},
                           {"enable.idempotence", "false"}};
    settings.request_timeout = milliseconds{4'000};
    const auto conf = make_producer_conf(settings);
    const auto value_of = [&](const char* name) {
        char text[64] = "";
        std::size_t size = sizeof text;
        return rd_kafka_conf_get(conf.get(), name, text, &size) == RD_KAFKA_CONF_OK
                   ? std::string{text}
                   : "(none)";
    };
    EXPECT_EQ(value_of("client.id"), "me");
    EXPECT_EQ(value_of("sasl.username"), "user");
    EXPECT_NE(value_of("group.id"), "mine");
    EXPECT_EQ(value_of("acks"), "-1");
    EXPECT_EQ(value_of("enable.idempotence"), "true");
    EXPECT_EQ(value_of("message.timeout.ms"), "4000");
}

class DeadLetterProducerOnMock : public ::testing::Test {
protected:
    DeadLetterProducerOnMock() { cluster.create_topic("dlq", 1); }

    [[nodiscard]] KafkaSettings settings() const {
        KafkaSettings result;
        result.properties = {{"bootstrap.servers", cluster.address()}, {"group.id", "g"}};
        result.request_timeout = milliseconds{1'500};
        return result;
    }
    static batch::DeadLetter letter(std::int64_t offset) {
        batch::DeadLetter made;
        made.offset = Offset{offset};
        made.value = "value " + std::to_string(offset);
        made.timestamp_ms = 1'000 + offset;
        made.error = {RecordErrorCode::out_of_range, "total", "column \"total\": too large"};
        made.target = "shop.orders";
        return made;
    }
    [[nodiscard]] std::vector<test::CopiedRecord> read(std::size_t count) const {
        auto reader = settings();
        reader.assign = {{"dlq", 0}};
        KafkaSource source{reader};
        test::SourceProbe probe{source};
        probe.keeps_records = true;
        source.start();
        EXPECT_TRUE(probe.until([&] { return probe.records.size() >= count; }));
        return probe.records;
    }
    [[nodiscard]] static ErrorKind kind_of(DeadLetterProducer& producer,
                                           const std::vector<batch::DeadLetter>& letters) {
        try {
            producer.produce({"orders", 3}, letters);
        } catch (const SinkError& error) {
            EXPECT_NE(std::string{error.what()}.find("copying dead letters to topic "),
                      std::string::npos);
            return error.kind;
        }
        ADD_FAILURE() << "no error";
        return ErrorKind::internal;
    }

    test::MockCluster cluster;
};

TEST_F(DeadLetterProducerOnMock, KeepsTheRecordAndSaysWhereAndWhy) {
    DeadLetterProducer producer{settings(), "dlq"};
    std::vector<batch::DeadLetter> letters{letter(7), letter(8)};
    letters[0].key = std::string{"k\0y", 3};
    letters[0].headers = R"([{"name":"trace","value":"AP8="},{"name":"none","value":null}])";
    letters[1].value.reset();
    producer.produce({"orders", 3}, letters);
    const auto records = read(2);
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].key, (std::string{"k\0y", 3}));
    EXPECT_EQ(records[0].value, "value 7");
    EXPECT_EQ(records[0].timestamp_ms, 1'007);
    EXPECT_EQ(records[0].headers,
              (Headers{{"txsink-topic", "orders"},
                       {"txsink-partition", "3"},
                       {"txsink-offset", "7"},
                       {"txsink-code", "out-of-range"},
                       {"txsink-error", "column \"total\": too large"},
                       {"txsink-target", "shop.orders"},
                       {"trace", std::string{"\0\xff", 2}},
                       {"none", std::nullopt}}));
    EXPECT_EQ(records[1].key, std::nullopt);
    EXPECT_EQ(records[1].value, std::nullopt);
    EXPECT_EQ(records[1].headers[2].second, "8");
    EXPECT_EQ(records[1].headers.size(), 6U);
}

/// More than the queue holds.
TEST_F(DeadLetterProducerOnMock, ManyGoThroughABoundedQueue) {
    auto small = settings();
    small.properties["queue.buffering.max.messages"] = "10";
    DeadLetterProducer producer{small, "dlq"};
    std::vector<batch::DeadLetter> letters;
    for (std::int64_t i = 0; i < 200; ++i) {
        letters.push_back(letter(i));
    }
    producer.produce({"orders", 3}, letters);
    const auto records = read(200);
    ASSERT_EQ(records.size(), 200U);
    for (std::size_t i = 0; i < 200; ++i) {
        EXPECT_EQ(records[i].value, "value " + std::to_string(i));
    }
}

TEST_F(DeadLetterProducerOnMock, WithoutABrokerItIsWorthAnotherTry) {
    DeadLetterProducer producer{settings(), "dlq"};
    producer.produce({"orders", 3}, std::vector{letter(0)});
    cluster.set_down();
    EXPECT_EQ(kind_of(producer, {letter(1)}), ErrorKind::connection);
    cluster.set_up();
    producer.produce({"orders", 3}, std::vector{letter(1)});
    const auto records = read(2);
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[1].value, "value 1");
}

TEST_F(DeadLetterProducerOnMock, ATopicThatIsGoneIsToldAsSuch) {
    cluster.set_topic_error("gone", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    auto quick = settings();
    quick.properties["topic.metadata.propagation.max.ms"] = "200";
    DeadLetterProducer producer{quick, "gone"};
    EXPECT_EQ(kind_of(producer, {letter(1)}), ErrorKind::configuration);
}

TEST_F(DeadLetterProducerOnMock, ARecordThatTheTopicRefusesIsToldAsSuch) {
    constexpr std::int16_t kProduce = 0;
    DeadLetterProducer producer{settings(), "dlq"};
    cluster.push_errors(kProduce, {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE});
    EXPECT_EQ(kind_of(producer, {letter(1)}), ErrorKind::configuration);
    cluster.push_errors(kProduce, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
    EXPECT_EQ(kind_of(producer, {letter(1)}), ErrorKind::access_denied);
    producer.produce({"orders", 3}, std::vector{letter(1)});
    EXPECT_EQ(read(1).front().value, "value 1");
}

}  // namespace
}  // namespace txsink::kafka
