/// @file
/// Splits the text of a migration into statements, as the mysql client would.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "mysql/statement_text.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/migrations.hpp"

namespace txsink::mysql {
namespace {

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

std::string upper(std::string_view text) {
    std::string result{text};
    for (char& c : result) {
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    }
    return result;
}

class Splitter {
public:
    Splitter(std::string_view text, std::string_view file) : text_{text}, file_{file} {}

    std::vector<SqlStatement> split() {
        while (at_ < text_.size()) {
            step();
        }
        end_statement();
        if (statements_.empty()) {
            refuse("holds no statement", 1, {});
        }
        return std::move(statements_);
    }

private:
    [[noreturn]] void refuse(std::string_view what, std::size_t line, std::string hint) const {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("the migration {} {}", file_, what),
                        fmt::format("line {}", line),
                        std::move(hint)};
    }

    [[nodiscard]] bool follows(std::string_view part) const {
        return text_.substr(at_).starts_with(part);
    }

    /// Passes over one token; decides what it is by how it begins.
    void step() {
        const char c = text_[at_];
        const bool is_dashes =
            follows("--") && (at_ + 2 == text_.size() || is_space(text_[at_ + 2]));
        if (c == ';') {
            end_statement();
            skip_to(at_ + 1);
        } else if (is_space(c)) {
            skip_to(at_ + 1);
        } else if (c == '#' || is_dashes) {
            skip_to(std::min(text_.find('\n', at_), text_.size()));
        } else if (follows("/*!") || follows("/*M!") || follows("/*+")) {
            // Comments that the server runs, or is told something by.
            take_to(end_of_comment());
        } else if (follows("/*")) {
            skip_to(end_of_comment());
        } else if (c == '\'' || c == '"' || c == '`') {
            take_to(end_of_quoted(c));
        } else if (is_word(c)) {
            take_word();
        } else {
            take_to(at_ + 1);
        }
    }

    void skip_to(std::size_t end) {
        for (; at_ < end; ++at_) {
            line_ += text_[at_] == '\n' ? 1 : 0;
        }
    }

    /// What is passed over belongs to the statement; what was skipped before does, if it is inside.
    void take_to(std::size_t end) {
        if (!is_open_) {
            is_open_ = true;
            begin_ = at_;
            begin_line_ = line_;
            first_word_.clear();
            object_.clear();
        }
        skip_to(end);
        end_ = end;
    }

    [[nodiscard]] std::size_t end_of_comment() const {
        const auto end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
            refuse("has a comment that is not closed", line_, {});
        }
        return end + 2;
    }

    /// A doubled quote comes out as the end of one quoted part and the begin of another.
    [[nodiscard]] std::size_t end_of_quoted(char quote) const {
        for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
            if (text_[i] == '\\' && quote != '`') {
                ++i;
            } else if (text_[i] == quote) {
                return i + 1;
            }
        }
        refuse(fmt::format("has a {} that is not closed", quote), line_, {});
    }

    void take_word() {
        std::size_t end = at_;
        while (end < text_.size() && is_word(text_[end])) {
            ++end;
        }
        const auto word = upper(text_.substr(at_, end - at_));
        take_to(end);
        if (first_word_.empty()) {
            first_word_ = word;
            if (word == "DELIMITER") {
                refuse("uses DELIMITER",
                       line_,
                       "it is a command of the mysql client, not of the server: write bodies of "
                       "one statement, which need none");
            }
        } else if (first_word_ == "CREATE" && object_.empty() && is_object(word)) {
            object_ = word;
        } else if (word == "BEGIN" && has_body(object_)) {
            refuse("has a BEGIN ... END body",
                   line_,
                   "files are split at semicolons: write a body of one statement, or make this "
                   "one by other means");
        }
    }

    /// Words that tell what a CREATE makes; a name may come only behind one of them.
    static bool is_object(std::string_view word) {
        return has_body(word) || word == "TABLE" || word == "VIEW" || word == "INDEX" ||
               word == "DATABASE" || word == "SCHEMA" || word == "USER" || word == "ROLE" ||
               word == "SEQUENCE" || word == "SERVER";
    }
    static bool has_body(std::string_view object) {
        return object == "TRIGGER" || object == "PROCEDURE" || object == "FUNCTION" ||
               object == "EVENT";
    }

    void end_statement() {
        if (is_open_) {
            statements_.push_back({std::string{text_.substr(begin_, end_ - begin_)}, begin_line_});
            is_open_ = false;
        }
    }

    std::string_view text_;
    std::string_view file_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    /// The statement that has begun, without what stands before and behind it.
    bool is_open_ = false;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t begin_line_ = 1;
    std::string first_word_;
    std::string object_;
    std::vector<SqlStatement> statements_;
};

}  // namespace

std::vector<SqlStatement> split_statements(const Migration& migration) {
    return Splitter{migration.sql, migration.file_name}.split();
}

}  // namespace txsink::mysql
