/// @file
/// Text columns: every character, or nothing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "mapping/encode.hpp"
#include "mapping/misfit.hpp"
#include "mapping/utf8.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Value;
using decode::ValueKind;

/// Code points of valid UTF-8.
std::size_t count_characters(std::string_view text) noexcept {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & '\xC0') != '\x80'; }));
}

bool is_longer_in_characters(const ColumnLimits& limits, std::string_view text) noexcept {
    // VARCHAR(0) exists; for TEXT, 0 means that only the bytes are limited.
    const bool is_limited = limits.type != ColumnType::text || limits.max_characters != 0;
    return is_limited && text.size() > limits.max_characters &&
           count_characters(text) > limits.max_characters;
}

/// False as well where a character has another number of bytes: one in latin1, which the
/// characters limit, and what only the server knows.
bool is_longer_in_bytes(const ColumnLimits& limits, std::string_view text) noexcept {
    const bool is_counted =
        limits.repertoire != Repertoire::left_to_server && limits.repertoire != Repertoire::latin1;
    return is_counted && limits.max_bytes != 0 && text.size() > limits.max_bytes;
}

/// What MySQL's latin1 has beyond U+00FF, for the bytes 0x80 to 0x9F. Sorted.
/// Source: https://dev.mysql.com/doc/refman/8.4/en/charset-we-sets.html
constexpr std::array<char32_t, 27> kWindows1252{
    0x0152, 0x0153, 0x0160, 0x0161, 0x0178, 0x017D, 0x017E, 0x0192, 0x02C6,
    0x02DC, 0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E,
    0x2020, 0x2021, 0x2022, 0x2026, 0x2030, 0x2039, 0x203A, 0x20AC, 0x2122};

bool is_in_latin1(char32_t code) noexcept {
    if (code < 0x80 || (code >= 0xA0 && code <= 0xFF)) {
        return true;
    }
    // Bytes that Windows-1252 leaves unused stand for themselves.
    if (code == 0x81 || code == 0x8D || code == 0x8F || code == 0x90 || code == 0x9D) {
        return true;
    }
    return std::binary_search(kWindows1252.begin(), kWindows1252.end(), code);
}

bool is_latin1(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        if (!is_in_latin1(next_code_point(text, at))) {
            return false;
        }
    }
    return true;
}

std::optional<RecordError> check_repertoire(const ColumnLimits& limits, const Value& value) {
    if (limits.repertoire == Repertoire::basic_plane &&
        std::any_of(value.text.begin(), value.text.end(), [](char c) {
            return static_cast<unsigned char>(c) >= 0xF0;
        })) {
        return misfit(RecordErrorCode::malformed_value,
                      value.kind,
                      "has a character beyond U+FFFF, which the column's character set lacks");
    }
    if (limits.repertoire == Repertoire::ascii &&
        std::any_of(value.text.begin(), value.text.end(), [](char c) {
            return static_cast<unsigned char>(c) >= 0x80;
        })) {
        return misfit(RecordErrorCode::malformed_value,
                      value.kind,
                      "has a character outside ASCII, which is the column's character set");
    }
    if (limits.repertoire == Repertoire::latin1 && !is_latin1(value.text)) {
        return misfit(RecordErrorCode::malformed_value,
                      value.kind,
                      "has a character outside latin1, which is the column's character set");
    }
    return std::nullopt;
}

}  // namespace

Result<Done> encode_text(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    // Also when only blanks are too many: the server would cut those without an error.
    if (is_longer_in_characters(limits, value.text)) {
        return misfit(RecordErrorCode::out_of_range,
                      value.kind,
                      fmt::format("is longer than {} characters", limits.max_characters));
    }
    if (is_longer_in_bytes(limits, value.text)) {
        return misfit(RecordErrorCode::out_of_range,
                      value.kind,
                      fmt::format("is longer than {} bytes", limits.max_bytes));
    }
    if (limits.type == ColumnType::character && value.text.ends_with(' ')) {
        return misfit(RecordErrorCode::would_lose_digits,
                      value.kind,
                      "ends in a blank, which a CHAR column drops");
    }
    if (limits.repertoire != Repertoire::unicode) {
        if (auto error = check_repertoire(limits, value)) {
            return *std::move(error);
        }
    }
    append_string(sql, value.text);
    return Done{};
}

}  // namespace txsink::mapping
