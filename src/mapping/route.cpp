/// @file
/// Route: which topics it takes, and the table of each.
#include "txsink/mapping/route.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <array>

#include "txsink/core/sink_error.hpp"

namespace txsink::mapping {

namespace {

constexpr std::size_t kLongestIdentifier = 64;
constexpr std::string_view kPlaceholder = "${";

/// What `${0}` to `${9}` stand for. The first is the whole match, which is no placeholder.
using Groups = std::array<std::string, 10>;

/// A compiled POSIX extended expression.
class Expression {
public:
    /// Errors: SinkError configuration: not an expression.
    explicit Expression(const std::string& text) {
        if (const int code = ::regcomp(&compiled_, text.c_str(), REG_EXTENDED)) {
            std::array<char, 256> reason{};
            ::regerror(code, &compiled_, reason.data(), reason.size());
            throw SinkError{ErrorKind::configuration,
                            "topic expression " + text + " cannot be read",
                            reason.data(),
                            "POSIX extended syntax is needed, for example ^orders[.].*"};
        }
    }
    Expression(const Expression&) = delete;
    Expression& operator=(const Expression&) = delete;
    ~Expression() { ::regfree(&compiled_); }

    [[nodiscard]] bool is_found_in(const std::string& text) const {
        return ::regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
    }

    /// A group that took no part in the match is empty.
    [[nodiscard]] Groups groups_in(const std::string& text) const {
        Groups groups;
        std::array<regmatch_t, std::tuple_size_v<Groups>> found{};
        if (::regexec(&compiled_, text.c_str(), found.size(), found.data(), 0) != 0) {
            return groups;
        }
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (found[i].rm_so >= 0) {
                groups[i] = text.substr(static_cast<std::size_t>(found[i].rm_so),
                                        static_cast<std::size_t>(found[i].rm_eo - found[i].rm_so));
            }
        }
        return groups;
    }

    [[nodiscard]] std::size_t group_count() const noexcept { return compiled_.re_nsub; }

private:
    regex_t compiled_{};
};

/// `pattern` with `topic` and `groups` put in; those above `group_count` do not exist.
std::string fill_in(std::string_view pattern,
                    std::string_view topic,
                    const Groups& groups,
                    std::size_t group_count) {
    std::string name;
    while (true) {
        const auto begin = std::min(pattern.find(kPlaceholder), pattern.size());
        name += pattern.substr(0, begin);
        pattern.remove_prefix(begin);
        if (pattern.empty()) {
            return name;
        }
        const auto end = pattern.find('}');
        const auto placeholder = pattern.substr(0, end == pattern.npos ? end : end + 1);
        const auto group = placeholder.size() == 4 && '1' <= placeholder[2] && placeholder[2] <= '9'
                               ? static_cast<std::size_t>(placeholder[2] - '0')
                               : 0;
        if (placeholder == "${topic}") {
            name += topic;
        } else if (group > 0 && group <= group_count) {
            name += groups[group];
        } else {
            throw SinkError{
                ErrorKind::configuration,
                fmt::format("table: nothing can be put in for {}", placeholder),
                group > 0
                    ? fmt::format("the topics are given with {} groups in parentheses", group_count)
                    : std::string{},
                "there is ${topic}, and ${1} to ${9} for the groups of one topic = ^expression"};
        }
        pattern.remove_prefix(placeholder.size());
    }
}

bool has_placeholder(std::string_view name) {
    return name.find(kPlaceholder) != name.npos;
}

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

void check_identifier(const std::string& name, std::string_view topic) {
    const auto length = characters(name);
    if (length == 0 || length > kLongestIdentifier) {
        throw SinkError{
            ErrorKind::configuration,
            fmt::format("table: the topic {} makes a name that MySQL cannot have", topic),
            length == 0 ? std::string{"the name is empty"}
                        : fmt::format("{} has {} characters, and {} are the most",
                                      name,
                                      length,
                                      kLongestIdentifier),
            "name the table by a part of the topic (topic = ^shop[.](.*), table = ${1}), or give "
            "the topic a route of its own"};
    }
}

}  // namespace

bool Route::takes(std::string_view topic) const {
    if (is_regex()) {
        return Expression{topics.front()}.is_found_in(std::string{topic});
    }
    return std::find(topics.begin(), topics.end(), topic) != topics.end();
}

TableName Route::table_for(std::string_view topic) const {
    if (mode == Mode::sql) {
        return {};
    }
    TableName filled = table;
    if (has_placeholder(table.database) || has_placeholder(table.table)) {
        Groups groups;
        std::size_t group_count = 0;
        if (is_regex()) {
            const Expression expression{topics.front()};
            groups = expression.groups_in(std::string{topic});
            group_count = expression.group_count();
        }
        filled = {fill_in(table.database, topic, groups, group_count),
                  fill_in(table.table, topic, groups, group_count)};
    }
    if (!table.database.empty()) {
        check_identifier(filled.database, topic);
    }
    check_identifier(filled.table, topic);
    return filled;
}

void Route::check_placeholders() const {
    const auto group_count = is_regex() ? Expression{topics.front()}.group_count() : 0;
    for (const auto& pattern : {table.database, table.table}) {
        static_cast<void>(fill_in(pattern, {}, {}, group_count));
    }
}

}  // namespace txsink::mapping
