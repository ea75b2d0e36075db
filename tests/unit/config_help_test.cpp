/// @file
/// Help and docs/options.md come from the option table, and are what they should be.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "config/option_table.hpp"
#include "txsink/config/help.hpp"
#include "unit/config_loading.hpp"

namespace txsink::config {
namespace {

TEST(OptionsPage, IsFresh) {
    std::ifstream file{TXSINK_SOURCE_DIR "/docs/options.md", std::ios::binary};
    const std::string page{std::istreambuf_iterator<char>{file}, {}};
    EXPECT_TRUE(page == options_markdown())
        << "docs/options.md is stale: txsink help --markdown > docs/options.md";
}

TEST(OptionsPage, NamesEveryOptionWithItsDefault) {
    const auto page = options_markdown();
    for (const auto& section : option_sections()) {
        for (const auto& option : section.options) {
            EXPECT_NE(
                page.find("| `" + option.name + "` | " +
                          (option.fallback.empty() ? "" : "`" + option.fallback + "`") + " |"),
                std::string::npos)
                << option.name;
        }
    }
    for (const auto& option : route_options()) {
        EXPECT_NE(page.find("| `route.NAME." + option.name + "` |"), std::string::npos);
    }
}

TEST(OptionTable, TakesEveryDefaultThatItShows) {
    for (const auto& section : option_sections()) {
        for (const auto& option : section.options) {
            if (!option.fallback.empty()) {
                Settings settings;
                EXPECT_EQ(option.set(settings, option.fallback), "") << option.name;
            }
            EXPECT_FALSE(option.help.empty()) << option.name;
            EXPECT_FALSE(option.allowed.empty()) << option.name;
        }
    }
    for (const auto& option : route_options()) {
        mapping::Route route;
        if (!option.fallback.empty()) {
            EXPECT_EQ(option.set(route, option.fallback), "") << option.name;
        }
    }
}

TEST(OptionTable, NamesVariablesInUpperCase) {
    EXPECT_EQ(variable_of("mysql.tls-ca"), "TXSINK_MYSQL_TLS_CA");
    EXPECT_EQ(variable_of("on-bad-record"), "TXSINK_ON_BAD_RECORD");
}

TEST(OptionsText, FitsATerminalAndShowsRangesAndDefaults) {
    const auto text = options_text();
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 100U) << line;
    }
    EXPECT_NE(text.find("  --batch.rows N\n"
                        "      A batch is written when it holds this many row changes, ...\n"
                        "      default 5000; allowed: 1 to 1000000\n"),
              std::string::npos)
        << text;
}

TEST(OptionsText, ShowsNoMoreThanAskedFor) {
    const std::string_view shown[] = {"connector", "Logging"};
    const auto text = options_text(shown);
    EXPECT_NE(text.find("  --connector NAME\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  --log.progress DURATION\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("--pipelines"), std::string::npos) << text;
    EXPECT_EQ(text.find("MySQL\n"), std::string::npos) << text;
}

// Each example of docs/routes.md is a configuration that is taken as it stands.
TEST(RoutesPage, HasExamplesThatLoad) {
    std::ifstream file{TXSINK_SOURCE_DIR "/docs/routes.md"};
    int examples = 0;
    for (std::string line; std::getline(file, line);) {
        if (line != "```ini") {
            continue;
        }
        std::string example;
        while (std::getline(file, line) && line != "```") {
            example += line + "\n";
        }
        EXPECT_NO_THROW(static_cast<void>(testing::load_file(testing::kHead + example))) << example;
        ++examples;
    }
    EXPECT_GE(examples, 8);
}

}  // namespace
}  // namespace txsink::config
