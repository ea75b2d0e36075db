/// @file
/// Numbers into integer, BIT, YEAR, DECIMAL and floating point columns.
#include <gtest/gtest.h>

#include <string>

#include "unit/encoding.hpp"

namespace txsink::mapping {
namespace {

using namespace testing;

TEST(EncodeInteger, KeepsEachTypeToItsRange) {
    struct Range {
        ColumnType type;
        const char* name;
        const char* lowest;
        const char* below;
        const char* highest;
        const char* above;
    };
    const Range ranges[] = {
        {ColumnType::tinyint, "tinyint", "-128", "-129", "127", "128"},
        {ColumnType::tinyint, "tinyint unsigned", "0", "-1", "255", "256"},
        {ColumnType::smallint, "smallint", "-32768", "-32769", "32767", "32768"},
        {ColumnType::smallint, "smallint unsigned", "0", "-1", "65535", "65536"},
        {ColumnType::mediumint, "mediumint", "-8388608", "-8388609", "8388607", "8388608"},
        {ColumnType::mediumint, "mediumint unsigned", "0", "-1", "16777215", "16777216"},
        {ColumnType::integer, "int", "-2147483648", "-2147483649", "2147483647", "2147483648"},
        {ColumnType::integer, "int unsigned", "0", "-1", "4294967295", "4294967296"},
        {ColumnType::bigint,
         "bigint",
         "-9223372036854775808",
         "-9223372036854775809",
         "9223372036854775807",
         "9223372036854775808"},
        {ColumnType::bigint,
         "bigint unsigned",
         "0",
         "-1",
         "18446744073709551615",
         "18446744073709551616"},
    };
    for (const Range& range : ranges) {
        const ColumnDefinition column = integer_column(range.type, range.name);
        const std::string limits = std::string{"is outside "} + range.lowest + ".." + range.highest;
        const auto quoted = [](const char* number) { return '"' + std::string{number} + '"'; };
        expect_all(column,
                   {ok(range.lowest, range.lowest),
                    ok(range.highest, range.highest),
                    ok(quoted(range.lowest), range.lowest),
                    ok(quoted(range.highest), range.highest),
                    ok(std::string{range.highest} + ".000", range.highest),
                    bad(range.below, Code::out_of_range, "number " + limits),
                    bad(range.above, Code::out_of_range, "number " + limits),
                    bad(quoted(range.above), Code::out_of_range, "string " + limits),
                    bad("1e1000000000000", Code::out_of_range, "number " + limits),
                    bad("1e99999999999999999999999", Code::out_of_range, "number " + limits),
                    bad(std::string(1'000, '9'), Code::out_of_range, "number " + limits)});
    }
}

TEST(EncodeInteger, TakesWholeNumbersHoweverWritten) {
    expect_all(integer_column(ColumnType::bigint, "bigint"),
               {ok("0", "0"),
                ok("-0", "0"),
                ok("-0.0", "0"),
                ok("0e-5", "0"),
                ok("0e99999999999999999999", "0"),
                ok("1.0", "1"),
                ok("1e3", "1000"),
                ok("1.5e1", "15"),
                ok("1.500e1", "15"),
                ok("-12000e-3", "-12"),
                ok("9007199254740993", "9007199254740993"),  // B74
                ok("0.0009007199254740993e19", "9007199254740993"),
                ok("\"-0\"", "0"),
                ok("null", "NULL"),
                bad("1.5",
                    Code::would_lose_digits,
                    "number has digits after the point, which the column cannot hold"),
                bad("1e-1", Code::would_lose_digits),
                bad("1e-1000000000000", Code::would_lose_digits),
                bad("9007199254740993.00000000000000001", Code::would_lose_digits)});
}

TEST(EncodeInteger, TakesStrictDigitsInStrings) {
    const ColumnDefinition column = integer_column(ColumnType::integer, "int");
    expect_all(column, {ok("\"42\"", "42"), ok("\"-7\"", "-7")});
    for (const char* text :
         {"",    " ",    "42 ",     " 42",   "+42",   "042",       "-",
          "--1", "1.0",  "1e3",     "0x10",  "4 2",   "abc",       "42abc",
          "NaN", "true", "\\u0663", "1_000", "1,000", "4\\u00002", "00000000000000000000042"}) {
        expect_all(column,
                   {bad('"' + std::string{text} + '"',
                        Code::malformed_value,
                        "string is not a whole number")});
    }
}

TEST(EncodeInteger, TakesBooleansOnlyIntoTinyint) {
    expect_all(integer_column(ColumnType::tinyint, "tinyint(1)"),
               {ok("true", "1"), ok("false", "0"), ok("1", "1"), ok("5", "5")});
    for (const ColumnType type : {ColumnType::smallint, ColumnType::integer, ColumnType::bigint}) {
        expect_all(integer_column(type, "int"),
                   {bad("true", Code::wrong_kind, "boolean is no number"),
                    bad("[]", Code::wrong_kind, "array is no number"),
                    bad("{}", Code::wrong_kind, "object is no number")});
    }
}

TEST(EncodeDecimal, KeepsEveryDigit) {
    expect_all(
        decimal_column(10, 2),
        {ok("0", "0"),
         ok("-0.00", "0"),
         ok("0.10", "0.1"),
         ok("-0.01", "-0.01"),
         ok("99999999.99", "99999999.99"),
         ok("-99999999.99", "-99999999.99"),
         ok("12.300000", "12.3"),
         ok("1e7", "10000000"),
         ok("125e-2", "1.25"),
         ok("0.000125e4", "1.25"),
         ok("\"19.99\"", "19.99"),
         ok("\"1E2\"", "100"),
         bad("100000000", Code::out_of_range, "number has more than 8 digits before the point"),
         bad("1e8", Code::out_of_range),
         bad("1e999999999999999999", Code::out_of_range),
         bad("0.001", Code::would_lose_digits, "number has more than 2 digits after the point"),
         bad("1.005", Code::would_lose_digits),
         bad("1e-3", Code::would_lose_digits),
         bad("1e-999999999999999999", Code::would_lose_digits),
         bad("\"0.001\"", Code::would_lose_digits, "string has more than 2 digits after the point"),
         bad("\"12,5\"", Code::malformed_value, "string is not a number"),
         bad("\"\"", Code::malformed_value),
         bad("\" 1\"", Code::malformed_value),
         bad("\"+1\"", Code::malformed_value),
         bad("\"NaN\"", Code::malformed_value),
         bad("true", Code::wrong_kind),
         bad("[1]", Code::wrong_kind)});
    expect_all(
        decimal_column(38, 10),  // B66, B74
        {ok("12345678901234567890123.45", "12345678901234567890123.45"),
         ok("9999999999999999999999999999.9999999999", "9999999999999999999999999999.9999999999")});
    expect_all(decimal_column(65, 0),
               {ok(std::string(65, '9'), std::string(65, '9')),
                bad(std::string(66, '9'), Code::out_of_range)});
    expect_all(decimal_column(30, 30),
               {ok("0.000000000000000000000000000001", "0.000000000000000000000000000001"),
                ok("1e-30", "0.000000000000000000000000000001"),
                bad("1", Code::out_of_range)});
    expect_all(
        decimal_column(5, 2, " unsigned"),
        {ok("0", "0"),
         ok("-0", "0"),
         ok("999.99", "999.99"),
         bad("-0.01", Code::out_of_range, "number is negative, but the column is unsigned")});
}

TEST(EncodeFloating, TakesTheNearestFractionButNoOtherWholeNumber) {
    const ColumnDefinition column = make_column(ColumnType::float_double, "double");
    expect_all(column,
               {ok("0", "0e+00"),
                ok("-0.0", "0e+00"),
                ok("1", "1e+00"),
                ok("0.1", "1e-01"),
                ok("-2.5e10", "-2.5e+10"),
                ok("0.1000000000000000055511151231257827", "1e-01"),
                ok("9007199254740992", "9.007199254740992e+15"),
                ok("123456789012345683968", "1.2345678901234568e+20"),
                ok("1.7976931348623157e308", "1.7976931348623157e+308"),
                ok("2.2250738585072014e-308", "2.2250738585072014e-308"),
                ok("\"1.5\"", "1.5e+00"),
                ok("1e23", "1e+23"),
                bad("9007199254740993",
                    Code::would_lose_digits,
                    "number is a whole number with more digits than the column keeps"),
                bad("-9007199254740993", Code::would_lose_digits),
                bad("\"9007199254740993\"", Code::would_lose_digits),
                bad("9007199254740993.0", Code::would_lose_digits),
                bad("100000000000000000000000", Code::would_lose_digits),
                bad("1.8e308", Code::out_of_range),
                bad("1e400", Code::out_of_range),
                bad("-1e400", Code::out_of_range),
                bad("1e-400", Code::out_of_range),
                bad("5e-324", Code::out_of_range),
                bad("1e999999999999999999999", Code::out_of_range),
                bad(std::string(400, '9'), Code::out_of_range),
                bad("\"NaN\"", Code::malformed_value),  // B75
                bad("\"Infinity\"", Code::malformed_value),
                bad("\"-inf\"", Code::malformed_value),
                bad("\"\"", Code::malformed_value),
                bad("\"0x1p3\"", Code::malformed_value),
                bad("false", Code::wrong_kind)});
    expect_all(make_column(ColumnType::float_double, "double unsigned"),
               {ok("1.5", "1.5e+00"), ok("-0.0", "0e+00"), bad("-1.5", Code::out_of_range)});
}

TEST(EncodeFloating, WritesASingleAsTheDoubleThatItEquals) {
    expect_all(make_column(ColumnType::float_single, "float"),
               {ok("1.5", "1.5e+00"),
                ok("0.1", "1.0000000149011612e-01"),
                ok("16777216", "1.6777216e+07"),
                ok("-16777216", "-1.6777216e+07"),
                ok("3.4028234e38", "3.4028234663852886e+38"),
                bad("16777217", Code::would_lose_digits),
                bad("3.5e38", Code::out_of_range),
                bad("1e-39", Code::out_of_range)});
}

TEST(EncodeBit, KeepsToItsWidth) {
    expect_all(bit_column(12),
               {ok("0", "0"),
                ok("4095", "4095"),
                ok("\"258\"", "258"),
                ok("1e2", "100"),
                ok("null", "NULL"),
                bad("4096", Code::out_of_range, "number is outside 0..4095"),
                bad("-1", Code::out_of_range),
                bad("1.5", Code::would_lose_digits),
                bad("true", Code::wrong_kind, "boolean is no number"),
                bad("\"AQI=\"", Code::malformed_value, "string is not a whole number"),
                bad("\"b'1'\"", Code::malformed_value)});
    expect_all(bit_column(1),
               {ok("true", "1"), ok("false", "0"), ok("1", "1"), bad("2", Code::out_of_range)});
    expect_all(bit_column(64),
               {ok("18446744073709551615", "18446744073709551615"),
                bad("18446744073709551616", Code::out_of_range)});
}

TEST(EncodeYear, NeverGuessesTheCentury) {
    expect_all(make_column(ColumnType::year, "year"),
               {ok("1901", "1901"),
                ok("2155", "2155"),
                ok("\"2024\"", "2024"),
                ok("0", "0"),
                ok("\"0000\"", "0"),
                ok("2.024e3", "2024"),
                bad("70", Code::out_of_range, "number is neither 0 nor within 1901..2155"),
                bad("\"70\"", Code::out_of_range),
                bad("1900", Code::out_of_range),
                bad("2156", Code::out_of_range, "number is outside 0..2155"),
                bad("-2024", Code::out_of_range),
                bad("\"02024\"", Code::malformed_value),
                bad("\"2024-01-01\"", Code::malformed_value),
                bad("true", Code::wrong_kind)});
}

TEST(EncodeDecimal, TakesUnscaledBytesWhereTheSourceSendsThem) {  // B66
    const ValueRules precise{.decimals = DecimalHandling::precise};
    expect_all(decimal_column(10, 2),
               {ok("\"AYY=\"", "3.9"),
                ok("\"/w==\"", "-0.01"),
                ok("\"AA==\"", "0"),
                ok("12.5", "12.5"),
                bad("\"\"", Code::malformed_value),
                bad("\"12.5\"", Code::malformed_value),
                bad("\"f/////8=\"", Code::out_of_range)},
               precise);
}

}  // namespace
}  // namespace txsink::mapping
