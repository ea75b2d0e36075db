#include "txsink/mapping/sql_literal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace txsink::mapping {

namespace {

constexpr char kStandsForItself = '\0';

/// By byte: the letter after the backslash, or kStandsForItself.
constexpr std::array<char, 256> kEscapes = [] {
    std::array<char, 256> escapes{};
    escapes['\0'] = '0';
    escapes['\n'] = 'n';
    escapes['\r'] = 'r';
    escapes['\x1A'] = 'Z';
    escapes['\''] = '\'';
    escapes['\\'] = '\\';
    return escapes;
}();

constexpr char escape_of(char c) noexcept {
    return kEscapes[static_cast<unsigned char>(c)];
}

constexpr std::uint64_t in_each_byte(unsigned char c) noexcept {
    return std::uint64_t{0x0101010101010101} * c;
}

/// True when one of the eight bytes may need an escape: a control character, ' or \.
bool may_need_escape(const char* eight_bytes) noexcept {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, eight_bytes, sizeof bytes);
    // The high bit of a byte comes up when the subtraction borrows in it; a false alarm (a byte
    // next to a real hit) only costs the look at each byte.
    const std::uint64_t quote = bytes ^ in_each_byte('\'');
    const std::uint64_t backslash = bytes ^ in_each_byte('\\');
    const std::uint64_t hits = ((bytes - in_each_byte(0x20)) & ~bytes) |
                               ((quote - in_each_byte(1)) & ~quote) |
                               ((backslash - in_each_byte(1)) & ~backslash);
    return (hits & in_each_byte(0x80)) != 0;
}

/// Where the next byte at or after `at` stands that needs an escape; the size when there is none.
std::size_t find_escape(std::string_view text, std::size_t at) noexcept {
    while (at < text.size()) {
        if (text.size() - at >= 8 && !may_need_escape(text.data() + at)) {
            at += 8;
            continue;
        }
        for (const std::size_t stop = std::min(text.size(), at + 8); at < stop; ++at) {
            if (escape_of(text[at]) != kStandsForItself) {
                return at;
            }
        }
    }
    return at;
}

}  // namespace

void append_identifier(std::string& sql, std::string_view name) {
    sql += '`';
    for (const char c : name) {
        if (c == '`') {
            sql += '`';
        }
        sql += c;
    }
    sql += '`';
}

void append_string(std::string& sql, std::string_view text) {
    sql += '\'';
    for (std::size_t at = 0;;) {
        const std::size_t end = find_escape(text, at);
        sql.append(text, at, end - at);
        if (end == text.size()) {
            break;
        }
        sql += '\\';
        sql += escape_of(text[end]);
        at = end + 1;
    }
    sql += '\'';
}

void append_bytes(std::string& sql, std::string_view bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    sql += "x'";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        sql += kDigits[byte >> 4];
        sql += kDigits[byte & 15];
    }
    sql += '\'';
}

std::string identifier(std::string_view name) {
    std::string sql;
    append_identifier(sql, name);
    return sql;
}

std::string string_literal(std::string_view text) {
    std::string sql;
    append_string(sql, text);
    return sql;
}

}  // namespace txsink::mapping
