/// @file
/// PartitionReader: reads ranges of partitions for commands that look; no group, no commits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "txsink/core/consumer_record.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/topic_partition.hpp"
#include "txsink/kafka/kafka_admin.hpp"
#include "txsink/kafka/kafka_settings.hpp"
#include "txsink/kafka/kafka_source.hpp"

namespace txsink::cli {

/// The records [from, to) of a partition.
struct ReadRange {
    TopicPartition partition;
    Offset from{0};
    Offset to{0};
};

/// All that the partitions of `topics` hold; of one partition number only, if it is given.
/// Errors: KafkaAdmin's; configuration: no such partition.
[[nodiscard]] std::vector<ReadRange> whole_logs(kafka::KafkaAdmin& admin,
                                                const std::vector<kafka::TopicSize>& topics,
                                                std::optional<std::int64_t> partition = {});

/// Moves the beginnings of the ranges on, so that about `limit` offsets remain, of each as many.
void keep_newest(std::vector<ReadRange>& ranges, std::size_t limit);

/// Returns whether it wants more. The record lives until it returns.
using RecordVisitor = std::function<bool(const ConsumerRecord&)>;

/// Reads one partition after another, so that what it delivers is in a settled order.
/// Errors: SinkError; unavailable: nothing came for a long time.
/// Threading: one thread.
class PartitionReader {
public:
    /// `partitions`: all that will be read.
    PartitionReader(kafka::KafkaSettings settings, std::vector<TopicPartition> partitions);
    ~PartitionReader();
    PartitionReader(const PartitionReader&) = delete;
    PartitionReader& operator=(const PartitionReader&) = delete;

    /// Visits the records of `range` in order. Returns where it stopped: `range.to`, or one past
    /// the record that the visitor wanted to be the last.
    /// Errors: configuration: the log does not have `range.from` (any more).
    [[nodiscard]] Offset read(const ReadRange& range, const RecordVisitor& visit);

    /// The same, but waits no longer than to `deadline`. Returns where it had come by then: the
    /// records before have been visited.
    [[nodiscard]] Offset read_until(std::chrono::steady_clock::time_point deadline,
                                    const ReadRange& range,
                                    const RecordVisitor& visit);

private:
    using Deadline = std::optional<std::chrono::steady_clock::time_point>;

    void await_assignment();
    /// Without `until`: waits as long as something comes.
    [[nodiscard]] Offset read(const ReadRange& range, const RecordVisitor& visit, Deadline until);

    std::chrono::milliseconds patience_;
    std::size_t partitions_;
    kafka::KafkaSource source_;
    bool is_started_ = false;
    std::uint32_t generation_ = 0;
};

/// Visits at most `limit` records of the ranges, until the visitor wants no more: an even share of
/// each, and more of the others where one has less.
void read_evenly(PartitionReader& reader,
                 std::vector<ReadRange> ranges,
                 std::size_t limit,
                 const RecordVisitor& visit);

}  // namespace txsink::cli
