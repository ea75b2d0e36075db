#include "txsink/kafka/kafka_source.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <unordered_map>
#include <utility>

#include "kafka/client.hpp"
#include "kafka/log_limit.hpp"
#include "kafka/offsets.hpp"

namespace txsink::kafka {

namespace {

using pipeline::AssignmentTag;
using pipeline::EventKind;
using pipeline::SourceEvent;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// What a revoke or a close may wait for the mirror: others wait for us then.
constexpr milliseconds kFinalMirrorTimeout{1'000};

/// A partition that the group has given, or a fixed one.
struct Given {
    AssignmentTag tag;
    /// Where fetching goes on after a pause: one past what was delivered last.
    Offset position{0};
    /// assign() was called, and neither unassign() nor a revoke since.
    bool is_assigned = false;
    /// librdkafka has it in its assignment: assigned and not paused.
    bool is_fetching = false;
    Offset acknowledged{-1};
    Offset mirrored{-1};
};

std::string text_of(const rd_kafka_message_t& message) {
    const char* text = rd_kafka_message_errstr(&message);
    return text == nullptr ? "" : text;
}

}  // namespace

class KafkaSource::Consumer {
public:
    explicit Consumer(KafkaSettings settings)
        : settings_{std::move(settings)}, client_{settings_, make_consumer_conf(), this} {
        rd_kafka_poll_set_consumer(client_.get());
    }
    ~Consumer() { close(); }
    Consumer(const Consumer&) = delete;
    Consumer& operator=(const Consumer&) = delete;

    void start();
    const SourceEvent& poll(milliseconds timeout);
    void assign(const TopicPartition& partition, Offset offset, AssignmentTag tag);
    void unassign(const TopicPartition& partition);
    void pause();
    void resume();
    bool is_assignment_lost();
    void acknowledge(const TopicPartition& partition, Offset next);
    void close() noexcept;

    [[nodiscard]] const KafkaSettings& settings() const noexcept { return settings_; }
    [[nodiscard]] const Client& client() const noexcept { return client_; }

private:
    using GivenPartitions = std::unordered_map<TopicPartition, Given>;
    using Entry = GivenPartitions::value_type;

    Conf make_consumer_conf();
    [[nodiscard]] bool has_group() const noexcept { return settings_.assign.empty(); }

    static void on_rebalance(rd_kafka_t*,
                             rd_kafka_resp_err_t code,
                             rd_kafka_topic_partition_list_t* partitions,
                             void* opaque);
    static void on_error(rd_kafka_t*, int code, const char* reason, void* opaque);
    static void on_commit(rd_kafka_t*,
                          rd_kafka_resp_err_t code,
                          rd_kafka_topic_partition_list_t*,
                          void* opaque);
    void give(const rd_kafka_topic_partition_list_t& partitions);
    void revoke(const rd_kafka_topic_partition_list_t& partitions);
    void queue_event(EventKind kind, std::vector<TopicPartition> partitions);

    bool take(const rd_kafka_message_t& message);
    bool take_record(const rd_kafka_message_t& message, Entry& entry);
    bool take_partition_error(const rd_kafka_message_t& message, Entry& entry);
    void take_error(rd_kafka_resp_err_t code, const std::string& reason);
    [[noreturn]] void throw_fatal();
    Entry* find(const rd_kafka_message_t& message);
    const SourceEvent& nothing();

    void fetch(Entry& entry);
    void stop_fetching(std::span<Entry* const> entries);
    void forget_last() noexcept { last_ = {}; }

    Partitions take_unmirrored(std::span<Entry* const> entries);
    void mirror_if_due();
    void mirror_finally(std::span<Entry* const> entries);
    std::vector<Entry*> all();
    void leave();

    KafkaSettings settings_;
    std::exception_ptr failure_;  ///< of a callback, thrown by the poll that ran it
    std::deque<SourceEvent> queued_;
    SourceEvent event_;
    GivenPartitions given_;
    bool is_paused_ = false;
    bool is_lost_ = false;
    bool is_closed_ = false;
    bool has_unmirrored_ = false;
    steady_clock::time_point last_mirror_ = steady_clock::now();
    LogLimit broker_log_;
    LogLimit mirror_log_;
    LogLimit other_log_;
    /// The partition of the last message: neighbours are mostly of the same one.
    struct {
        const rd_kafka_topic_t* topic = nullptr;
        std::int32_t partition = 0;
        Entry* entry = nullptr;
    } last_;
    TopicPartition wanted_;  ///< reused by find()
    Client client_;
    Message message_;  ///< what event_ borrows from; gone before client_
};

// ---- configuration and start

Conf KafkaSource::Consumer::make_consumer_conf() {
    if (!settings_.properties.contains("group.id")) {
        if (has_group()) {
            throw SinkError{ErrorKind::configuration,
                            "option kafka.group.id is missing",
                            "a consumer that subscribes needs a group"};
        }
        settings_.properties["group.id"] = "txsink";  // librdkafka wants one; nobody joins it
    }
    Conf conf = make_conf(settings_);
    rd_kafka_conf_set_rebalance_cb(conf.get(), &on_rebalance);
    rd_kafka_conf_set_error_cb(conf.get(), &on_error);
    rd_kafka_conf_set_offset_commit_cb(conf.get(), &on_commit);
    return conf;
}

void KafkaSource::Consumer::start() {
    if (!has_group()) {
        for (const auto& partition : settings_.assign) {
            given_.try_emplace(partition);
        }
        queue_event(EventKind::assigned, settings_.assign);
        return;
    }
    const auto topics = make_partitions(settings_.topics.size());
    for (const auto& topic : settings_.topics) {
        rd_kafka_topic_partition_list_add(topics.get(), topic.c_str(), RD_KAFKA_PARTITION_UA);
    }
    const auto code = rd_kafka_subscribe(client_.get(), topics.get());
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        auto error = request_error(
            code, fmt::format("subscribing to {}", fmt::join(settings_.topics, ", ")));
        error.kind = ErrorKind::configuration;
        throw error;
    }
}

// ---- the group's callbacks, all inside of poll() or close()

void KafkaSource::Consumer::on_rebalance(rd_kafka_t*,
                                         rd_kafka_resp_err_t code,
                                         rd_kafka_topic_partition_list_t* partitions,
                                         void* opaque) {
    auto& self = *static_cast<Consumer*>(Client::owner_of(opaque));
    try {
        if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
            self.give(*partitions);
        } else {
            self.revoke(*partitions);
        }
    } catch (...) {
        self.failure_ = std::current_exception();
    }
    rd_kafka_yield(self.client_.get());  // the event goes out before anything else comes in
}

void KafkaSource::Consumer::give(const rd_kafka_topic_partition_list_t& partitions) {
    // The group waits for some assign call; what is really fetched is added by assign().
    const auto none = make_partitions(0);
    if (const Error error{rd_kafka_incremental_assign(client_.get(), none.get())}) {
        spdlog::warn("kafka: taking part in a rebalance: {}", rd_kafka_error_string(error.get()));
    }
    std::vector<TopicPartition> names;
    for (int i = 0; i < partitions.cnt; ++i) {
        names.push_back({partitions.elems[i].topic, partitions.elems[i].partition});
        given_.try_emplace(names.back());
    }
    queue_event(EventKind::assigned, std::move(names));
}

void KafkaSource::Consumer::revoke(const rd_kafka_topic_partition_list_t& partitions) {
    std::vector<TopicPartition> names;
    std::vector<Entry*> entries;
    for (int i = 0; i < partitions.cnt; ++i) {
        names.push_back({partitions.elems[i].topic, partitions.elems[i].partition});
        if (const auto at = given_.find(names.back()); at != given_.end()) {
            entries.push_back(&*at);
        }
    }
    if (!is_assignment_lost()) {
        mirror_finally(entries);
    }
    // Also with nothing to stop: this call is what the group waits for. Naming a partition that
    // was never assigned instead would stall it.
    stop_fetching(entries);
    is_lost_ = false;
    for (const auto& name : names) {
        given_.erase(name);
    }
    queue_event(EventKind::revoked, std::move(names));
}

void KafkaSource::Consumer::queue_event(EventKind kind, std::vector<TopicPartition> partitions) {
    if (partitions.empty()) {
        return;  // a rebalance that changes nothing here
    }
    SourceEvent event;
    event.kind = kind;
    event.partitions = std::move(partitions);
    queued_.push_back(std::move(event));
}

void KafkaSource::Consumer::on_error(rd_kafka_t*, int code, const char* reason, void* opaque) {
    auto& self = *static_cast<Consumer*>(Client::owner_of(opaque));
    try {
        self.take_error(static_cast<rd_kafka_resp_err_t>(code), reason);
    } catch (...) {
        self.failure_ = std::current_exception();
    }
}

// ---- polling

const SourceEvent& KafkaSource::Consumer::poll(milliseconds timeout) {
    for (int wait = to_ms(timeout);; wait = 0) {
        message_.reset();
        if (queued_.empty()) {
            message_.reset(rd_kafka_consumer_poll(client_.get(), wait));
        }
        if (failure_) {
            std::rethrow_exception(std::exchange(failure_, nullptr));
        }
        if (message_ == nullptr) {
            return nothing();
        }
        if (take(*message_)) {
            return event_;
        }
    }
}

const SourceEvent& KafkaSource::Consumer::nothing() {
    mirror_if_due();
    if (queued_.empty()) {
        event_.kind = EventKind::none;
    } else {
        event_ = std::move(queued_.front());
        queued_.pop_front();
    }
    return event_;
}

/// Turns a message into event_; false when there is nothing to tell.
bool KafkaSource::Consumer::take(const rd_kafka_message_t& message) {
    Entry* entry = find(message);
    if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return entry != nullptr && take_record(message, *entry);
    }
    if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF ||
        message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
        message.err == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE) {
        return entry != nullptr && take_partition_error(message, *entry);
    }
    const std::string reason = client_.redacted(text_of(message));
    if (message.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
        message.err == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
        message.err == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION) {
        event_.kind = EventKind::topic_missing;
        event_.message = fmt::format(
            "topic {} does not exist: {}",
            message.rkt == nullptr ? "of the subscription" : rd_kafka_topic_name(message.rkt),
            reason);
        return true;
    }
    if (message.rkt != nullptr && message.partition >= 0 && message.err < -1) {
        // librdkafka met something on its way through the log (a bad checksum, an unknown
        // compression) and would go on behind it.
        auto error = request_error(message.err,
                                   fmt::format("reading {}",
                                               record_name(rd_kafka_topic_name(message.rkt),
                                                           message.partition,
                                                           Offset{message.offset})),
                                   reason);
        error.kind = ErrorKind::internal;
        throw error;
    }
    take_error(message.err, reason);
    return false;
}

bool KafkaSource::Consumer::take_record(const rd_kafka_message_t& message, Entry& entry) {
    auto& [partition, given] = entry;
    const Offset offset{message.offset};
    given.position = std::max(given.position, next(offset));
    event_.kind = EventKind::record;
    event_.tag = given.tag;
    auto& record = event_.record;
    record.topic = partition.topic;
    record.partition = partition.partition;
    record.offset = offset;
    rd_kafka_timestamp_type_t type{};
    record.timestamp_ms = rd_kafka_message_timestamp(&message, &type);
    const auto bytes = [](const void* data, std::size_t size) {
        return data == nullptr
                   ? std::nullopt
                   : std::optional{std::string_view{static_cast<const char*>(data), size}};
    };
    record.key = bytes(message.key, message.key_len);
    record.value = bytes(message.payload, message.len);
    return true;
}

bool KafkaSource::Consumer::take_partition_error(const rd_kafka_message_t& message, Entry& entry) {
    auto& given = entry.second;
    const Offset offset{message.offset};
    event_.tag = given.tag;
    if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        given.position = std::max(given.position, offset);
        event_.kind = EventKind::end_of_partition;
        event_.offset = given.position;
        return true;
    }
    if (offset != given.position) {
        // Not about our position: it may be left over from before a re-assignment, which
        // librdkafka does not filter. Asking again at our position tells.
        stop_fetching(std::vector{&entry});
        fetch(entry);
        return false;
    }
    event_.kind = EventKind::out_of_range;
    event_.offset = offset;
    event_.message = client_.redacted(text_of(message));
    return true;
}

/// Errors that are not about one partition's log. Throws those that end the pipeline.
void KafkaSource::Consumer::take_error(rd_kafka_resp_err_t code, const std::string& reason) {
    if (code == RD_KAFKA_RESP_ERR__FATAL) {
        throw_fatal();
    }
    if (is_access_error(code)) {
        throw request_error(code, "reading from Kafka", client_.redacted(reason));
    }
    switch (code) {
        case RD_KAFKA_RESP_ERR__TRANSPORT:  // librdkafka connects again, for ever
        case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
        case RD_KAFKA_RESP_ERR__RESOLVE:
        case RD_KAFKA_RESP_ERR__TIMED_OUT:
            broker_log_.warn(fmt::format("kafka: {}", client_.redacted(reason)));
            return;
        case RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED:
            spdlog::warn("kafka: {}; its partitions go to others", client_.redacted(reason));
            return;
        default:
            other_log_.warn(
                fmt::format("kafka: {}: {}", rd_kafka_err2name(code), client_.redacted(reason)));
    }
}

void KafkaSource::Consumer::throw_fatal() {
    char text[512] = "";
    const auto code = rd_kafka_fatal_error(client_.get(), text, sizeof text);
    SinkError error{ErrorKind::internal,
                    fmt::format("the Kafka client cannot go on: {}", rd_kafka_err2str(code)),
                    client_.redacted(text)};
    if (code == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID) {
        error.kind = ErrorKind::fenced;
        error.hint = "another process uses the same instance name";
    }
    error.native_code = code;
    throw error;
}

KafkaSource::Consumer::Entry* KafkaSource::Consumer::find(const rd_kafka_message_t& message) {
    if (message.rkt == nullptr) {
        return nullptr;
    }
    if (message.rkt == last_.topic && message.partition == last_.partition) {
        return last_.entry;
    }
    wanted_.topic = rd_kafka_topic_name(message.rkt);
    wanted_.partition = message.partition;
    const auto at = given_.find(wanted_);
    if (at == given_.end() || !at->second.is_fetching) {
        return nullptr;
    }
    last_ = {message.rkt, message.partition, &*at};
    return last_.entry;
}

// ---- what is fetched

void KafkaSource::Consumer::assign(const TopicPartition& partition,
                                   Offset offset,
                                   AssignmentTag tag) {
    const auto at = given_.find(partition);
    if (at == given_.end()) {
        spdlog::debug("kafka: {} was taken back before it could be read", to_string(partition));
        return;
    }
    auto& given = at->second;
#ifdef TXSINK_MUTATION_REWIND_SEEK
    if (given.is_fetching) {
        given.tag = tag;
        given.position = offset;
        const auto list = make_partitions(1);
        rd_kafka_topic_partition_list_add(list.get(), partition.topic.c_str(), partition.partition)
            ->offset = to_int(offset);
        rd_kafka_error_destroy(
            rd_kafka_seek_partitions(client_.get(), list.get(), to_ms(settings_.request_timeout)));
        return;
    }
#endif
    Entry* entry = &*at;
    if (given.is_fetching) {
        stop_fetching(std::span{&entry, 1});
    }
    given.tag = tag;
    given.position = offset;
    given.is_assigned = true;
    if (!is_paused_) {
        fetch(*entry);
    }
}

void KafkaSource::Consumer::unassign(const TopicPartition& partition) {
    const auto at = given_.find(partition);
    if (at == given_.end()) {
        return;
    }
    Entry* entry = &*at;
    if (at->second.is_fetching) {
        stop_fetching(std::span{&entry, 1});
    }
    at->second = Given{};
}

// A pause is an unassign that remembers the position, and not librdkafka's pause: that one is a
// flag and a position of its own on each partition, which survive a re-assignment.
void KafkaSource::Consumer::pause() {
    if (is_paused_) {
        return;
    }
    is_paused_ = true;
    auto entries = all();
    std::erase_if(entries, [](const Entry* entry) { return !entry->second.is_fetching; });
    if (!entries.empty()) {
        stop_fetching(entries);
    }
}

void KafkaSource::Consumer::resume() {
    if (!is_paused_) {
        return;
    }
    is_paused_ = false;
    for (Entry* entry : all()) {
        if (entry->second.is_assigned && !entry->second.is_fetching) {
            fetch(*entry);
        }
    }
}

void KafkaSource::Consumer::fetch(Entry& entry) {
    auto& [partition, given] = entry;
    is_lost_ = is_assignment_lost();
    const auto list = make_partitions(1);
    rd_kafka_topic_partition_list_add(list.get(), partition.topic.c_str(), partition.partition)
        ->offset = to_int(given.position);
    if (const Error error{rd_kafka_incremental_assign(client_.get(), list.get())}) {
        SinkError failure = request_error(rd_kafka_error_code(error.get()),
                                          fmt::format("assigning {}", to_string(partition)),
                                          rd_kafka_error_string(error.get()));
        failure.kind = ErrorKind::internal;
        throw failure;
    }
    given.is_fetching = true;
}

/// Stops those of `entries` that are fetched; in a revoke, none is a valid number.
void KafkaSource::Consumer::stop_fetching(std::span<Entry* const> entries) {
    forget_last();
    is_lost_ = is_assignment_lost();  // the call below resets librdkafka's own flag
    const auto list = make_partitions(entries.size());
    for (Entry* entry : entries) {
        if (std::exchange(entry->second.is_fetching, false)) {
            rd_kafka_topic_partition_list_add(
                list.get(), entry->first.topic.c_str(), entry->first.partition);
        }
    }
    if (const Error error{rd_kafka_incremental_unassign(client_.get(), list.get())}) {
        SinkError failure = request_error(rd_kafka_error_code(error.get()),
                                          "unassigning partitions",
                                          rd_kafka_error_string(error.get()));
        failure.kind = ErrorKind::internal;
        throw failure;
    }
}

bool KafkaSource::Consumer::is_assignment_lost() {
    return is_lost_ || rd_kafka_assignment_lost(client_.get()) != 0;
}

std::vector<KafkaSource::Consumer::Entry*> KafkaSource::Consumer::all() {
    std::vector<Entry*> entries;
    for (auto& entry : given_) {
        entries.push_back(&entry);
    }
    return entries;
}

// ---- the mirror

void KafkaSource::Consumer::acknowledge(const TopicPartition& partition, Offset next) {
    if (!has_group()) {
        return;
    }
    const auto at = given_.find(partition);
    if (at == given_.end() || !at->second.is_assigned) {
        return;
    }
    at->second.acknowledged = next;
    has_unmirrored_ = true;
    mirror_if_due();
}

Partitions KafkaSource::Consumer::take_unmirrored(std::span<Entry* const> entries) {
    auto list = make_partitions(entries.size());
    for (Entry* entry : entries) {
        auto& [partition, given] = *entry;
        if (given.is_assigned && to_int(given.acknowledged) >= 0 &&
            given.acknowledged != given.mirrored) {
            given.mirrored = given.acknowledged;
            rd_kafka_topic_partition_list_add(
                list.get(), partition.topic.c_str(), partition.partition)
                ->offset = to_int(given.acknowledged);
        }
    }
    return list;
}

void KafkaSource::Consumer::mirror_if_due() {
    if (!has_unmirrored_) {
        return;
    }
    const auto now = steady_clock::now();
    if (now - last_mirror_ < settings_.mirror_interval || is_assignment_lost()) {
        return;
    }
    last_mirror_ = now;
    has_unmirrored_ = false;
    const auto list = take_unmirrored(all());
    if (list->cnt > 0) {
        const auto code = rd_kafka_commit(client_.get(), list.get(), 1);
        if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
            mirror_log_.warn(fmt::format("kafka: mirroring offsets: {}", rd_kafka_err2str(code)));
        }
    }
}

void KafkaSource::Consumer::on_commit(rd_kafka_t*,
                                      rd_kafka_resp_err_t code,
                                      rd_kafka_topic_partition_list_t*,
                                      void* opaque) {
    auto& self = *static_cast<Consumer*>(Client::owner_of(opaque));
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR__NO_OFFSET) {
        try {
            self.mirror_log_.warn(
                fmt::format("kafka: mirroring offsets: {}", rd_kafka_err2str(code)));
        } catch (...) {
            self.failure_ = std::current_exception();
        }
    }
}

void KafkaSource::Consumer::mirror_finally(std::span<Entry* const> entries) {
    const auto list = take_unmirrored(entries);
    if (list->cnt == 0) {
        return;
    }
    // Not rd_kafka_commit(): it waits without end when the brokers are away.
    const Queue replies{rd_kafka_queue_new(client_.get())};
    const auto code =
        rd_kafka_commit_queue(client_.get(), list.get(), replies.get(), nullptr, nullptr);
    const Event reply{code == RD_KAFKA_RESP_ERR_NO_ERROR
                          ? rd_kafka_queue_poll(replies.get(), to_ms(kFinalMirrorTimeout))
                          : nullptr};
    if (reply == nullptr || rd_kafka_event_error(reply.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        mirror_log_.warn(
            fmt::format("kafka: mirroring offsets for the next owner: {}",
                        reply == nullptr ? "no answer" : rd_kafka_event_error_string(reply.get())));
    }
}

// ---- the end

void KafkaSource::Consumer::close() noexcept {
    if (std::exchange(is_closed_, true)) {
        return;
    }
    try {
        message_.reset();
        leave();
    } catch (const std::exception& error) {
        spdlog::warn("kafka: leaving the group: {}", error.what());
    }
}

void KafkaSource::Consumer::leave() {
    const auto deadline = steady_clock::now() + settings_.close_timeout;
    if (!has_group()) {
        stop_fetching(all());
    }
    // Serves the revoke, and with it the mirror, through on_rebalance().
    Queue queue{rd_kafka_queue_new(client_.get())};
    if (const Error error{rd_kafka_consumer_close_queue(client_.get(), queue.get())}) {
        spdlog::debug("kafka: leaving the group: {}", rd_kafka_error_string(error.get()));
    }
    while (rd_kafka_consumer_closed(client_.get()) == 0) {
        if (steady_clock::now() >= deadline) {
            spdlog::warn(
                "kafka: the consumer did not close in time and is given up; the group "
                "notices after session.timeout.ms");
            static_cast<void>(queue.release());
            client_.abandon();
            return;
        }
        rd_kafka_queue_poll_callback(queue.get(), 50);
    }
}

// ---- the public face

KafkaSource::KafkaSource(KafkaSettings settings)
    : consumer_{std::make_unique<Consumer>(std::move(settings))} {}

KafkaSource::~KafkaSource() = default;

void KafkaSource::start() {
    consumer_->start();
}

const SourceEvent& KafkaSource::poll(milliseconds timeout) {
    return consumer_->poll(timeout);
}

void KafkaSource::assign(const TopicPartition& partition, Offset offset, AssignmentTag tag) {
    consumer_->assign(partition, offset, tag);
}

void KafkaSource::unassign(const TopicPartition& partition) {
    consumer_->unassign(partition);
}

void KafkaSource::pause() {
    consumer_->pause();
}

void KafkaSource::resume() {
    consumer_->resume();
}

bool KafkaSource::is_assignment_lost() {
    return consumer_->is_assignment_lost();
}

void KafkaSource::acknowledge(const TopicPartition& partition, Offset next) {
    consumer_->acknowledge(partition, next);
}

std::vector<std::string> KafkaSource::topics() {
    const auto& settings = consumer_->settings();
    return find_topics(consumer_->client(), wanted_topics(settings), settings.request_timeout)
        .present;
}

std::vector<pipeline::PartitionStart> KafkaSource::start_offsets(
    const std::string& topic, const pipeline::StartPolicy& policy) {
    return kafka::start_offsets(consumer_->client(), consumer_->settings(), topic, policy);
}

pipeline::Watermarks KafkaSource::watermarks(const TopicPartition& partition) {
    const auto timeout = consumer_->settings().request_timeout;
    const std::span one{&partition, 1};
    return {list_offsets(consumer_->client(), one, kLogStart, timeout).front(),
            list_offsets(consumer_->client(), one, kLogEnd, timeout).front()};
}

std::string KafkaSource::cluster_id() {
    return kafka::cluster_id(consumer_->client(), consumer_->settings().request_timeout);
}

void KafkaSource::close() noexcept {
    consumer_->close();
}

}  // namespace txsink::kafka
