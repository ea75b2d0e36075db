/// @file
/// JSON columns: any value as the text it was written in, and strings that hold JSON text.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "mapping/encode.hpp"
#include "mapping/exact_decimal.hpp"
#include "mapping/misfit.hpp"
#include "txsink/decode/json_decoder.hpp"
#include "txsink/decode/number.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Value;
using decode::ValueKind;

/// Digits that a double tells apart, written out and read again.
constexpr std::int64_t kDigitsOfDouble = 17;

/// Whether MySQL's binary JSON keeps the number: integers of 64 bits, and doubles.
/// Source: https://dev.mysql.com/doc/refman/8.4/en/json.html
bool is_kept(std::string_view token) noexcept {
    const std::optional<decode::Number> number = decode::parse_number(token);
    if (!number) {
        return false;
    }
    const ExactDecimal decimal{*number};
    if (number->fraction.empty() && !number->has_exponent) {
        const std::optional<std::uint64_t> magnitude = decimal.to_magnitude();
        constexpr std::uint64_t kLowest = std::uint64_t{1} << 63U;
        return magnitude && (!decimal.is_negative() || *magnitude <= kLowest);
    }
    double value = 0;
    const auto parsed = std::from_chars(token.data(), token.data() + token.size(), value);
    return parsed.ec == std::errc{} && decimal.significant_digits() <= kDigitsOfDouble &&
           (std::isnormal(value) || decimal.is_zero());
}

constexpr bool needs_json_escape(char c) noexcept {
    return c == '"' || c == '\\' || (c >= 0 && c < ' ');
}

/// Appends the JSON text of a string as an SQL literal: two escapings in one go.
void append_json_string(std::string& sql, std::string_view text) {
    sql += "'\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            // \" in JSON, and the backslash (and a second one) doubled for SQL.
            sql += "\\\\";
            sql += c == '"' ? "\"" : "\\\\";
        } else if (needs_json_escape(c)) {
            fmt::format_to(std::back_inserter(sql), "\\\\u{:04x}", static_cast<unsigned>(c));
        } else if (c == '\'') {
            sql += "\\'";
        } else {
            sql += c;
        }
    }
    sql += "\"'";
}

/// Whether the JSON text of `kind` in `document` fits the column.
std::optional<RecordError> check(const ColumnLimits& limits,
                                 Document document,
                                 std::size_t size,
                                 ValueKind kind) {
    if (limits.max_bytes != 0 && size > limits.max_bytes) {
        return misfit(RecordErrorCode::out_of_range,
                      kind,
                      fmt::format("is longer than {} bytes", limits.max_bytes));
    }
    if (limits.is_json_text) {
        return std::nullopt;
    }
    for (const Value& part : document) {
        if (part.kind == ValueKind::number && !is_kept(part.text)) {
            return misfit(RecordErrorCode::would_lose_digits,
                          kind,
                          "has a number beyond the 64-bit integers and doubles that the "
                          "server's JSON keeps");
        }
    }
    return std::nullopt;
}

}  // namespace

Result<Done> encode_json(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (auto error = check(limits, subtree, value.text.size(), value.kind)) {
        return *std::move(error);
    }
    if (value.kind == ValueKind::string) {
        append_json_string(sql, value.text);
    } else {
        append_string(sql, value.text);
    }
    return Done{};
}

Result<Done> encode_json_text(const ColumnLimits& limits, const Value& value, std::string& sql) {
    // The thread's own, as the encoder is shared and immutable.
    thread_local decode::JsonDecoder decoder;
    if (value.kind != ValueKind::string) {
        return misfit(RecordErrorCode::wrong_kind, value.kind, "is no string that holds JSON");
    }
    const Result<Document> document = decoder.decode(value.text);
    if (!document) {
        return misfit(RecordErrorCode::malformed_value,
                      fmt::format("is no JSON text ({})", name_of(document.error().code)));
    }
    if (auto error = check(limits, document.value(), value.text.size(), value.kind)) {
        return *std::move(error);
    }
    append_string(sql, value.text);
    return Done{};
}

}  // namespace txsink::mapping
