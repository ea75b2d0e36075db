/// @file
/// Text, binary and ENUM columns: every character and byte, or nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "mapping/base64.hpp"
#include "mapping/encode.hpp"
#include "mapping/misfit.hpp"
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

/// False as well where only the server knows how many bytes its character set takes.
bool is_longer_in_bytes(const ColumnLimits& limits, std::string_view text) noexcept {
    return limits.repertoire != Repertoire::left_to_server && limits.max_bytes != 0 &&
           text.size() > limits.max_bytes;
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
    if (limits.repertoire == Repertoire::basic_plane || limits.repertoire == Repertoire::ascii) {
        if (auto error = check_repertoire(limits, value)) {
            return *std::move(error);
        }
    }
    append_string(sql, value.text);
    return Done{};
}

Result<Done> encode_binary(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind != ValueKind::string) {
        return misfit(RecordErrorCode::wrong_kind, value.kind, "is no base64 string");
    }
    const std::optional<std::size_t> size = base64_size(value.text);
    if (size && limits.type == ColumnType::binary && *size != limits.max_bytes) {
        return misfit(RecordErrorCode::out_of_range,
                      value.kind,
                      fmt::format("does not hold exactly {} bytes", limits.max_bytes));
    }
    if (size && *size > limits.max_bytes) {
        return misfit(RecordErrorCode::out_of_range,
                      value.kind,
                      fmt::format("holds more than {} bytes", limits.max_bytes));
    }
    if (!size || !append_base64(sql, value.text)) {
        return misfit(RecordErrorCode::malformed_value,
                      value.kind,
                      "is not base64 (standard alphabet, padded)");
    }
    return Done{};
}

Result<Done> encode_enumeration(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind != ValueKind::string) {
        return misfit(RecordErrorCode::wrong_kind, value.kind, "is no string");
    }
    // The server would take '1' as the first member, and other cases of the letters.
    if (!std::binary_search(limits.members.begin(), limits.members.end(), value.text)) {
        return misfit(
            RecordErrorCode::out_of_range,
            value.kind,
            fmt::format("is not, byte for byte, one of the {} members", limits.members.size()));
    }
    append_string(sql, value.text);
    return Done{};
}

}  // namespace txsink::mapping
