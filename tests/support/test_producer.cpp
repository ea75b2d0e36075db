#include "support/test_producer.hpp"

#include <stdexcept>
#include <vector>

namespace txsink::test {

namespace {

constexpr int kTimeoutMs = 60'000;

void set(rd_kafka_conf_t* conf, const char* key, const std::string& value) {
    char text[256] = "";
    if (rd_kafka_conf_set(conf, key, value.c_str(), text, sizeof text) != RD_KAFKA_CONF_OK) {
        throw std::runtime_error{text};
    }
}

void check(rd_kafka_error_t* error) {
    if (error != nullptr) {
        const std::string text = rd_kafka_error_string(error);
        rd_kafka_error_destroy(error);
        throw std::runtime_error{text};
    }
}

}  // namespace

TestProducer::TestProducer(const std::string& bootstrap, const std::string& transactional_id) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", bootstrap);
    set(conf, "enable.idempotence", "true");
    set(conf, "linger.ms", "2");
    set(conf, "queue.buffering.max.messages", "1000000");
    set(conf, "log_level", "0");
    if (!transactional_id.empty()) {
        set(conf, "transactional.id", transactional_id);
    }
    rd_kafka_conf_set_opaque(conf, this);
    rd_kafka_conf_set_dr_msg_cb(conf, &on_delivery);
    char text[256] = "";
    handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    if (handle_ == nullptr) {
        throw std::runtime_error{text};
    }
    if (!transactional_id.empty()) {
        check(rd_kafka_init_transactions(handle_, kTimeoutMs));
    }
}

TestProducer::~TestProducer() {
    rd_kafka_destroy(handle_);
}

void TestProducer::produce(const std::string& topic,
                           std::int32_t partition,
                           std::optional<std::string_view> key,
                           std::optional<std::string_view> value,
                           std::int64_t timestamp_ms,
                           std::span<const TestHeader> headers) {
    // librdkafka copies what it is given, and only reads it before.
    const auto data = [](const std::optional<std::string_view>& bytes) {
        return bytes ? const_cast<char*>(bytes->data() == nullptr ? "" : bytes->data()) : nullptr;
    };
    std::vector<rd_kafka_vu_t> fields(6 + headers.size());
    fields[0].vtype = RD_KAFKA_VTYPE_TOPIC;
    fields[0].u.cstr = topic.c_str();
    fields[1].vtype = RD_KAFKA_VTYPE_PARTITION;
    fields[1].u.i32 = partition;
    fields[2].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
    fields[2].u.i = RD_KAFKA_MSG_F_COPY;
    fields[3].vtype = RD_KAFKA_VTYPE_KEY;
    fields[3].u.mem = {data(key), key ? key->size() : 0};
    fields[4].vtype = RD_KAFKA_VTYPE_VALUE;
    fields[4].u.mem = {data(value), value ? value->size() : 0};
    fields[5].vtype = RD_KAFKA_VTYPE_TIMESTAMP;
    fields[5].u.i64 = timestamp_ms;
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const auto& [name, text] = headers[i];
        auto& field = fields[6 + i];
        field.vtype = RD_KAFKA_VTYPE_HEADER;
        field.u.header.name = name.c_str();
        field.u.header.val = text ? text->data() : nullptr;
        field.u.header.size = text ? static_cast<ssize_t>(text->size()) : 0;
    }
    for (;;) {
        rd_kafka_error_t* error = rd_kafka_produceva(handle_, fields.data(), fields.size());
        if (error == nullptr) {
            break;
        }
        if (rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            check(error);
        }
        rd_kafka_error_destroy(error);
        rd_kafka_poll(handle_, 10);
    }
    rd_kafka_poll(handle_, 0);
}

void TestProducer::flush() {
    if (rd_kafka_flush(handle_, kTimeoutMs) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw std::runtime_error{"flushing: timed out"};
    }
    check_deliveries();
}

void TestProducer::produce_numbers(const std::string& topic,
                                   std::int32_t partition,
                                   std::int64_t first,
                                   std::int64_t count) {
    for (std::int64_t number = first; number < first + count; ++number) {
        const std::string text = std::to_string(number);
        produce(topic, partition, text, text);
    }
    flush();
}

void TestProducer::begin() {
    check(rd_kafka_begin_transaction(handle_));
}

void TestProducer::commit() {
    flush();
    check(rd_kafka_commit_transaction(handle_, kTimeoutMs));
}

void TestProducer::abort() {
    flush();  // so that the aborted records really are in the log
    check(rd_kafka_abort_transaction(handle_, kTimeoutMs));
}

void TestProducer::on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        static_cast<TestProducer*>(opaque)->failure_ = rd_kafka_err2str(message->err);
    }
}

void TestProducer::check_deliveries() const {
    if (!failure_.empty()) {
        throw std::runtime_error{"producing: " + failure_};
    }
}

}  // namespace txsink::test
