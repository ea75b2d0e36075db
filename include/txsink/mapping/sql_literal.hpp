/// @file
/// The one place that turns values and names into SQL text.
#pragma once

#include <string>
#include <string_view>

namespace txsink::mapping {

/// Appends `name` as an identifier: backticks around, backticks inside doubled.
void append_identifier(std::string& sql, std::string_view name);

/// Appends `text` (UTF-8) as a string literal: 'it\'s'. Escapes \0 ' \ \n \r \x1a; every other
/// byte stands for itself. Right only without NO_BACKSLASH_ESCAPES, which the session forces.
void append_string(std::string& sql, std::string_view text);

/// Appends `bytes` as a hexadecimal literal: x'00ff'. No character set can touch it.
void append_bytes(std::string& sql, std::string_view bytes);

/// Quoted copies, for statements that are not on the hot path.
[[nodiscard]] std::string identifier(std::string_view name);
[[nodiscard]] std::string string_literal(std::string_view text);

}  // namespace txsink::mapping
