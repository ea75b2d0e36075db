#include "cli/newer_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/offsets_reader.hpp"

namespace txsink::cli {
namespace {

using std::chrono::steady_clock;

/// Most that is read of Kafka while the connector waits for our locks: offsets, of all partitions,
/// and time.
constexpr std::int64_t kBriefOffsets = 10'000;
constexpr std::chrono::seconds kBriefTime{2};
/// A session that says nothing for mysql.wait-timeout is ended by the server.
constexpr std::chrono::seconds kSilence{5};

}  // namespace

NewerRecords::NewerRecords(const kafka::KafkaSettings& settings,
                           mysql::Database& database,
                           std::string connector)
    : settings_{settings},
      database_{database},
      connector_{std::move(connector)},
      admin_{settings},
      cluster_id_{admin_.connect()} {}

void NewerRecords::look_at(std::span<const mysql::DeadLetterRow> letters) {
    watches_.clear();
    asked_at_ = steady_clock::now();
    for (const auto& letter : letters) {
        auto& watch = watches_[letter.key.partition];
        watch.first =
            watch.looked_at.empty() ? letter.key.offset : std::min(watch.first, letter.key.offset);
        watch.looked_at.insert(letter.key.offset);
        if (letter.record_key) {
            watch.by_key[*letter.record_key].insert(letter.key.offset);
        }
    }
    mysql::StoredPositions positions;
    for (const auto& row : mysql::read_offset_rows(database_.session(), connector_)) {
        const auto watch = watches_.find(row.partition);
        if (watch == watches_.end()) {
            continue;
        }
        positions.emplace(row.partition, row.next);
        if (row.cluster_id != cluster_id_) {
            watch->second.unknown = "its partition's stored offset is of another Kafka cluster";
        }
    }
    std::vector<TopicPartition> partitions;
    for (const auto& [partition, watch] : watches_) {
        partitions.push_back(partition);
    }
    reader_ = std::make_unique<PartitionReader>(settings_, partitions);
    for (auto& [partition, watch] : watches_) {
        begin(partition, watch, positions);
    }
}

void NewerRecords::begin(const TopicPartition& partition,
                         Watch& watch,
                         const mysql::StoredPositions& positions) {
    const auto position = positions.find(partition);
    if (position == positions.end() || !watch.unknown.empty()) {
        watch.unknown = watch.unknown.empty()
                            ? "the connector has no stored offset of its partition"
                            : watch.unknown;
        return;
    }
    try {
        const std::vector<TopicPartition> one{partition};
        const auto log = admin_.watermarks(one).at(partition);
        watch.low = log.low;
        if (position->second > log.high) {
            watch.unknown = "its partition's stored offset lies beyond the end of the log";
            return;
        }
    } catch (const SinkError& error) {
        if (error.kind != ErrorKind::configuration) {
            throw;
        }
        watch.unknown = "its topic is not in Kafka any more";
        return;
    }
    watch.read_to = std::max(next(watch.first), watch.low);
    read(partition, watch, position->second);
}

mysql::StoredPositions NewerRecords::positions() {
    mysql::StoredPositions positions;
    for (const auto& row : mysql::read_offset_rows(database_.session(), connector_)) {
        if (watches_.contains(row.partition)) {
            positions.emplace(row.partition, row.next);
        }
    }
    asked_at_ = steady_clock::now();
    return positions;
}

void NewerRecords::follow() {
    for (const auto& [partition, position] : positions()) {
        auto& watch = watches_.at(partition);
        if (watch.unknown.empty()) {
            read(partition, watch, position);
        }
    }
}

bool NewerRecords::follow_briefly(const mysql::StoredPositions& positions) {
    const auto deadline = steady_clock::now() + kBriefTime;
    auto offsets = kBriefOffsets;
    for (const auto& [partition, position] : positions) {
        const auto at = watches_.find(partition);
        if (at == watches_.end() || !at->second.unknown.empty() || position <= at->second.read_to) {
            continue;
        }
        auto& watch = at->second;
        if (watch.by_key.empty()) {
            watch.read_to = position;
            continue;
        }
        offsets -= to_int(position) - to_int(watch.read_to);
        if (offsets < 0) {
            return false;
        }
        watch.read_to =
            reader_->read_until(deadline, {partition, watch.read_to, position}, visitor(watch));
        if (watch.read_to < position) {
            return false;
        }
    }
    return true;
}

RecordVisitor NewerRecords::visitor(Watch& watch) {
    return [this, &watch](const ConsumerRecord& record) {
        take(record, watch);
        if (steady_clock::now() - asked_at_ > kSilence) {
            static_cast<void>(positions());
        }
        return true;
    };
}

void NewerRecords::read(const TopicPartition& partition, Watch& watch, Offset to) {
    if (to <= watch.read_to) {
        return;
    }
    if (watch.by_key.empty()) {
        watch.read_to = to;
        return;
    }
    watch.read_to = reader_->read({partition, watch.read_to, to}, visitor(watch));
}

void NewerRecords::take(const ConsumerRecord& record, Watch& watch) {
    if (!record.key) {
        return;
    }
    const auto letters = watch.by_key.find(std::string{*record.key});
    if (letters == watch.by_key.end() || *letters->second.begin() >= record.offset ||
        is_dead_letter(record)) {
        return;
    }
    auto& offsets = letters->second;
    const auto later = offsets.lower_bound(record.offset);
    watch.outdated.insert(offsets.begin(), later);
    offsets.erase(offsets.begin(), later);
    if (offsets.empty()) {
        watch.by_key.erase(letters);
    }
}

bool NewerRecords::is_dead_letter(const ConsumerRecord& record) {
    mysql::DeadLetterFilter filter;
    filter.topic = record.topic;
    filter.partition = record.partition;
    filter.first = record.offset;
    filter.last = record.offset;
    return mysql::count_dead_letters(database_.session(), connector_, filter) > 0;
}

std::optional<std::string> NewerRecords::objection(const mysql::DeadLetterKey& letter,
                                                   bool has_key) const {
    const auto at = watches_.find(letter.partition);
    if (at == watches_.end() || !at->second.looked_at.contains(letter.offset)) {
        return "it came meanwhile";
    }
    const auto& watch = at->second;
    if (!has_key) {
        return std::nullopt;
    }
    if (!watch.unknown.empty()) {
        return watch.unknown;
    }
    if (watch.outdated.contains(letter.offset)) {
        return "newer records of its key were applied since";
    }
    if (next(letter.offset) < watch.low) {
        return fmt::format(
            "Kafka no longer has all records behind it (its log begins at {}), so newer ones of "
            "its key cannot be ruled out",
            to_int(watch.low));
    }
    return std::nullopt;
}

}  // namespace txsink::cli
