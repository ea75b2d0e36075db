#include "kafka/client.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <span>
#include <thread>

#include "txsink/kafka/property_names.hpp"

namespace txsink::kafka {

namespace {

struct Fixed {
    const char* key;
    const char* value;
    const char* why;
};

// What exactly-once rests on; see docs/delivery.md.
constexpr std::array kFixed{
    Fixed{"enable.auto.commit", "false", "positions are kept in the database"},
    Fixed{"enable.auto.offset.store", "false", "positions are kept in the database"},
    Fixed{"auto.offset.reset", "error", "a position that Kafka lost must not be replaced silently"},
    Fixed{"enable.partition.eof", "true", "positions move past transaction markers by it"},
    Fixed{"partition.assignment.strategy",
          "cooperative-sticky",
          "partitions are claimed one by one, outside the rebalance"},
    Fixed{"allow.auto.create.topics", "false", "a misspelt topic must not come into being"},
};

struct Default {
    const char* key;
    const char* value;
    /// The librdkafka that first has the property, as RD_KAFKA_VERSION.
    int since = 0;
};

constexpr std::array kDefaults{
    Default{"client.id", "txsink"},
    Default{"isolation.level", "read_committed"},
    // A dead member's partitions move after this; safe, as the database fences.
    Default{"session.timeout.ms", "10000"},
    // Members hear of a rebalance by their next heartbeat, and one that moves partitions has two
    // rounds; at librdkafka's 3 s a member that joins waits for 5 s and more.
    Default{"heartbeat.interval.ms", "500"},
    // New topics of a pattern, and added partitions, are seen this late.
    Default{"topic.metadata.refresh.interval.ms", "30000"},
    // Memory: what is queued, plus one response of each broker, and some 400 bytes a record. Small
    // queues are refilled in time by FetchNudge, or by librdkafka itself where it can.
    Default{"queued.max.messages.kbytes", "4096"},
    Default{"queued.min.messages", "40000"},
    Default{"fetch.queue.backoff.ms", "20", 0x020200ff},
    Default{"fetch.max.bytes", "4194304"},
    Default{"fetch.wait.max.ms", "100"},
    // librdkafka leaves it off; corruption on the way must not reach a table.
    Default{"check.crcs", "true"},
    // A pattern must not subscribe to Kafka's own topics.
    Default{"topic.blacklist", "^__(consumer_offsets|transaction_state|share_group_state)$"},
};

constexpr std::array kProducerDefaults{
    Default{"client.id", "txsink"},
    Default{"linger.ms", "2"},
    Default{"queue.buffering.max.messages", "10000"},
    Default{"queue.buffering.max.kbytes", "65536"},
    // How large a record may be is the topic's to say.
    Default{"message.max.bytes", "1000000000"},
    // A topic that does not exist is told after this.
    Default{"topic.metadata.propagation.max.ms", "5000"},
};

// Acknowledged means kept, once and in order.
constexpr std::array kProducerFixed{
    Default{"enable.idempotence", "true"},
    Default{"acks", "all"},
};

// Destroying joins threads of librdkafka, of which one may never end after a topic was deleted
// (confluentinc/librdkafka#4362, #3954).
constexpr std::chrono::seconds kDestroyLimit{2};

bool is_secret(std::string_view key) {
    const auto has = [&](std::string_view part) { return key.find(part) != key.npos; };
    // oauthbearer.config may hold a token's claims; ssl.key.pem is the key itself.
    return has("password") || has("secret") || has("key.pem") || has("oauthbearer.config");
}

void set(rd_kafka_conf_t* conf,
         const std::string& key,
         const std::string& value,
         const std::vector<std::string>& secrets) {
    std::array<char, 512> text{};
    if (rd_kafka_conf_set(conf, key.c_str(), value.c_str(), text.data(), text.size()) !=
        RD_KAFKA_CONF_OK) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("option kafka.{} is refused", key),
                        redact(text.data(), secrets),
                        "names and values are those of librdkafka's CONFIGURATION.md"};
    }
}

void set_all(rd_kafka_conf_t* conf,
             std::span<const Default> defaults,
             const std::vector<std::string>& secrets) {
    for (const auto& each : defaults) {
        if (RD_KAFKA_VERSION >= each.since) {
            set(conf, each.key, each.value, secrets);
        }
    }
}

spdlog::level::level_enum level_of(int syslog_level) {
    if (syslog_level <= 2) {
        return spdlog::level::err;
    }
    if (syslog_level <= 4) {
        return spdlog::level::warn;
    }
    return syslog_level <= 6 ? spdlog::level::info : spdlog::level::debug;
}

}  // namespace

struct Client::Context {
    std::vector<std::string> secrets;
    std::atomic<void*> owner = nullptr;
    /// The handle is given up: its threads may outlive the log.
    std::atomic<bool> is_silent = false;
    std::string recent_error;

    static void on_error(rd_kafka_t*, int code, const char* reason, void* opaque) {
        auto& recent = static_cast<Context*>(opaque)->recent_error;
        // That all are down says less than what one of them said.
        if (code != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || recent.empty()) {
            recent = reason;
        }
    }

    static void log(const rd_kafka_t* handle, int level, const char* facility, const char* text) {
        // No handle: librdkafka speaks while it makes one.
        const auto* self =
            handle == nullptr ? nullptr : static_cast<const Context*>(rd_kafka_opaque(handle));
        if (self != nullptr && self->is_silent) {
            return;
        }
        auto to = level_of(level);
        if (std::string_view{facility} == "FAIL") {
            to = spdlog::level::debug;  // a connection; comes to on_error() too, and often
        }
        if (!spdlog::should_log(to)) {
            return;
        }
        try {
            spdlog::log(to,
                        "kafka: {}: {}",
                        facility,
                        redact(text, self == nullptr ? std::vector<std::string>{} : self->secrets));
        } catch (...) {
            // Out of memory in a log line: nothing that a C library could be told.
        }
    }
};

Partitions make_partitions(std::size_t capacity) {
    return Partitions{rd_kafka_topic_partition_list_new(static_cast<int>(capacity))};
}

int to_ms(std::chrono::milliseconds duration) noexcept {
    return static_cast<int>(
        std::clamp<std::int64_t>(duration.count(), 0, std::numeric_limits<int>::max()));
}

std::string redact(std::string text, const std::vector<std::string>& secrets) {
    for (const auto& secret : secrets) {
        for (auto at = text.find(secret); at != text.npos; at = text.find(secret, at + 3)) {
            text.replace(at, secret.size(), "***");
        }
    }
    return text;
}

std::vector<std::string> secrets_of(const Properties& properties) {
    std::vector<std::string> secrets;
    for (const auto& [key, value] : properties) {
        if (is_secret(key) && !value.empty()) {
            secrets.push_back(value);
        }
    }
    return secrets;
}

void check_overrides(const Properties& properties) {
    for (const auto& fixed : kFixed) {
        const auto at = properties.find(fixed.key);
        if (at != properties.end() && at->second != fixed.value) {
            throw SinkError{
                ErrorKind::configuration,
                fmt::format("option kafka.{} cannot be set to '{}'", fixed.key, at->second),
                fmt::format("it is always {}: {}", fixed.value, fixed.why),
                "leave it out"};
        }
    }
    if (const auto group = properties.find("group.id");
        group != properties.end() && group->second.empty()) {
        throw SinkError{ErrorKind::configuration,
                        "option kafka.group.id is empty",
                        "a consumer that subscribes needs a group",
                        "give it a name, or leave it out"};
    }
    if (properties.contains("group.instance.id")) {
        throw SinkError{ErrorKind::configuration,
                        "option kafka.group.instance.id cannot be set",
                        "each pipeline of a process needs one of its own",
                        "set instance = NAME instead"};
    }
}

Conf make_conf(const KafkaSettings& settings) {
    check_overrides(settings.properties);
    const auto secrets = secrets_of(settings.properties);
    Conf conf{rd_kafka_conf_new()};
    set_all(conf.get(), kDefaults, secrets);
    for (const auto& [key, value] : settings.properties) {
        set(conf.get(), key, value, secrets);
    }
    for (const auto& fixed : kFixed) {
        set(conf.get(), fixed.key, fixed.value, secrets);
    }
    if (!settings.instance_id.empty()) {
        set(conf.get(), "group.instance.id", settings.instance_id, secrets);
    }
    return conf;
}

Conf make_producer_conf(const KafkaSettings& settings) {
    const auto secrets = secrets_of(settings.properties);
    Conf conf{rd_kafka_conf_new()};
    set_all(conf.get(), kProducerDefaults, secrets);
    set(conf.get(), "message.timeout.ms", std::to_string(to_ms(settings.request_timeout)), secrets);
    const auto foreign = consumer_property_names();
    for (const auto& [key, value] : settings.properties) {
        if (!std::binary_search(foreign.begin(), foreign.end(), key)) {
            set(conf.get(), key, value, secrets);
        }
    }
    set_all(conf.get(), kProducerFixed, secrets);
    return conf;
}

void check_properties(const Properties& properties) {
    KafkaSettings settings;
    settings.properties = properties;
    static_cast<void>(make_conf(settings));
}

bool is_missing(rd_kafka_resp_err_t code) noexcept {
    return code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
           code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC || code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

bool is_access_error(rd_kafka_resp_err_t code) noexcept {
    switch (code) {
        case RD_KAFKA_RESP_ERR__AUTHENTICATION:
        case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
        case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
        case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
        case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
        case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
            return true;
        default:
            return false;
    }
}

SinkError request_error(rd_kafka_resp_err_t code, const std::string& what, std::string detail) {
    auto kind = ErrorKind::internal;
    if (is_access_error(code)) {
        kind = ErrorKind::access_denied;
    } else if (is_missing(code) || code == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION) {
        kind = ErrorKind::configuration;
    } else if (code > 0 || code == RD_KAFKA_RESP_ERR_UNKNOWN ||
               code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__TIMED_OUT ||
               code == RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE ||
               code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || code == RD_KAFKA_RESP_ERR__RESOLVE ||
               code == RD_KAFKA_RESP_ERR__WAIT_COORD) {
        // What a broker answers beyond that passes: elections, loading coordinators, restarts.
        kind = ErrorKind::connection;
    }
    SinkError error{kind, fmt::format("{}: {}", what, rd_kafka_err2str(code)), std::move(detail)};
    error.native_code = code;
    return error;
}

Client::Client(const KafkaSettings& settings, Conf conf, void* owner, rd_kafka_type_t type)
    : context_{std::make_unique<Context>()} {
    context_->secrets = secrets_of(settings.properties);
    context_->owner = owner;
    rd_kafka_conf_set_opaque(conf.get(), context_.get());
    rd_kafka_conf_set_log_cb(conf.get(), &Context::log);
    if (owner == nullptr) {
        rd_kafka_conf_set_error_cb(conf.get(), &Context::on_error);
    }
    std::array<char, 512> text{};
    handle_ = rd_kafka_new(type, conf.get(), text.data(), text.size());
    if (handle_ == nullptr) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("the kafka.* options do not make a {}",
                                    type == RD_KAFKA_CONSUMER ? "consumer" : "producer"),
                        redact(text.data(), context_->secrets)};
    }
    static_cast<void>(conf.release());  // the handle's from now on
}

Client::~Client() {
    if (handle_ == nullptr) {
        return;
    }
    context_->owner = nullptr;  // it is being destroyed too
    try {
        std::promise<void> done;
        const auto ended = done.get_future();
        std::thread{[handle = handle_, done = std::move(done)]() mutable {
            rd_kafka_destroy_flags(handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
            done.set_value();
        }}.detach();
        if (ended.wait_for(kDestroyLimit) == std::future_status::ready) {
            return;
        }
        spdlog::warn("kafka: the client did not end in time and is given up");
    } catch (const std::exception& error) {
        spdlog::warn("kafka: the client is given up: {}", error.what());
    }
    abandon();
}

std::string Client::redacted(std::string text) const {
    return redact(std::move(text), context_->secrets);
}

std::string Client::recent_error() const {
    if (context_->owner == nullptr) {
        rd_kafka_poll(handle_, 0);
    }
    return redacted(context_->recent_error);
}

void Client::abandon() noexcept {
    if (handle_ != nullptr) {
        // Not by a call on the handle: it may just be destroyed.
        context_->owner = nullptr;
        context_->is_silent = true;
        handle_ = nullptr;
        static_cast<void>(context_.release());
    }
}

void* Client::owner_of(void* opaque) noexcept {
    return static_cast<const Context*>(opaque)->owner.load();
}

}  // namespace txsink::kafka
