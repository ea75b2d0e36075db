/// @file
/// DATE, DATETIME, TIMESTAMP and TIME columns from ISO 8601 strings and from numbers with a unit.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "mapping/encode.hpp"
#include "mapping/misfit.hpp"
#include "mapping/temporal.hpp"
#include "txsink/decode/number.hpp"

namespace txsink::mapping {

namespace {

using namespace std::chrono_literals;
using decode::Document;
using decode::Value;
using decode::ValueKind;

/// TIMESTAMP: 1970-01-01 00:00:01 to 2038-01-19 03:14:07 and its fraction. MariaDB 11.5 goes on to
/// 2106, which a column's definition does not tell.
constexpr std::int64_t kFirstTimestamp = 1;
constexpr std::int64_t kLastTimestamp = 2'147'483'647;

RecordError no_string(const Value& value, const char* shape) {
    return misfit(
        RecordErrorCode::wrong_kind, value.kind, fmt::format("is no string as {}", shape));
}

RecordError too_fine(const ColumnLimits& limits, ValueKind kind) {
    return misfit(
        RecordErrorCode::would_lose_digits,
        kind,
        fmt::format("has more than {} digits after the seconds", limits.max_fraction_digits));
}

/// Brings the fraction to the column's digits by the route's rule (the server would round it,
/// even into the next year). The seconds to add; absent: the rule is to refuse.
std::optional<std::chrono::seconds> fit(const ColumnLimits& limits, Fraction& fraction) noexcept {
    const std::int64_t digits = limits.max_fraction_digits;
    if (fraction.fits(digits)) {
        return 0s;
    }
    switch (limits.excess_fraction) {
        case OnExcessFraction::round:
            return fraction.round(digits) ? 1s : 0s;
        case OnExcessFraction::truncate:
            fraction.truncate(digits);
            return 0s;
        case OnExcessFraction::error:
            break;
    }
    return std::nullopt;
}

Result<Done> append_moment(const ColumnLimits& limits,
                           Moment moment,
                           ValueKind kind,
                           std::string& sql) {
    if (!is_storable(moment)) {
        return misfit(RecordErrorCode::out_of_range, kind, "is outside the years 0001 to 9999");
    }
    if (limits.type == ColumnType::date) {
        if (!moment.is_date_only) {
            return misfit(RecordErrorCode::would_lose_digits,
                          kind,
                          "has a time of day or an offset, which a DATE drops");
        }
        sql += '\'';
        append_date(sql, moment);
        sql += '\'';
        return Done{};
    }
    const std::optional<std::chrono::seconds> carry = fit(limits, moment.fraction);
    if (!carry) {
        return too_fine(limits, kind);
    }
    moment.time += *carry;
    if (!is_storable(moment)) {
        return misfit(
            RecordErrorCode::out_of_range, kind, "is rounded beyond the years 0001 to 9999");
    }
    const std::int64_t epoch = moment.time.time_since_epoch().count();
    if (limits.type == ColumnType::timestamp &&
        (epoch < kFirstTimestamp || epoch > kLastTimestamp)) {
        return misfit(RecordErrorCode::out_of_range,
                      kind,
                      "is outside 1970-01-01 00:00:01 to 2038-01-19 03:14:07 in UTC");
    }
    sql += '\'';
    append_date_time(sql, moment);
    sql += '\'';
    return Done{};
}

/// True when all of it can stand as it is, and has been appended.
bool append_plain(const ColumnLimits& limits, const PlainMoment& moment, std::string& sql) {
    // Well inside of what a TIMESTAMP holds, whatever the month.
    const bool is_of_type =
        limits.type == ColumnType::datetime ||
        (limits.type == ColumnType::timestamp && moment.year >= 1971 && moment.year <= 2037);
    if (!is_of_type ||
        static_cast<std::int64_t>(moment.fraction.size()) > limits.max_fraction_digits) {
        return false;
    }
    std::array<char, 31> literal;  // quotes, 19 characters, a point, 9 digits
    char* end = literal.data();
    const auto add = [&end](std::string_view text) {
        end = std::copy(text.begin(), text.end(), end);
    };
    add("'");
    add(moment.date);
    add(" ");
    add(moment.time);
    if (!moment.fraction.empty()) {
        add(".");
        add(moment.fraction);
    }
    add("'");
    sql.append(literal.data(), end);
    return true;
}

Result<Done> append_span(const ColumnLimits& limits,
                         TimeSpan span,
                         ValueKind kind,
                         std::string& sql) {
    const std::optional<std::chrono::seconds> carry = fit(limits, span.fraction);
    if (!carry) {
        return too_fine(limits, kind);
    }
    span.magnitude += *carry;
    if (!span.is_storable()) {
        return misfit(RecordErrorCode::out_of_range, kind, "is outside -838:59:59 to 838:59:59");
    }
    sql += '\'';
    append_time_span(sql, span);
    sql += '\'';
    return Done{};
}

/// How many of a second's tenth parts, and so on: 3 for milliseconds.
int exponent_of(TimeUnit unit) noexcept {
    switch (unit) {
        case TimeUnit::milliseconds:
            return 3;
        case TimeUnit::microseconds:
            return 6;
        case TimeUnit::nanoseconds:
            return 9;
        case TimeUnit::automatic:
        case TimeUnit::days:
        case TimeUnit::seconds:
            break;
    }
    return 0;
}

/// A number in the route's unit, or a string of one where the column has a unit of its own.
bool is_count(const ColumnLimits& limits, const Value& value) noexcept {
    return limits.unit != TimeUnit::automatic &&
           (value.kind == ValueKind::number ||
            (limits.has_own_unit && value.kind == ValueKind::string &&
             decode::parse_number(value.text).has_value()));
}

/// `days` days as seconds; absent where no year is.
std::optional<TimeSpan> to_days(const decode::Number& days) {
    std::optional<TimeSpan> span = to_time_span(days, 0);
    constexpr auto kMostDays = 10'000'000s;
    if (!span || span->magnitude > kMostDays) {
        return std::nullopt;
    }
    span->magnitude *= 86'400;
    return span;
}

}  // namespace

Result<Done> encode_moment(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (is_count(limits, value)) {
        return encode_epoch(limits, value, limits.unit, sql);
    }
    if (value.kind != ValueKind::string) {
        return no_string(value, "YYYY-MM-DDThh:mm:ss.fZ");
    }
    if (const auto plain = read_plain_moment(value.text);
        plain && append_plain(limits, *plain, sql)) {
        return Done{};
    }
    const Result<Moment> parsed = parse_moment(value.text);
    if (!parsed) {
        return parsed.error();
    }
    return append_moment(limits, parsed.value(), value.kind, sql);
}

Result<Done> encode_time(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (is_count(limits, value)) {
        return encode_elapsed(limits, value, limits.unit, sql);
    }
    if (value.kind != ValueKind::string) {
        return no_string(value, "hh:mm:ss.f");
    }
    const Result<TimeSpan> span = parse_time_span(value.text);
    if (!span) {
        return span.error();
    }
    return append_span(limits, span.value(), value.kind, sql);
}

Result<Done> encode_epoch(const ColumnLimits& limits,
                          const Value& value,
                          TimeUnit unit,
                          std::string& sql) {
    const std::optional<decode::Number> count = decode::parse_number(value.text);
    if (!count) {
        return misfit(RecordErrorCode::malformed_value, value.kind, "is not a number");
    }
    const bool is_days = unit == TimeUnit::days;
    const std::optional<TimeSpan> span =
        is_days ? to_days(*count) : to_time_span(*count, exponent_of(unit));
    if (!span) {
        return misfit(
            RecordErrorCode::out_of_range, value.kind, "is outside the years 0001 to 9999");
    }
    if (is_days && !span->fraction.is_zero()) {
        return misfit(RecordErrorCode::would_lose_digits, value.kind, "is no whole number of days");
    }
    return append_moment(limits, to_moment(*span), value.kind, sql);
}

Result<Done> encode_elapsed(const ColumnLimits& limits,
                            const Value& value,
                            TimeUnit unit,
                            std::string& sql) {
    if (unit == TimeUnit::days) {
        return misfit(RecordErrorCode::wrong_kind, value.kind, "is a date by its unit, days");
    }
    const std::optional<decode::Number> count = decode::parse_number(value.text);
    if (!count) {
        return misfit(RecordErrorCode::malformed_value, value.kind, "is not a number");
    }
    const std::optional<TimeSpan> span = to_time_span(*count, exponent_of(unit));
    if (!span) {
        return misfit(
            RecordErrorCode::out_of_range, value.kind, "is outside -838:59:59 to 838:59:59");
    }
    return append_span(limits, *span, value.kind, sql);
}

}  // namespace txsink::mapping
