/// @file
/// Values with units as people write them: 100ms, 4MiB, 2024-03-01T10:00:00Z.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace txsink::config {

/// A whole number in decimal digits, nothing else; absent when it is not one or does not fit.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

/// `100ms`, `2s`, `5m`, `1h`; a bare 0 needs no unit.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
/// In the largest unit that is exact.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

/// `65536`, `64KiB`, `4MiB`, `1GiB`.
[[nodiscard]] std::optional<std::int64_t> parse_size(std::string_view text);
/// In the largest unit that is exact.
[[nodiscard]] std::string format_size(std::int64_t bytes);

/// ISO 8601 with a zone, `2024-03-01T10:00:00Z` or `2024-03-01T10:00:00.250+02:00`, as
/// milliseconds since 1970-01-01 UTC. Without a zone it would mean another instant on another
/// machine, so it is refused.
[[nodiscard]] std::optional<std::int64_t> parse_timestamp(std::string_view text);

}  // namespace txsink::config
