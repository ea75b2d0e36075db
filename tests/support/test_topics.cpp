#include "support/test_topics.hpp"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>

namespace txsink::test {

namespace {

constexpr int kTimeoutMs = 30'000;

template <auto destroy>
struct Destroy {
    template <typename T>
    void operator()(T* object) const noexcept {
        destroy(object);
    }
};

using Handle = std::unique_ptr<rd_kafka_t, Destroy<rd_kafka_destroy>>;
using Queue = std::unique_ptr<rd_kafka_queue_t, Destroy<rd_kafka_queue_destroy>>;
using Event = std::unique_ptr<rd_kafka_event_t, Destroy<rd_kafka_event_destroy>>;
using List = std::unique_ptr<rd_kafka_topic_partition_list_t,
                             Destroy<rd_kafka_topic_partition_list_destroy>>;

Handle connect(const std::string& bootstrap, const std::string& group = {}) {
    char text[256] = "";
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", bootstrap.c_str(), nullptr, 0);
    rd_kafka_conf_set(conf, "log_level", "0", nullptr, 0);
    rd_kafka_conf_set(conf, "allow.auto.create.topics", "false", nullptr, 0);
    if (!group.empty()) {
        rd_kafka_conf_set(conf, "group.id", group.c_str(), nullptr, 0);
    }
    const auto type = group.empty() ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER;
    Handle handle{rd_kafka_new(type, conf, text, sizeof text)};
    if (handle == nullptr) {
        throw std::runtime_error{text};
    }
    return handle;
}

/// Partitions of the topic by the metadata; 0: no such topic.
int count_partitions(rd_kafka_t* handle, const std::string& topic) {
    const rd_kafka_metadata_t* metadata = nullptr;
    const std::unique_ptr<rd_kafka_topic_t, Destroy<rd_kafka_topic_destroy>> name{
        rd_kafka_topic_new(handle, topic.c_str(), nullptr)};
    if (rd_kafka_metadata(handle, 0, name.get(), &metadata, kTimeoutMs) !=
        RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw std::runtime_error{"asking for topic " + topic};
    }
    int count = 0;
    for (int i = 0; i < metadata->topic_cnt; ++i) {
        const auto& found = metadata->topics[i];
        bool has_leaders = found.err == RD_KAFKA_RESP_ERR_NO_ERROR;
        for (int p = 0; p < found.partition_cnt; ++p) {
            has_leaders = has_leaders && found.partitions[p].leader >= 0;
        }
        count = has_leaders ? found.partition_cnt : 0;
    }
    rd_kafka_metadata_destroy(metadata);
    return count;
}

void await_partitions(rd_kafka_t* handle, const std::string& topic, int count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds{kTimeoutMs};
    while (count_partitions(handle, topic) != count) {
        if (std::chrono::steady_clock::now() > deadline) {
            throw std::runtime_error{
                fmt::format("topic {} does not get {} partitions", topic, count)};
        }
        rd_kafka_poll(handle, 20);
    }
}

/// The result of an admin request, whose topics (if it is about topics) all went well.
Event await(rd_kafka_queue_t* queue, const std::string& what) {
    Event event{rd_kafka_queue_poll(queue, kTimeoutMs)};
    if (event == nullptr) {
        throw std::runtime_error{what + ": timed out"};
    }
    if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw std::runtime_error{what + ": " + rd_kafka_event_error_string(event.get())};
    }
    return event;
}

void check_topics(const rd_kafka_topic_result_t* const* results,
                  std::size_t count,
                  const std::string& what) {
    for (std::size_t i = 0; i < count; ++i) {
        if (rd_kafka_topic_result_error(results[i]) != RD_KAFKA_RESP_ERR_NO_ERROR) {
            const char* text = rd_kafka_topic_result_error_string(results[i]);
            throw std::runtime_error{
                what + ": " +
                (text != nullptr ? text
                                 : rd_kafka_err2str(rd_kafka_topic_result_error(results[i])))};
        }
    }
}

}  // namespace

std::string unique_name(const std::string& prefix) {
    static std::atomic<int> counter{0};
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return fmt::format(
        "{}-{}-{}-{}",
        prefix,
        getpid(),
        std::chrono::duration_cast<std::chrono::milliseconds>(now).count() % 1'000'000'000,
        ++counter);
}

void create_topic(const std::string& bootstrap,
                  const std::string& topic,
                  int partitions,
                  const std::map<std::string, std::string>& settings) {
    const Handle handle = connect(bootstrap);
    const Queue queue{rd_kafka_queue_new(handle.get())};
    char text[256] = "";
    rd_kafka_NewTopic_t* request =
        rd_kafka_NewTopic_new(topic.c_str(), partitions, 1, text, sizeof text);
    for (const auto& [key, value] : settings) {
        rd_kafka_NewTopic_set_config(request, key.c_str(), value.c_str());
    }
    rd_kafka_CreateTopics(handle.get(), &request, 1, nullptr, queue.get());
    rd_kafka_NewTopic_destroy(request);
    const auto what = "creating topic " + topic;
    const Event event = await(queue.get(), what);
    std::size_t count = 0;
    const auto* const* results = rd_kafka_CreateTopics_result_topics(
        rd_kafka_event_CreateTopics_result(event.get()), &count);
    check_topics(results, count, what);
    await_partitions(handle.get(), topic, partitions);
}

void delete_topic(const std::string& bootstrap, const std::string& topic) {
    const Handle handle = connect(bootstrap);
    const Queue queue{rd_kafka_queue_new(handle.get())};
    rd_kafka_DeleteTopic_t* request = rd_kafka_DeleteTopic_new(topic.c_str());
    rd_kafka_DeleteTopics(handle.get(), &request, 1, nullptr, queue.get());
    rd_kafka_DeleteTopic_destroy(request);
    const auto what = "deleting topic " + topic;
    const Event event = await(queue.get(), what);
    std::size_t count = 0;
    const auto* const* results = rd_kafka_DeleteTopics_result_topics(
        rd_kafka_event_DeleteTopics_result(event.get()), &count);
    check_topics(results, count, what);
    await_partitions(handle.get(), topic, 0);
}

void add_partitions(const std::string& bootstrap, const std::string& topic, int total) {
    const Handle handle = connect(bootstrap);
    const Queue queue{rd_kafka_queue_new(handle.get())};
    char text[256] = "";
    rd_kafka_NewPartitions_t* request = rd_kafka_NewPartitions_new(
        topic.c_str(), static_cast<std::size_t>(total), text, sizeof text);
    rd_kafka_CreatePartitions(handle.get(), &request, 1, nullptr, queue.get());
    rd_kafka_NewPartitions_destroy(request);
    const auto what = "adding partitions to " + topic;
    const Event event = await(queue.get(), what);
    std::size_t count = 0;
    const auto* const* results = rd_kafka_CreatePartitions_result_topics(
        rd_kafka_event_CreatePartitions_result(event.get()), &count);
    check_topics(results, count, what);
    await_partitions(handle.get(), topic, total);
}

void delete_records(const std::string& bootstrap,
                    const std::string& topic,
                    std::int32_t partition,
                    std::int64_t offset) {
    const Handle handle = connect(bootstrap);
    const Queue queue{rd_kafka_queue_new(handle.get())};
    const List list{rd_kafka_topic_partition_list_new(1)};
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
    rd_kafka_DeleteRecords_t* request = rd_kafka_DeleteRecords_new(list.get());
    rd_kafka_DeleteRecords(handle.get(), &request, 1, nullptr, queue.get());
    rd_kafka_DeleteRecords_destroy(request);
    const auto what = "deleting records of " + topic;
    const Event event = await(queue.get(), what);
    const auto* results =
        rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event.get()));
    if (results->elems[0].err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw std::runtime_error{what + ": " + rd_kafka_err2str(results->elems[0].err)};
    }
}

void commit_group_offset(const std::string& bootstrap,
                         const std::string& group,
                         const std::string& topic,
                         std::int32_t partition,
                         std::int64_t offset) {
    const Handle handle = connect(bootstrap, group);
    const List list{rd_kafka_topic_partition_list_new(1)};
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
    const auto code = rd_kafka_commit(handle.get(), list.get(), 0);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw std::runtime_error{std::string{"committing: "} + rd_kafka_err2str(code)};
    }
}

std::int64_t committed_offset(const std::string& bootstrap,
                              const std::string& group,
                              const std::string& topic,
                              std::int32_t partition) {
    const Handle handle = connect(bootstrap, group);
    const List list{rd_kafka_topic_partition_list_new(1)};
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition);
    const auto code = rd_kafka_committed(handle.get(), list.get(), kTimeoutMs);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw std::runtime_error{std::string{"asking for commits: "} + rd_kafka_err2str(code)};
    }
    return list->elems[0].offset < 0 ? -1 : list->elems[0].offset;
}

}  // namespace txsink::test
