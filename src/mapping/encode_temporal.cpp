/// @file
/// DATE, DATETIME, TIMESTAMP and TIME columns from ISO 8601 strings.
#include <fmt/format.h>

#include "mapping/encode.hpp"
#include "mapping/misfit.hpp"
#include "mapping/temporal.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Value;
using decode::ValueKind;

/// TIMESTAMP: 1970-01-01 00:00:01 to 2038-01-19 03:14:07 and its fraction.
constexpr std::int64_t kFirstTimestamp = 1;
constexpr std::int64_t kLastTimestamp = 2'147'483'647;

RecordError no_string(const Value& value, const char* shape) {
    return misfit(
        RecordErrorCode::wrong_kind, value.kind, fmt::format("is no string as {}", shape));
}

/// The server would round a longer fraction, even into the next year.
bool is_too_fine(const ColumnLimits& limits, std::string_view fraction) noexcept {
    return static_cast<std::int64_t>(fraction.size()) > limits.max_fraction_digits;
}

RecordError too_fine(const ColumnLimits& limits) {
    return misfit(
        RecordErrorCode::would_lose_digits,
        fmt::format("has more than {} digits after the seconds", limits.max_fraction_digits));
}

}  // namespace

Result<Done> encode_moment(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind != ValueKind::string) {
        return no_string(value, "YYYY-MM-DDThh:mm:ss.fZ");
    }
    const Result<Moment> parsed = parse_moment(value.text);
    if (!parsed) {
        return parsed.error();
    }
    const Moment& moment = parsed.value();
    if (limits.type == ColumnType::date) {
        if (!moment.is_date_only) {
            return misfit(RecordErrorCode::would_lose_digits,
                          "has a time of day or an offset, which a DATE drops");
        }
        sql += '\'';
        append_date(sql, moment);
        sql += '\'';
        return Done{};
    }
    if (is_too_fine(limits, moment.fraction)) {
        return too_fine(limits);
    }
    const std::int64_t epoch = moment.time.time_since_epoch().count();
    if (limits.type == ColumnType::timestamp &&
        (epoch < kFirstTimestamp || epoch > kLastTimestamp)) {
        return misfit(RecordErrorCode::out_of_range,
                      "is outside 1970-01-01 00:00:01 to 2038-01-19 03:14:07 in UTC");
    }
    sql += '\'';
    append_date_time(sql, moment);
    sql += '\'';
    return Done{};
}

Result<Done> encode_time(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind != ValueKind::string) {
        return no_string(value, "hh:mm:ss.f");
    }
    const Result<TimeSpan> span = parse_time_span(value.text);
    if (!span) {
        return span.error();
    }
    if (is_too_fine(limits, span.value().fraction)) {
        return too_fine(limits);
    }
    sql += '\'';
    append_time_span(sql, span.value());
    sql += '\'';
    return Done{};
}

}  // namespace txsink::mapping
