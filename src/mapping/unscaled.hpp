/// @file
/// Whole numbers as bytes, of any length, to decimal digits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace txsink::mapping {

/// Far beyond every column of numbers; the time grows with the square of it (0.1 ms here).
inline constexpr std::size_t kLongestUnscaled = 1'024;

enum class Signedness { twos_complement, unsigned_number };

/// Appends unscaled / 10^scale in JSON's syntax for numbers, with all its digits: bytes 01 86 and
/// scale 2 give 3.90, scale -1 gives 3900. `bytes`: big-endian.
/// Precondition: 1 to kLongestUnscaled bytes.
void append_unscaled(std::string& text, std::string_view bytes, Signedness sign, int scale);

}  // namespace txsink::mapping
