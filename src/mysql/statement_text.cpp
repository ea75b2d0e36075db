#include "mysql/statement_text.hpp"

#include <algorithm>
#include <array>

namespace txsink::mysql {
namespace {

/// Where the string, quoted name or comment that begins at `at` ends; `at` where none begins.
std::size_t end_of_quoted(std::string_view sql, std::size_t at) {
    const char c = sql[at];
    const auto rest = sql.substr(at);
    if (c == '\'' || c == '"' || c == '`') {
        for (++at; at < sql.size() && sql[at] != c; ++at) {
            at += c != '`' && sql[at] == '\\' ? 1 : 0;
        }
        return std::min(at + 1, sql.size());
    }
    const bool is_dashes = rest.starts_with("--") && (rest.size() == 2 || is_space(rest[2]));
    if (c == '#' || is_dashes) {
        return std::min(sql.find('\n', at), sql.size());
    }
    // What stands in /*! ... */ is run.
    if (rest.starts_with("/*") && !rest.starts_with("/*!") && !rest.starts_with("/*M!")) {
        const auto end = sql.find("*/", at + 2);
        return end == std::string_view::npos ? sql.size() : end + 2;
    }
    return at;
}

std::string_view first_word(std::string_view sql) {
    std::size_t at = 0;
    while (at < sql.size()) {
        if (is_space(sql[at]) || sql[at] == '(') {
            ++at;
        } else if (const auto end = end_of_quoted(sql, at); end != at) {
            at = end;
        } else {
            break;
        }
    }
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    std::size_t end = at;
    while (end < sql.size() && is_letter(sql[end])) {
        ++end;
    }
    return sql.substr(at, end - at);
}

bool is_word(std::string_view word, std::string_view upper) {
    return std::equal(word.begin(), word.end(), upper.begin(), upper.end(), [](char a, char b) {
        return (a >= 'a' && a <= 'z' ? a - 32 : a) == b;
    });
}

}  // namespace

bool is_one_statement(std::string_view sql) noexcept {
    if (sql.find(';') == std::string_view::npos) {
        return true;
    }
    bool has_ended = false;
    for (std::size_t at = 0; at < sql.size();) {
        if (has_ended && !is_space(sql[at])) {
            return false;
        }
        const auto end = end_of_quoted(sql, at);
        has_ended = has_ended || (end == at && sql[at] == ';');
        at = std::max(end, at + 1);
    }
    return true;
}

bool is_row_statement(std::string_view sql) noexcept {
    constexpr std::array<std::string_view, 5> kVerbs{
        "INSERT", "REPLACE", "UPDATE", "DELETE", "WITH"};
    const auto word = first_word(sql);
    return std::any_of(
        kVerbs.begin(), kVerbs.end(), [&](const auto& each) { return is_word(word, each); });
}

bool has_one_result(std::string_view sql) noexcept {
    const auto word = first_word(sql);
    return is_row_statement(sql) || is_word(word, "SAVEPOINT") || is_word(word, "ROLLBACK");
}

}  // namespace txsink::mysql
