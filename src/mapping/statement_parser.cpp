/// @file
/// parse_statements(): SQL taken apart at its parameters.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "mapping/statement_template.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::mapping {

namespace {

constexpr std::array<std::string_view, 5> kVerbs{"INSERT", "REPLACE", "UPDATE", "DELETE", "WITH"};

bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_word(char c) noexcept {
    return is_letter(c) || (c >= '0' && c <= '9');
}

bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/// Reads SQL from the left, one token at a time.
class Parser {
public:
    explicit Parser(std::string_view sql) : sql_{sql} {}

    ParsedStatements parse() {
        open();
        while (at_ < sql_.size()) {
            step();
        }
        close();
        if (parsed_.statements.empty()) {
            refuse_statements("there is no statement",
                              "for example UPDATE t SET n = n + :n WHERE id = :id");
        }
        return std::move(parsed_);
    }

private:
    void open() { current_.texts.assign(1, ""); }

    [[nodiscard]] std::string_view rest() const { return sql_.substr(at_); }

    void step() {
        const char c = sql_[at_];
        if (c == '\'' || c == '"' || c == '`') {
            copy_quoted(c);
        } else if (rest().starts_with("/*")) {
            pass_block_comment();
        } else if (c == '#' || (rest().starts_with("--") &&
                                (at_ + 2 == sql_.size() || is_blank(sql_[at_ + 2])))) {
            at_ = std::min(sql_.find('\n', at_), sql_.size());
        } else if (c == ';') {
            close();
            open();
            ++at_;
        } else if (c == ':' && at_ + 1 < sql_.size() && is_letter(sql_[at_ + 1])) {
            take_parameter();
        } else if (c == '?') {
            refuse_statements("a bare '?'", "parameters have names: :id");
        } else if (c == '\0') {
            refuse_statements("a NUL character", "write SQL as text");
        } else {
            current_.texts.back() += is_blank(c) ? ' ' : c;
            ++at_;
        }
    }

    void copy_quoted(char quote) {
        const std::size_t begin = at_++;
        while (at_ < sql_.size()) {
            if (sql_[at_] == '\\' && quote != '`') {
                at_ += 2;
            } else if (sql_[at_] == quote) {
                if (at_ + 1 == sql_.size() || sql_[at_ + 1] != quote) {
                    ++at_;
                    current_.texts.back() += sql_.substr(begin, at_ - begin);
                    return;
                }
                at_ += 2;
            } else {
                ++at_;
            }
        }
        refuse_statements(fmt::format("a {} at character {} is never closed", quote, begin + 1),
                          "close the quotes");
    }

    void pass_block_comment() {
        if (rest().starts_with("/*!") || rest().starts_with("/*M!")) {
            refuse_statements(fmt::format("a comment that is run, at character {}", at_ + 1),
                              "write the statement itself");
        }
        const std::size_t end = sql_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
            refuse_statements(fmt::format("a comment at character {} is never closed", at_ + 1),
                              "close it");
        }
        if (rest().starts_with("/*+")) {
            current_.texts.back() += sql_.substr(at_, end + 2 - at_);  // an optimizer hint
        } else {
            current_.texts.back() += ' ';
        }
        at_ = end + 2;
    }

    void take_parameter() {
        std::size_t end = at_ + 1;
        while (end < sql_.size() && is_word(sql_[end])) {
            ++end;
        }
        const std::string name{sql_.substr(at_ + 1, end - at_ - 1)};
        auto& names = parsed_.parameters;
        auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            found = names.insert(names.end(), name);
        }
        current_.parameters.push_back(static_cast<std::size_t>(found - names.begin()));
        current_.texts.emplace_back();
        at_ = end;
    }

    void close() {
        std::string& first = current_.texts.front();
        first.erase(0, std::min(first.find_first_not_of(' '), first.size()));
        if (first.empty() && current_.parameters.empty()) {
            return;
        }
        std::string verb;
        for (std::size_t i = 0; i < first.size() && is_letter(first[i]); ++i) {
            verb +=
                first[i] >= 'a' && first[i] <= 'z' ? static_cast<char>(first[i] - 32) : first[i];
        }
        if (std::find(kVerbs.begin(), kVerbs.end(), verb) == kVerbs.end()) {
            refuse_statements(
                verb.empty() ? "a statement does not begin with a word"
                             : fmt::format("a statement begins with {}", verb),
                "INSERT, REPLACE, UPDATE, DELETE and WITH can be part of the batch's transaction; "
                "others could end it, or outlive its end");
        }
        parsed_.statements.push_back(std::move(current_));
        current_ = {};
    }

    std::string_view sql_;
    std::size_t at_ = 0;
    StatementTemplate current_;
    ParsedStatements parsed_;
};

}  // namespace

void refuse_statements(const std::string& why, const std::string& hint) {
    throw SinkError{ErrorKind::configuration, "sql: " + why, {}, hint};
}

ParsedStatements parse_statements(std::string_view sql) {
    return Parser{sql}.parse();
}

}  // namespace txsink::mapping
