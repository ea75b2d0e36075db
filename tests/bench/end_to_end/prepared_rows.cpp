#include "prepared_rows.hpp"

#include <array>
#include <charconv>

namespace txsink::bench {
namespace {

/// Reads literals of a statement, from a place on.
class LiteralReader {
public:
    LiteralReader(std::string_view sql, std::size_t at) : sql_{sql}, at_{at} {}

    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    [[nodiscard]] bool take(char c) {
        const bool is_there = at_ < sql_.size() && sql_[at_] == c;
        at_ += is_there ? 1 : 0;
        return is_there;
    }
    [[nodiscard]] std::optional<Cell> take_literal() {
        return at_ < sql_.size() && sql_[at_] == '\'' ? take_string() : take_plain();
    }

private:
    [[nodiscard]] std::optional<Cell> take_string() {
        std::string text;
        for (++at_; at_ < sql_.size() && sql_[at_] != '\''; ++at_) {
            if (sql_[at_] == '\\') {
                ++at_;
                text += at_ < sql_.size() ? unescaped(sql_[at_]) : '\\';
            } else {
                text += sql_[at_];
            }
        }
        return take('\'') ? std::optional<Cell>{std::move(text)} : std::nullopt;
    }

    [[nodiscard]] std::optional<Cell> take_plain() {
        const auto end = sql_.find_first_of(",)", at_);
        const auto word = sql_.substr(at_, end == std::string_view::npos ? 0 : end - at_);
        at_ += word.size();
        if (word == "NULL") {
            return Cell{};
        }
        std::int64_t number = 0;
        const auto* const last = word.data() + word.size();
        if (const auto [rest, code] = std::from_chars(word.data(), last, number);
            code == std::errc{} && rest == last) {
            return Cell{number};
        }
        if (word.empty() || word.find_first_not_of("0123456789.-+eE") != std::string_view::npos) {
            return std::nullopt;
        }
        return Cell{std::string{word}};
    }

    static char unescaped(char c) {
        switch (c) {
            case '0':
                return '\0';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 'Z':
                return '\x1A';
            default:
                return c;
        }
    }

    std::string_view sql_;
    std::size_t at_;
};

}  // namespace

std::optional<PreparedRows> take_apart(std::string_view sql) {
    constexpr std::string_view kValues = "VALUES ";
    const auto values = sql.find(kValues);
    if (!sql.starts_with("INSERT ") || values == std::string_view::npos) {
        return std::nullopt;
    }
    PreparedRows taken;
    taken.head = sql.substr(0, values + kValues.size());
    LiteralReader reader{sql, taken.head.size()};
    do {
        const std::size_t before = taken.cells.size();
        if (!reader.take('(')) {
            return std::nullopt;
        }
        do {
            auto cell = reader.take_literal();
            if (!cell) {
                return std::nullopt;
            }
            taken.cells.push_back(std::move(*cell));
        } while (reader.take(','));
        const std::size_t columns = taken.cells.size() - before;
        taken.columns = taken.columns == 0 ? columns : taken.columns;
        if (!reader.take(')') || columns != taken.columns) {
            return std::nullopt;
        }
    } while (reader.take(','));
    taken.tail = sql.substr(reader.at());
    return taken;
}

std::string with_placeholders(const PreparedRows& of, std::size_t rows) {
    std::string tuple = "(?";
    for (std::size_t column = 1; column < of.columns; ++column) {
        tuple += ",?";
    }
    tuple += ')';
    auto sql = of.head;
    for (std::size_t row = 0; row < rows; ++row) {
        sql += row == 0 ? "" : ",";
        sql += tuple;
    }
    return sql + of.tail;
}

std::size_t prepared_size(std::size_t left) noexcept {
    constexpr std::array<std::size_t, 5> kSizes{500, 100, 20, 5, 1};
    for (const auto size : kSizes) {
        if (size <= left) {
            return size;
        }
    }
    return 1;
}

}  // namespace txsink::bench
