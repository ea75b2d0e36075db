/// @file
/// Pipeline: consume, map, batch, transact, acknowledge; one consumer and one sink.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "txsink/batch/batch.hpp"
#include "txsink/core/clock.hpp"
#include "txsink/core/retry_policy.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "txsink/mapping/route.hpp"
#include "txsink/pipeline/record_source.hpp"
#include "txsink/pipeline/sink.hpp"
#include "txsink/pipeline/start_policy.hpp"
#include "txsink/pipeline/statistics.hpp"

namespace txsink::pipeline {

/// The broker no longer has the stored offset.
enum class OnOutOfRange : std::uint8_t { fail, earliest, latest };
/// The stored offset lies beyond the end, or the cluster is another one.
enum class OnTopicRecreated : std::uint8_t { fail, restart };

/// More refused records than this within the window, of all pipelines that share their
/// Statistics, and the pipeline stops. 0: no limit.
struct BadRecordLimit {
    std::size_t count = 1'000;
    std::chrono::milliseconds window{std::chrono::minutes{1}};
};

/// Copies dead letters elsewhere; returns once they are safe there. Called before the transaction
/// that holds them, again when that is repeated.
/// Errors: SinkError; connection: worth another try.
using DeadLetterCopy =
    std::function<void(const TopicPartition&, std::span<const batch::DeadLetter>)>;

struct PipelineSettings {
    /// Key of the offset rows.
    std::string connector;
    std::vector<mapping::Route> routes;
    mapping::OnUnrouted on_unrouted = mapping::OnUnrouted::error;
    BadRecordLimit bad_record_limit;
    DeadLetterCopy copy_dead_letters;
    StartPolicy start;
    OnOutOfRange on_out_of_range = OnOutOfRange::fail;
    OnTopicRecreated on_topic_recreated = OnTopicRecreated::fail;
    batch::BatchPolicy batch;
    RetryPolicy retry;
    /// How long the first session may take, from start.
    std::chrono::milliseconds connect_deadline{30'000};
    /// heartbeat.interval.ms of the consumer: a taken partition is claimed again after two.
    std::chrono::milliseconds heartbeat{500};
    /// An own row is read again when nothing of its partition was committed for this long.
    std::chrono::milliseconds idle_check{20'000};
    /// So many take-overs of one partition within the window, without a commit between: stop.
    int fenced_limit = 5;
    std::chrono::milliseconds fenced_window{std::chrono::minutes{5}};
};

/// Called with each partition's stored position whenever it is known to have changed.
using ProgressListener = std::function<void(const TopicPartition&, Offset next)>;

/// Runs one consumer against one sink by the protocol of docs/delivery.md.
///
/// Threading: run() on one thread; the rest belongs to it.
class Pipeline {
public:
    Pipeline(PipelineSettings settings,
             RecordSource& source,
             Sink& sink,
             const Clock& clock,
             Statistics& statistics,
             ProgressListener on_progress = {});
    ~Pipeline();

    /// Until `stop` is requested, then writes what is pending (one attempt), leaves the group and
    /// returns. Errors: SinkError, when the pipeline cannot go on.
    void run(std::stop_token stop);

    /// One turn of the loop: what run() repeats. For tests. Waits at most `timeout` for an event.
    void turn(std::chrono::milliseconds timeout);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace txsink::pipeline
