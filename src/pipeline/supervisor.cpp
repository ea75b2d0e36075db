/// @file
/// The pipelines of a process: started together, stopped together, one error for all.
#include "txsink/pipeline/supervisor.hpp"

#include <spdlog/spdlog.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace txsink::pipeline {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kProgressInterval{1'000};

/// What the threads share: the first failure, how many still run, and how far they have come.
struct Shared {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::exception_ptr failure;
    int running = 0;
    std::map<TopicPartition, Offset> ends;
    std::set<TopicPartition> remaining;
    /// Partitions that our pipelines have reported.
    std::set<TopicPartition> reported;

    /// Strikes a partition that has reached its end. Precondition: locked.
    void note(const TopicPartition& partition, Offset next) {
        const auto end = ends.find(partition);
        if (end != ends.end() && next >= end->second && remaining.erase(partition) > 0) {
            changed.notify_all();
        }
    }

    /// The same, from the pipeline that reads it: the database may also have gone back in time.
    /// Precondition: locked.
    void note_own(const TopicPartition& partition, Offset next) {
        const auto end = ends.find(partition);
        const bool is_first = reported.insert(partition).second;
        if (end != ends.end() && next < end->second) {
            remaining.insert(partition);
        }
        // A position beyond the end may be that of a topic that was made again since: it counts
        // once the broker has let it be read from.
        if (!is_first || end == ends.end() || next <= end->second) {
            note(partition, next);
        }
    }
};

void run_body(const PipelineBody& body, int index, std::stop_source& stop, Shared& shared) {
    const ProgressListener on_progress = [&](const TopicPartition& partition, Offset next) {
        const std::lock_guard lock{shared.mutex};
        shared.note_own(partition, next);
    };
    try {
        body(index, stop.get_token(), on_progress);
    } catch (...) {
        const std::lock_guard lock{shared.mutex};
        if (!shared.failure) {
            shared.failure = std::current_exception();
        }
        stop.request_stop();
    }
    const std::lock_guard lock{shared.mutex};
    --shared.running;
    shared.changed.notify_all();
}

/// Waits for the ends of --until-end; others' partitions are known only from the offsets table.
void wait_for_ends(const SupervisorSettings& settings, Shared& shared, std::stop_source& stop) {
    std::unique_lock lock{shared.mutex};
    while (!shared.remaining.empty() && shared.running > 0 && !stop.stop_requested()) {
        shared.changed.wait_for(lock, stop.get_token(), kProgressInterval, [&] {
            return shared.remaining.empty() || shared.running == 0;
        });
        if (shared.remaining.empty() || !settings.stored_positions) {
            continue;
        }
        lock.unlock();
        std::map<TopicPartition, Offset> stored;
        try {
            stored = settings.stored_positions();
        } catch (const std::exception& error) {
            spdlog::debug("reading the stored offsets: {}", error.what());
        }
        lock.lock();
        for (const auto& [partition, next] : stored) {
            shared.note(partition, next);
        }
    }
    if (shared.remaining.empty() && !stop.stop_requested()) {
        spdlog::info("every partition has reached its end");
        stop.request_stop();
    }
}

}  // namespace

void supervise(const SupervisorSettings& settings,
               const PipelineBody& body,
               std::stop_source& stop) {
    Shared shared;
    shared.running = settings.pipelines;
    if (settings.until) {
        shared.ends = *settings.until;
        for (const auto& [partition, end] : shared.ends) {
            shared.remaining.insert(partition);
        }
    }
    std::vector<std::jthread> threads;
    for (int i = 0; i < settings.pipelines; ++i) {
        threads.emplace_back([&, i] { run_body(body, i, stop, shared); });
    }
    if (settings.until) {
        wait_for_ends(settings, shared, stop);
    }
    std::unique_lock lock{shared.mutex};
    const auto all_ended = [&] { return shared.running == 0; };
    shared.changed.wait(lock, stop.get_token(), all_ended);
    if (!shared.changed.wait_for(lock, settings.shutdown_timeout, all_ended) &&
        settings.on_shutdown_timeout) {
        settings.on_shutdown_timeout();
    }
    lock.unlock();
    threads.clear();  // joins
    if (shared.failure) {
        std::rethrow_exception(shared.failure);
    }
}

}  // namespace txsink::pipeline
