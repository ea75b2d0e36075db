/// @file
/// What commands print: tables, JSON, help pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "cli/command.hpp"
#include "cli/output.hpp"

namespace txsink::cli {
namespace {

TEST(JsonString, EscapesWhatJsonAsksFor) {
    EXPECT_EQ(json_string(""), "\"\"");
    EXPECT_EQ(json_string("a\"b\\c/d"), "\"a\\\"b\\\\c/d\"");
    EXPECT_EQ(json_string(std::string_view{"\0\n\t\x1f\x7f", 5}),
              "\"\\u0000\\u000a\\u0009\\u001f\\u007f\"");
}

TEST(JsonString, KeepsUtf8AndReplacesWhatIsNot) {
    EXPECT_EQ(json_string("\u00e4\u20ac\U0001f600"), "\"\u00e4\u20ac\U0001f600\"");
    for (const char* text : {"\xff", "\x80", "\xc0", "\xc3", "\xe2\x82", "\xf0\x9f\x98"}) {
        EXPECT_EQ(json_string(text).find('\xff'), std::string::npos);
        EXPECT_EQ(json_string(text).substr(0, 7), "\"\\ufffd") << json_string(text);
    }
    EXPECT_EQ(json_string("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"") << "a surrogate";
    EXPECT_EQ(json_string("\xc0\xaf"), "\"\\ufffd\\ufffd\"") << "overlong";
    EXPECT_EQ(json_string("\xe0\x80\xaf"), "\"\\ufffd\\ufffd\\ufffd\"") << "overlong";
    EXPECT_EQ(json_string("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"") << "too high";
}

TEST(JsonObject, KeepsTheOrderOfItsMembers) {
    JsonObject inner;
    inner.add("n", std::int64_t{-5}).add("none", std::optional<std::int64_t>{});
    JsonObject outer;
    outer.add("text", "a\"b").add("list", std::vector{inner, JsonObject{}});
    EXPECT_EQ(outer.text(), R"({"text":"a\"b","list":[{"n":-5,"none":null},{}]})");
}

TEST(TextTable, LinesUpItsColumns) {
    TextTable table{{{"TOPIC"}, {"NEXT", true}, {"OWNER"}}};
    table.add({"orders", "7", "a"});
    table.add({"\u00fc", "1234567", ""});
    EXPECT_EQ(table.text(),
              "TOPIC      NEXT  OWNER\n"
              "orders        7  a\n"
              "\u00fc       1234567\n");
}

TEST(Printable, LeavesNoControlCharacters) {
    EXPECT_EQ(printable("a\x1b[31m\nb\x7f\u00e4"), "a?[31m?b?\u00e4");
}

TEST(IsText, TakesUtf8WithoutControlCharacters) {
    EXPECT_TRUE(is_text(""));
    EXPECT_TRUE(is_text("a\tb\r\n\u00e4"));
    for (const char* bytes : {"a\x1b[2J", "\x7f", "\xff", "\xc3"}) {
        EXPECT_FALSE(is_text(bytes));
    }
    EXPECT_FALSE(is_text(std::string_view{"\0", 1}));
}

TEST(BriefAge, IsShort) {
    EXPECT_EQ(brief_age(-5), "0s");
    EXPECT_EQ(brief_age(119'999), "119s");
    EXPECT_EQ(brief_age(120'000), "2m");
    EXPECT_EQ(brief_age(7'200'000), "2h");
    EXPECT_EQ(brief_age(172'800'000), "2d");
}

TEST(Help, IsWhatTheGoldenFileShows) {
    std::ifstream file{TXSINK_SOURCE_DIR "/tests/unit/golden/help.txt", std::ios::binary};
    const std::string golden{std::istreambuf_iterator<char>{file}, {}};
    EXPECT_EQ(overview(), golden);
}

TEST(Help, OfEachCommandFitsATerminalAndNamesItsFlags) {
    for (const auto& command : commands()) {
        const auto page = help_of(command);
        EXPECT_EQ(page.find(std::string{"usage: txsink "} + std::string{command.name}), 0U);
        std::istringstream lines{page};
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(line.size(), 100U) << line;
        }
        for (const auto& flag : command.flags) {
            EXPECT_EQ(page.find("--" + std::string{flag.name}) != std::string::npos,
                      !flag.help.empty())
                << flag.name;
        }
        const auto shown = command.options_shown;
        const bool has_mysql =
            shown.empty() || std::find(shown.begin(), shown.end(), "MySQL") != shown.end();
        EXPECT_EQ(page.find("--mysql.uri") != std::string::npos,
                  command.takes_options && has_mysql);
    }
}

}  // namespace
}  // namespace txsink::cli
