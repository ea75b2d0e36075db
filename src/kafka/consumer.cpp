#include "kafka/consumer.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace txsink::kafka {

namespace {

using pipeline::AssignmentTag;
using pipeline::EventKind;
using pipeline::SourceEvent;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

void check_assignment(rd_kafka_error_t* raw, const std::string& what) {
    if (const Error error{raw}) {
        SinkError failure = request_error(
            rd_kafka_error_code(error.get()), what, rd_kafka_error_string(error.get()));
        failure.kind = ErrorKind::internal;
        throw failure;
    }
}

std::vector<TopicPartition> names_of(const rd_kafka_topic_partition_list_t& list) {
    std::vector<TopicPartition> names;
    for (int i = 0; i < list.cnt; ++i) {
        names.push_back({list.elems[i].topic, list.elems[i].partition});
    }
    return names;
}

std::optional<std::string_view> bytes_of(const void* data, std::size_t size) {
    if (data == nullptr) {
        return std::nullopt;
    }
    return std::string_view{static_cast<const char*>(data), size};
}

}  // namespace

// ---- configuration and start

Consumer::Consumer(KafkaSettings settings)
    : settings_{std::move(settings)},
      client_{settings_, make_consumer_conf(), this},
      mirror_{client_, settings_.mirror_interval},
      errors_{client_},
      nudge_{client_} {
    rd_kafka_poll_set_consumer(client_.get());
}

Conf Consumer::make_consumer_conf() {
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

void Consumer::start() {
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

// ---- librdkafka's callbacks, all inside of poll() or close()

void Consumer::on_rebalance(rd_kafka_t*,
                            rd_kafka_resp_err_t code,
                            rd_kafka_topic_partition_list_t* partitions,
                            void* opaque) {
    auto* const owner = static_cast<Consumer*>(Client::owner_of(opaque));
    if (owner == nullptr) {
        return;
    }
    auto& self = *owner;
    try {
        self.take_rebalance(code, *partitions);
    } catch (...) {
        self.failure_ = std::current_exception();
    }
    rd_kafka_yield(self.client_.get());  // the event goes out before anything else comes in
}

void Consumer::on_error(rd_kafka_t*, int code, const char* reason, void* opaque) {
    auto* const owner = static_cast<Consumer*>(Client::owner_of(opaque));
    if (owner == nullptr || owner->is_closed_) {
        return;  // close() also meets what was queued for poll()
    }
    auto& self = *owner;
    try {
        // A group hears of it by an error of its subscription, or by a rebalance.
        if (!self.has_group() && is_missing(static_cast<rd_kafka_resp_err_t>(code))) {
            SourceEvent event;
            event.kind = EventKind::topic_missing;
            event.message =
                fmt::format("a fixed partition does not exist: {}", self.client_.redacted(reason));
            self.queued_.push_back(std::move(event));
            return;
        }
        self.errors_.take(static_cast<rd_kafka_resp_err_t>(code), reason);
    } catch (...) {
        self.failure_ = std::current_exception();
    }
}

void Consumer::on_commit(rd_kafka_t*,
                         rd_kafka_resp_err_t code,
                         rd_kafka_topic_partition_list_t*,
                         void* opaque) {
    auto* const owner = static_cast<Consumer*>(Client::owner_of(opaque));
    if (owner == nullptr) {
        return;
    }
    auto& self = *owner;
    try {
        self.mirror_.take_reply(code);
    } catch (...) {
        self.failure_ = std::current_exception();
    }
}

void Consumer::take_rebalance(rd_kafka_resp_err_t code,
                              const rd_kafka_topic_partition_list_t& partitions) {
    if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        give(names_of(partitions));
    } else {
        revoke(names_of(partitions));
    }
}

void Consumer::give(std::vector<TopicPartition> partitions) {
    // The group waits for some assign call; what is really fetched is added by assign().
    const auto none = make_partitions(0);
    check_assignment(rd_kafka_incremental_assign(client_.get(), none.get()),
                     "taking part in a rebalance");
    for (const auto& partition : partitions) {
        given_.try_emplace(partition);
    }
    queue_event(EventKind::assigned, std::move(partitions));
}

void Consumer::revoke(std::vector<TopicPartition> partitions) {
    if (!is_assignment_lost()) {
        mirror_.send_now(partitions);
    }
    std::vector<Entry*> entries;
    for (const auto& partition : partitions) {
        if (const auto at = given_.find(partition); at != given_.end()) {
            entries.push_back(&*at);
        }
    }
    // Also with nothing to stop: this call is what the group waits for. Naming a partition that
    // was never assigned instead would stall it.
    stop_fetching(entries);
    is_lost_ = false;
    for (const auto& partition : partitions) {
        mirror_.forget(partition);
        given_.erase(partition);
    }
    queue_event(EventKind::revoked, std::move(partitions));
}

void Consumer::queue_event(EventKind kind, std::vector<TopicPartition> partitions) {
    if (partitions.empty()) {
        return;  // a rebalance that changes nothing here
    }
    SourceEvent event;
    event.kind = kind;
    event.partitions = std::move(partitions);
    queued_.push_back(std::move(event));
}

// ---- polling

const SourceEvent& Consumer::poll(milliseconds timeout) {
    for (int wait = to_ms(timeout);; wait = 0) {
        message_.reset();
        if (queued_.empty()) {
            message_.reset(rd_kafka_consumer_poll(client_.get(), wait));
        }
        if (failure_) {
            std::rethrow_exception(std::exchange(failure_, nullptr));
        }
        if (message_ == nullptr) {
            return take_queued();
        }
        if (take(*message_)) {
            return event_;
        }
    }
}

const SourceEvent& Consumer::take_queued() {
    mirror_.send_if_due();
    if (queued_.empty()) {
        event_.kind = EventKind::none;
    } else {
        event_ = std::move(queued_.front());
        queued_.pop_front();
    }
    return event_;
}

/// Turns a message into event_; false when there is nothing to tell.
bool Consumer::take(const rd_kafka_message_t& message) {
    Entry* entry = find(message);
    switch (message.err) {
        case RD_KAFKA_RESP_ERR_NO_ERROR:
            nudge_.after(message);
            if (entry != nullptr) {
                take_record(message, *entry);
            }
            return entry != nullptr;
        case RD_KAFKA_RESP_ERR__PARTITION_EOF:
            if (entry != nullptr) {
                take_end(Offset{message.offset}, entry->second);
            }
            return entry != nullptr;
        case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
        case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
            return entry != nullptr && take_out_of_range(message, *entry);
        case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
        case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
        case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
            take_missing_topic(message);
            return true;
        default:
            errors_.take(message);
            return false;
    }
}

void Consumer::take_record(const rd_kafka_message_t& message, Entry& entry) {
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
    record.key = bytes_of(message.key, message.key_len);
    record.value = bytes_of(message.payload, message.len);
    take_headers(message);
    record.headers = headers_;
}

/// Lends the message's headers; their bytes live as long as it does.
void Consumer::take_headers(const rd_kafka_message_t& message) {
    headers_.clear();
    rd_kafka_headers_t* list = nullptr;
    const auto code = rd_kafka_message_headers(&message, &list);
    if (code == RD_KAFKA_RESP_ERR__NOENT) {
        return;
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw request_error(code, "reading the headers of a record");
    }
    const char* name = nullptr;
    const void* value = nullptr;
    std::size_t size = 0;
    while (rd_kafka_header_get_all(list, headers_.size(), &name, &value, &size) ==
           RD_KAFKA_RESP_ERR_NO_ERROR) {
        headers_.push_back({name, bytes_of(value, size)});
    }
}

void Consumer::take_end(Offset offset, Given& given) {
    given.position = std::max(given.position, offset);
    event_.kind = EventKind::end_of_partition;
    event_.tag = given.tag;
    event_.offset = offset;
}

bool Consumer::take_out_of_range(const rd_kafka_message_t& message, Entry& entry) {
    auto& given = entry.second;
    if (Offset{message.offset} != given.position) {
        // Not about our position: it may be left over from before a re-assignment, which
        // librdkafka does not filter. Asking again at our position tells.
        Entry* one = &entry;
        stop_fetching(std::span{&one, 1});
        fetch(entry);
        return false;
    }
    event_.kind = EventKind::out_of_range;
    event_.tag = given.tag;
    event_.offset = given.position;
    event_.message = text_of(client_, message);
    return true;
}

void Consumer::take_missing_topic(const rd_kafka_message_t& message) {
    event_.kind = EventKind::topic_missing;
    event_.message =
        fmt::format("topic {} does not exist: {}",
                    message.rkt == nullptr ? "of the route" : rd_kafka_topic_name(message.rkt),
                    text_of(client_, message));
}

/// The partition of a message, if it is fetched.
Consumer::Entry* Consumer::find(const rd_kafka_message_t& message) {
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

void Consumer::assign(const TopicPartition& partition, Offset offset, AssignmentTag tag) {
    const auto at = given_.find(partition);
    if (at == given_.end()) {
        spdlog::debug("kafka: {} was taken back before it could be read", to_string(partition));
        return;
    }
    Entry* entry = &*at;
    auto& given = entry->second;
    mirror_.forget(partition);  // what was acknowledged may be ahead of the new position
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

void Consumer::unassign(const TopicPartition& partition) {
    const auto at = given_.find(partition);
    if (at == given_.end()) {
        return;
    }
    Entry* entry = &*at;
    if (entry->second.is_fetching) {
        stop_fetching(std::span{&entry, 1});
    }
    entry->second = Given{};
    mirror_.forget(partition);
}

void Consumer::pause() {
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

void Consumer::resume() {
    if (!is_paused_) {
        return;
    }
    is_paused_ = false;
    for (Entry* entry : all()) {
        if (entry->second.is_assigned) {
            fetch(*entry);
        }
    }
}

/// Precondition: assigned, and not fetched now.
void Consumer::fetch(Entry& entry) {
    auto& [partition, given] = entry;
    is_lost_ = is_assignment_lost();  // the call below resets librdkafka's own flag
    const auto list = make_partitions(1);
    rd_kafka_topic_partition_list_add(list.get(), partition.topic.c_str(), partition.partition)
        ->offset = to_int(given.position);
    check_assignment(rd_kafka_incremental_assign(client_.get(), list.get()),
                     fmt::format("assigning {}", to_string(partition)));
    given.is_fetching = true;
}

/// Stops those of `entries` that are fetched; in a revoke, none is a valid number.
void Consumer::stop_fetching(std::span<Entry* const> entries) {
    last_ = {};
    is_lost_ = is_assignment_lost();  // the call below resets librdkafka's own flag
    const auto list = make_partitions(entries.size());
    for (Entry* entry : entries) {
        if (std::exchange(entry->second.is_fetching, false)) {
            rd_kafka_topic_partition_list_add(
                list.get(), entry->first.topic.c_str(), entry->first.partition);
        }
    }
    check_assignment(rd_kafka_incremental_unassign(client_.get(), list.get()),
                     "unassigning partitions");
}

bool Consumer::is_assignment_lost() {
    return is_lost_ || rd_kafka_assignment_lost(client_.get()) != 0;
}

std::vector<Consumer::Entry*> Consumer::all() {
    std::vector<Entry*> entries;
    for (auto& entry : given_) {
        entries.push_back(&entry);
    }
    return entries;
}

void Consumer::acknowledge(const TopicPartition& partition, Offset next) {
    const auto at = given_.find(partition);
    if (has_group() && at != given_.end() && at->second.is_assigned && !is_assignment_lost()) {
        mirror_.acknowledge(partition, next);
    }
}

// ---- the end

void Consumer::close() noexcept {
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

void Consumer::leave() {
    const auto deadline = steady_clock::now() + settings_.close_timeout;
    if (!has_group()) {
        stop_fetching(all());
    }
    // Serves the revoke, and with it the mirror, through on_rebalance().
    Queue queue{rd_kafka_queue_new(client_.get())};
    if (const Error error{rd_kafka_consumer_close_queue(client_.get(), queue.get())}) {
        // After a fatal error there is no group left to leave.
        spdlog::debug("kafka: leaving the group: {}", rd_kafka_error_string(error.get()));
        return;
    }
    while (rd_kafka_consumer_closed(client_.get()) == 0) {
        if (steady_clock::now() >= deadline) {
            spdlog::warn(
                "kafka: the consumer did not close in time and is given up; the group notices "
                "after session.timeout.ms");
            static_cast<void>(queue.release());
            client_.abandon();
            return;
        }
        // As events, not by queue_poll_callback(): that ends the process at a record, and records
        // are what may be left in the queue.
        const Event event{rd_kafka_queue_poll(queue.get(), 50)};
        if (event != nullptr && rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_REBALANCE) {
            take_rebalance(rd_kafka_event_error(event.get()),
                           *rd_kafka_event_topic_partition_list(event.get()));
        }
    }
}

}  // namespace txsink::kafka
