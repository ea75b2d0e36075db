/// @file
/// ISO 8601 text and numbers with a unit into columns of dates and times.
#include <gtest/gtest.h>

#include <string>

#include "unit/encoding.hpp"

namespace txsink::mapping {
namespace {

using namespace testing;

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

TEST(EncodeDatetime, RoundsExcessDigitsWhereAskedFor) {  // B70
    const ValueRules round{.excess_fraction = OnExcessFraction::round};
    expect_all(temporal_column(ColumnType::datetime, "datetime(3)", 3),
               {ok("\"2024-01-01T00:00:00.1234Z\"", "'2024-01-01 00:00:00.123'"),
                ok("\"2024-01-01T00:00:00.1235Z\"", "'2024-01-01 00:00:00.124'"),
                ok("\"2024-01-01T00:00:00.12349999999999999999Z\"", "'2024-01-01 00:00:00.123'"),
                ok("\"2024-02-29T23:59:59.9995Z\"", "'2024-03-01 00:00:00'"),
                ok("\"2023-12-31T23:59:59.9999Z\"", "'2024-01-01 00:00:00'"),
                bad("\"9999-12-31T23:59:59.9995Z\"",
                    Code::out_of_range,
                    "string is rounded beyond the years 0001 to 9999")},
               round);
    expect_all(temporal_column(ColumnType::datetime, "datetime"),
               {ok("\"1969-12-31T23:59:59.5Z\"", "'1970-01-01 00:00:00'"),
                ok("\"1969-12-31T23:59:59.4Z\"", "'1969-12-31 23:59:59'")},
               round);
    expect_all(temporal_column(ColumnType::timestamp, "timestamp"),
               {ok("\"1970-01-01T00:00:00.5Z\"", "'1970-01-01 00:00:01'"),
                bad("\"1970-01-01T00:00:00.4Z\"", Code::out_of_range),
                bad("\"2038-01-19T03:14:07.5Z\"", Code::out_of_range)},
               round);
    expect_all(temporal_column(ColumnType::time, "time"),
               {ok("\"23:59:59.5\"", "'24:00:00'"),
                ok("\"-00:00:00.5\"", "'-00:00:01'"),
                ok("\"-00:00:00.4\"", "'00:00:00'"),
                ok("\"838:59:59.4\"", "'838:59:59'"),
                bad("\"838:59:59.5\"", Code::out_of_range)},
               round);
    expect_all(temporal_column(ColumnType::date, "date"),
               {bad("\"2024-01-01T00:00:00.1Z\"", Code::would_lose_digits)},
               round);
}

TEST(EncodeDatetime, CutsExcessDigitsWhereAskedFor) {
    const ValueRules truncate{.excess_fraction = OnExcessFraction::truncate};
    expect_all(temporal_column(ColumnType::datetime, "datetime(6)", 6),
               {ok("\"9999-12-31T23:59:59.9999999Z\"", "'9999-12-31 23:59:59.999999'")},
               truncate);
    expect_all(temporal_column(ColumnType::timestamp, "timestamp"),
               {ok("\"2038-01-19T03:14:07.9Z\"", "'2038-01-19 03:14:07'"),
                bad("\"1970-01-01T00:00:00.9Z\"", Code::out_of_range)},
               truncate);
    expect_all(temporal_column(ColumnType::time, "time(1)", 1),
               {ok("\"-10:20:30.99\"", "'-10:20:30.9'"), ok("\"838:59:59.09\"", "'838:59:59'")},
               truncate);
}

TEST(EncodeDatetime, TakesNumbersOfAUnit) {  // B67, B69
    const ColumnDefinition column = temporal_column(ColumnType::datetime, "datetime(6)", 6);
    expect_all(
        column,
        {ok("0", "'1970-01-01 00:00:00'"),
         ok("-0", "'1970-01-01 00:00:00'"),
         ok("1709287200123", "'2024-03-01 10:00:00.123'"),
         ok("1709287200123.456", "'2024-03-01 10:00:00.123456'"),
         ok("1.709287200123e12", "'2024-03-01 10:00:00.123'"),
         ok("-1", "'1969-12-31 23:59:59.999'"),
         ok("-62135596800000", "'0001-01-01 00:00:00'"),
         ok("253402300799999", "'9999-12-31 23:59:59.999'"),
         ok("-30582489600000", "'1000-11-18 00:00:00'"),
         ok("\"1709287200123\"", "'2024-03-01 10:00:00.123'"),
         ok("\"2024-03-01T10:00:00Z\"", "'2024-03-01 10:00:00'"),
         bad("-62135596800001", Code::out_of_range, "number is outside the years 0001 to 9999"),
         bad("253402300800000", Code::out_of_range),
         bad("1e999999999999", Code::out_of_range),
         bad("0.0001", Code::would_lose_digits),
         bad("1e-999999999999", Code::would_lose_digits),
         bad("true", Code::wrong_kind)},
        {.unit = TimeUnit::milliseconds});
    expect_all(column,
               {ok("1709287200", "'2024-03-01 10:00:00'"),
                ok("1709287200.5", "'2024-03-01 10:00:00.5'"),
                ok("-0.000001", "'1969-12-31 23:59:59.999999'"),
                bad("-0.0000001", Code::would_lose_digits)},
               {.unit = TimeUnit::seconds});
    expect_all(
        column, {ok("-1000001", "'1969-12-31 23:59:58.999999'")}, {.unit = TimeUnit::microseconds});
    expect_all(column,
               {ok("-1000", "'1969-12-31 23:59:59.999999'"), bad("1", Code::would_lose_digits)},
               {.unit = TimeUnit::nanoseconds});
    expect_all(column,
               {ok("1500", "'1970-01-01 00:00:00.000002'"),
                ok("-1500", "'1969-12-31 23:59:59.999999'"),
                ok("-500.0001", "'1969-12-31 23:59:59.999999'"),
                ok("-499.9999", "'1970-01-01 00:00:00'")},
               {.excess_fraction = OnExcessFraction::round, .unit = TimeUnit::nanoseconds});
    expect_all(column,
               {ok("19783", "'2024-03-01 00:00:00'"), bad("0.5", Code::would_lose_digits)},
               {.unit = TimeUnit::days});
    expect_all(column, {bad("0", Code::wrong_kind)});
}

TEST(EncodeDate, TakesNumbersOfAUnit) {  // B68
    const ColumnDefinition column = temporal_column(ColumnType::date, "date");
    expect_all(column,
               {ok("0", "'1970-01-01'"),
                ok("19723", "'2024-01-01'"),
                ok("-1", "'1969-12-31'"),
                ok("-719162", "'0001-01-01'"),
                ok("2932896", "'9999-12-31'"),
                bad("-719163", Code::out_of_range),
                bad("2932897", Code::out_of_range),
                bad("123456789012", Code::out_of_range),
                bad("0.5", Code::would_lose_digits, "number is no whole number of days")},
               {.unit = TimeUnit::days});
    expect_all(column,
               {ok("-86400000", "'1969-12-31'"), bad("1", Code::would_lose_digits)},
               {.unit = TimeUnit::milliseconds});
}

TEST(EncodeTime, TakesNumbersOfAUnit) {
    const ColumnDefinition column = temporal_column(ColumnType::time, "time(3)", 3);
    expect_all(
        column,
        {ok("37230500000", "'10:20:30.5'"),
         ok("-1000", "'-00:00:00.001'"),
         ok("3020399000000", "'838:59:59'"),
         bad("1", Code::would_lose_digits),
         bad("3020399001000", Code::out_of_range, "number is outside -838:59:59 to 838:59:59"),
         bad("1e999999999999", Code::out_of_range)},
        {.unit = TimeUnit::microseconds});
    expect_all(column,
               {bad("1", Code::wrong_kind, "number is a date by its unit, days")},
               {.unit = TimeUnit::days});
}

TEST(EncodeDatetime, FollowsDebeziumsPrecisionWithoutSchema) {
    const ValueRules adaptive{.times = TimePrecision::adaptive};
    const ValueRules connect{.times = TimePrecision::connect};
    const auto datetime = [](std::uint32_t digits) {
        return temporal_column(ColumnType::datetime, "datetime", digits);
    };
    for (const ValueRules& rules : {adaptive, connect}) {
        expect_all(temporal_column(ColumnType::date, "date"), {ok("1", "'1970-01-02'")}, rules);
        expect_all(datetime(3), {ok("1000", "'1970-01-01 00:00:01'")}, rules);
    }
    expect_all(datetime(4), {ok("1000000", "'1970-01-01 00:00:01'")}, adaptive);
    expect_all(datetime(4), {ok("1000", "'1970-01-01 00:00:01'")}, connect);
    const ColumnDefinition time = temporal_column(ColumnType::time, "time");
    expect_all(
        time, {ok("1000000", "'00:00:01'"), bad("\"1000000\"", Code::malformed_value)}, adaptive);
    expect_all(time, {ok("1000", "'00:00:01'")}, connect);
    expect_all(time,
               {ok("1", "'00:00:01'")},
               {.unit = TimeUnit::seconds, .times = TimePrecision::connect});
}

}  // namespace
}  // namespace txsink::mapping
