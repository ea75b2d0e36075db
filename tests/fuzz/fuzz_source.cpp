/// @file
/// Fuzzes what configurations write: sources and filters, which read the same when they are written
/// out again, and the options of routes by name and value.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/option_table.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/source.hpp"

namespace {

using namespace txsink::mapping;

void require(bool is_true) {
    if (!is_true) {
        std::abort();
    }
}

std::string quoted(std::string_view text, char quote) {
    std::string result{quote};
    for (const char c : text) {
        result.append(c == quote ? 2 : 1, c);
    }
    return result + quote;
}

std::string written(const SourceTerm& term) {
    constexpr const char* kNames[] = {"$",
                                      "$value",
                                      "$before",
                                      "$key",
                                      "$item",
                                      "$index",
                                      "$topic",
                                      "$partition",
                                      "$offset",
                                      "$timestamp",
                                      "$header",
                                      "$connector"};
    if (term.origin == Origin::constant) {
        return quoted(term.text, '\'');
    }
    std::string result = kNames[static_cast<std::size_t>(term.origin)];
    if (term.origin == Origin::header) {
        result += '.' + quoted(term.text, '"');
    }
    for (const auto& step : term.path) {
        const auto* name = std::get_if<std::string>(&step);
        result += name != nullptr ? '.' + quoted(*name, '"')
                                  : '[' + std::to_string(std::get<std::size_t>(step)) + ']';
    }
    return result;
}

std::string written(const Source& source) {
    std::string result;
    for (const auto& term : source.terms) {
        result += (result.empty() ? "" : "|") + written(term);
    }
    return result;
}

std::string written(const Condition& condition) {
    std::string operands;
    for (const auto& operand : condition.operands) {
        operands += (operands.empty() ? "" : ",") + written(operand);
    }
    const auto source = written(condition.source);
    switch (condition.test) {
        case txsink::mapping::Test::equal:
            return source + '=' + operands;
        case txsink::mapping::Test::differs:
            return source + "!=" + operands;
        case txsink::mapping::Test::present:
            return source;
        case txsink::mapping::Test::absent:
            return "not " + source;
        case txsink::mapping::Test::in_list:
            return source + " in(" + operands + ')';
        case txsink::mapping::Test::not_in_list:
            return source + " not in(" + operands + ')';
    }
    std::abort();
}

std::string written(const Filter& filter) {
    std::string result;
    for (const auto& condition : filter.conditions) {
        result += (result.empty() ? "" : " and ") + written(condition);
    }
    return result;
}

template <typename Parsed>
void parse_twice(std::string_view text, Parsed (*parse)(std::string_view)) {
    Parsed parsed;
    try {
        parsed = parse(text);
    } catch (const txsink::SinkError& error) {
        require(error.detail.starts_with("at character ") && !error.hint.empty());
        return;
    }
    require(parse(written(parsed)) == parsed);
}

/// The first line names the option, the rest is its value.
void set_option(std::string_view text) {
    const auto end = text.find('\n');
    const auto name = text.substr(0, end);
    const auto option = txsink::config::find_route_option(name);
    if (!option || end == text.npos || name == "sql-file") {
        return;
    }
    Route route;
    static_cast<void>(option->set(route, std::string{text.substr(end + 1)}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(bytes), size};
    parse_twice(text, &parse_source);
    parse_twice(text, &parse_filter);
    set_option(text);
    return 0;
}
