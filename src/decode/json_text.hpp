/// @file
/// What JSON text is refused for before or beside its structure, and blanks around it.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string_view>

#include "txsink/core/result.hpp"

namespace txsink::decode {

[[nodiscard]] constexpr bool is_blank(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

[[nodiscard]] inline std::string_view without_trailing_blanks(std::string_view text) noexcept {
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

[[nodiscard]] inline std::string_view without_leading_blanks(std::string_view text) noexcept {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    return text;
}

[[nodiscard]] inline std::string_view without_blanks(std::string_view text) noexcept {
    return without_trailing_blanks(without_leading_blanks(text));
}

/// Magic byte 0 and a 4-byte schema id.
[[nodiscard]] bool is_framed(std::string_view bytes) noexcept;
/// Names the id, and what to do. Precondition: is_framed(bytes).
[[nodiscard]] RecordError framed_by_schema_registry(std::string_view bytes);

[[nodiscard]] RecordError not_json(const char* what);
/// What can be told from the first bytes alone.
[[nodiscard]] std::optional<RecordError> refuse_by_beginning(std::string_view text);
[[nodiscard]] const char* explain(simdjson::error_code error) noexcept;

}  // namespace txsink::decode
