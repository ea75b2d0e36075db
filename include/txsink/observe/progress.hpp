/// @file
/// Progress: the line that tells, now and then, what a running connector is doing.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "txsink/pipeline/statistics.hpp"

namespace txsink::observe {

/// The counters of pipeline::Statistics at one instant.
struct Snapshot {
    std::uint64_t records = 0;
    std::uint64_t rows = 0;
    std::uint64_t commits = 0;
    std::uint64_t statement_time_us = 0;
    std::uint64_t commit_time_us = 0;
    std::uint64_t retries = 0;
    std::uint64_t rewinds = 0;
    std::uint64_t takeovers = 0;
    std::uint64_t gaps = 0;
    std::uint64_t filtered = 0;
    std::uint64_t dead_letters = 0;
    std::uint64_t skipped = 0;
    std::uint64_t missed_rows = 0;
    std::uint64_t pipelines_waiting = 0;
};

[[nodiscard]] Snapshot snapshot(const pipeline::Statistics& statistics);

/// `1200 records, 1180 rows in 6 commits (118 rows/s, 0.8 s in statements and 0.1 s in COMMIT), 20
/// filtered; since start 5000 records`; what is not everyday is named only when it happened in
/// between. The seconds are the sum over the pipelines.
[[nodiscard]] std::string describe_progress(const Snapshot& before,
                                            const Snapshot& now,
                                            std::chrono::milliseconds between);

/// Logs a progress line at info level every `interval`, from a thread of its own, and a last one
/// for the whole run when it ends. Silent while nothing happens; interval zero: never.
/// Threading: create and destroy on one thread.
class ProgressReporter {
public:
    ProgressReporter(const pipeline::Statistics& statistics, std::chrono::milliseconds interval);
    ProgressReporter(const ProgressReporter&) = delete;
    ProgressReporter& operator=(const ProgressReporter&) = delete;
    ~ProgressReporter();

private:
    void report_until(const std::stop_token& stop);

    const pipeline::Statistics& statistics_;
    std::chrono::milliseconds interval_;
    std::chrono::steady_clock::time_point started_;
    std::jthread thread_;
};

}  // namespace txsink::observe
