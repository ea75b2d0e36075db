/// @file
/// Numbers into integer, DECIMAL, FLOAT and DOUBLE columns: exactly, or not at all.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "mapping/encode.hpp"
#include "mapping/exact_decimal.hpp"
#include "mapping/misfit.hpp"
#include "txsink/decode/number.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Value;
using decode::ValueKind;

/// The longest token whose digits cannot overflow 64 bits.
constexpr std::size_t kSafeDigits = 19;

bool is_numeric_kind(ValueKind kind) noexcept {
    return kind == ValueKind::number || kind == ValueKind::string;
}

RecordError wrong_kind(const Value& value) {
    return misfit(RecordErrorCode::wrong_kind, value.kind, "is no number");
}

/// A whole number of 64 bits and a sign.
struct Whole {
    bool is_negative = false;
    std::uint64_t magnitude = 0;
};

/// `-123`, of up to 19 digits and without leading zeros; absent for anything else.
std::optional<Whole> parse_short_whole(std::string_view text) noexcept {
    Whole whole;
    if (text.starts_with('-')) {
        whole.is_negative = true;
        text.remove_prefix(1);
    }
    if (text.empty() || text.size() > kSafeDigits || (text.front() == '0' && text.size() > 1)) {
        return std::nullopt;
    }
    for (const char c : text) {
        if (c < '0' || c > '9') {
            return std::nullopt;
        }
        whole.magnitude = whole.magnitude * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return whole;
}

RecordError outside(const ColumnLimits& limits, const Value& value) {
    return misfit(RecordErrorCode::out_of_range,
                  value.kind,
                  fmt::format("is outside {}{}..{}",
                              limits.max_negative == 0 ? "" : "-",
                              limits.max_negative,
                              limits.max_positive));
}

/// 1.0, 1e3, 12345678901234567890: whole numbers that are written otherwise, or long.
Result<Whole> parse_any_whole(const ColumnLimits& limits, const Value& value) {
    const std::optional<decode::Number> number = decode::parse_number(value.text);
    const bool is_bare = number && number->fraction.empty() && !number->has_exponent;
    if (!number || (value.kind == ValueKind::string && !is_bare)) {
        return misfit(RecordErrorCode::malformed_value, value.kind, "is not a whole number");
    }
    const ExactDecimal decimal{*number};
    if (!decimal.is_integer()) {
        return misfit(RecordErrorCode::would_lose_digits,
                      value.kind,
                      "has digits after the point, which the column cannot hold");
    }
    const std::optional<std::uint64_t> magnitude = decimal.to_magnitude();
    if (!magnitude) {
        return outside(limits, value);
    }
    return Whole{decimal.is_negative(), *magnitude};
}

/// Why the digits of `decimal` do not fit before and after the point, if so.
std::optional<RecordError> check_digits(const ColumnLimits& limits,
                                        const ExactDecimal& decimal,
                                        ValueKind kind) {
    if (decimal.integer_digits() > limits.max_integer_digits) {
        return misfit(
            RecordErrorCode::out_of_range,
            kind,
            fmt::format("has more than {} digits before the point", limits.max_integer_digits));
    }
    if (decimal.fraction_digits() > limits.max_fraction_digits) {
        return misfit(
            RecordErrorCode::would_lose_digits,
            kind,
            fmt::format("has more than {} digits after the point", limits.max_fraction_digits));
    }
    return std::nullopt;
}

std::optional<RecordError> check_sign(const ColumnLimits& limits,
                                      const ExactDecimal& decimal,
                                      ValueKind kind) {
    if (limits.is_unsigned && decimal.is_negative()) {
        return misfit(
            RecordErrorCode::out_of_range, kind, "is negative, but the column is unsigned");
    }
    return std::nullopt;
}

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

/// The nearest value of type T as a double; absent when there is none but infinity, or when all
/// digits would vanish below the smallest normal value, which the manual sets as the limit.
/// Source: https://dev.mysql.com/doc/refman/8.4/en/numeric-type-syntax.html
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

Result<Done> encode_integer(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind == ValueKind::boolean && limits.type == ColumnType::tinyint) {
        sql += value.text == "true" ? '1' : '0';
        return Done{};
    }
    if (!is_numeric_kind(value.kind)) {
        return wrong_kind(value);
    }
    std::optional<Whole> whole = parse_short_whole(value.text);
    if (!whole) {
        const Result<Whole> parsed = parse_any_whole(limits, value);
        if (!parsed) {
            return parsed.error();
        }
        whole = parsed.value();
    }
    if (whole->magnitude > (whole->is_negative ? limits.max_negative : limits.max_positive)) {
        return outside(limits, value);
    }
    if (whole->is_negative && whole->magnitude != 0) {
        sql += '-';
    }
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), whole->magnitude);
    sql.append(digits.data(), end.ptr);
    return Done{};
}

Result<Done> encode_decimal(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (!is_numeric_kind(value.kind)) {
        return wrong_kind(value);
    }
    const std::optional<decode::Number> number = decode::parse_number(value.text);
    if (!number) {
        return misfit(RecordErrorCode::malformed_value, value.kind, "is not a number");
    }
    const ExactDecimal decimal{*number};
    if (auto error = check_sign(limits, decimal, value.kind)) {
        return *std::move(error);
    }
    if (auto error = check_digits(limits, decimal, value.kind)) {
        return *std::move(error);
    }
    decimal.append_plain(sql);
    return Done{};
}

Result<Done> encode_floating(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (!is_numeric_kind(value.kind)) {
        return wrong_kind(value);
    }
    const std::optional<decode::Number> number = decode::parse_number(value.text);
    if (!number) {
        return misfit(RecordErrorCode::malformed_value, value.kind, "is not a number");
    }
    const ExactDecimal decimal{*number};
    if (auto error = check_sign(limits, decimal, value.kind)) {
        return *std::move(error);
    }
    if (limits.has_scale) {
        if (auto error = check_digits(limits, decimal, value.kind)) {
            return *std::move(error);
        }
    }
    const bool is_single = limits.type == ColumnType::float_single;
    const std::optional<double> stored = is_single ? nearest<float>(value.text, decimal.is_zero())
                                                   : nearest<double>(value.text, decimal.is_zero());
    if (!stored) {
        return misfit(RecordErrorCode::out_of_range,
                      value.kind,
                      is_single ? "is beyond what 4 bytes of floating point hold"
                                : "is beyond what 8 bytes of floating point hold");
    }
    // A whole number written as such means all its digits; a fraction or an exponent is rounded
    // by its nature.
    const int safe_digits =
        is_single ? std::numeric_limits<float>::digits10 : std::numeric_limits<double>::digits10;
    if (!number->has_exponent && decimal.is_integer() && decimal.integer_digits() > safe_digits &&
        !is_exactly(*stored, decimal)) {
        return misfit(RecordErrorCode::would_lose_digits,
                      value.kind,
                      "is a whole number with more digits than the column keeps");
    }
    // With an exponent the server reads it as floating point, not as DECIMAL of 30 places.
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(),
                                   digits.data() + digits.size(),
                                   decimal.is_zero() ? 0.0 : *stored,
                                   std::chars_format::scientific);
    sql.append(digits.data(), end.ptr);
    return Done{};
}

}  // namespace txsink::mapping
