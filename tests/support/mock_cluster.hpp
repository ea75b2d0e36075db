/// @file
/// MockCluster: librdkafka's in-process Kafka, with the faults that it can inject.
#pragma once

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <cstdint>
#include <string>
#include <vector>

namespace txsink::test {

/// Up in a few milliseconds, gone with the object. Consumers in it become members of a group
/// after 3 s at the earliest, as in a broker with its default settings.
/// Threading: any.
class MockCluster {
public:
    explicit MockCluster(int brokers = 1);
    ~MockCluster();
    MockCluster(const MockCluster&) = delete;
    MockCluster& operator=(const MockCluster&) = delete;

    /// bootstrap.servers
    [[nodiscard]] std::string address() const;
    void create_topic(const std::string& topic, int partitions);
    /// All brokers drop their connections and take no new ones, and the reverse.
    void set_down();
    void set_up();
    /// The next requests of this kind (its number in the protocol) fail with these codes.
    void push_errors(std::int16_t api_key, const std::vector<rd_kafka_resp_err_t>& codes);
    /// Metadata names the topic with this error from now on.
    void set_topic_error(const std::string& topic, rd_kafka_resp_err_t code);

private:
    rd_kafka_t* handle_;
    rd_kafka_mock_cluster_t* cluster_;
};

}  // namespace txsink::test
