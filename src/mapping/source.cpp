/// @file
/// How sources and filters are written: a parser by recursive descent.
#include "txsink/mapping/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "txsink/core/sink_error.hpp"

namespace txsink::mapping {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";
/// End a name without quotes. A header's goes on over dots, as most have some.
constexpr std::string_view kEndOfName = " \t\r\n.[]|=!<>(),'\"";
constexpr std::string_view kEndOfHeader = " \t\r\n[]|=!<>(),'\"";

struct OriginName {
    std::string_view name;
    Origin origin;
    bool has_path;
};
constexpr std::array kOrigins{OriginName{"", Origin::row, true},
                              OriginName{"value", Origin::value, true},
                              OriginName{"before", Origin::before, true},
                              OriginName{"key", Origin::key, true},
                              OriginName{"item", Origin::item, true},
                              OriginName{"index", Origin::index, false},
                              OriginName{"topic", Origin::topic, false},
                              OriginName{"partition", Origin::partition, false},
                              OriginName{"offset", Origin::offset, false},
                              OriginName{"timestamp", Origin::timestamp, false},
                              OriginName{"header", Origin::header, false},
                              OriginName{"connector", Origin::connector, false}};

constexpr bool is_decimal(char c) {
    return '0' <= c && c <= '9';
}

constexpr bool is_of_word(char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_';
}

/// Whether `word` is `keyword` (lower-case) in any case.
bool is_keyword(std::string_view word, std::string_view keyword) {
    return std::equal(
        word.begin(), word.end(), keyword.begin(), keyword.end(), [](char c, char lower) {
            return c == lower || (is_of_word(c) && (c | 0x20) == lower);
        });
}

class SourceParser {
public:
    SourceParser(std::string_view text, const char* what) : text_{text}, what_{what} {}

    Source whole_source() {
        auto source = take_source();
        if (!at_end()) {
            fail(at_, "expected | or the end");
        }
        return source;
    }

    Filter whole_filter() {
        Filter filter;
        do {
            filter.conditions.push_back(take_condition());
        } while (take_keyword("and"));
        if (!at_end()) {
            fail(at_, "expected =, !=, in, not in, and, or the end");
        }
        return filter;
    }

private:
    /// `at` counts bytes from 0; people count characters from 1.
    [[noreturn]] void fail(std::size_t at, const std::string& why) const {
        const auto before = text_.substr(0, at);
        const auto characters = std::count_if(before.begin(), before.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        });
        throw SinkError{ErrorKind::configuration,
                        fmt::format("not a {}", what_),
                        fmt::format("at character {}: {}", characters + 1, why),
                        "docs/routes.md shows how sources and filters are written"};
    }

    void skip_spaces() { at_ = std::min(text_.find_first_not_of(kSpaces, at_), text_.size()); }

    bool at_end() {
        skip_spaces();
        return at_ == text_.size();
    }

    [[nodiscard]] bool is_next(char c) const { return at_ < text_.size() && text_[at_] == c; }

    bool take(char c) {
        if (!is_next(c)) {
            return false;
        }
        ++at_;
        return true;
    }

    std::string_view take_until(std::string_view ends) {
        const auto end = std::min(text_.find_first_of(ends, at_), text_.size());
        const auto taken = text_.substr(at_, end - at_);
        at_ = end;
        return taken;
    }

    bool take_keyword(std::string_view keyword) {
        skip_spaces();
        auto end = at_;
        while (end < text_.size() && is_of_word(text_[end])) {
            ++end;
        }
        if (!is_keyword(text_.substr(at_, end - at_), keyword)) {
            return false;
        }
        at_ = end;
        return true;
    }

    /// Text between quotes; the quote itself is written twice.
    std::string take_quoted(char quote) {
        const auto begin = at_++;
        std::string taken;
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c == quote && !take(quote)) {
                return taken;
            }
            taken += c;
        }
        fail(begin, "this quote is not closed");
    }

    std::string take_name(std::string_view ends, const char* expected) {
        if (is_next('"')) {
            return take_quoted('"');
        }
        const auto begin = at_;
        auto name = std::string{take_until(ends)};
        if (name.empty()) {
            fail(begin, expected);
        }
        return name;
    }

    std::size_t take_index() {
        const auto digits = take_until("]");
        std::size_t index = 0;
        const auto* end = digits.data() + digits.size();
        const auto [stopped, error] = std::from_chars(digits.data(), end, index);
        if (digits.empty() || stopped != end || error != std::errc{}) {
            fail(at_ - digits.size(), "expected a position, counted from 0");
        }
        if (!take(']')) {
            fail(at_, "expected ]");
        }
        return index;
    }

    std::vector<PathStep> take_path() {
        std::vector<PathStep> path;
        while (is_next('.') || is_next('[')) {
            if (text_[at_++] == '.') {
                path.emplace_back(
                    take_name(kEndOfName,
                              "expected a name; one with other characters is written \"a name\""));
            } else {
                path.emplace_back(take_index());
            }
        }
        return path;
    }

    SourceTerm take_origin() {
        const auto begin = at_++;
        const auto word_begin = at_;
        while (at_ < text_.size() && is_of_word(text_[at_])) {
            ++at_;
        }
        const auto word = text_.substr(word_begin, at_ - word_begin);
        const auto* known = std::find_if(kOrigins.begin(),
                                         kOrigins.end(),
                                         [&](const OriginName& one) { return one.name == word; });
        if (known == kOrigins.end()) {
            std::string names;
            for (const auto& one : kOrigins) {
                names += fmt::format("{}${}", names.empty() ? "" : ", ", one.name);
            }
            fail(begin, fmt::format("expected one of {}; a field is written $.{}", names, word));
        }
        SourceTerm term{.origin = known->origin, .path = {}, .text = {}};
        if (known->origin == Origin::header) {
            if (!take('.')) {
                fail(at_, "expected the header's name: $header.NAME");
            }
            term.text = take_name(kEndOfHeader, "expected the header's name: $header.NAME");
        } else if (known->has_path) {
            term.path = take_path();
        }
        if (is_next('.') || is_next('[')) {
            fail(at_, fmt::format("${} has no parts", known->name));
        }
        return term;
    }

    SourceTerm take_term(const char* expected) {
        skip_spaces();
        if (is_next('\'')) {
            return {.origin = Origin::constant, .path = {}, .text = take_quoted('\'')};
        }
        if (!is_next('$')) {
            fail(at_, expected);
        }
        return take_origin();
    }

    Source take_source() {
        Source source;
        do {
            source.terms.push_back(
                take_term("expected a source: $..., or a constant in single quotes"));
            skip_spaces();
        } while (take('|'));
        return source;
    }

    /// What a source is compared with: a source, or a number, true, false or null as it stands.
    Source take_operand() {
        skip_spaces();
        const auto begin = at_;
        if (is_next('\'') || is_next('$')) {
            return take_source();
        }
        // Up to where any of them ends; a dot is part of a number.
        const auto word = take_until(" \t\r\n|=!<>(),'\"");
        const bool is_number = !word.empty() && is_decimal(word.back()) &&
                               (is_decimal(word.front()) || word.front() == '-') &&
                               word.find_first_not_of("0123456789.eE+-") == word.npos;
        if (!is_number && word != "true" && word != "false" && word != "null") {
            fail(begin, "expected 'text', a number, true, false, null or a source");
        }
        return {.terms = {{.origin = Origin::constant, .path = {}, .text = std::string{word}}}};
    }

    std::vector<Source> take_list() {
        skip_spaces();
        if (!take('(')) {
            fail(at_, "expected (");
        }
        std::vector<Source> list;
        do {
            list.push_back(take_operand());
            skip_spaces();
        } while (take(','));
        if (!take(')')) {
            fail(at_, "expected , or )");
        }
        return list;
    }

    Condition take_condition() {
        if (take_keyword("not")) {
            return {take_source(), Test::absent, {}};
        }
        Condition condition{take_source(), Test::present, {}};
        if (take('=')) {
            condition.test = Test::equal;
            condition.operands.push_back(take_operand());
        } else if (text_.substr(at_).starts_with("!=")) {
            at_ += 2;
            condition.test = Test::differs;
            condition.operands.push_back(take_operand());
        } else if (take_keyword("in")) {
            condition.test = Test::in_list;
            condition.operands = take_list();
        } else if (take_keyword("not")) {
            if (!take_keyword("in")) {
                fail(at_, "expected in");
            }
            condition.test = Test::not_in_list;
            condition.operands = take_list();
        }
        return condition;
    }

    std::string_view text_;
    const char* what_;
    std::size_t at_ = 0;
};

}  // namespace

Source parse_source(std::string_view text) {
    return SourceParser{text, "source"}.whole_source();
}

Filter parse_filter(std::string_view text) {
    return SourceParser{text, "filter"}.whole_filter();
}

}  // namespace txsink::mapping
