/// @file
/// How sources and filters are written, and what is said about wrong ones.
#include "txsink/mapping/source.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "txsink/core/sink_error.hpp"

namespace txsink::mapping {
namespace {

SourceTerm path(Origin origin, std::vector<PathStep> steps = {}) {
    return {.origin = origin, .path = std::move(steps), .text = {}};
}

SourceTerm named(Origin origin, std::string text) {
    return {.origin = origin, .path = {}, .text = std::move(text)};
}

Source one(SourceTerm term) {
    return {{std::move(term)}};
}

Source constant(std::string text) {
    return one(named(Origin::constant, std::move(text)));
}

Source field(const char* name) {
    return one(path(Origin::row, {name}));
}

std::string complaint_about(bool is_filter, std::string_view text) {
    try {
        if (is_filter) {
            static_cast<void>(parse_filter(text));
        } else {
            static_cast<void>(parse_source(text));
        }
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_STREQ(error.what(), is_filter ? "not a filter" : "not a source");
        EXPECT_FALSE(error.hint.empty());
        return error.detail;
    }
    return "no error";
}

TEST(ParseSource, GoesDownFromEachRoot) {
    using namespace std::string_literals;
    EXPECT_EQ(parse_source("$"), one(path(Origin::row)));
    EXPECT_EQ(parse_source(" $.a.b "), one(path(Origin::row, {"a"s, "b"s})));
    EXPECT_EQ(parse_source("$.items[0].id"),
              one(path(Origin::row, {"items"s, std::size_t{0}, "id"s})));
    EXPECT_EQ(parse_source("$[12][3]"), one(path(Origin::row, {std::size_t{12}, std::size_t{3}})));
    EXPECT_EQ(parse_source("$value.op"), one(path(Origin::value, {"op"s})));
    EXPECT_EQ(parse_source("$before.id"), one(path(Origin::before, {"id"s})));
    EXPECT_EQ(parse_source("$key"), one(path(Origin::key)));
    EXPECT_EQ(parse_source("$key.id"), one(path(Origin::key, {"id"s})));
    EXPECT_EQ(parse_source("$item"), one(path(Origin::item)));
    EXPECT_EQ(parse_source("$item.x"), one(path(Origin::item, {"x"s})));
}

TEST(ParseSource, TakesNamesAsTheyAreAndOddOnesInQuotes) {
    using namespace std::string_literals;
    EXPECT_EQ(parse_source("$.__op-type.@id.$ref.\u00e4"),
              one(path(Origin::row, {"__op-type"s, "@id"s, "$ref"s, "\u00e4"s})));
    EXPECT_EQ(parse_source(R"($."odd name"."a.b"."say ""x""".c)"),
              one(path(Origin::row, {"odd name"s, "a.b"s, "say \"x\""s, "c"s})));
    EXPECT_EQ(parse_source(R"($."")"), one(path(Origin::row, {""s})));
}

TEST(ParseSource, TakesWhatStandsBesideTheValue) {
    EXPECT_EQ(parse_source("$index"), one(path(Origin::index)));
    EXPECT_EQ(parse_source("$topic"), one(path(Origin::topic)));
    EXPECT_EQ(parse_source("$partition"), one(path(Origin::partition)));
    EXPECT_EQ(parse_source("$offset"), one(path(Origin::offset)));
    EXPECT_EQ(parse_source("$timestamp"), one(path(Origin::timestamp)));
    EXPECT_EQ(parse_source("$connector"), one(path(Origin::connector)));
    EXPECT_EQ(parse_source("$header.x-trace.id"), one(named(Origin::header, "x-trace.id")));
    EXPECT_EQ(parse_source("$header.\"a b\""), one(named(Origin::header, "a b")));
}

TEST(ParseSource, TakesConstantsAndFallbacks) {
    EXPECT_EQ(parse_source("'it''s | # $.x'"), constant("it's | # $.x"));
    EXPECT_EQ(parse_source("''"), constant(""));
    EXPECT_EQ(parse_source("$.a|$topic | 'x'"),
              (Source{{path(Origin::row, {std::string{"a"}}),
                       path(Origin::topic),
                       named(Origin::constant, "x")}}));
}

TEST(ParseSource, SaysAtWhichCharacterWhatWasExpected) {
    const auto complaint = [](std::string_view text) { return complaint_about(false, text); };
    const std::string source = "expected a source: $..., or a constant in single quotes";
    EXPECT_EQ(complaint(""), "at character 1: " + source);
    EXPECT_EQ(complaint("a"), "at character 1: " + source);
    EXPECT_EQ(complaint("$.a | "), "at character 7: " + source);
    EXPECT_EQ(complaint("5"), "at character 1: " + source);
    const std::string name = "expected a name; one with other characters is written \"a name\"";
    EXPECT_EQ(complaint("$."), "at character 3: " + name);
    EXPECT_EQ(complaint("$.a..b"), "at character 5: " + name);
    EXPECT_EQ(complaint("$.\u00e4."), "at character 5: " + name);
    EXPECT_EQ(complaint("$.a["), "at character 5: expected a position, counted from 0");
    EXPECT_EQ(complaint("$.a[x]"), "at character 5: expected a position, counted from 0");
    EXPECT_EQ(complaint("$.a[-1]"), "at character 5: expected a position, counted from 0");
    EXPECT_EQ(complaint("$[99999999999999999999]"),
              "at character 3: expected a position, counted from 0");
    EXPECT_EQ(complaint("$[1"), "at character 4: expected ]");
    EXPECT_EQ(complaint("'x"), "at character 1: this quote is not closed");
    EXPECT_EQ(complaint("$.\"x"), "at character 3: this quote is not closed");
    EXPECT_EQ(complaint("$.a $.b"), "at character 5: expected | or the end");
    EXPECT_EQ(complaint("$.a = 1"), "at character 5: expected | or the end");
    EXPECT_EQ(complaint("$topic.x"), "at character 7: $topic has no parts");
    EXPECT_EQ(complaint("$header"), "at character 8: expected the header's name: $header.NAME");
    EXPECT_EQ(complaint("$header."), "at character 9: expected the header's name: $header.NAME");
    EXPECT_EQ(complaint("$.a | $name"),
              "at character 7: expected one of $, $value, $before, $key, $item, $index, $topic, "
              "$partition, $offset, $timestamp, $header, $connector; a field is written $.name");
}

TEST(ParseFilter, TakesEachTest) {
    const auto single = [](std::string_view text) {
        auto filter = parse_filter(text);
        EXPECT_EQ(filter.conditions.size(), 1U) << text;
        return filter.conditions.at(0);
    };
    EXPECT_EQ(single("$.a = 'x'"), (Condition{field("a"), mapping::Test::equal, {constant("x")}}));
    EXPECT_EQ(single("$.a='x'"), (Condition{field("a"), mapping::Test::equal, {constant("x")}}));
    EXPECT_EQ(single("$.a != $.b"), (Condition{field("a"), mapping::Test::differs, {field("b")}}));
    EXPECT_EQ(single("$.a"), (Condition{field("a"), mapping::Test::present, {}}));
    EXPECT_EQ(single("not $.a"), (Condition{field("a"), mapping::Test::absent, {}}));
    EXPECT_EQ(single("$.a in ('x', $topic,3)"),
              (Condition{field("a"),
                         mapping::Test::in_list,
                         {constant("x"), one(path(Origin::topic)), constant("3")}}));
    EXPECT_EQ(single("$.a not in('x')"),
              (Condition{field("a"), mapping::Test::not_in_list, {constant("x")}}));
    EXPECT_EQ(single("$.a NOT IN ('x')").test, mapping::Test::not_in_list);
    EXPECT_EQ(single("$.a | 'n' = 'x'").source.terms.size(), 2U);
}

TEST(ParseFilter, TakesBareNumbersAndWordsAsTheirText) {
    for (const char* word : {"1", "-2.5e+10", "0", "true", "false", "null"}) {
        const auto filter = parse_filter("$.a = " + std::string{word});
        EXPECT_EQ(filter.conditions.at(0).operands.at(0), constant(word));
    }
}

TEST(ParseFilter, JoinsConditionsByAnd) {
    const auto filter = parse_filter("$.and = 'and' and not $.b AND $.c\nand $.d != 1");
    ASSERT_EQ(filter.conditions.size(), 4U);
    EXPECT_EQ(filter.conditions[0],
              (Condition{field("and"), mapping::Test::equal, {constant("and")}}));
    EXPECT_EQ(filter.conditions[1].test, mapping::Test::absent);
    EXPECT_EQ(filter.conditions[2].test, mapping::Test::present);
    EXPECT_EQ(filter.conditions[3].test, mapping::Test::differs);
}

TEST(ParseFilter, SaysAtWhichCharacterWhatWasExpected) {
    const auto complaint = [](std::string_view text) { return complaint_about(true, text); };
    const std::string source = "expected a source: $..., or a constant in single quotes";
    const std::string operand = "expected 'text', a number, true, false, null or a source";
    const std::string next = "expected =, !=, in, not in, and, or the end";
    EXPECT_EQ(complaint(""), "at character 1: " + source);
    EXPECT_EQ(complaint("$.a and"), "at character 8: " + source);
    EXPECT_EQ(complaint("not"), "at character 4: " + source);
    EXPECT_EQ(complaint("$.a or $.b"), "at character 5: " + next);
    EXPECT_EQ(complaint("$.a < 5"), "at character 5: " + next);
    EXPECT_EQ(complaint("not $.a = 1"), "at character 9: " + next);
    EXPECT_EQ(complaint("$.a ="), "at character 6: " + operand);
    EXPECT_EQ(complaint("$.a == 1"), "at character 6: " + operand);
    EXPECT_EQ(complaint("$.a = yes"), "at character 7: " + operand);
    EXPECT_EQ(complaint("$.a = -"), "at character 7: " + operand);
    EXPECT_EQ(complaint("$.a in 'x'"), "at character 8: expected (");
    EXPECT_EQ(complaint("$.a in ()"), "at character 9: " + operand);
    EXPECT_EQ(complaint("$.a in ('x'"), "at character 12: expected , or )");
    EXPECT_EQ(complaint("$.a in ('x' 'y')"), "at character 13: expected , or )");
    EXPECT_EQ(complaint("$.a not 'x'"), "at character 9: expected in");
}

}  // namespace
}  // namespace txsink::mapping
