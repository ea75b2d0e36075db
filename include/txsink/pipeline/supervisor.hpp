/// @file
/// Supervisor: the pipelines of a process, their end and their failures.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>

#include "txsink/core/offset_range.hpp"
#include "txsink/core/topic_partition.hpp"
#include "txsink/pipeline/pipeline.hpp"

namespace txsink::pipeline {

/// Body of one pipeline's thread: builds its source and sink, runs it, returns at stop.
/// `index` counts from 0.
using PipelineBody =
    std::function<void(int index, std::stop_token stop, const ProgressListener& on_progress)>;

struct SupervisorSettings {
    int pipelines = 1;
    /// From the request to stop to the forced end of the process.
    std::chrono::milliseconds shutdown_timeout{30'000};
    /// --until-end: stop once every partition has reached its end here.
    std::optional<std::map<TopicPartition, Offset>> until;
    /// With `until`: positions of partitions that other processes own, read once a second.
    std::function<std::map<TopicPartition, Offset>()> stored_positions;
    /// Called when shutdown_timeout has passed; must not return.
    std::function<void()> on_shutdown_timeout;
};

/// Runs the pipelines until `stop`, until the ends are reached, or until one fails: then the
/// others are stopped too, and the first error is thrown.
/// Threading: blocks the calling thread; each pipeline has a thread of its own.
void supervise(const SupervisorSettings& settings,
               const PipelineBody& body,
               std::stop_source& stop);

}  // namespace txsink::pipeline
