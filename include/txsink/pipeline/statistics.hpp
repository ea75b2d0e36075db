/// @file
/// Statistics: what the pipelines of a process have done, as counters.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "txsink/core/clock.hpp"

namespace txsink::pipeline {

/// How many records the pipelines of a process have refused within a window of time.
/// Threading: any; used once a batch with refused records.
class RefusedLately {
public:
    void add(Clock::TimePoint now, std::size_t count, std::chrono::milliseconds window);
    [[nodiscard]] std::size_t count(Clock::TimePoint now, std::chrono::milliseconds window);

private:
    struct Commit {
        Clock::TimePoint at;
        std::size_t count = 0;
    };
    void forget_before(Clock::TimePoint begin);

    std::mutex mutex_;
    std::deque<Commit> commits_;
    std::size_t sum_ = 0;
};

/// Counters since start, summed over the pipelines of the process.
/// Threading: any; written once a batch, never once a record.
struct Statistics {
    std::atomic<std::uint64_t> records{0};  ///< committed, with or without a row
    std::atomic<std::uint64_t> rows{0};     ///< row changes committed
    std::atomic<std::uint64_t> commits{0};
    /// Of the committed transactions: up to COMMIT, and waiting for its reply.
    std::atomic<std::uint64_t> statement_time_us{0};
    std::atomic<std::uint64_t> commit_time_us{0};
    std::atomic<std::uint64_t> retries{0};  ///< transactions run again, whatever the reason
    std::atomic<std::uint64_t> commits_settled{
        0};  ///< COMMITs in doubt that the offset rows settled
    std::atomic<std::uint64_t> stale_records_dropped{0};
    std::atomic<std::uint64_t> rewinds{0};    ///< the database went back in time, or an edit
    std::atomic<std::uint64_t> takeovers{0};  ///< partitions that another claim took from us
    std::atomic<std::uint64_t> gaps{0};
    std::atomic<std::uint64_t> filtered{0};      ///< records that ask for no row
    std::atomic<std::uint64_t> dead_letters{0};  ///< refused records that were kept
    std::atomic<std::uint64_t> skipped{0};       ///< refused records that were not
    std::atomic<std::uint64_t> missed_rows{0};   ///< updates that found no row
    RefusedLately refused_lately;                ///< for bad-record.limit
    /// Pipelines whose database is away right now; 0: ready.
    std::atomic<std::uint64_t> pipelines_waiting{0};
};

}  // namespace txsink::pipeline
