#include <algorithm>
#include <cstdint>
#include <random>

#include "txsink/core/fence.hpp"
#include "txsink/core/retry_policy.hpp"

namespace txsink {

Fence random_fence() {
    // Straight from the system's source, not from a seeded engine: two processes that start in
    // the same instant must never draw the same token.
    std::random_device source;
    std::uint64_t value = 0;
    while (value == 0) {
        value = (std::uint64_t{source()} << 32) | source();
    }
    return Fence{value};
}

std::chrono::milliseconds RetryPolicy::wait_before(int attempt) const {
    const int doublings = std::clamp(attempt - 1, 0, 20);
    const auto longest = std::min(maximum.count(), initial.count() << doublings);
    thread_local std::minstd_rand engine{std::random_device{}()};
    std::uniform_int_distribution<std::chrono::milliseconds::rep> spread{longest / 2, longest};
    return std::chrono::milliseconds{spread(engine)};
}

}  // namespace txsink
