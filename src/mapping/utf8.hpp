/// @file
/// UTF-8: whether bytes are text, and its code points.
#pragma once

#include <cstddef>
#include <string_view>

namespace txsink::mapping {

/// Whether `bytes` are UTF-8 as the standard has it: shortest forms, no surrogates, nothing beyond
/// U+10FFFF. Source: https://www.rfc-editor.org/rfc/rfc3629#section-4
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

/// The code point at `at`, which moves behind it. Precondition: `text` is UTF-8.
[[nodiscard]] char32_t next_code_point(std::string_view text, std::size_t& at) noexcept;

}  // namespace txsink::mapping
