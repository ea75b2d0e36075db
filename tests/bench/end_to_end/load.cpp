#include "load.hpp"

#include <stdexcept>

namespace txsink::bench {
namespace {

constexpr int kTimeoutMs = 60'000;

void set(rd_kafka_conf_t* conf, const char* key, const std::string& value) {
    char text[256] = "";
    if (rd_kafka_conf_set(conf, key, value.c_str(), text, sizeof text) != RD_KAFKA_CONF_OK) {
        throw std::runtime_error{text};
    }
}

}  // namespace

Loader::Loader(const std::string& bootstrap, const std::string& topic, int linger_ms) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", bootstrap);
    set(conf, "enable.idempotence", "true");
    set(conf, "linger.ms", std::to_string(linger_ms));
    set(conf, "partitioner", "murmur2_random");
    set(conf, "queue.buffering.max.messages", "200000");
    set(conf, "log_level", "0");
    rd_kafka_conf_set_opaque(conf, this);
    rd_kafka_conf_set_dr_msg_cb(conf, &on_delivery);
    char text[256] = "";
    handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    if (handle_ == nullptr) {
        throw std::runtime_error{text};
    }
    topic_ = rd_kafka_topic_new(handle_, topic.c_str(), nullptr);
}

Loader::~Loader() {
    rd_kafka_topic_destroy(topic_);
    rd_kafka_destroy(handle_);
}

void Loader::produce(const MadeRecord& record, std::int32_t partition) {
    // librdkafka copies what it is given, and only reads it before.
    char* const value = record.value ? const_cast<char*>(record.value->data()) : nullptr;
    while (rd_kafka_produce(topic_,
                            partition,
                            RD_KAFKA_MSG_F_COPY,
                            value,
                            record.value ? record.value->size() : 0,
                            record.key.data(),
                            record.key.size(),
                            nullptr) != 0) {
        if (rd_kafka_last_error() != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            throw std::runtime_error{std::string{"producing: "} +
                                     rd_kafka_err2str(rd_kafka_last_error())};
        }
        rd_kafka_poll(handle_, 10);
    }
    rd_kafka_poll(handle_, 0);
}

void Loader::flush() {
    if (rd_kafka_flush(handle_, kTimeoutMs) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw std::runtime_error{"producing: the broker did not take all within a minute"};
    }
    if (!failure_.empty()) {
        throw std::runtime_error{"producing: " + failure_};
    }
}

void Loader::on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        static_cast<Loader*>(opaque)->failure_ = rd_kafka_err2str(message->err);
    }
}

std::uint64_t load_topic(const std::string& bootstrap,
                         const std::string& topic,
                         RecordMaker& maker,
                         std::uint64_t records) {
    constexpr int kLingerMs = 20;
    Loader loader{bootstrap, topic, kLingerMs};
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; i < records; ++i) {
        const auto record = maker.next();
        bytes += record.value ? record.value->size() : 0;
        loader.produce(record);
    }
    loader.flush();
    return bytes;
}

}  // namespace txsink::bench
