/// @file
/// Client: a librdkafka handle with its configuration, its log, and owners for the C objects.
#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/kafka_settings.hpp"

namespace txsink::kafka {

template <auto destroy>
struct Destroy {
    template <typename T>
    void operator()(T* object) const noexcept {
        destroy(object);
    }
};

using Conf = std::unique_ptr<rd_kafka_conf_t, Destroy<rd_kafka_conf_destroy>>;
using Partitions = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                   Destroy<rd_kafka_topic_partition_list_destroy>>;
using Error = std::unique_ptr<rd_kafka_error_t, Destroy<rd_kafka_error_destroy>>;
using Message = std::unique_ptr<rd_kafka_message_t, Destroy<rd_kafka_message_destroy>>;
using Queue = std::unique_ptr<rd_kafka_queue_t, Destroy<rd_kafka_queue_destroy>>;
using Event = std::unique_ptr<rd_kafka_event_t, Destroy<rd_kafka_event_destroy>>;
using Topic = std::unique_ptr<rd_kafka_topic_t, Destroy<rd_kafka_topic_destroy>>;

[[nodiscard]] Partitions make_partitions(std::size_t capacity);

/// librdkafka counts in int milliseconds.
[[nodiscard]] int to_ms(std::chrono::milliseconds duration) noexcept;

/// The configuration of a consumer: our defaults, the user's properties, what is fixed.
/// Errors: SinkError configuration.
[[nodiscard]] Conf make_conf(const KafkaSettings& settings);

/// The configuration of a producer: those of the user's properties that one has, what is not
/// lost or doubled on the way, and bounds. A message is under way for at most request_timeout.
/// Errors: SinkError configuration.
[[nodiscard]] Conf make_producer_conf(const KafkaSettings& settings);

/// Replaces each secret in `text` (a password that a library quotes back) by ***.
[[nodiscard]] std::string redact(std::string text, const std::vector<std::string>& secrets);

/// The values of those properties that are secrets.
[[nodiscard]] std::vector<std::string> secrets_of(const Properties& properties);

/// What an error of a request means: access_denied, configuration (no such topic), connection
/// (worth another try) or internal. `what` says in which act, as a gerund.
[[nodiscard]] SinkError request_error(rd_kafka_resp_err_t code,
                                      const std::string& what,
                                      std::string detail = {});

/// True for a topic or a partition that does not exist, as far as who answered knows.
[[nodiscard]] bool is_missing(rd_kafka_resp_err_t code) noexcept;

/// True for errors of access: wrong password, missing ACL.
[[nodiscard]] bool is_access_error(rd_kafka_resp_err_t code) noexcept;

/// A consumer handle, not a member of a group before someone subscribes with it; or a producer.
///
/// Threading: as librdkafka: any, but callbacks run where the handle is polled.
class Client {
public:
    /// `owner` is what owner_of() gives to callbacks. Errors: SinkError configuration.
    Client(const KafkaSettings& settings,
           Conf conf,
           void* owner = nullptr,
           rd_kafka_type_t type = RD_KAFKA_CONSUMER);
    explicit Client(const KafkaSettings& settings) : Client{settings, make_conf(settings)} {}
    /// Ends within about 2 s: a handle whose destroying does not is given up, with a warning.
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    [[nodiscard]] rd_kafka_t* get() const noexcept { return handle_; }
    [[nodiscard]] std::string redacted(std::string text) const;

    /// What librdkafka said last about its connections, to explain a request that failed; empty
    /// for a client with an owner, whose own callback gets it.
    [[nodiscard]] std::string recent_error() const;

    /// Leaves the handle undestroyed, as destroying it might never end.
    void abandon() noexcept;

    /// The `owner` of the client whose opaque pointer a callback got; null once that client is
    /// being destroyed or was abandoned.
    [[nodiscard]] static void* owner_of(void* opaque) noexcept;

private:
    struct Context;
    /// On the heap, as log callbacks of an abandoned handle still use it.
    std::unique_ptr<Context> context_;
    rd_kafka_t* handle_ = nullptr;
};

}  // namespace txsink::kafka
