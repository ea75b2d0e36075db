/// @file
/// Binary columns: every byte, or nothing.
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

/// The server pads BINARY with zeros.
std::optional<RecordError> check_size(const ColumnLimits& limits, std::size_t size) {
    if (limits.type == ColumnType::binary && size != limits.max_bytes) {
        return misfit(RecordErrorCode::out_of_range,
                      fmt::format("does not hold exactly {} bytes", limits.max_bytes));
    }
    if (size > limits.max_bytes) {
        return misfit(RecordErrorCode::out_of_range,
                      fmt::format("holds more than {} bytes", limits.max_bytes));
    }
    return std::nullopt;
}

bool is_hex(std::string_view text) noexcept {
    return text.size() % 2 == 0 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
           });
}

Result<Done> encode_hex(const ColumnLimits& limits, std::string_view text, std::string& sql) {
    if (!is_hex(text)) {
        return misfit(RecordErrorCode::malformed_value, "is not hexadecimal (two digits a byte)");
    }
    if (auto error = check_size(limits, text.size() / 2)) {
        return *std::move(error);
    }
    sql += "x'";
    for (const char c : text) {
        sql += c >= 'A' && c <= 'F' ? static_cast<char>(c + ('a' - 'A')) : c;
    }
    sql += '\'';
    return Done{};
}

}  // namespace

Result<Done> encode_bytes(const ColumnLimits& limits, std::string_view bytes, std::string& sql) {
    if (auto error = check_size(limits, bytes.size())) {
        return *std::move(error);
    }
    append_bytes(sql, bytes);
    return Done{};
}

Result<Done> encode_base64(const ColumnLimits& limits, const Value& value, std::string& sql) {
    if (value.kind != ValueKind::string) {
        return misfit(RecordErrorCode::wrong_kind, value.kind, "is no base64 string");
    }
    const std::optional<std::size_t> size = base64_size(value.text);
    if (size) {
        if (auto error = check_size(limits, *size)) {
            return *std::move(error);
        }
    }
    if (!size || !append_base64(sql, value.text)) {
        return misfit(RecordErrorCode::malformed_value,
                      value.kind,
                      "is not base64 (standard alphabet, padded)");
    }
    return Done{};
}

Result<Done> encode_binary(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (limits.binary == BinaryEncoding::base64) {
        return encode_base64(limits, value, sql);
    }
    if (value.kind != ValueKind::string) {
        return misfit(RecordErrorCode::wrong_kind, value.kind, "is no string");
    }
    return limits.binary == BinaryEncoding::hex ? encode_hex(limits, value.text, sql)
                                                : encode_bytes(limits, value.text, sql);
}

}  // namespace txsink::mapping
