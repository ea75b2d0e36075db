/// @file
/// LogLimit: a warning that comes again and again is written once in a while.
#pragma once

#include <spdlog/spdlog.h>

#include <chrono>
#include <string>

namespace txsink::kafka {

/// Threading: one thread.
class LogLimit {
public:
    /// The first goes out at once, then at most one in 30 s; what lies between goes to debug.
    void warn(const std::string& text) {
        const auto now = std::chrono::steady_clock::now();
        if (now < quiet_until_) {
            spdlog::debug("{}", text);
            return;
        }
        quiet_until_ = now + std::chrono::seconds{30};
        spdlog::warn("{}", text);
    }

private:
    std::chrono::steady_clock::time_point quiet_until_{};
};

}  // namespace txsink::kafka
