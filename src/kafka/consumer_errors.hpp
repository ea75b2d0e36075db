/// @file
/// ConsumerErrors: what librdkafka's errors mean for a consumer: log and go on, or stop.
#pragma once

#include <string>

#include "kafka/client.hpp"
#include "kafka/log_limit.hpp"

namespace txsink::kafka {

/// Threading: that of the consumer.
class ConsumerErrors {
public:
    explicit ConsumerErrors(const Client& client) : client_{client} {}

    /// An error that is not about one partition's log. Brokers that are away are logged only, as
    /// librdkafka connects again for ever; so are errors of a broker, as it asks again.
    /// Errors: access_denied; fenced: another process has the instance name; internal: fatal.
    void take(rd_kafka_resp_err_t code, const std::string& reason);

    /// An error message of a partition: stops where librdkafka met something on its way through
    /// the log (a bad checksum, an unknown compression) and would go on behind it.
    void take(const rd_kafka_message_t& message);

private:
    [[noreturn]] void throw_fatal() const;

    const Client& client_;
    LogLimit broker_log_;
    LogLimit other_log_;
};

/// librdkafka's words for an error message, without secrets.
[[nodiscard]] std::string text_of(const Client& client, const rd_kafka_message_t& message);

}  // namespace txsink::kafka
