/// @file
/// RetryPolicy: how long to wait between attempts, and when to give up.
#pragma once

#include <chrono>

namespace txsink {

/// Exponential backoff with full jitter, bounded, with a deadline.
struct RetryPolicy {
    std::chrono::milliseconds initial{100};
    std::chrono::milliseconds maximum{5'000};
    /// From the first failure to giving up; zero: never.
    std::chrono::milliseconds deadline{std::chrono::minutes{30}};

    /// Wait before attempt number `attempt` (1 = the first repetition): between half and all of
    /// min(maximum, initial * 2^(attempt-1)), evenly spread.
    [[nodiscard]] std::chrono::milliseconds wait_before(int attempt) const;
};

}  // namespace txsink
