/// @file
/// MariaDB's UUID, INET4 and INET6 columns from their text.
#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstddef>

#include "mapping/encode.hpp"
#include "mapping/misfit.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Value;
using decode::ValueKind;

bool is_hex_digit(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// 8-4-4-4-12 digits; the server would take dashes at other places too.
bool is_uuid(std::string_view text) noexcept {
    constexpr std::size_t kSize = 36;
    if (text.size() != kSize) {
        return false;
    }
    for (std::size_t i = 0; i < kSize; ++i) {
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-' : !is_hex_digit(text[i])) {
            return false;
        }
    }
    return true;
}

/// Appends `text` in the one form that an address has, so that equal values are equal literals.
/// False when it is none: strict, as the C library is (no leading zeros in INET4, which some read
/// as octal; no zone).
bool append_address(std::string& sql, std::string_view text, int family) {
    std::array<char, INET6_ADDRSTRLEN + 1> terminated{};
    if (text.size() >= terminated.size() || text.find('\0') != std::string_view::npos) {
        return false;
    }
    text.copy(terminated.data(), text.size());
    in6_addr address{};
    if (inet_pton(family, terminated.data(), &address) != 1) {
        return false;
    }
    append_string(sql, inet_ntop(family, &address, terminated.data(), terminated.size()));
    return true;
}

}  // namespace

Result<Done> encode_uuid(const ColumnLimits& /*limits*/, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind != ValueKind::string) {
        return misfit(RecordErrorCode::wrong_kind, value.kind, "is no string");
    }
    if (!is_uuid(value.text)) {
        return misfit(RecordErrorCode::malformed_value,
                      "is no UUID (hexadecimal digits, 8-4-4-4-12 of them)");
    }
    sql += '\'';
    for (const char c : value.text) {
        sql += c >= 'A' && c <= 'F' ? static_cast<char>(c + ('a' - 'A')) : c;
    }
    sql += '\'';
    return Done{};
}

Result<Done> encode_address(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind != ValueKind::string) {
        return misfit(RecordErrorCode::wrong_kind, value.kind, "is no string");
    }
    const bool is_version_4 = limits.type == ColumnType::inet4;
    if (!append_address(sql, value.text, is_version_4 ? AF_INET : AF_INET6)) {
        return misfit(RecordErrorCode::malformed_value,
                      is_version_4 ? "is no IPv4 address (four numbers, no leading zeros)"
                                   : "is no IPv6 address (RFC 4291, without a zone)");
    }
    return Done{};
}

}  // namespace txsink::mapping
