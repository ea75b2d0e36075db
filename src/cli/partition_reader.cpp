#include "cli/partition_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "txsink/core/sink_error.hpp"

namespace txsink::cli {
namespace {

using pipeline::EventKind;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTurn{100};
/// Requests that may go by without an event before the brokers count as away.
constexpr int kRequests = 3;

kafka::KafkaSettings without_group(kafka::KafkaSettings settings,
                                   std::vector<TopicPartition> partitions) {
    settings.topics.clear();
    settings.assign = std::move(partitions);
    settings.instance_id.clear();
    settings.properties.try_emplace("group.id", "txsink");  // librdkafka wants one
    return settings;
}

SinkError nothing_came(const std::string& what, milliseconds waited) {
    return SinkError{
        ErrorKind::unavailable,
        fmt::format("{}: nothing came from Kafka for {} s", what, waited.count() / 1000),
        {},
        "are the brokers up, and does the partition have a leader?"};
}

}  // namespace

std::vector<ReadRange> whole_logs(kafka::KafkaAdmin& admin,
                                  const std::vector<kafka::TopicSize>& topics,
                                  std::optional<std::int64_t> partition) {
    std::vector<TopicPartition> partitions;
    for (const auto& [topic, count] : topics) {
        for (std::int32_t i = 0; i < count; ++i) {
            if (!partition || *partition == i) {
                partitions.push_back({topic, i});
            }
        }
    }
    if (partition && partitions.empty()) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("no topic has a partition {}", *partition)};
    }
    std::vector<ReadRange> ranges;
    for (const auto& [name, log] : admin.watermarks(partitions)) {
        ranges.push_back({name, log.low, log.high});
    }
    return ranges;
}

void keep_newest(std::vector<ReadRange>& ranges, std::size_t limit) {
    const auto share = static_cast<std::int64_t>((limit + ranges.size() - 1) /
                                                 std::max<std::size_t>(ranges.size(), 1));
    for (auto& range : ranges) {
        range.from = std::max(range.from, Offset{to_int(range.to) - share});
    }
}

PartitionReader::PartitionReader(kafka::KafkaSettings settings,
                                 std::vector<TopicPartition> partitions)
    : patience_{kRequests * settings.request_timeout},
      partitions_{partitions.size()},
      source_{without_group(std::move(settings), std::move(partitions))} {}

PartitionReader::~PartitionReader() {
    source_.close();
}

void PartitionReader::await_assignment() {
    source_.start();
    const auto deadline = steady_clock::now() + patience_;
    for (std::size_t given = 0; given < partitions_;) {
        const auto& event = source_.poll(kTurn);
        given += event.kind == EventKind::assigned ? event.partitions.size() : 0;
        if (steady_clock::now() > deadline) {
            throw nothing_came("assignment", patience_);
        }
    }
    is_started_ = true;
}

Offset PartitionReader::read(const ReadRange& range, const RecordVisitor& visit) {
    if (range.from >= range.to) {
        return range.to;
    }
    if (!is_started_) {
        await_assignment();
    }
    return read(range, visit, {});
}

Offset PartitionReader::read_until(steady_clock::time_point deadline,
                                   const ReadRange& range,
                                   const RecordVisitor& visit) {
    if (range.from >= range.to || !is_started_) {
        return std::min(range.from, range.to);  // to start takes longer than a deadline may be
    }
    return read(range, visit, deadline);
}

Offset PartitionReader::read(const ReadRange& range, const RecordVisitor& visit, Deadline until) {
    const pipeline::AssignmentTag tag{0, ++generation_};
    source_.assign(range.partition, range.from, tag);
    auto deadline = steady_clock::now() + patience_;
    auto reached = range.from;
    std::optional<Offset> end;
    while (!end) {
        if (until && steady_clock::now() >= *until) {
            end = reached;
            break;
        }
        const auto& event = source_.poll(kTurn);
        if (event.kind == EventKind::topic_missing) {
            throw SinkError{ErrorKind::configuration, event.message};
        }
        if (event.kind == EventKind::none || event.tag != tag) {
            if (steady_clock::now() > deadline) {
                throw nothing_came(to_string(range.partition), patience_);
            }
            continue;
        }
        deadline = steady_clock::now() + patience_;
        if (event.kind == EventKind::out_of_range) {
            throw SinkError{
                ErrorKind::configuration,
                fmt::format(
                    "{} is not in the log of {}", to_int(range.from), to_string(range.partition)),
                event.message};
        }
        // Behind the last record there may be markers of transactions, and no record for `to`.
        const bool is_behind = event.kind == EventKind::record ? event.record.offset >= range.to
                                                               : event.offset >= range.to;
        if (is_behind) {
            end = range.to;
        } else if (event.kind == EventKind::record) {
            reached = next(event.record.offset);
            if (!visit(event.record) || reached == range.to) {
                end = reached;
            }
        }
    }
    source_.unassign(range.partition);
    return *end;
}

void read_evenly(PartitionReader& reader,
                 std::vector<ReadRange> ranges,
                 std::size_t limit,
                 const RecordVisitor& visit) {
    while (limit > 0 && !ranges.empty()) {
        for (std::size_t i = 0; i < ranges.size() && limit > 0; ++i) {
            const std::size_t left = ranges.size() - i;
            std::size_t share = (limit + left - 1) / left;
            ranges[i].from = reader.read(ranges[i], [&](const ConsumerRecord& record) {
                limit = visit(record) ? limit - 1 : 0;
                return --share > 0 && limit > 0;
            });
        }
        std::erase_if(ranges, [](const ReadRange& range) { return range.from >= range.to; });
    }
}

}  // namespace txsink::cli
