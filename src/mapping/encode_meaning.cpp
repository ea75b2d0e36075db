/// @file
/// Values whose schema says what they mean: the bytes, decimals and counts of time behind them,
/// handed on to the encoder of the column.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "mapping/base64.hpp"
#include "mapping/encode.hpp"
#include "mapping/misfit.hpp"
#include "mapping/temporal.hpp"
#include "mapping/unscaled.hpp"
#include "mapping/utf8.hpp"
#include "txsink/decode/number.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Meaning;
using decode::Value;
using decode::ValueKind;

/// Where a value is put into another form: kept by the thread, so that it costs no allocation.
std::string& empty_buffer() {
    thread_local std::string buffer;
    buffer.clear();
    return buffer;
}

bool is_binary(ColumnType type) noexcept {
    return type == ColumnType::binary || type == ColumnType::varbinary || type == ColumnType::blob;
}

bool is_text(ColumnType type) noexcept {
    return type == ColumnType::character || type == ColumnType::varchar || type == ColumnType::text;
}

bool is_moment(ColumnType type) noexcept {
    return type == ColumnType::date || type == ColumnType::datetime ||
           type == ColumnType::timestamp;
}

/// Hands `text` to the column as a plain value of `kind`.
Result<Done> hand_on(const ColumnLimits& limits,
                     EncodeFunction* encode,
                     ValueKind kind,
                     std::string_view text,
                     std::string& sql) {
    Value plain;
    plain.kind = kind;
    plain.text = text;
    return encode(limits, {&plain, 1}, sql);
}

RecordError no_base64(const Value& value) {
    return misfit(
        RecordErrorCode::malformed_value, value.kind, "is not base64 (standard alphabet, padded)");
}

Result<Done> encode_raw(const ColumnLimits& limits,
                        EncodeFunction* encode,
                        std::string_view bytes,
                        std::string& sql) {
    if (is_binary(limits.type)) {
        return encode_bytes(limits, bytes, sql);
    }
    if (!is_utf8(bytes)) {
        return misfit(RecordErrorCode::malformed_value, "holds bytes that are not UTF-8");
    }
    return hand_on(limits, encode, ValueKind::string, bytes, sql);
}

/// The number whose bytes stand in base64, with `scale` digits after the point.
Result<Done> encode_unscaled(const ColumnLimits& limits,
                             EncodeFunction* encode,
                             const Value& value,
                             Signedness sign,
                             int scale,
                             std::string& sql) {
    thread_local std::string bytes;
    bytes.clear();
    const bool is_little_endian = value.meaning == Meaning::bits;
    if (value.kind != ValueKind::string || !decode_base64(bytes, value.text) || bytes.empty()) {
        return no_base64(value);
    }
    if (bytes.size() > kLongestUnscaled) {
        return misfit(RecordErrorCode::out_of_range,
                      value.kind,
                      fmt::format("is a number of more than {} bytes", kLongestUnscaled));
    }
    if (is_little_endian) {
        std::reverse(bytes.begin(), bytes.end());
    }
    std::string& digits = empty_buffer();
    append_unscaled(digits, bytes, sign, scale);
    return hand_on(limits, encode, ValueKind::number, digits, sql);
}

Result<Done> encode_variable_decimal(const ColumnLimits& limits,
                                     EncodeFunction* encode,
                                     Document subtree,
                                     std::string& sql) {
    const Document value = decode::member(subtree, "value");
    const Document scale = decode::member(subtree, "scale");
    std::int16_t digits = 0;
    const bool is_complete = !value.empty() && !scale.empty();
    const std::string_view text = is_complete ? scale.front().text : std::string_view{};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), digits);
    if (!is_complete || scale.front().kind != ValueKind::number || parsed.ec != std::errc{} ||
        parsed.ptr != text.data() + text.size()) {
        return misfit(RecordErrorCode::malformed_value,
                      subtree.front().kind,
                      "is not a decimal as {\"scale\": number, \"value\": base64}");
    }
    return encode_unscaled(limits, encode, value.front(), Signedness::twos_complement, digits, sql);
}

struct TimeMeaning {
    TimeUnit unit;
    bool is_time_of_day;
};

std::optional<TimeMeaning> time_meaning(Meaning meaning) noexcept {
    switch (meaning) {
        case Meaning::days:
            return TimeMeaning{TimeUnit::days, false};
        case Meaning::time_ms:
            return TimeMeaning{TimeUnit::milliseconds, true};
        case Meaning::time_us:
            return TimeMeaning{TimeUnit::microseconds, true};
        case Meaning::time_ns:
            return TimeMeaning{TimeUnit::nanoseconds, true};
        case Meaning::epoch_ms:
            return TimeMeaning{TimeUnit::milliseconds, false};
        case Meaning::epoch_us:
            return TimeMeaning{TimeUnit::microseconds, false};
        case Meaning::epoch_ns:
            return TimeMeaning{TimeUnit::nanoseconds, false};
        default:
            return std::nullopt;
    }
}

/// Into a text column: as ISO 8601 in UTC, with every digit that is not a zero at the end.
Result<Done> encode_iso_text(const ColumnLimits& limits,
                             EncodeFunction* encode,
                             const Value& value,
                             const TimeMeaning& meaning,
                             std::string& sql) {
    const std::optional<decode::Number> count = decode::parse_number(value.text);
    const int exponent = meaning.unit == TimeUnit::nanoseconds    ? 9
                         : meaning.unit == TimeUnit::microseconds ? 6
                         : meaning.unit == TimeUnit::milliseconds ? 3
                                                                  : 0;
    std::optional<TimeSpan> span = count ? to_time_span(*count, exponent) : std::nullopt;
    const bool is_days = meaning.unit == TimeUnit::days;
    if (span && is_days) {
        span->magnitude *= 86'400;
    }
    if (!span || !span->fraction.fits(is_days ? 0 : 9)) {
        return misfit(RecordErrorCode::malformed_value, value.kind, "is no count of its unit");
    }
    std::string& text = empty_buffer();
    if (meaning.is_time_of_day) {
        if (!span->is_storable()) {
            return misfit(
                RecordErrorCode::out_of_range, value.kind, "is outside -838:59:59 to 838:59:59");
        }
        append_time_span(text, *span);
        return hand_on(limits, encode, ValueKind::string, text, sql);
    }
    const Moment moment = to_moment(*span);
    if (!is_storable(moment)) {
        return misfit(
            RecordErrorCode::out_of_range, value.kind, "is outside the years 0001 to 9999");
    }
    if (is_days) {
        append_date(text, moment);
    } else {
        append_date_time(text, moment, 'T');
        text += 'Z';
    }
    return hand_on(limits, encode, ValueKind::string, text, sql);
}

Result<Done> encode_time_meaning(const ColumnLimits& limits,
                                 EncodeFunction* encode,
                                 const Value& value,
                                 const TimeMeaning& meaning,
                                 std::string& sql) {
    if (value.kind != ValueKind::number) {
        return misfit(
            RecordErrorCode::wrong_kind, value.kind, "is no number, but its schema has a time");
    }
    if (limits.type == ColumnType::time || is_moment(limits.type)) {
        if (meaning.is_time_of_day != (limits.type == ColumnType::time)) {
            return misfit(RecordErrorCode::wrong_kind,
                          value.kind,
                          meaning.is_time_of_day ? "is a time of day by its schema, without a date"
                                                 : "is a date by its schema, not a time of day");
        }
        return meaning.is_time_of_day ? encode_elapsed(limits, value, meaning.unit, sql)
                                      : encode_epoch(limits, value, meaning.unit, sql);
    }
    if (limits.type == ColumnType::year) {
        return misfit(
            RecordErrorCode::wrong_kind, value.kind, "is a date or time by its schema, no year");
    }
    if (is_text(limits.type)) {
        return encode_iso_text(limits, encode, value, meaning, sql);
    }
    return encode(limits, {&value, 1}, sql);
}

}  // namespace

Result<Done> encode_precise_decimal(const ColumnLimits& limits,
                                    Document subtree,
                                    std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind != ValueKind::string) {
        return encode_decimal(limits, subtree, sql);
    }
    return encode_unscaled(limits,
                           encode_decimal,
                           value,
                           Signedness::twos_complement,
                           static_cast<int>(limits.max_fraction_digits),
                           sql);
}

Result<Done> encode_meant(const ColumnLimits& limits,
                          EncodeFunction* encode,
                          Document subtree,
                          std::string& sql) {
    const Value& value = subtree.front();
    if (encode == encode_precise_decimal) {
        encode = encode_decimal;
    }
    if (const std::optional<TimeMeaning> meaning = time_meaning(value.meaning)) {
        return encode_time_meaning(limits, encode, value, *meaning, sql);
    }
    switch (value.meaning) {
        case Meaning::unavailable:
            return RecordError{
                RecordErrorCode::missing_value, {}, "the source did not send the value"};
        case Meaning::raw_bytes:
            return encode_raw(limits, encode, value.text, sql);
        case Meaning::base64: {
            if (is_binary(limits.type)) {
                return encode_base64(limits, value, sql);
            }
            if (limits.type == ColumnType::bit) {
                return encode_unscaled(limits, encode, value, Signedness::unsigned_number, 0, sql);
            }
            std::string& bytes = empty_buffer();
            if (value.kind != ValueKind::string || !decode_base64(bytes, value.text)) {
                return no_base64(value);
            }
            return encode_raw(limits, encode, bytes, sql);
        }
        case Meaning::bits:
            return encode_unscaled(limits, encode, value, Signedness::unsigned_number, 0, sql);
        case Meaning::decimal:
            return encode_unscaled(
                limits, encode, value, Signedness::twos_complement, value.scale, sql);
        case Meaning::variable_decimal:
            return encode_variable_decimal(limits, encode, subtree, sql);
        case Meaning::json_text:
            if (limits.type == ColumnType::json) {
                return encode_json_text(limits, value, sql);
            }
            break;
        case Meaning::geometry:
            if (limits.type == ColumnType::geometry) {
                return encode_wkb(limits, subtree, sql);
            }
            break;
        default:
            break;
    }
    return encode(limits, subtree, sql);
}

}  // namespace txsink::mapping
