/// @file
/// The refused records of a process within a window of time.
#include "txsink/pipeline/statistics.hpp"

namespace txsink::pipeline {

void RefusedLately::add(Clock::TimePoint now, std::size_t count, std::chrono::milliseconds window) {
    const std::lock_guard lock{mutex_};
    forget_before(now - window);
    commits_.push_back({now, count});
    sum_ += count;
}

std::size_t RefusedLately::count(Clock::TimePoint now, std::chrono::milliseconds window) {
    const std::lock_guard lock{mutex_};
    forget_before(now - window);
    return sum_;
}

/// Pipelines read the clock before they come here, so that times may be out of order by a little:
/// then an older one goes with the next.
void RefusedLately::forget_before(Clock::TimePoint begin) {
    while (!commits_.empty() && commits_.front().at < begin) {
        sum_ -= commits_.front().count;
        commits_.pop_front();
    }
}

}  // namespace txsink::pipeline
