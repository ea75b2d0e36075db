/// @file
/// Whether the options of the routes fit together.
#pragma once

#include "txsink/config/load.hpp"

namespace txsink::config {

/// Errors: SinkError configuration.
void check_routes(const Settings& settings, const Needs& needs);

}  // namespace txsink::config
