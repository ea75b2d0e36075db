#include "txsink/kafka/dead_letter_producer.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "kafka/client.hpp"
#include "kafka/letter_headers.hpp"

namespace txsink::kafka {
namespace {

using std::chrono::milliseconds;

/// Beyond what a letter may be under way: for its report to come back.
constexpr milliseconds kReportTime{2'000};

/// Of a field that librdkafka copies, and only reads before that.
void* data_of(const std::optional<std::string>& bytes) {
    return bytes ? const_cast<char*>(bytes->data()) : nullptr;
}

/// The fields of one record for rd_kafka_produceva(); borrows all that is added.
class Fields {
public:
    void add_topic(const std::string& topic) {
        add(RD_KAFKA_VTYPE_TOPIC).u.cstr = topic.c_str();
        add(RD_KAFKA_VTYPE_MSGFLAGS).u.i = RD_KAFKA_MSG_F_COPY;
    }
    void add_record(const batch::DeadLetter& letter) {
        add(RD_KAFKA_VTYPE_KEY).u.mem = {data_of(letter.key), letter.key ? letter.key->size() : 0};
        add(RD_KAFKA_VTYPE_VALUE).u.mem = {data_of(letter.value),
                                           letter.value ? letter.value->size() : 0};
        if (letter.timestamp_ms >= 0) {
            add(RD_KAFKA_VTYPE_TIMESTAMP).u.i64 = letter.timestamp_ms;
        }
    }
    void add_header(const LetterHeader& header) {
        auto& field = add(RD_KAFKA_VTYPE_HEADER).u.header;
        field.name = header.name.c_str();
        field.val = data_of(header.value);
        field.size = header.value ? static_cast<ssize_t>(header.value->size()) : 0;
    }
    [[nodiscard]] const std::vector<rd_kafka_vu_t>& all() const noexcept { return fields_; }

private:
    rd_kafka_vu_t& add(rd_kafka_vtype_t type) {
        auto& field = fields_.emplace_back();
        field.vtype = type;
        return field;
    }
    std::vector<rd_kafka_vu_t> fields_;
};

std::vector<LetterHeader> headers_of(const TopicPartition& partition,
                                     const batch::DeadLetter& letter) {
    std::vector<LetterHeader> headers{
        {"txsink-topic", partition.topic},
        {"txsink-partition", std::to_string(partition.partition)},
        {"txsink-offset", std::to_string(to_int(letter.offset))},
        {"txsink-code", name_of(letter.error.code)},
        {"txsink-error", letter.error.message},
        {"txsink-target", letter.target},
    };
    auto own = letter_headers(letter.headers);
    headers.insert(
        headers.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    return headers;
}

}  // namespace

class DeadLetterProducer::State {
public:
    State(KafkaSettings settings, std::string topic)
        : settings_{std::move(settings)}, topic_{std::move(topic)} {
        connect();
    }

    void produce(const TopicPartition& partition, std::span<const batch::DeadLetter> letters) {
        if (client_ == nullptr) {
            connect();
        }
        failure_ = RD_KAFKA_RESP_ERR_NO_ERROR;
        try {
            for (const auto& letter : letters) {
                send(partition, letter);
            }
            const auto limit = settings_.request_timeout + kReportTime;
            const auto left = rd_kafka_flush(client_->get(), to_ms(limit));
            check(failure_ != RD_KAFKA_RESP_ERR_NO_ERROR ? failure_ : left);
        } catch (const SinkError&) {
            // What is still under way, and a producer that can do no more, go with it.
            client_.reset();
            throw;
        }
    }

private:
    void connect() {
        Conf conf = make_producer_conf(settings_);
        rd_kafka_conf_set_dr_msg_cb(conf.get(), &on_delivery);
        rd_kafka_conf_set_error_cb(conf.get(), &on_error);
        recent_error_.clear();
        client_ = std::make_unique<Client>(settings_, std::move(conf), this, RD_KAFKA_PRODUCER);
    }

    void send(const TopicPartition& partition, const batch::DeadLetter& letter) {
        const auto headers = headers_of(partition, letter);
        Fields fields;
        fields.add_topic(topic_);
        fields.add_record(letter);
        for (const auto& header : headers) {
            fields.add_header(header);
        }
        const auto deadline = std::chrono::steady_clock::now() + settings_.request_timeout;
        for (;;) {
            const Error error{
                rd_kafka_produceva(client_->get(), fields.all().data(), fields.all().size())};
            if (error == nullptr) {
                return;
            }
            const auto code = rd_kafka_error_code(error.get());
            const bool is_late = std::chrono::steady_clock::now() >= deadline;
            if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL || is_late) {
                check(code);
            }
            rd_kafka_poll(client_->get(), 100);  // makes room
        }
    }

    void check(rd_kafka_resp_err_t code) const {
        if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
            return;
        }
        auto error = request_error(code,
                                   fmt::format("copying dead letters to topic {}", topic_),
                                   client_->redacted(recent_error_));
        switch (code) {
            case RD_KAFKA_RESP_ERR__MSG_TIMED_OUT:
            case RD_KAFKA_RESP_ERR__QUEUE_FULL:
            case RD_KAFKA_RESP_ERR__FATAL:  // of this producer: the next one may go on
                error.kind = ErrorKind::connection;
                break;
            case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
            case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
                error.kind = ErrorKind::configuration;
                error.hint =
                    "raise max.message.bytes of the topic: a dead letter is its record "
                    "and some headers";
                break;
            case RD_KAFKA_RESP_ERR_INVALID_RECORD:
                error.kind = ErrorKind::configuration;
                error.hint =
                    "a compacted topic takes no record without a key: set its "
                    "cleanup.policy to delete";
                break;
            default:
                break;
        }
        throw SinkError{error};
    }

    static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
        auto* const self = static_cast<State*>(Client::owner_of(opaque));
        if (self != nullptr && self->failure_ == RD_KAFKA_RESP_ERR_NO_ERROR) {
            self->failure_ = message->err;
        }
    }

    static void on_error(rd_kafka_t*, int, const char* reason, void* opaque) {
        auto* const self = static_cast<State*>(Client::owner_of(opaque));
        if (self != nullptr) {
            self->recent_error_ = reason;
        }
    }

    KafkaSettings settings_;
    std::string topic_;
    std::unique_ptr<Client> client_;
    rd_kafka_resp_err_t failure_ = RD_KAFKA_RESP_ERR_NO_ERROR;
    std::string recent_error_;
};

DeadLetterProducer::DeadLetterProducer(KafkaSettings settings, std::string topic)
    : state_{std::make_unique<State>(std::move(settings), std::move(topic))} {}

DeadLetterProducer::~DeadLetterProducer() = default;

void DeadLetterProducer::produce(const TopicPartition& partition,
                                 std::span<const batch::DeadLetter> letters) {
    state_->produce(partition, letters);
}

}  // namespace txsink::kafka
