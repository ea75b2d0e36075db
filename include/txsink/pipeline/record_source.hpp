/// @file
/// RecordSource: where records come from. The port that `kafka` implements.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/core/consumer_record.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/topic_partition.hpp"
#include "txsink/pipeline/sink.hpp"
#include "txsink/pipeline/start_policy.hpp"

namespace txsink::pipeline {

/// Names one assignment of one partition: given to assign(), carried by all that comes from it.
struct AssignmentTag {
    std::uint32_t slot = 0;
    /// Differs for each assignment, so that what was fetched before a re-assignment is known.
    std::uint32_t generation = 0;
    friend bool operator==(const AssignmentTag&, const AssignmentTag&) = default;
};

enum class EventKind : std::uint8_t {
    none,              ///< nothing came within the timeout
    record,            ///< `tag`, `record`
    end_of_partition,  ///< `tag`, `offset`: all before it has been delivered
    out_of_range,      ///< `tag`, `message`: the broker no longer has the offset asked for
    assigned,          ///< `partitions`: the group gave these; nothing is fetched before assign()
    revoked,           ///< `partitions`: the group took these; already unassigned
    topic_missing,     ///< `message`: a subscribed topic is unknown or was deleted
};

/// What a poll returns. Reused: valid until the next poll.
struct SourceEvent {
    EventKind kind = EventKind::none;
    AssignmentTag tag;
    ConsumerRecord record;
    Offset offset{0};
    std::vector<TopicPartition> partitions;
    std::string message;
};

/// Where a partition's log begins and ends, as a reader with our isolation level sees it.
struct Watermarks {
    Offset low{0};
    Offset high{0};  ///< under read_committed: the last stable offset
};

/// One consumer: a member of the group, or with fixed partitions.
///
/// Errors: SinkError; connection: worth another try; others end the pipeline. Brokers that are
/// away are no error of poll(): librdkafka reconnects for ever.
/// Threading: one thread.
class RecordSource {
public:
    RecordSource() = default;
    RecordSource(const RecordSource&) = delete;
    RecordSource& operator=(const RecordSource&) = delete;
    virtual ~RecordSource() = default;

    /// Subscribes, or takes the fixed partitions (they come as an `assigned` event).
    virtual void start() = 0;

    /// Serves the group and returns the next event; waits at most `timeout`.
    [[nodiscard]] virtual const SourceEvent& poll(std::chrono::milliseconds timeout) = 0;

    /// Starts fetching `partition` at `offset`, absolutely. Precondition: assigned by the group.
    virtual void assign(const TopicPartition& partition, Offset offset, AssignmentTag tag) = 0;
    /// Stops fetching; nothing of the old tag is delivered afterwards that was not in flight.
    virtual void unassign(const TopicPartition& partition) = 0;

    /// Stops and restarts fetching of all that is assigned, also of what is assigned later while
    /// paused. The group is served meanwhile by poll().
    virtual void pause() = 0;
    virtual void resume() = 0;

    /// True when the group has already given our partitions to others.
    [[nodiscard]] virtual bool is_assignment_lost() = 0;

    /// `next` is committed in MySQL: mirror it to the group, later, best effort.
    virtual void acknowledge(const TopicPartition& partition, Offset next) = 0;

    /// The present topics that this consumer subscribes to (or has fixed partitions of), sorted.
    [[nodiscard]] virtual std::vector<std::string> topics() = 0;
    /// Start offsets of all present partitions of `topic`, sorted by partition.
    /// Errors: configuration: policy `fail`, or `group` without a commit or with live members.
    [[nodiscard]] virtual std::vector<PartitionStart> start_offsets(const std::string& topic,
                                                                    const StartPolicy& policy) = 0;
    [[nodiscard]] virtual Watermarks watermarks(const TopicPartition& partition) = 0;
    /// Empty when no broker answered in time.
    [[nodiscard]] virtual std::string cluster_id() = 0;

    /// Leaves the group, mirroring the offsets first; always ends.
    virtual void close() noexcept = 0;
};

}  // namespace txsink::pipeline
