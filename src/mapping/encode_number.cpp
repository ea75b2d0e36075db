/// @file
/// Numbers into integer, BIT, YEAR, DECIMAL, FLOAT and DOUBLE columns: exactly, or not at all.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "mapping/encode.hpp"
#include "mapping/exact_decimal.hpp"
#include "mapping/floating.hpp"
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

/// Digits that stand for themselves in SQL, and too few to be out of the column's range.
bool is_plainly_inside(const ColumnLimits& limits, std::string_view text) noexcept {
    return text.size() <= limits.safe_digits && decode::is_plain_whole(text);
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

/// A number that is written as ExactDecimal would write it, and has few enough digits.
bool is_plainly_inside(const ColumnLimits& limits, const decode::Number& number) noexcept {
    const auto size = [](std::string_view digits) {
        return static_cast<std::int64_t>(digits.size());
    };
    return !number.is_negative && !number.has_exponent &&
           size(number.integer) <= limits.max_integer_digits &&
           size(number.fraction) <= limits.max_fraction_digits && !number.fraction.ends_with('0');
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

/// A number or numeric string taken apart.
Result<decode::Number> parse_value(const Value& value) {
    if (!is_numeric_kind(value.kind)) {
        return wrong_kind(value);
    }
    const std::optional<decode::Number> number = decode::parse_number(value.text);
    if (!number) {
        return misfit(RecordErrorCode::malformed_value, value.kind, "is not a number");
    }
    return *number;
}

}  // namespace

Result<Done> encode_integer(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind == ValueKind::boolean && limits.takes_boolean) {
        sql += value.text == "true" ? '1' : '0';
        return Done{};
    }
    if (!is_numeric_kind(value.kind)) {
        return wrong_kind(value);
    }
    if (is_plainly_inside(limits, value.text)) {
        sql += value.text;
        return Done{};
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

Result<Done> encode_year(const ColumnLimits& limits, Document subtree, std::string& sql) {
    // The server takes 1 to 99 for years of two centuries, so nothing may come near that.
    constexpr std::uint64_t kFirstYear = 1901;
    const Value& value = subtree.front();
    if (value.kind == ValueKind::string && value.text == "0000") {
        sql += '0';
        return Done{};
    }
    const std::size_t begin = sql.size();
    if (Result<Done> done = encode_integer(limits, subtree, sql); !done) {
        return done;
    }
    std::uint64_t year = 0;
    std::from_chars(sql.data() + begin, sql.data() + sql.size(), year);
    if (year != 0 && year < kFirstYear) {
        return misfit(
            RecordErrorCode::out_of_range,
            value.kind,
            fmt::format("is neither 0 nor within {}..{}", kFirstYear, limits.max_positive));
    }
    return Done{};
}

Result<Done> encode_decimal(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    const Result<decode::Number> number = parse_value(value);
    if (!number) {
        return number.error();
    }
    if (is_plainly_inside(limits, number.value())) {
        sql += value.text;
        return Done{};
    }
    const ExactDecimal decimal{number.value()};
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
    const Result<decode::Number> number = parse_value(value);
    if (!number) {
        return number.error();
    }
    const ExactDecimal decimal{number.value()};
    if (auto error = check_sign(limits, decimal, value.kind)) {
        return *std::move(error);
    }
    const Result<double> stored = to_floating(
        value.text, number.value(), value.kind, limits.type == ColumnType::float_single);
    if (!stored) {
        return stored.error();
    }
    // With an exponent the server reads it as floating point, not as DECIMAL of 30 places.
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(),
                                   digits.data() + digits.size(),
                                   stored.value(),
                                   std::chars_format::scientific);
    sql.append(digits.data(), end.ptr);
    return Done{};
}

}  // namespace txsink::mapping
