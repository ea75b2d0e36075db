#include "kafka/offsets.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>

namespace txsink::kafka {

namespace {

using Metadata = std::unique_ptr<const rd_kafka_metadata_t, Destroy<rd_kafka_metadata_destroy>>;

void fill(rd_kafka_topic_partition_list_t* list,
          std::span<const TopicPartition> partitions,
          std::int64_t offset) {
    for (const auto& partition : partitions) {
        rd_kafka_topic_partition_list_add(list, partition.topic.c_str(), partition.partition)
            ->offset = offset;
    }
}

SinkError missing_topic(const std::string& topic) {
    return SinkError{ErrorKind::configuration,
                     fmt::format("topic {} does not exist", topic),
                     {},
                     "create it, or correct the route's topic"};
}

/// A POSIX extended regex, as librdkafka compiles those of a subscription.
class Pattern {
public:
    explicit Pattern(const std::string& text) {
        if (const int code = regcomp(&regex_, text.c_str(), REG_EXTENDED | REG_NOSUB); code != 0) {
            std::array<char, 256> reason{};
            regerror(code, &regex_, reason.data(), reason.size());
            throw SinkError{ErrorKind::configuration,
                            fmt::format("topic pattern '{}' is not a regular expression", text),
                            reason.data()};
        }
    }
    ~Pattern() { regfree(&regex_); }
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;

    [[nodiscard]] bool matches(const char* text) const {
        return regexec(&regex_, text, 0, nullptr, 0) == 0;
    }

private:
    regex_t regex_{};
};

/// Topics that no pattern of a subscription takes: kafka.topic.blacklist, separated by commas.
std::deque<Pattern> left_out(const Client& client) {
    const auto* conf = rd_kafka_conf(client.get());
    constexpr auto kName = "topic.blacklist";
    std::size_t size = 0;
    std::string text;
    if (rd_kafka_conf_get(conf, kName, nullptr, &size) == RD_KAFKA_CONF_OK && size > 0) {
        text.resize(size);
        rd_kafka_conf_get(conf, kName, text.data(), &size);
        // The size counts the end of the C string.
        text.resize(std::min(text.find('\0'), text.size()));
    }
    std::deque<Pattern> patterns;
    for (std::string_view rest{text}; !rest.empty();) {
        const auto one = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
        if (!one.empty()) {
            patterns.emplace_back(std::string{one});
        }
    }
    return patterns;
}

/// Errors: configuration: librdkafka takes the topic out of every answer.
void check_not_left_out(const Client& client, const std::string& topic) {
    const auto never = left_out(client);
    if (std::none_of(never.begin(), never.end(), [&](const Pattern& each) {
            return each.matches(topic.c_str());
        })) {
        return;
    }
    if (topic.starts_with("__")) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("topic {} is Kafka's own and cannot be read", topic)};
    }
    throw SinkError{ErrorKind::configuration,
                    fmt::format("topic {} is left out by kafka.topic.blacklist", topic)};
}

/// Metadata of one topic, or of all (nullptr); nothing when the name is not a legal one.
Metadata ask_metadata(const Client& client,
                      const std::string* topic,
                      std::chrono::milliseconds timeout) {
    Topic handle;
    if (topic != nullptr) {
        check_not_left_out(client, *topic);
        handle.reset(rd_kafka_topic_new(client.get(), topic->c_str(), nullptr));
        if (handle == nullptr) {
            return nullptr;
        }
    }
    const rd_kafka_metadata_t* answer = nullptr;
    const auto code = rd_kafka_metadata(
        client.get(), topic == nullptr ? 1 : 0, handle.get(), &answer, to_ms(timeout));
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw request_error(
            code,
            topic == nullptr ? "asking for the topics" : fmt::format("asking for topic {}", *topic),
            client.recent_error());
    }
    return Metadata{answer};
}

/// Whether the answer about one topic says that it exists. Errors: whatever else it says.
bool exists_in(const rd_kafka_metadata_t& metadata, const std::string& topic) {
    if (metadata.topic_cnt != 1) {
        return false;
    }
    const auto& found = metadata.topics[0];
    if (found.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
        found.err == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION) {
        return false;
    }
    if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw request_error(found.err, fmt::format("asking for topic {}", topic));
    }
    return found.partition_cnt > 0;
}

Offset unpack(const rd_kafka_topic_partition_t& item, const char* what) {
    if (item.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw request_error(item.err, fmt::format("{} {}[{}]", what, item.topic, item.partition));
    }
    return Offset{item.offset};
}

}  // namespace

FoundTopics find_topics(const Client& client,
                        std::span<const std::string> wanted,
                        std::chrono::milliseconds timeout) {
    FoundTopics found;
    Metadata all;
    if (wanted.empty()) {
        all = ask_metadata(client, nullptr, timeout);
    }
    for (const auto& name : wanted) {
        if (!name.starts_with('^')) {
            const auto metadata = ask_metadata(client, &name, timeout);
            const bool exists = metadata != nullptr && exists_in(*metadata, name);
            (exists ? found.present : found.missing).push_back(name);
            continue;
        }
        if (all == nullptr) {
            all = ask_metadata(client, nullptr, timeout);
        }
        const Pattern pattern{name};
        const auto never = left_out(client);
        const auto before = found.present.size();
        for (int i = 0; i < all->topic_cnt; ++i) {
            const char* topic = all->topics[i].topic;
            if (pattern.matches(topic) &&
                std::none_of(never.begin(), never.end(), [&](const Pattern& each) {
                    return each.matches(topic);
                })) {
                found.present.emplace_back(topic);
            }
        }
        if (found.present.size() == before) {
            found.missing.push_back(name);
        }
    }
    std::sort(found.present.begin(), found.present.end());
    found.present.erase(std::unique(found.present.begin(), found.present.end()),
                        found.present.end());
    return found;
}

std::vector<std::string> wanted_topics(const KafkaSettings& settings) {
    std::vector<std::string> wanted = settings.topics;
    for (const auto& partition : settings.assign) {
        wanted.push_back(partition.topic);
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    return wanted;
}

std::vector<TopicPartition> partitions_of(const Client& client,
                                          const std::string& topic,
                                          std::chrono::milliseconds timeout) {
    const auto metadata = ask_metadata(client, &topic, timeout);
    if (metadata == nullptr || !exists_in(*metadata, topic)) {
        throw missing_topic(topic);
    }
    const auto& found = metadata->topics[0];
    std::vector<TopicPartition> partitions;
    for (std::int32_t i = 0; i < found.partition_cnt; ++i) {
        partitions.push_back({topic, found.partitions[i].id});
    }
    std::sort(partitions.begin(), partitions.end());
    return partitions;
}

namespace {

/// Errors: configuration: names the first topic or partition that does not exist.
void check_exist(const Client& client,
                 std::span<const TopicPartition> partitions,
                 std::chrono::milliseconds timeout) {
    std::vector<TopicPartition> present;
    for (const auto& partition : partitions) {
        if (present.empty() || present.front().topic != partition.topic) {
            present = partitions_of(client, partition.topic, timeout);
        }
        if (!std::binary_search(present.begin(), present.end(), partition)) {
            throw SinkError{
                ErrorKind::configuration,
                fmt::format("topic {} has no partition {}", partition.topic, partition.partition),
                fmt::format("it has {}, numbered from 0", present.size())};
        }
    }
}

}  // namespace

std::vector<Offset> list_offsets(const Client& client,
                                 std::span<const TopicPartition> partitions,
                                 std::int64_t timestamp,
                                 std::chrono::milliseconds timeout) {
    std::vector<Offset> offsets;
    if (partitions.empty()) {
        return offsets;
    }
    constexpr auto kWhat = "asking for offsets of";
    const auto list = make_partitions(partitions.size());
    fill(list.get(), partitions, timestamp);
    // For all partitions at once, while query_watermark_offsets takes a round trip for each. The
    // timestamps -2 and -1 are the protocol's own words for begin and end.
    const auto code = rd_kafka_offsets_for_times(client.get(), list.get(), to_ms(timeout));
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        if (is_missing(code)) {
            check_exist(client, partitions, timeout);
        }
        throw request_error(code,
                            fmt::format("{} topic {}", kWhat, partitions.front().topic),
                            client.recent_error());
    }
    for (int i = 0; i < list->cnt; ++i) {
        if (is_missing(list->elems[i].err)) {
            check_exist(client, partitions, timeout);
            break;
        }
    }
    std::vector<TopicPartition> past_the_end;
    for (int i = 0; i < list->cnt; ++i) {
        offsets.push_back(unpack(list->elems[i], kWhat));
        if (to_int(offsets.back()) < 0) {
            past_the_end.push_back(partitions[static_cast<std::size_t>(i)]);
        }
    }
    if (!past_the_end.empty() && timestamp != kLogEnd) {
        const auto ends = list_offsets(client, past_the_end, kLogEnd, timeout);
        auto end = ends.begin();
        for (auto& offset : offsets) {
            if (to_int(offset) < 0) {
                offset = *end++;
            }
        }
    }
    return offsets;
}

int live_members(const Client& client,
                 const std::string& group,
                 std::chrono::milliseconds timeout) {
    const Queue queue{rd_kafka_queue_new(client.get())};
    const std::unique_ptr<rd_kafka_AdminOptions_t, Destroy<rd_kafka_AdminOptions_destroy>> options{
        rd_kafka_AdminOptions_new(client.get(), RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS)};
    std::array<char, 256> text{};
    rd_kafka_AdminOptions_set_request_timeout(
        options.get(), to_ms(timeout), text.data(), text.size());
    const char* name = group.c_str();
    rd_kafka_DescribeConsumerGroups(client.get(), &name, 1, options.get(), queue.get());
    const Event event{rd_kafka_queue_poll(queue.get(), to_ms(timeout))};
    const auto what = fmt::format("asking for the members of group {}", group);
    if (event == nullptr) {
        throw request_error(RD_KAFKA_RESP_ERR__TIMED_OUT, what);
    }
    if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw request_error(rd_kafka_event_error(event.get()), what);
    }
    std::size_t count = 0;
    const auto* const* groups = rd_kafka_DescribeConsumerGroups_result_groups(
        rd_kafka_event_DescribeConsumerGroups_result(event.get()), &count);
    int members = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto* error = rd_kafka_ConsumerGroupDescription_error(groups[i]);
        const auto code =
            error == nullptr ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error);
        if (code == RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND) {
            continue;
        }
        if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
            throw request_error(code, what, rd_kafka_error_string(error));
        }
        members += static_cast<int>(rd_kafka_ConsumerGroupDescription_member_count(groups[i]));
    }
    return members;
}

std::vector<Offset> adopt_group(const KafkaSettings& settings,
                                const std::string& group,
                                std::span<const TopicPartition> partitions) {
    auto other = settings;
    other.properties["group.id"] = group;
    other.instance_id.clear();
    const Client client{other};
    // A member that goes on committing would make the adopted offsets old at once. In the own group
    // the members are this connector's, which commit only what is stored.
    const auto own = settings.properties.find("group.id");
    const bool is_own = own != settings.properties.end() && own->second == group;
    if (const int members = is_own ? 0 : live_members(client, group, settings.request_timeout);
        members > 0) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("group {} has {} live members", group, members),
                        "its offsets can be adopted only after it has stopped",
                        "stop it first"};
    }
    const auto list = make_partitions(partitions.size());
    fill(list.get(), partitions, RD_KAFKA_OFFSET_INVALID);
    const auto code = rd_kafka_committed(client.get(), list.get(), to_ms(settings.request_timeout));
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw request_error(code, fmt::format("asking for the offsets of group {}", group));
    }
    std::vector<Offset> offsets;
    for (int i = 0; i < list->cnt; ++i) {
        const auto offset = unpack(list->elems[i], "asking for the committed offset of");
        if (to_int(offset) < 0) {
            throw SinkError{
                ErrorKind::configuration,
                fmt::format("group {} has no committed offset for {}",
                            group,
                            to_string(partitions[static_cast<std::size_t>(i)])),
                {},
                "check the group's name, or start from earliest, latest or a timestamp"};
        }
        offsets.push_back(offset);
    }
    return offsets;
}

std::vector<pipeline::PartitionStart> start_offsets(const Client& client,
                                                    const KafkaSettings& settings,
                                                    const std::string& topic,
                                                    const pipeline::StartPolicy& policy) {
    const auto timeout = settings.request_timeout;
    const auto partitions = partitions_of(client, topic, timeout);
    std::vector<Offset> offsets;
    switch (policy.kind) {
        case pipeline::StartKind::earliest:
            offsets = list_offsets(client, partitions, kLogStart, timeout);
            break;
        case pipeline::StartKind::latest:
            offsets = list_offsets(client, partitions, kLogEnd, timeout);
            break;
        case pipeline::StartKind::timestamp:
            offsets = list_offsets(client, partitions, policy.timestamp_ms, timeout);
            break;
        case pipeline::StartKind::group: {
            const auto own = settings.properties.find("group.id");
            const bool is_own = policy.group.empty() && own != settings.properties.end();
            offsets = adopt_group(settings, is_own ? own->second : policy.group, partitions);
            break;
        }
        case pipeline::StartKind::fail:
            throw SinkError{ErrorKind::configuration,
                            fmt::format("topic {} has no stored offsets, and start = fail", topic),
                            {},
                            "set start to say where the first reading begins"};
    }
    std::vector<pipeline::PartitionStart> starts;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        starts.push_back({partitions[i], offsets[i]});
    }
    return starts;
}

std::string cluster_id(const Client& client, std::chrono::milliseconds timeout) {
    char* id = rd_kafka_clusterid(client.get(), to_ms(timeout));
    std::string result = id == nullptr ? "" : id;
    if (id != nullptr) {
        rd_kafka_mem_free(client.get(), id);
    }
    return result;
}

}  // namespace txsink::kafka
