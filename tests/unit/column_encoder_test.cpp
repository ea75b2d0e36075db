#include "mapping/column_encoder.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "txsink/decode/json_decoder.hpp"
#include "unit/columns.hpp"

namespace txsink::mapping {
namespace {

using namespace testing;

using Code = RecordErrorCode;

/// What becomes of one JSON value in one column: a literal, or an error.
struct Case {
    std::string json;
    std::string literal;
    std::optional<Code> code = {};
};

Result<std::string> encode(const ColumnDefinition& column, const std::string& json) {
    decode::JsonDecoder decoder;
    const Result<decode::Document> document = decoder.decode(json);
    if (!document) {
        return document.error();
    }
    std::string sql;
    const Result<Done> done = ColumnEncoder{column}.append(document.value(), sql);
    if (!done) {
        return done.error();
    }
    return sql;
}

void expect_all(const ColumnDefinition& column, const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        SCOPED_TRACE(column.type_text + " <- " + c.json.substr(0, 80));
        const Result<std::string> result = encode(column, c.json);
        if (!c.code) {
            ASSERT_TRUE(result) << result.error().message;
            EXPECT_EQ(result.value(), c.literal);
            continue;
        }
        ASSERT_FALSE(result) << result.value();
        EXPECT_STREQ(name_of(result.error().code), name_of(*c.code)) << result.error().message;
        EXPECT_EQ(result.error().field, "c");
        if (!c.literal.empty()) {
            EXPECT_EQ(result.error().message,
                      "column \"c\" (" + column.type_text + "): " + c.literal);
        }
    }
}

Case ok(std::string json, std::string literal) {
    return {std::move(json), std::move(literal)};
}
/// The message after the column and its type is checked when it is given.
Case bad(std::string json, Code code, std::string message = {}) {
    return {std::move(json), std::move(message), code};
}

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

TEST(EncodeFloating, KeepsToTheScaleThatTheServerWouldRoundTo) {
    expect_all(make_column(ColumnType::float_double, "double(7,2)"),
               {ok("12345.67", "1.234567e+04"),
                bad("123456", Code::out_of_range),
                bad("1.005", Code::would_lose_digits)});
    expect_all(make_column(ColumnType::float_single, "float(5,1) unsigned"),
               {ok("1.5", "1.5e+00"), bad("1.25", Code::would_lose_digits)});
}

TEST(EncodeText, KeepsTheWholeText) {
    expect_all(varchar_column(5),
               {ok("\"\"", "''"),
                ok("\"abcde\"", "'abcde'"),
                ok("\"it's\"", "'it\\'s'"),
                ok("\"a\\u0000b\"", std::string{"'a\\0b'"}),  // B63
                ok("\"\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\\ud83d\\ude00\"",
                   "'\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80"
                   "\xF0\x9F\x98\x80'"),
                ok("\"ab   \"", "'ab   '"),
                ok("1.50", "'1.50'"),
                ok("-1e5", "'-1e5'"),
                ok("true", "'true'"),
                ok("false", "'false'"),
                ok("null", "NULL"),
                ok("{}", "'{}'"),
                ok("[\"'\"]", "'[\"\\'\"]'"),
                bad("\"abcdef\"", Code::out_of_range, "string is longer than 5 characters"),  // B78
                bad("\"abcde \"", Code::out_of_range, "string is longer than 5 characters"),
                bad("123456", Code::out_of_range, "number is longer than 5 characters"),
                bad("[1,2,3]", Code::out_of_range, "array is longer than 5 characters")});
}

TEST(EncodeText, KnowsTheLimitsOfEachType) {
    expect_all(varchar_column(0), {ok("\"\"", "''"), bad("\"a\"", Code::out_of_range)});
    expect_all(text_column(ColumnType::character, "char(3)", 3),
               {ok("\"abc\"", "'abc'"),
                ok("\" a\"", "' a'"),
                bad("\"a \"",
                    Code::would_lose_digits,
                    "string ends in a blank, which a CHAR column drops"),
                bad("\"abcd\"", Code::out_of_range)});
    const ColumnDefinition tiny = text_column(ColumnType::text, "tinytext", 255, "utf8mb4", 255);
    expect_all(tiny,
               {ok('"' + std::string(255, 'x') + '"', '\'' + std::string(255, 'x') + '\''),
                bad('"' + std::string(256, 'x') + '"', Code::out_of_range)});
    std::string wide;
    for (int i = 0; i < 128; ++i) {
        wide += "\xC3\xA9";
    }
    expect_all(tiny,
               {bad('"' + wide + '"', Code::out_of_range, "string is longer than 255 bytes")});
    expect_all(text_column(ColumnType::text, "tinytext", 255, "latin1", 255),
               {ok('"' + wide + '"', '\'' + wide + '\'')});
}

TEST(EncodeText, RefusesWhatTheCharacterSetLacks) {  // B76
    expect_all(
        text_column(ColumnType::varchar, "varchar(9)", 9, "utf8mb3"),
        {ok("\"\\uffee\"", "'\xEF\xBF\xAE'"),
         bad("\"ok \\ud83d\\ude00\"",
             Code::malformed_value,
             "string has a character beyond U+FFFF, which the column's character set lacks")});
    expect_all(text_column(ColumnType::varchar, "varchar(9)", 9, "ascii"),
               {ok("\"~\"", "'~'"), bad("\"\\u0080\"", Code::malformed_value)});
}

TEST(EncodeBinary, TakesStrictBase64) {
    const ColumnDefinition column = binary_column(ColumnType::varbinary, "varbinary(4)", 4);
    expect_all(column,
               {ok("\"\"", "x''"),
                ok("\"AA==\"", "x'00'"),
                ok("\"AAE=\"", "x'0001'"),
                ok("\"AAEC\"", "x'000102'"),
                ok("\"AAEC/w==\"", "x'000102ff'"),
                ok("\"+/+/\"", "x'fbffbf'"),
                bad("\"AAECAwQ=\"", Code::out_of_range, "string holds more than 4 bytes"),
                bad("1", Code::wrong_kind, "number is no base64 string"),
                bad("true", Code::wrong_kind),
                bad("{}", Code::wrong_kind)});
    for (const char* text : {"A",
                             "AA",
                             "AAE",
                             "AA=",
                             "A===",
                             "====",
                             "AA==AA==",
                             "AB==",
                             "AAF=",
                             "A-_A",
                             "AA E",
                             " AAE",
                             "A=AA",
                             "AAA\\u0000",
                             "AA==\\n",
                             "!!!!"}) {
        expect_all(column, {bad('"' + std::string{text} + '"', Code::malformed_value)});
    }
    expect_all(binary_column(ColumnType::binary, "binary(2)", 2),
               {ok("\"AAE=\"", "x'0001'"),
                bad("\"AA==\"", Code::out_of_range, "string does not hold exactly 2 bytes"),
                bad("\"AAEC\"", Code::out_of_range)});
    expect_all(binary_column(ColumnType::blob, "blob", 65'535), {ok("\"AAEC\"", "x'000102'")});
}

TEST(EncodeDate, TakesDaysOfTheCalendar) {
    expect_all(temporal_column(ColumnType::date, "date"),
               {ok("\"2024-03-01\"", "'2024-03-01'"),
                ok("\"2024-02-29\"", "'2024-02-29'"),
                ok("\"2000-02-29\"", "'2000-02-29'"),
                ok("\"1000-11-18\"", "'1000-11-18'"),  // B69
                ok("\"1582-10-10\"", "'1582-10-10'"),
                ok("\"0001-01-01\"", "'0001-01-01'"),
                ok("\"9999-12-31\"", "'9999-12-31'"),
                ok("\"2024-03-01T00:00:00\"", "'2024-03-01'"),
                ok("\"2024-03-01 00:00:00.000\"", "'2024-03-01'"),
                ok("\"2024-03-01T00:00:00Z\"", "'2024-03-01'"),
                bad("\"2024-03-01T00:00:01Z\"",
                    Code::would_lose_digits,
                    "string has a time of day or an offset, which a DATE drops"),
                bad("\"2024-03-01T00:00:00.001\"", Code::would_lose_digits),
                bad("\"2024-03-01T00:00:00+02:00\"", Code::would_lose_digits),
                bad("\"2024-03-01T02:00:00+02:00\"", Code::would_lose_digits),
                bad("\"2023-02-29\"", Code::malformed_value, "string is no day of the calendar"),
                bad("\"1900-02-29\"", Code::malformed_value),
                bad("\"2024-13-01\"", Code::malformed_value),
                bad("\"2024-00-10\"", Code::malformed_value),
                bad("\"2024-04-31\"", Code::malformed_value),
                bad("\"2024-04-00\"", Code::malformed_value),
                bad("\"0000-00-00\"",
                    Code::malformed_value,
                    "string is a zero date, which is no date"),  // B73
                bad("\"0000-01-01\"",
                    Code::out_of_range,
                    "string is outside the years 0001 to 9999 in UTC"),
                bad("19783", Code::wrong_kind, "number is no string as YYYY-MM-DDThh:mm:ss.fZ"),
                bad("true", Code::wrong_kind)});
    for (const char* text : {"",
                             "2024",
                             "2024-3-1",
                             "2024-03",
                             "20240301",
                             "24-03-01",
                             "2024/03/01",
                             "01-03-2024",
                             "+2024-03-01",
                             "-2024-03-01",
                             "12024-03-01",
                             "2024-03-01Z",
                             "2024-03-01T",
                             "2024-03-01 ",
                             " 2024-03-01",
                             "2024-03-01x",
                             "today"}) {
        expect_all(temporal_column(ColumnType::date, "date"),
                   {bad('"' + std::string{text} + '"', Code::malformed_value)});
    }
}

TEST(EncodeDatetime, ConvertsOffsetsByDayArithmetic) {
    expect_all(temporal_column(ColumnType::datetime, "datetime(6)", 6),
               {ok("\"2024-03-01T10:00:00\"", "'2024-03-01 10:00:00'"),
                ok("\"2024-03-01 10:00:00\"", "'2024-03-01 10:00:00'"),
                ok("\"2024-03-01t10:00:00z\"", "'2024-03-01 10:00:00'"),
                ok("\"2024-03-01T10:00\"", "'2024-03-01 10:00:00'"),
                ok("\"2024-03-01\"", "'2024-03-01 00:00:00'"),
                ok("\"2024-03-01T10:00:00+02:00\"", "'2024-03-01 08:00:00'"),  // B71
                ok("\"2024-03-01T10:00:00+0200\"", "'2024-03-01 08:00:00'"),
                ok("\"2024-03-01 10:00:00+02\"", "'2024-03-01 08:00:00'"),
                ok("\"2024-03-01T10:00+05:30\"", "'2024-03-01 04:30:00'"),
                ok("\"2024-03-01T01:00:00+02:00\"", "'2024-02-29 23:00:00'"),
                ok("\"2023-12-31T23:30:00-01:00\"", "'2024-01-01 00:30:00'"),
                ok("\"1970-01-01T00:00:00-00:00\"", "'1970-01-01 00:00:00'"),
                ok("\"1969-12-31T23:59:59.5Z\"", "'1969-12-31 23:59:59.5'"),
                ok("\"1000-11-18T12:00:00Z\"", "'1000-11-18 12:00:00'"),
                ok("\"0001-01-01T00:00:00Z\"", "'0001-01-01 00:00:00'"),
                ok("\"2024-01-01T00:00:00.123456Z\"", "'2024-01-01 00:00:00.123456'"),  // B70
                ok("\"2024-01-01T00:00:00.120000000Z\"", "'2024-01-01 00:00:00.12'"),
                ok("\"2024-01-01T00:00:00.000Z\"", "'2024-01-01 00:00:00'"),
                ok("\"9999-12-31T23:59:59.999999Z\"", "'9999-12-31 23:59:59.999999'"),
                bad("\"9999-12-31T23:59:59.9999995Z\"",
                    Code::would_lose_digits,
                    "string has more than 6 digits after the seconds"),
                bad("\"9999-12-31T23:30:00-01:00\"", Code::out_of_range),
                bad("\"0001-01-01T00:30:00+01:00\"", Code::out_of_range),
                bad("\"2016-12-31T23:59:60Z\"",
                    Code::out_of_range,
                    "string is a leap second (:60), which MySQL cannot store"),
                bad("\"0000-00-00 00:00:00\"", Code::malformed_value),  // B73
                bad("1709287200000", Code::wrong_kind),
                bad("1709287200.5", Code::wrong_kind)});
    expect_all(temporal_column(ColumnType::datetime, "datetime"),
               {ok("\"2024-01-01T00:00:00.000Z\"", "'2024-01-01 00:00:00'"),
                bad("\"2024-01-01T00:00:00.123456Z\"", Code::would_lose_digits)});
    for (const char* text : {"2024-03-01T24:00:00",
                             "2024-03-01T10:60:00",
                             "2024-03-01T10:00:61",
                             "2024-03-01T10",
                             "2024-03-01T1:00:00",
                             "2024-03-01T10:00:00.",
                             "2024-03-01T10:00:00,5",
                             "2024-03-01T10:00:00 +02:00",
                             "2024-03-01T10:00:00+2",
                             "2024-03-01T10:00:00+02:0",
                             "2024-03-01T10:00:00+02:60",
                             "2024-03-01T10:00:00+24:00",
                             "2024-03-01T10:00:00Zx",
                             "2024-03-01T10:00:00UTC",
                             "2024-03-01T10:00:00Z[UTC]",
                             "2024-03-01T10:00:00+",
                             "2024-03-01T10:00:00+02:",
                             "2024-03-01T-1:00:00",
                             "2024-03-01  10:00:00",
                             "2024-03-01T10:00:00\\u0000",
                             "2024-03-01_10:00:00",
                             "1709287200",
                             "10:00:00",
                             "2024-W09-5",
                             "2024-061",
                             "2024-03-01T99:99:60"}) {
        expect_all(temporal_column(ColumnType::datetime, "datetime(6)", 6),
                   {bad('"' + std::string{text} + '"', Code::malformed_value)});
    }
}

TEST(EncodeTimestamp, KeepsToItsRange) {
    expect_all(temporal_column(ColumnType::timestamp, "timestamp(6)", 6),
               {ok("\"1970-01-01T00:00:01Z\"", "'1970-01-01 00:00:01'"),
                ok("\"2038-01-19T03:14:07.999999Z\"", "'2038-01-19 03:14:07.999999'"),
                ok("\"2038-01-19T04:14:07+01:00\"", "'2038-01-19 03:14:07'"),
                bad("\"1970-01-01T00:00:00.999999Z\"",
                    Code::out_of_range,
                    "string is outside 1970-01-01 00:00:01 to 2038-01-19 03:14:07 in UTC"),
                bad("\"1970-01-01T01:00:00+01:00\"", Code::out_of_range),
                bad("\"2038-01-19T03:14:08Z\"", Code::out_of_range),
                bad("\"1969-12-31T23:59:59Z\"", Code::out_of_range)});
}

TEST(EncodeTime, TakesTimesAndSpans) {
    expect_all(
        temporal_column(ColumnType::time, "time(6)", 6),
        {ok("\"10:20:30\"", "'10:20:30'"),
         ok("\"10:20\"", "'10:20:00'"),
         ok("\"00:00:00.000001\"", "'00:00:00.000001'"),
         ok("\"10:20:30Z\"", "'10:20:30'"),
         ok("\"10:20:30+00:00\"", "'10:20:30'"),
         ok("\"-01:30:00\"", "'-01:30:00'"),
         ok("\"-00:00:00\"", "'00:00:00'"),
         ok("\"-00:00:00.5\"", "'-00:00:00.5'"),
         ok("\"25:00:00\"", "'25:00:00'"),
         ok("\"100:00:00\"", "'100:00:00'"),
         ok("\"838:59:59\"", "'838:59:59'"),
         ok("\"-838:59:59.000\"", "'-838:59:59'"),
         bad("\"838:59:59.000001\"", Code::out_of_range),
         bad("\"839:00:00\"", Code::out_of_range, "string is outside -838:59:59 to 838:59:59"),
         bad("\"-999:00:00\"", Code::out_of_range),
         bad("\"10:20:30.0000001\"", Code::would_lose_digits),
         bad("\"10:20:60\"", Code::out_of_range),
         bad("\"10:20:30+02:00\"", Code::malformed_value),
         bad("36000", Code::wrong_kind, "number is no string as hh:mm:ss.f")});
    for (const char* text : {"",
                             "10",
                             "1:20:30",
                             "10:2:30",
                             "10:20:3",
                             "10:60:00",
                             "10:20:61",
                             "+10:20:30",
                             "--10:20:30",
                             "T10:20:30",
                             "1000:00:00",
                             "10:20:30.",
                             "2024-03-01T10:20:30",
                             "10:20:30 ",
                             "1 10:20:30",
                             "102030"}) {
        expect_all(temporal_column(ColumnType::time, "time(6)", 6),
                   {bad('"' + std::string{text} + '"', Code::malformed_value)});
    }
}

TEST(EncodeEnumeration, TakesExactMembersOnly) {
    expect_all(
        enum_column({"new", "paid", "it's", "2"}),
        {ok("\"new\"", "'new'"),
         ok("\"it's\"", "'it\\'s'"),
         ok("\"2\"", "'2'"),
         bad("\"1\"", Code::out_of_range, "string is not, byte for byte, one of the 4 members"),
         bad("\"\"", Code::out_of_range),
         bad("\"New\"", Code::out_of_range),
         bad("\"new \"", Code::out_of_range),
         bad("\"new\\u0000\"", Code::out_of_range),
         bad("1", Code::wrong_kind, "number is no string"),
         bad("true", Code::wrong_kind)});
}

TEST(EncodeJson, KeepsTheTextAsWritten) {
    for (const bool is_text : {false, true}) {
        expect_all(json_column(is_text),
                   {ok("{\"a\" : [1, 2.50,{\"b\":null}]}", "'{\"a\" : [1, 2.50,{\"b\":null}]}'"),
                    ok("{\"a\":\"it's \\n\"}", "'{\"a\":\"it\\'s \\\\n\"}'"),
                    ok("[]", "'[]'"),
                    ok("true", "'true'"),
                    ok("-12.5e3", "'-12.5e3'"),
                    ok("null", "NULL"),
                    ok("\"plain\"", "'\"plain\"'"),
                    ok("\"a\\\"b\\\\c'd\\n\\u0000\\u001f/\"",
                       "'\"a\\\\\"b\\\\\\\\c\\'d\\\\u000a\\\\u0000\\\\u001f/\"'"),
                    ok("\"\\ud83d\\ude00\"", "'\"\xF0\x9F\x98\x80\"'"),
                    ok("18446744073709551615", "'18446744073709551615'"),
                    ok("[-9223372036854775808]", "'[-9223372036854775808]'"),
                    ok("1.2345678901234567", "'1.2345678901234567'"),
                    ok("1e308", "'1e308'")});
    }
}

TEST(EncodeJson, RefusesNumbersThatTheServerWouldRound) {
    for (const char* number : {"18446744073709551616",
                               "-9223372036854775809",
                               "12345678901234567890123",
                               "0.123456789012345678",
                               "1e309",
                               "1e-400",
                               "1234567890123456789.5"}) {
        for (const std::string& json :
             {std::string{number}, "{\"a\":[0," + std::string{number} + "]}"}) {
            expect_all(json_column(false), {bad(json, Code::would_lose_digits)});
            expect_all(json_column(true), {ok(json, '\'' + json + '\'')});
        }
    }
}

TEST(ColumnEncoder, RefusesNullForNotNull) {
    ColumnDefinition column = integer_column(ColumnType::integer, "int");
    column.is_nullable = false;
    expect_all(column, {bad("null", Code::null_value, "null, but the column is NOT NULL")});
}

TEST(ColumnEncoder, RefusesTypesThatItDoesNotKnow) {
    const ColumnDefinition column = make_column(ColumnType::unsupported, "geometry");
    for (const char* json : {"1", "null", "\"POINT(1 1)\"", "{}"}) {
        expect_all(column, {bad(json, Code::unsupported_type, "this type is not supported")});
    }
}

TEST(ColumnEncoder, NeverShowsTheValue) {
    const std::string secret = "5ecret5";
    const ColumnDefinition columns[] = {
        integer_column(ColumnType::integer, "int"),
        decimal_column(10, 2),
        make_column(ColumnType::float_double, "double"),
        varchar_column(3),
        binary_column(ColumnType::blob, "blob", 65'535),
        temporal_column(ColumnType::date, "date"),
        temporal_column(ColumnType::datetime, "datetime"),
        temporal_column(ColumnType::time, "time"),
        enum_column({"a"}),
        make_column(ColumnType::unsupported, "bit(4)"),
    };
    for (const ColumnDefinition& column : columns) {
        const Result<std::string> result = encode(column, '"' + secret + '"');
        ASSERT_FALSE(result) << column.type_text;
        EXPECT_EQ(result.error().message.find(secret), std::string::npos);
        EXPECT_NE(result.error().message.find(column.type_text), std::string::npos);
    }
}

}  // namespace
}  // namespace txsink::mapping
