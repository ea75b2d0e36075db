/// @file
/// Values that go into SQL as they stand, against the long way round: a text that means the same
/// and has no shortcut gives the same literal, or the same error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "unit/encoding.hpp"

namespace txsink::mapping {
namespace {

using namespace testing;

constexpr int kRounds = 20'000;

/// The same numbers in every run.
class Dice {
public:
    std::size_t below(std::size_t limit) { return random_() % limit; }
    std::string digits(std::size_t count) {
        std::string text;
        while (text.size() < count) {
            text += static_cast<char>('0' + (below(3) == 0 ? below(2) * 9 : below(10)));
        }
        return text;
    }
    std::string two(std::size_t limit) {
        const std::size_t number = below(limit);
        return (number < 10 ? "0" : "") + std::to_string(number);
    }

private:
    std::mt19937 random_{4};  // NOLINT: a known seed on purpose
};

/// The literal, or the error's name and message.
std::string outcome(const ColumnEncoder& encoder, decode::ValueKind kind, const std::string& text) {
    const decode::Value value{.kind = kind, .text = text};
    std::string sql = "(";
    const Result<Done> done = encoder.append(decode::Document{&value, 1}, sql);
    return done ? sql : name_of(done.error().code) + (": " + done.error().message);
}

TEST(Shortcut, OfNumbersIsTheLongWay) {
    std::vector<ColumnDefinition> columns;
    for (const char* sign : {"", " unsigned"}) {
        for (const auto& [type, name] : {std::pair{ColumnType::tinyint, "tinyint"},
                                         std::pair{ColumnType::smallint, "smallint"},
                                         std::pair{ColumnType::mediumint, "mediumint"},
                                         std::pair{ColumnType::integer, "int"},
                                         std::pair{ColumnType::bigint, "bigint"}}) {
            columns.push_back(integer_column(type, std::string{name} + sign));
        }
        for (const auto& [precision, scale] :
             {std::pair{12U, 2U}, {4U, 0U}, {2U, 2U}, {38U, 20U}}) {
            columns.push_back(decimal_column(precision, scale, sign));
        }
    }
    columns.push_back(bit_column(1));
    columns.push_back(bit_column(64));
    columns.push_back(make_column(ColumnType::year, "year"));
    const std::vector<std::string> edges{"0",
                                         "-0",
                                         "0.0",
                                         "-0.00",
                                         "127",
                                         "128",
                                         "-128",
                                         "-129",
                                         "255",
                                         "256",
                                         "99",
                                         "100",
                                         "32767",
                                         "32768",
                                         "65535",
                                         "65536",
                                         "8388607",
                                         "8388608",
                                         "16777216",
                                         "999999999",
                                         "2147483647",
                                         "2147483648",
                                         "4294967295",
                                         "4294967296",
                                         "999999999999999999",
                                         "1900",
                                         "1901",
                                         "2155",
                                         "2156",
                                         "9223372036854775807",
                                         "0.99",
                                         "0.999",
                                         "9999999999.99",
                                         "10000000000",
                                         "9223372036854775808",
                                         "1.10",
                                         "1.100",
                                         "0.01",
                                         "18446744073709551615",
                                         "18446744073709551616"};
    Dice dice;
    std::size_t taken = 0;
    for (int round = 0; round < kRounds; ++round) {
        std::string text = dice.below(4) == 0 ? "-" : "";
        const std::string digits = dice.digits(1 + dice.below(21));
        const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
        text += digits.substr(first);
        if (dice.below(2) == 0) {
            text += '.' + dice.digits(1 + dice.below(4));
        }
        if (dice.below(4) == 0) {
            text = edges[dice.below(edges.size())];
        }
        const ColumnEncoder encoder{columns[dice.below(columns.size())]};
        const std::string way = outcome(encoder, decode::ValueKind::number, text + "e0");
        ASSERT_EQ(outcome(encoder, decode::ValueKind::number, text), way) << text;
        taken += way.starts_with('(') ? 1 : 0;
    }
    EXPECT_GT(taken, 1'000U);
}

TEST(Shortcut, OfMomentsIsTheLongWay) {
    std::vector<ColumnEncoder> encoders;
    std::vector<ColumnDefinition> columns;
    for (const std::uint32_t digits : {0U, 3U, 6U}) {
        columns.push_back(temporal_column(ColumnType::datetime, "datetime", digits));
        columns.push_back(temporal_column(ColumnType::timestamp, "timestamp", digits));
    }
    columns.push_back(temporal_column(ColumnType::date, "date"));
    for (const ColumnDefinition& column : columns) {
        for (const OnExcessFraction rule :
             {OnExcessFraction::error, OnExcessFraction::round, OnExcessFraction::truncate}) {
            encoders.emplace_back(column, ValueRules{.excess_fraction = rule});
        }
    }
    const std::vector<std::string> years{"0000",
                                         "0001",
                                         "1969",
                                         "1970",
                                         "1971",
                                         "2024",
                                         "2023",
                                         "1900",
                                         "2000",
                                         "2037",
                                         "2038",
                                         "9999"};
    const std::vector<std::string> ends{"", "Z", "Z", "Z", "z", "+00:00", "+02:00", "-0330", "ZZ"};
    Dice dice;
    std::size_t taken = 0;
    for (int round = 0; round < kRounds; ++round) {
        std::string text = years[dice.below(years.size())] + '-' + dice.two(14) + '-' +
                           (dice.below(3) == 0 ? dice.two(33) : "2" + dice.digits(1)) + 'T' +
                           dice.two(25) + ':' + dice.two(61) + ':' + dice.two(61);
        if (dice.below(3) != 0) {
            text += '.' + dice.digits(dice.below(11)) + std::string(dice.below(3), '0');
        }
        text += ends[dice.below(ends.size())];
        if (dice.below(8) == 0) {
            text[dice.below(text.size())] = "0:.-TZ /x"[dice.below(9)];
        }
        std::string other = text;
        if (other[10] == 'T') {
            other[10] = 't';  // the same to ISO 8601
        }
        const ColumnEncoder& encoder = encoders[dice.below(encoders.size())];
        const std::string way = outcome(encoder, decode::ValueKind::string, other);
        ASSERT_EQ(outcome(encoder, decode::ValueKind::string, text), way) << text;
        taken += way.starts_with('(') ? 1 : 0;
    }
    EXPECT_GT(taken, 1'000U);
}

}  // namespace
}  // namespace txsink::mapping
