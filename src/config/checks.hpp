/// @file
/// What no single option can tell: whether they fit together, and whether something is missing.
#pragma once

#include <chrono>

#include "txsink/config/load.hpp"

namespace txsink::config {

/// Errors: SinkError configuration.
void check_as_a_whole(const Settings& settings, const Needs& needs);

/// heartbeat.interval.ms of the consumers. Errors: SinkError configuration: not a number.
[[nodiscard]] std::chrono::milliseconds heartbeat_of(const Settings& settings);

}  // namespace txsink::config
