/// @file
/// Asking a server again and again until it answers.
#pragma once

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "txsink/core/retry_policy.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::cli {

/// Waits, or returns at once when `stop` is requested.
inline void wait_for(std::chrono::milliseconds time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock{mutex};
    wake.wait_for(lock, stop, time, [] { return false; });
}

/// Calls `ask` until it does not throw, with growing waits, while the error is one that time may
/// heal and `patience` lasts. Errors: those of `ask`; unavailable for the ones that did not heal.
template <typename Ask>
auto ask_patiently(const Ask& ask,
                   const RetryPolicy& retry,
                   std::chrono::milliseconds patience,
                   const std::stop_token& stop) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (int attempt = 1;; ++attempt) {
        try {
            return ask();
        } catch (SinkError& error) {
            if (error.kind != ErrorKind::connection && error.kind != ErrorKind::fail_over &&
                error.kind != ErrorKind::unavailable) {
                throw;
            }
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                deadline - std::chrono::steady_clock::now());
            if (stop.stop_requested() || left.count() <= 0) {
                error.kind = ErrorKind::unavailable;
                throw;
            }
            if (attempt == 1) {
                spdlog::warn("{}; trying again", error.what());
            }
            wait_for(std::min(retry.wait_before(attempt), left), stop);
        }
    }
}

}  // namespace txsink::cli
