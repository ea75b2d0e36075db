/// @file
/// Source: where a value comes from, as the configuration writes it; Filter: conditions on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace txsink::mapping {

enum class Origin : std::uint8_t {
    row,        ///< $      the row: the value, its payload, or a change event's state
    value,      ///< $value the whole value as it came, envelope included
    before,     ///< $before a change event's state before
    key,        ///< $key
    item,       ///< $item  the element of for-each
    index,      ///< $index its position, from 0
    topic,      ///< $topic
    partition,  ///< $partition
    offset,     ///< $offset
    timestamp,  ///< $timestamp: milliseconds since 1970 UTC; absent when the record has none
    header,     ///< $header.NAME: the last header of that name
    connector,  ///< $connector
    constant,   ///< 'text'
};

/// `.name` or `[index]`.
using PathStep = std::variant<std::string, std::size_t>;

/// One alternative of a Source.
struct SourceTerm {
    Origin origin = Origin::row;
    /// row, value, before, key, item: the way down from the root.
    std::vector<PathStep> path;
    /// header: its name; constant: its text.
    std::string text;

    friend bool operator==(const SourceTerm&, const SourceTerm&) = default;
};

/// `$.a | $.b | 'x'`: the first that has a value which is not null; else null where one of them
/// was null; else no value.
struct Source {
    std::vector<SourceTerm> terms;

    friend bool operator==(const Source&, const Source&) = default;
};

enum class Test : std::uint8_t {
    equal,    ///< S = 'x'   or S = T
    differs,  ///< S != 'x': also when S has no value
    present,  ///< S         has a value, null included
    absent,   ///< not S
    in_list,  ///< S in ('a', 'b')
    not_in_list
};

/// Values are compared as text: strings by their characters, numbers, booleans and null as
/// written. A source without a value equals nothing.
struct Condition {
    Source source;
    Test test = Test::present;
    /// equal, differs: one; in_list, not_in_list: one or more.
    std::vector<Source> operands;

    friend bool operator==(const Condition&, const Condition&) = default;
};

/// Conditions joined by `and`; empty: everything matches.
struct Filter {
    std::vector<Condition> conditions;

    friend bool operator==(const Filter&, const Filter&) = default;
};

/// Errors: SinkError configuration, saying at which character what is wrong.
[[nodiscard]] Source parse_source(std::string_view text);
[[nodiscard]] Filter parse_filter(std::string_view text);

}  // namespace txsink::mapping
