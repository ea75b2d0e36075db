#include "txsink/observe/progress.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace txsink::observe {
namespace {

std::chrono::milliseconds since(std::chrono::steady_clock::time_point then) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 then);
}

double in_seconds(std::uint64_t microseconds) {
    return static_cast<double>(microseconds) / 1e6;
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

void append_count(std::string& line, std::uint64_t count, const char* one, const char* many) {
    if (count != 0) {
        line += ", " + counted(count, one, many);
    }
}

}  // namespace

Snapshot snapshot(const pipeline::Statistics& statistics) {
    return {statistics.records.load(),
            statistics.rows.load(),
            statistics.commits.load(),
            statistics.statement_time_us.load(),
            statistics.commit_time_us.load(),
            statistics.retries.load(),
            statistics.rewinds.load(),
            statistics.takeovers.load(),
            statistics.gaps.load(),
            statistics.filtered.load(),
            statistics.dead_letters.load(),
            statistics.skipped.load(),
            statistics.missed_rows.load(),
            statistics.pipelines_waiting.load()};
}

std::string describe_progress(const Snapshot& before,
                              const Snapshot& now,
                              std::chrono::milliseconds between) {
    const auto rows = now.rows - before.rows;
    const auto milliseconds =
        static_cast<std::uint64_t>(std::max<std::int64_t>(between.count(), 1));
    auto line =
        fmt::format("{}, {} in {} ({} rows/s, {:.1f} s in statements and {:.1f} s in COMMIT)",
                    counted(now.records - before.records, "record", "records"),
                    counted(rows, "row", "rows"),
                    counted(now.commits - before.commits, "commit", "commits"),
                    rows * 1000 / milliseconds,
                    in_seconds(now.statement_time_us - before.statement_time_us),
                    in_seconds(now.commit_time_us - before.commit_time_us));
    append_count(line, now.filtered - before.filtered, "filtered", "filtered");
    append_count(line, now.dead_letters - before.dead_letters, "dead letter", "dead letters");
    append_count(line, now.skipped - before.skipped, "skipped", "skipped");
    append_count(line, now.missed_rows - before.missed_rows, "row not found", "rows not found");
    append_count(line, now.retries - before.retries, "retry", "retries");
    append_count(line, now.rewinds - before.rewinds, "rewind", "rewinds");
    append_count(line,
                 now.takeovers - before.takeovers,
                 "partition taken over by others",
                 "partitions taken over by others");
    append_count(line, now.gaps - before.gaps, "gap", "gaps");
    append_count(line,
                 now.pipelines_waiting,
                 "pipeline waiting for the database",
                 "pipelines waiting for the database");
    if (before.records != 0) {
        line += "; since start " + counted(now.records, "record", "records");
    }
    return line;
}

ProgressReporter::ProgressReporter(const pipeline::Statistics& statistics,
                                   std::chrono::milliseconds interval)
    : statistics_{statistics}, interval_{interval}, started_{std::chrono::steady_clock::now()} {
    if (interval_.count() > 0) {
        thread_ = std::jthread{[this](const std::stop_token& stop) { report_until(stop); }};
    }
}

ProgressReporter::~ProgressReporter() {
    if (thread_.joinable()) {
        thread_.request_stop();
        thread_.join();
        spdlog::info("whole run: {}",
                     describe_progress({}, snapshot(statistics_), since(started_)));
    }
}

void ProgressReporter::report_until(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    auto before = snapshot(statistics_);
    auto last = std::chrono::steady_clock::now();
    std::unique_lock lock{mutex};
    while (!wake.wait_for(lock, stop, interval_, [] { return false; }) && !stop.stop_requested()) {
        const auto now = snapshot(statistics_);
        if (now.commits != before.commits || now.retries != before.retries ||
            now.pipelines_waiting != 0) {
            spdlog::info("{}", describe_progress(before, now, since(last)));
        }
        before = now;
        last = std::chrono::steady_clock::now();
    }
}

}  // namespace txsink::observe
