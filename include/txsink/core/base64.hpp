/// @file
/// Base64: the standard alphabet, padded.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace txsink {

/// Source: https://www.rfc-editor.org/rfc/rfc4648#section-4
[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Absent: not base64: another alphabet, padding that is wrong, unused bits that are not zero.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace txsink
