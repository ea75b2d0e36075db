/// @file
/// eventually(): waits on a condition with a deadline; the one place where a test may pause.
#pragma once

#include <poll.h>

#include <chrono>

namespace txsink::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Lets other processes work between two looks at a condition; interrupted by any signal.
inline void pause_briefly(milliseconds time) {
    ::poll(nullptr, 0, static_cast<int>(time.count()));
}

/// Asks `condition` until it holds or `deadline` has passed. Returns whether it held.
template <typename Condition>
[[nodiscard]] bool eventually(milliseconds deadline,
                              Condition&& condition,
                              milliseconds interval = milliseconds{10}) {
    const auto until = std::chrono::steady_clock::now() + deadline;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= until) {
            return false;
        }
        pause_briefly(interval);
    }
    return true;
}

}  // namespace txsink::test
