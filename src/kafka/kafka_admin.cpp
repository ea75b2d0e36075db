#include "txsink/kafka/kafka_admin.hpp"

#include <fmt/format.h>

#include <utility>

#include "kafka/client.hpp"
#include "kafka/offsets.hpp"

namespace txsink::kafka {

class KafkaAdmin::Asker {
public:
    explicit Asker(KafkaSettings settings)
        : settings_{with_group(std::move(settings))}, client_{settings_} {}

    [[nodiscard]] const KafkaSettings& settings() const noexcept { return settings_; }
    [[nodiscard]] const Client& client() const noexcept { return client_; }

    /// Asks; brokers that do not answer are `unavailable` here, as nobody tries again.
    template <typename Question>
    auto ask(Question question) const {
        try {
            return question();
        } catch (SinkError& error) {
            if (error.kind == ErrorKind::connection) {
                throw unavailable(error.detail.empty() ? error.what() : error.detail);
            }
            throw;
        }
    }

    [[nodiscard]] SinkError unavailable(std::string why) const {
        return SinkError{ErrorKind::unavailable,
                         fmt::format("no Kafka broker answers at {}", brokers()),
                         std::move(why),
                         "check kafka.bootstrap.servers and kafka.security.protocol"};
    }

    [[nodiscard]] std::string brokers() const {
        for (const auto* key : {"bootstrap.servers", "metadata.broker.list"}) {
            if (const auto at = settings_.properties.find(key); at != settings_.properties.end()) {
                return at->second;
            }
        }
        return "(kafka.bootstrap.servers is not set)";
    }

private:
    static KafkaSettings with_group(KafkaSettings settings) {
        settings.instance_id.clear();
        settings.properties.try_emplace("group.id", "txsink");  // librdkafka wants one
        return settings;
    }

    KafkaSettings settings_;
    Client client_;
};

KafkaAdmin::KafkaAdmin(KafkaSettings settings)
    : asker_{std::make_unique<Asker>(std::move(settings))} {}

KafkaAdmin::~KafkaAdmin() = default;

std::string KafkaAdmin::connect() {
    const auto& client = asker_->client();
    const auto timeout = asker_->settings().request_timeout;
    asker_->ask([&] { return find_topics(client, {}, timeout); });
    return cluster_id(client, timeout);
}

std::vector<TopicSize> KafkaAdmin::topics() {
    const auto& client = asker_->client();
    const auto& settings = asker_->settings();
    return asker_->ask([&] {
        const auto found = find_topics(client, wanted_topics(settings), settings.request_timeout);
        if (!found.missing.empty()) {
            const auto& name = found.missing.front();
            throw SinkError{ErrorKind::configuration,
                            name.starts_with('^') ? fmt::format("no topic matches {}", name)
                                                  : fmt::format("topic {} does not exist", name),
                            fmt::format("asked the brokers at {}", asker_->brokers()),
                            "create it, or correct the route's topic"};
        }
        std::vector<TopicSize> sizes;
        for (const auto& topic : found.present) {
            const auto count = partitions_of(client, topic, settings.request_timeout).size();
            sizes.push_back({topic, static_cast<std::int32_t>(count)});
        }
        return sizes;
    });
}

std::map<TopicPartition, Offset> KafkaAdmin::ends(std::span<const TopicPartition> partitions) {
    const auto offsets = asker_->ask([&] {
        return list_offsets(
            asker_->client(), partitions, kLogEnd, asker_->settings().request_timeout);
    });
    std::map<TopicPartition, Offset> ends;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        ends.emplace(partitions[i], offsets[i]);
    }
    return ends;
}

std::map<TopicPartition, pipeline::Watermarks> KafkaAdmin::watermarks(
    std::span<const TopicPartition> partitions) {
    const auto starts = asker_->ask([&] {
        return list_offsets(
            asker_->client(), partitions, kLogStart, asker_->settings().request_timeout);
    });
    const auto high = ends(partitions);
    std::map<TopicPartition, pipeline::Watermarks> watermarks;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        watermarks[partitions[i]] = {starts[i], high.at(partitions[i])};
    }
    return watermarks;
}

std::vector<pipeline::PartitionStart> KafkaAdmin::start_offsets(
    const std::string& topic, const pipeline::StartPolicy& policy) {
    return asker_->ask(
        [&] { return kafka::start_offsets(asker_->client(), asker_->settings(), topic, policy); });
}

int KafkaAdmin::live_members(const std::string& group) {
    return asker_->ask([&] {
        return kafka::live_members(asker_->client(), group, asker_->settings().request_timeout);
    });
}

}  // namespace txsink::kafka
