#include "mapping/floating.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "mapping/exact_decimal.hpp"
#include "mapping/misfit.hpp"

namespace txsink::mapping {

namespace {

using decode::ValueKind;

/// Whether `value` is the whole number `decimal` to the last digit.
bool is_exactly(double value, const ExactDecimal& decimal) {
    std::array<char, std::numeric_limits<double>::max_exponent10 + 2> digits{};
    const auto end = std::to_chars(digits.data(),
                                   digits.data() + digits.size(),
                                   std::fabs(value),
                                   std::chars_format::fixed,
                                   0);
    const std::optional<decode::Number> number =
        decode::parse_number({digits.data(), static_cast<std::size_t>(end.ptr - digits.data())});
    std::string written;
    std::string stored;
    ExactDecimal{*number}.append_plain(stored);
    decimal.append_plain(written);
    return written == (decimal.is_negative() ? "-" : "") + stored;
}

/// The nearest value of type T; absent when there is none but infinity, or below the smallest
/// normal one.
template <typename T>
std::optional<double> nearest(std::string_view text, bool is_zero) noexcept {
    T value{};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc{} || !std::isfinite(value) || (!is_zero && !std::isnormal(value))) {
        return std::nullopt;
    }
    return static_cast<double>(value);
}

}  // namespace

Result<double> to_floating(std::string_view text,
                           const decode::Number& number,
                           ValueKind kind,
                           bool is_single) {
    const ExactDecimal decimal{number};
    const std::optional<double> stored = is_single ? nearest<float>(text, decimal.is_zero())
                                                   : nearest<double>(text, decimal.is_zero());
    if (!stored) {
        return misfit(RecordErrorCode::out_of_range,
                      kind,
                      is_single ? "is beyond what 4 bytes of floating point hold"
                                : "is beyond what 8 bytes of floating point hold");
    }
    const int safe_digits =
        is_single ? std::numeric_limits<float>::digits10 : std::numeric_limits<double>::digits10;
    if (!number.has_exponent && decimal.is_integer() && decimal.integer_digits() > safe_digits &&
        !is_exactly(*stored, decimal)) {
        return misfit(RecordErrorCode::would_lose_digits,
                      kind,
                      "is a whole number with more digits than the column keeps");
    }
    return decimal.is_zero() ? 0.0 : *stored;
}

Result<double> to_floating(std::string_view text, ValueKind kind, bool is_single) {
    const std::optional<decode::Number> number = decode::parse_number(text);
    if (!number) {
        return misfit(RecordErrorCode::malformed_value, kind, "has what is not a number");
    }
    return to_floating(text, *number, kind, is_single);
}

}  // namespace txsink::mapping
