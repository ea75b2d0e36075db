/// @file
/// Base64 with the standard alphabet and padding, for what commands show and dead letters keep.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace txsink::cli {

[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Absent: not base64.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace txsink::cli
