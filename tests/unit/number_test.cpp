#include "txsink/decode/number.hpp"

#include <gtest/gtest.h>

#include <string>

namespace txsink::decode {
namespace {

TEST(ParseNumber, TakesTokensApart) {
    const auto number = parse_number("-120.045e-7");
    ASSERT_TRUE(number);
    EXPECT_TRUE(number->is_negative);
    EXPECT_EQ(number->integer, "120");
    EXPECT_EQ(number->fraction, "045");
    EXPECT_TRUE(number->has_exponent);
    EXPECT_EQ(number->exponent, -7);
}

TEST(ParseNumber, KeepsEveryDigit) {
    const std::string digits(100'000, '7');
    const auto number = parse_number(digits);
    ASSERT_TRUE(number);
    EXPECT_EQ(number->integer, digits);
    EXPECT_FALSE(number->is_negative);
    EXPECT_FALSE(number->has_exponent);
}

TEST(ParseNumber, HoldsHugeExponentsAtItsLimit) {
    EXPECT_EQ(parse_number("1e99999999999999999999999")->exponent, Number::kExponentLimit);
    EXPECT_EQ(parse_number("1E-99999999999999999999999")->exponent, -Number::kExponentLimit);
    EXPECT_EQ(parse_number("1E+0012")->exponent, 12);
}

TEST(ParseNumber, FollowsTheGrammar) {
    for (const char* good : {"0", "-0", "10", "0.0", "1.50", "1e5", "1E+5", "-0e-0", "0.1e1"}) {
        EXPECT_TRUE(parse_number(good)) << good;
    }
    for (const char* bad :
         {"",         "-",    "+1",  "01",  "-01",   "00",    "1.",    ".5",          "1.e5",
          "1e",       "1e+",  "1e-", " 1",  "1 ",    "1_0",   "0x1",   "1,0",         "NaN",
          "Infinity", "-inf", "1f",  "--1", "1.5.2", "1e5.0", "1e5e5", "\xEF\xBC\x91"}) {
        EXPECT_FALSE(parse_number(bad)) << bad;
    }
    EXPECT_FALSE(parse_number(std::string_view{"1\0", 2}));
}

}  // namespace
}  // namespace txsink::decode
