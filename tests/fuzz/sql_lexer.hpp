/// @file
/// Reads literals as MySQL's lexer does (without NO_BACKSLASH_ESCAPES): the other way round from
/// the product, and written apart from it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace txsink::fuzz {

/// The text of the string literal at the beginning of `sql`, which is taken off; absent when
/// there is none or it never ends.
inline std::optional<std::string> take_string(std::string_view& sql) {
    if (!sql.starts_with('\'')) {
        return std::nullopt;
    }
    std::string text;
    for (std::size_t i = 1; i < sql.size(); ++i) {
        if (sql[i] == '\'') {
            sql.remove_prefix(i + 1);
            return text;
        }
        if (sql[i] != '\\') {
            text += sql[i];
            continue;
        }
        if (++i == sql.size()) {
            break;
        }
        switch (sql[i]) {
            case '0':
                text += '\0';
                break;
            case 'n':
                text += '\n';
                break;
            case 'r':
                text += '\r';
                break;
            case 't':
                text += '\t';
                break;
            case 'b':
                text += '\b';
                break;
            case 'Z':
                text += '\x1A';
                break;
            default:
                text += sql[i];
        }
    }
    return std::nullopt;
}

/// Takes one literal of any kind (string, x'..', number, NULL) off the beginning of `sql`.
inline bool take_literal(std::string_view& sql) {
    if (sql.starts_with("NULL")) {
        sql.remove_prefix(4);
        return true;
    }
    if (sql.starts_with('x')) {
        sql.remove_prefix(1);
        const std::optional<std::string> digits = take_string(sql);
        return digits && digits->size() % 2 == 0 &&
               digits->find_first_not_of("0123456789abcdef") == std::string::npos;
    }
    if (sql.starts_with('\'')) {
        return take_string(sql).has_value();
    }
    const std::size_t size = sql.find_first_not_of("0123456789.+-e");
    if (size == 0 || size == std::string_view::npos) {
        return false;
    }
    sql.remove_prefix(size);
    return true;
}

}  // namespace txsink::fuzz
