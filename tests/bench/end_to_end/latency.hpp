/// @file
/// How long a record takes from produce to being visible in the server, at a steady pace.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "records.hpp"

namespace txsink::bench {

using Clock = std::chrono::steady_clock;

/// Waits for points in time.
class Pace {
public:
    static void await(Clock::time_point until);
};

/// Offsets of a partition that became visible: all below `next`, at the latest at `at`.
struct Seen {
    std::int32_t partition = 0;
    std::int64_t next = 0;
    Clock::time_point at;
};

/// When each record of each partition was produced, by offset.
using ProducedAt = std::vector<std::vector<Clock::time_point>>;

/// Milliseconds of every record from offset `first` on, sorted. Precondition: `seen` is in the
/// order of time, and reaches the end of each partition.
[[nodiscard]] std::vector<double> latencies_of(const ProducedAt& produced,
                                               const std::vector<Seen>& seen,
                                               std::int64_t first);

/// Produces `rate` records a second for `duration`, in bursts of a millisecond, to the partitions
/// in turn, and asks meanwhile, every two milliseconds, how far the table has come.
struct SteadyRun {
    ProducedAt produced;
    std::vector<Seen> seen;
    double records_per_second = 0;
};

/// Next offsets by partition; -1: no row yet.
using AskPositions = std::function<std::vector<std::int64_t>()>;

/// Waits first until one record of each partition is visible: what comes after is measured.
/// Errors: std::runtime_error: `is_running` says no, or nothing becomes visible for a minute.
/// Threading: one thread; it has a producing one inside.
[[nodiscard]] SteadyRun run_steadily(const std::string& bootstrap,
                                     const std::string& topic,
                                     int partitions,
                                     int rate,
                                     std::chrono::seconds duration,
                                     RecordMaker& maker,
                                     const AskPositions& ask,
                                     const std::function<bool()>& is_running);

}  // namespace txsink::bench
