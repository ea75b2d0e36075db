/// @file
/// How the process logs: one line a message, to standard error.
#pragma once

#include <cstdint>

namespace txsink::observe {

enum class LogLevel : std::uint8_t { debug, info, warn, error };
enum class LogFormat : std::uint8_t {
    text,  ///< 2024-03-01T10:00:00.123Z info  message
    json,  ///< {"time":"...","level":"info","message":"..."}
};

struct LogSettings {
    LogLevel level = LogLevel::info;
    LogFormat format = LogFormat::text;
};

/// Replaces spdlog's default logger.
/// Threading: call before other threads log.
void set_up_log(const LogSettings& settings);

/// Of the last set_up_log.
[[nodiscard]] LogFormat log_format() noexcept;

}  // namespace txsink::observe
