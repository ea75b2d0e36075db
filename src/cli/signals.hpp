/// @file
/// SIGINT and SIGTERM as a request to stop.
#pragma once

#include <stop_token>
#include <thread>

namespace txsink::cli {

/// The first signal requests `stop`; the second ends the process at once.
///
/// Threading: construct before any other thread exists: they inherit that the signals are blocked.
class StopOnSignal {
public:
    explicit StopOnSignal(std::stop_source stop);

private:
    std::jthread thread_;
};

}  // namespace txsink::cli
