/// @file
/// NewerRecords: whether records behind a dead letter, of its key, were applied since.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/partition_reader.hpp"
#include "txsink/kafka/kafka_admin.hpp"
#include "txsink/mysql/database.hpp"
#include "txsink/mysql/dead_letters.hpp"

namespace txsink::cli {

/// MySQL keeps nothing by key, so this reads Kafka from the first letter of each partition to the
/// connector's stored offset, once for all letters. A record of the same key there was applied
/// since, unless it is a dead letter itself.
///
/// Holds the keys of the letters, and no records. Errors: SinkError.
/// Threading: one thread.
class NewerRecords {
public:
    NewerRecords(const kafka::KafkaSettings& settings,
                 mysql::Database& database,
                 std::string connector);

    /// Looks at these letters, and forgets those before. Precondition: read with their keys; nobody
    /// else replays letters from now to their objections.
    void look_at(std::span<const mysql::DeadLetterRow> letters);

    /// Looks at what the connector has applied since. May take long: not for a transaction that
    /// holds locks.
    void follow();

    /// The same up to `positions`, but only what takes no time worth speaking of; false: there is
    /// more, and follow() must look at it before an objection says anything.
    [[nodiscard]] bool follow_briefly(const mysql::StoredPositions& positions);

    /// Why the letter must not be applied, or why that cannot be told; nothing: it may.
    /// `has_key` false: only where its partition stands is looked at.
    [[nodiscard]] std::optional<std::string> objection(const mysql::DeadLetterKey& letter,
                                                       bool has_key) const;

private:
    struct Watch {
        /// Letters that no newer record was found for, by key.
        std::unordered_map<std::string, std::set<Offset>> by_key;
        std::set<Offset> looked_at;
        std::set<Offset> outdated;
        Offset first{0};
        Offset low{0};
        /// Records before it have been read.
        Offset read_to{0};
        std::string unknown;
    };

    void begin(const TopicPartition& partition,
               Watch& watch,
               const mysql::StoredPositions& positions);
    /// The connector's, of the partitions that are watched, as last committed.
    [[nodiscard]] mysql::StoredPositions positions();
    [[nodiscard]] RecordVisitor visitor(Watch& watch);
    void read(const TopicPartition& partition, Watch& watch, Offset to);
    void take(const ConsumerRecord& record, Watch& watch);
    [[nodiscard]] bool is_dead_letter(const ConsumerRecord& record);

    kafka::KafkaSettings settings_;
    mysql::Database& database_;
    std::string connector_;
    kafka::KafkaAdmin admin_;
    std::string cluster_id_;
    std::map<TopicPartition, Watch> watches_;
    std::unique_ptr<PartitionReader> reader_;
    std::chrono::steady_clock::time_point asked_at_;
};

}  // namespace txsink::cli
