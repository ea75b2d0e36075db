/// @file
/// The options as text for people, made from the option table: help pages and docs/options.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace txsink::config {

/// Options by section, for a terminal of 100 columns: those of `shown`, which has titles of
/// sections and names of options; all of them when it is empty.
[[nodiscard]] std::string options_text(std::span<const std::string_view> shown = {});

/// The whole of docs/options.md.
[[nodiscard]] std::string options_markdown();

}  // namespace txsink::config
