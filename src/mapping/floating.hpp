/// @file
/// Number tokens to the floating point value that a column keeps.
#pragma once

#include <string_view>

#include "txsink/core/result.hpp"
#include "txsink/decode/number.hpp"
#include "txsink/decode/value.hpp"

namespace txsink::mapping {

/// The nearest value of 4 bytes (`is_single`) or 8. A fraction and an exponent are rounded by
/// their nature; a whole number written as such means all its digits.
///
/// `text`: the token that `number` was parsed from. Zero is never -0.
/// Errors: out_of_range: only infinity would be nearest, or the digits would vanish below the
/// smallest normal value; would_lose_digits: a whole number with more digits than are kept.
/// Source: https://dev.mysql.com/doc/refman/8.4/en/numeric-type-syntax.html
[[nodiscard]] Result<double> to_floating(std::string_view text,
                                         const decode::Number& number,
                                         decode::ValueKind kind,
                                         bool is_single);

/// The same from a token alone. Errors: also malformed_value.
[[nodiscard]] Result<double> to_floating(std::string_view text,
                                         decode::ValueKind kind,
                                         bool is_single);

}  // namespace txsink::mapping
