/// @file
/// What a log line looks like; apart from the logger so that a test can read one.
#pragma once

#include <spdlog/formatter.h>

#include <memory>

#include "txsink/observe/log.hpp"

namespace txsink::observe {

/// Times in UTC; control characters in a message never end its line.
[[nodiscard]] std::unique_ptr<spdlog::formatter> make_log_formatter(LogFormat format);

}  // namespace txsink::observe
