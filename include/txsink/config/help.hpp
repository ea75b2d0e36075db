/// @file
/// The options as text for people, made from the option table: help pages and docs/options.md.
#pragma once

#include <string>

namespace txsink::config {

/// All options by section, for a terminal of 100 columns.
[[nodiscard]] std::string options_text();

/// The whole of docs/options.md.
[[nodiscard]] std::string options_markdown();

}  // namespace txsink::config
