/// @file
/// SourceProbe: polls a RecordSource until a condition holds, and keeps what came.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "txsink/pipeline/record_source.hpp"

namespace txsink::test {

/// A record with bytes of its own.
struct CopiedRecord {
    using Text = std::optional<std::string>;

    explicit CopiedRecord(const ConsumerRecord& record)
        : key{copy(record.key)}, value{copy(record.value)}, timestamp_ms{record.timestamp_ms} {
        for (const auto& header : record.headers) {
            headers.emplace_back(std::string{header.name}, copy(header.value));
        }
    }
    static Text copy(const std::optional<std::string_view>& bytes) {
        return bytes ? Text{*bytes} : Text{};
    }

    Text key;
    Text value;
    std::int64_t timestamp_ms;
    std::vector<std::pair<std::string, Text>> headers;
};

/// Plays the pipeline: keeps each event, and assigns what the group gives where `starts` says.
class SourceProbe {
public:
    explicit SourceProbe(pipeline::RecordSource& source) : source_{source} {}

    /// Assign each given partition at its offset here (or at 0) as soon as it comes.
    bool assigns_at_once = true;
    std::map<TopicPartition, std::int64_t> starts;

    /// All records, in order of arrival, where they are wanted.
    bool keeps_records = false;
    std::vector<CopiedRecord> records;
    /// All offsets of records, in order of arrival.
    std::map<TopicPartition, std::vector<std::int64_t>> offsets;
    /// The last end-of-partition offset.
    std::map<TopicPartition, std::int64_t> ends;
    std::set<TopicPartition> owned;
    std::vector<std::string> out_of_range;
    std::vector<std::string> missing;
    int rebalances = 0;
    /// Records and ends whose tag is not that of the last assignment.
    int wrong_tags = 0;

    void assign(const TopicPartition& partition, std::int64_t offset) {
        const pipeline::AssignmentTag tag{slot_of(partition), ++generation_};
        tags_[partition] = tag;
        source_.assign(partition, Offset{offset}, tag);
    }

    /// One event.
    void turn(std::chrono::milliseconds timeout) { take(source_.poll(timeout)); }

    /// Polls until `is_done`, at most `limit`; returns whether it held.
    bool until(const std::function<bool()>& is_done,
               std::chrono::milliseconds limit = std::chrono::seconds{20}) {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (!is_done()) {
            if (std::chrono::steady_clock::now() > deadline) {
                return false;
            }
            turn(std::chrono::milliseconds{20});
        }
        return true;
    }

    std::vector<std::int64_t>& of(const TopicPartition& partition) { return offsets[partition]; }

private:
    std::uint32_t slot_of(const TopicPartition& partition) {
        const auto at = slots_.try_emplace(partition, slots_.size()).first;
        names_[static_cast<std::uint32_t>(at->second)] = partition;
        return static_cast<std::uint32_t>(at->second);
    }

    void take(const pipeline::SourceEvent& event) {
        switch (event.kind) {
            case pipeline::EventKind::none:
                return;
            case pipeline::EventKind::record: {
                const TopicPartition partition{std::string{event.record.topic},
                                               event.record.partition};
                wrong_tags += event.tag == tags_[partition] ? 0 : 1;
                offsets[partition].push_back(to_int(event.record.offset));
                if (keeps_records) {
                    records.emplace_back(event.record);
                }
                return;
            }
            case pipeline::EventKind::end_of_partition:
                wrong_tags += event.tag == tags_[names_[event.tag.slot]] ? 0 : 1;
                ends[names_[event.tag.slot]] = to_int(event.offset);
                return;
            case pipeline::EventKind::out_of_range:
                out_of_range.push_back(to_string(names_[event.tag.slot]));
                return;
            case pipeline::EventKind::topic_missing:
                missing.push_back(event.message);
                return;
            case pipeline::EventKind::assigned:
            case pipeline::EventKind::revoked:
                take_rebalance(event);
        }
    }

    void take_rebalance(const pipeline::SourceEvent& event) {
        ++rebalances;
        const bool is_given = event.kind == pipeline::EventKind::assigned;
        const auto partitions = event.partitions;  // assign() may poll nothing, but be safe
        for (const auto& partition : partitions) {
            if (!is_given) {
                owned.erase(partition);
                continue;
            }
            owned.insert(partition);
            if (assigns_at_once) {
                const auto start = starts.find(partition);
                assign(partition, start == starts.end() ? 0 : start->second);
            }
        }
    }

    pipeline::RecordSource& source_;
    std::uint32_t generation_ = 0;
    std::map<TopicPartition, std::size_t> slots_;
    std::map<std::uint32_t, TopicPartition> names_;
    std::map<TopicPartition, pipeline::AssignmentTag> tags_;
};

/// first, first + 1, ..., last - 1.
inline std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> result;
    for (std::int64_t number = first; number < last; ++number) {
        result.push_back(number);
    }
    return result;
}

}  // namespace txsink::test
