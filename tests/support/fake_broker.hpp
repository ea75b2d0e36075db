/// @file
/// FakeBroker and FakeSource: partition logs in memory, and a consumer on them that a test
/// steers event by event.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/manual_clock.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/pipeline/record_source.hpp"

namespace txsink::test {

struct LogRecord {
    std::optional<std::string> key;
    std::optional<std::string> value;
    std::vector<std::pair<std::string, std::optional<std::string>>> headers{};
};

/// One partition: records by offset; what is missing below `end` are holes (compaction) or
/// transaction markers.
struct PartitionLog {
    std::map<Offset, LogRecord> records;
    Offset low{0};
    Offset end{0};
    /// The last stable offset, where a transaction is open.
    std::optional<Offset> stable_end;

    void append(LogRecord record) {
        records.emplace(end, std::move(record));
        end = next(end);
    }
    void append_marker() { end = next(end); }
    [[nodiscard]] std::vector<Offset> offsets(Offset from, Offset to) const {
        std::vector<Offset> found;
        for (auto at = records.lower_bound(from); at != records.end() && at->first < to; ++at) {
            found.push_back(at->first);
        }
        return found;
    }
};

struct FakeBroker {
    std::string cluster_id = "cluster-1";
    std::map<TopicPartition, PartitionLog> logs;
    std::map<TopicPartition, Offset> group_offsets;
    /// Partitions whose leader is away: questions about them fail.
    std::set<TopicPartition> leaderless;

    /// Appends a record that the mapping refuses.
    void produce_bad(const TopicPartition& partition) {
        logs[partition].append({"key", "not json", {{"trace", "t-1"}}});
    }
    /// Appends `count` records {"id":<offset>} to a partition (made if missing).
    void produce(const TopicPartition& partition, int count) {
        auto& log = logs[partition];
        for (int i = 0; i < count; ++i) {
            log.append({{}, "{\"id\":" + std::to_string(to_int(log.end)) + "}"});
        }
    }
};

class FakeSource final : public pipeline::RecordSource {
public:
    FakeSource(FakeBroker& broker, ManualClock& clock) : broker_{broker}, clock_{clock} {}

    // What a test does to the consumer.
    void give(std::vector<TopicPartition> partitions) {
        pipeline::SourceEvent event;
        event.kind = pipeline::EventKind::assigned;
        event.partitions = std::move(partitions);
        queue_.push_back(std::move(event));
    }
    void take(const std::vector<TopicPartition>& partitions) {
        pipeline::SourceEvent event;
        event.kind = pipeline::EventKind::revoked;
        event.partitions = partitions;
        queue_.push_back(std::move(event));
    }
    /// A record that comes although it was fetched under `tag`, maybe an old one.
    void deliver(const TopicPartition& partition, Offset offset, pipeline::AssignmentTag tag) {
        queue_.push_back(record_event(partition, offset, tag));
    }
    void deliver_end(Offset offset, pipeline::AssignmentTag tag) {
        pipeline::SourceEvent event;
        event.kind = pipeline::EventKind::end_of_partition;
        event.tag = tag;
        event.offset = offset;
        queue_.push_back(std::move(event));
    }
    [[nodiscard]] pipeline::AssignmentTag tag_of(const TopicPartition& partition) const {
        return reading_.at(partition).tag;
    }
    [[nodiscard]] bool is_reading(const TopicPartition& partition) const {
        return reading_.contains(partition);
    }
    [[nodiscard]] Offset assigned_at(const TopicPartition& partition) const {
        return reading_.at(partition).assigned_at;
    }

    bool is_lost = false;
    bool is_closed = false;
    int polls = 0;
    int pauses = 0;
    /// Reads by seek keep what was fetched before it: what a re-assignment must not do.
    std::map<TopicPartition, Offset> acknowledged;

    // RecordSource
    void start() override {}

    const pipeline::SourceEvent& poll(std::chrono::milliseconds timeout) override {
        ++polls;
        current_ = next_event();
        lend_headers();
        if (current_.kind == pipeline::EventKind::none) {
            clock_.advance(std::max(timeout, std::chrono::milliseconds{1}));
        } else if (current_.kind == pipeline::EventKind::revoked) {
            for (const auto& partition : current_.partitions) {
                reading_.erase(partition);
            }
        }
        return current_;
    }
    void assign(const TopicPartition& partition,
                Offset offset,
                pipeline::AssignmentTag tag) override {
        if (!reading_.emplace(partition, Reading{offset, offset, tag, {}, false}).second) {
            throw SinkError{ErrorKind::internal, "assigned twice: " + to_string(partition)};
        }
    }
    void unassign(const TopicPartition& partition) override {
        if (reading_.erase(partition) != 1) {
            throw SinkError{ErrorKind::internal, "was not assigned: " + to_string(partition)};
        }
    }
    void pause() override {
        is_paused_ = true;
        ++pauses;
    }
    void resume() override { is_paused_ = false; }
    bool is_assignment_lost() override { return is_lost; }
    void acknowledge(const TopicPartition& partition, Offset next) override {
        acknowledged[partition] = next;
    }
    std::vector<std::string> topics() override {
        std::set<std::string> names;
        for (const auto& [partition, log] : broker_.logs) {
            names.insert(partition.topic);
        }
        return {names.begin(), names.end()};
    }
    std::vector<pipeline::PartitionStart> start_offsets(
        const std::string& topic, const pipeline::StartPolicy& policy) override {
        std::vector<pipeline::PartitionStart> starts;
        for (const auto& [partition, log] : broker_.logs) {
            if (partition.topic == topic) {
                starts.push_back(
                    {partition, policy.kind == pipeline::StartKind::latest ? log.end : log.low});
            }
        }
        return starts;
    }
    pipeline::Watermarks watermarks(const TopicPartition& partition) override {
        if (broker_.leaderless.contains(partition)) {
            throw SinkError{ErrorKind::connection, "asking for offsets: leader not available"};
        }
        const auto& log = broker_.logs.at(partition);
        return {log.low, log.stable_end.value_or(log.end)};
    }
    std::string cluster_id() override { return broker_.cluster_id; }
    void close() noexcept override { is_closed = true; }

private:
    struct Reading {
        Offset assigned_at{0};
        Offset position{0};
        pipeline::AssignmentTag tag;
        std::optional<Offset> end_told;
        bool is_range_told = false;
    };

    pipeline::SourceEvent next_event() {
        if (!queue_.empty()) {
            auto event = std::move(queue_.front());
            queue_.pop_front();
            return event;
        }
        for (auto& [partition, reading] : reading_) {
            if (is_paused_) {
                break;
            }
            const auto& log = broker_.logs.at(partition);
            pipeline::SourceEvent event;
            event.tag = reading.tag;
            if (reading.position < log.low || reading.position > log.end) {
                if (std::exchange(reading.is_range_told, true)) {
                    continue;
                }
                event.kind = pipeline::EventKind::out_of_range;
                return event;
            }
            const auto at = log.records.lower_bound(reading.position);
            if (at != log.records.end()) {
                reading.position = next(at->first);
                return record_event(partition, at->first, reading.tag);
            }
            if (reading.end_told != log.end) {
                reading.position = log.end;
                reading.end_told = log.end;
                event.kind = pipeline::EventKind::end_of_partition;
                event.offset = log.end;
                return event;
            }
        }
        return {};
    }
    pipeline::SourceEvent record_event(const TopicPartition& partition,
                                       Offset offset,
                                       pipeline::AssignmentTag tag) const {
        const auto at = broker_.logs.find(partition);
        const auto& log_record = at->second.records.at(offset);
        pipeline::SourceEvent event;
        event.kind = pipeline::EventKind::record;
        event.tag = tag;
        event.record.topic = at->first.topic;
        event.record.partition = partition.partition;
        event.record.offset = offset;
        event.record.timestamp_ms = 1'700'000'000'000 + to_int(offset);
        event.record.key = log_record.key;
        event.record.value = log_record.value;
        return event;
    }

    void lend_headers() {
        headers_.clear();
        if (current_.kind != pipeline::EventKind::record) {
            return;
        }
        auto& record = current_.record;
        const TopicPartition partition{std::string{record.topic}, record.partition};
        for (const auto& [name, value] :
             broker_.logs.at(partition).records.at(record.offset).headers) {
            headers_.push_back({name, value});
        }
        record.headers = headers_;
    }

    FakeBroker& broker_;
    ManualClock& clock_;
    std::vector<RecordHeader> headers_;
    std::deque<pipeline::SourceEvent> queue_;
    std::map<TopicPartition, Reading> reading_;
    pipeline::SourceEvent current_;
    bool is_paused_ = false;
};

}  // namespace txsink::test
