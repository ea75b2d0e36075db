#include <gtest/gtest.h>

#include <string>

#include "kafka/client.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/kafka_settings.hpp"

namespace txsink::kafka {
namespace {

std::string read_back(const Properties& properties, const char* key) {
    KafkaSettings settings;
    settings.properties = properties;
    const Conf conf = make_conf(settings);
    char value[1024] = "";
    std::size_t size = sizeof value;
    EXPECT_EQ(rd_kafka_conf_get(conf.get(), key, value, &size), RD_KAFKA_CONF_OK) << key;
    return value;
}

SinkError refusal_of(const Properties& properties) {
    try {
        check_properties(properties);
    } catch (const SinkError& error) {
        return error;
    }
    return SinkError{ErrorKind::internal, "nothing was refused"};
}

TEST(KafkaProperties, WhatExactlyOnceNeedsIsSet) {
    EXPECT_EQ(read_back({}, "enable.auto.commit"), "false");
    EXPECT_EQ(read_back({}, "enable.auto.offset.store"), "false");
    EXPECT_EQ(read_back({}, "enable.partition.eof"), "true");
    EXPECT_EQ(read_back({}, "auto.offset.reset"), "error");
    EXPECT_EQ(read_back({}, "partition.assignment.strategy"), "cooperative-sticky");
    EXPECT_EQ(read_back({}, "allow.auto.create.topics"), "false");
}

TEST(KafkaProperties, DefaultsAreOurs) {
    EXPECT_EQ(read_back({}, "isolation.level"), "read_committed");
    EXPECT_EQ(read_back({}, "session.timeout.ms"), "10000");
    EXPECT_EQ(read_back({}, "heartbeat.interval.ms"), "500");
    EXPECT_EQ(read_back({}, "topic.metadata.refresh.interval.ms"), "30000");
    EXPECT_EQ(read_back({}, "queued.max.messages.kbytes"), "4096");
    EXPECT_EQ(read_back({}, "check.crcs"), "true");
}

TEST(KafkaProperties, TheUsersValueWinsOverADefault) {
    EXPECT_EQ(read_back({{"isolation.level", "read_uncommitted"}}, "isolation.level"),
              "read_uncommitted");
    // By its other name too.
    EXPECT_EQ(read_back({{"max.partition.fetch.bytes", "4096"}}, "fetch.message.max.bytes"),
              "4096");
}

TEST(KafkaProperties, AnInstanceNameMakesAStaticMember) {
    KafkaSettings settings;
    settings.instance_id = "a-0";
    const Conf conf = make_conf(settings);
    char value[64] = "";
    std::size_t size = sizeof value;
    ASSERT_EQ(rd_kafka_conf_get(conf.get(), "group.instance.id", value, &size), RD_KAFKA_CONF_OK);
    EXPECT_STREQ(value, "a-0");
}

TEST(KafkaProperties, WhatExactlyOnceNeedsCannotBeOverridden) {
    const Properties overrides{{"enable.auto.commit", "true"},
                               {"enable.auto.offset.store", "true"},
                               {"enable.partition.eof", "false"},
                               {"auto.offset.reset", "earliest"},
                               {"partition.assignment.strategy", "range"},
                               {"allow.auto.create.topics", "true"},
                               {"group.instance.id", "me"}};
    for (const auto& [key, value] : overrides) {
        try {
            check_overrides({{key, value}});
            ADD_FAILURE() << key << " was let through";
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, ErrorKind::configuration);
            EXPECT_NE(std::string{error.what()}.find("kafka." + key), std::string::npos);
            EXPECT_FALSE(error.detail.empty());
        }
    }
}

TEST(KafkaProperties, TheSameValueIsNoOverride) {
    EXPECT_NO_THROW(check_overrides({{"enable.auto.commit", "false"}}));
}

TEST(KafkaProperties, AnUnknownNameIsRefusedInLibrdkafkasWords) {
    const SinkError error = refusal_of({{"bootstrap.server", "x"}});
    EXPECT_EQ(error.kind, ErrorKind::configuration);
    EXPECT_STREQ(error.what(), "option kafka.bootstrap.server is refused");
    EXPECT_EQ(error.detail, "No such configuration property: \"bootstrap.server\"");
}

TEST(KafkaProperties, AValueOutOfRangeIsRefusedInLibrdkafkasWords) {
    const SinkError error = refusal_of({{"session.timeout.ms", "0"}});
    EXPECT_STREQ(error.what(), "option kafka.session.timeout.ms is refused");
    EXPECT_NE(error.detail.find("outside allowed range"), std::string::npos);
}

TEST(KafkaProperties, AnEmptyGroupIsRefused) {
    const SinkError error = refusal_of({{"group.id", ""}});
    EXPECT_EQ(error.kind, ErrorKind::configuration);
    EXPECT_STREQ(error.what(), "option kafka.group.id is empty");
}

TEST(KafkaProperties, SecretsAreNotShown) {
    const Properties properties{{"sasl.password", "hunter2"}, {"ssl.key.password", "swordfish"}};
    EXPECT_EQ(redact("got hunter2 and swordfish, hunter2", secrets_of(properties)),
              "got *** and ***, ***");
}

}  // namespace
}  // namespace txsink::kafka
