/// @file
/// A number in JSON syntax taken apart, so that no digit of it ever goes through a double.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace txsink::decode {

/// The parts of a number token; they borrow from it.
struct Number {
    bool is_negative = false;
    bool has_exponent = false;
    /// Digits before the point; at least one, no leading zero but "0" itself.
    std::string_view integer;
    /// Digits after the point; may be empty.
    std::string_view fraction;
    /// Power of ten; held at +-kExponentLimit beyond it, where no column type reaches.
    std::int64_t exponent = 0;

    static constexpr std::int64_t kExponentLimit = 1'000'000'000'000;
};

/// Absent when `text` as a whole is not a number of RFC 8259 (no '+', no leading zeros or blanks,
/// no bare point, no NaN).
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) noexcept;

/// Whether `text` is nothing but digits, at least one, with no leading zero but "0" itself.
[[nodiscard]] inline bool is_plain_whole(std::string_view text) noexcept {
    for (const char c : text) {
        if (c < '0' || c > '9') {
            return false;
        }
    }
    return !text.empty() && (text.front() != '0' || text.size() == 1);
}

}  // namespace txsink::decode
