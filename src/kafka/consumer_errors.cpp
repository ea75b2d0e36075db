#include "kafka/consumer_errors.hpp"

#include <fmt/format.h>

#include <array>

#include "txsink/core/topic_partition.hpp"

namespace txsink::kafka {

std::string text_of(const Client& client, const rd_kafka_message_t& message) {
    const char* text = rd_kafka_message_errstr(&message);
    return text == nullptr ? "" : client.redacted(text);
}

void ConsumerErrors::take(const rd_kafka_message_t& message) {
    const std::string reason = text_of(client_, message);
    // Codes below -1 are librdkafka's own: its reader's. Others are a broker's, and pass.
    if (message.rkt != nullptr && message.partition >= 0 && message.err < -1 &&
        !is_access_error(message.err)) {
        auto error = request_error(message.err,
                                   fmt::format("reading {}",
                                               record_name(rd_kafka_topic_name(message.rkt),
                                                           message.partition,
                                                           Offset{message.offset})),
                                   reason);
        error.kind = ErrorKind::internal;
        throw error;
    }
    take(message.err, reason);
}

void ConsumerErrors::take(rd_kafka_resp_err_t code, const std::string& reason) {
    if (code == RD_KAFKA_RESP_ERR__FATAL) {
        throw_fatal();
    }
    if (is_access_error(code)) {
        throw request_error(code, "reading from Kafka", client_.redacted(reason));
    }
    switch (code) {
        case RD_KAFKA_RESP_ERR__TRANSPORT:
        case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
        case RD_KAFKA_RESP_ERR__RESOLVE:
        case RD_KAFKA_RESP_ERR__TIMED_OUT:
            broker_log_.warn(fmt::format("kafka: {}", client_.redacted(reason)));
            return;
        case RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED:
            other_log_.warn(
                fmt::format("kafka: {}; its partitions go to others", client_.redacted(reason)));
            return;
        default:
            other_log_.warn(
                fmt::format("kafka: {}: {}", rd_kafka_err2name(code), client_.redacted(reason)));
    }
}

void ConsumerErrors::throw_fatal() const {
    std::array<char, 512> text{};
    const auto code = rd_kafka_fatal_error(client_.get(), text.data(), text.size());
    SinkError error{ErrorKind::internal,
                    fmt::format("the Kafka client cannot go on: {}", rd_kafka_err2str(code)),
                    client_.redacted(text.data())};
    if (code == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID) {
        error.kind = ErrorKind::fenced;
        error.hint = "another process uses the same instance name";
    }
    error.native_code = code;
    throw error;
}

}  // namespace txsink::kafka
