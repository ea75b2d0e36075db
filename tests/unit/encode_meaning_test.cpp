/// @file
/// Values whose schema says what they mean, into every family of columns.
#include <gtest/gtest.h>

#include <string>

#include "unit/encoding.hpp"

namespace txsink::mapping {
namespace {

using namespace testing;

Case raw(Case given) {
    return meant(Meaning::raw_bytes, std::move(given));
}
Case base64(Case given) {
    return meant(Meaning::base64, std::move(given));
}
Case decimal(std::int16_t scale, Case given) {
    return meant(Meaning::decimal, std::move(given), scale);
}
Case variable(Case given) {
    return meant(Meaning::variable_decimal, std::move(given));
}

TEST(EncodeMeaning, KeepsBytesAsTheyAre) {
    expect_all(binary_column(ColumnType::varbinary, "varbinary(4)", 4),
               {raw(ok("\"a\\u0000b\"", "x'610062'")),
                raw(bad("\"abcde\"", Code::out_of_range)),
                base64(ok("\"AAEC\"", "x'000102'")),
                base64(bad("\"AAECAwQ=\"", Code::out_of_range)),
                base64(bad("\"x\"", Code::malformed_value)),
                raw(ok("null", "NULL"))});
    // Whatever the route says about strings without a schema.
    expect_all(binary_column(ColumnType::blob, "blob", 65'535),
               {base64(ok("\"AAEC\"", "x'000102'")), raw(ok("\"00\"", "x'3030'"))},
               {.binary = BinaryEncoding::hex});
    expect_all(
        varchar_column(5),
        {raw(ok("\"it's\"", "'it\\'s'")),
         base64(ok("\"aXQncw==\"", "'it\\'s'")),
         base64(bad("\"/w==\"", Code::malformed_value, "string holds bytes that are not UTF-8")),
         base64(bad("\"7aCA\"", Code::malformed_value)),      // U+D800
         base64(bad("\"4ICA\"", Code::malformed_value)),      // overlong, three bytes
         base64(bad("\"8ICAgA==\"", Code::malformed_value)),  // overlong, four
         base64(bad("\"wIA=\"", Code::malformed_value)),      // overlong NUL
         base64(bad("\"9JCAgA==\"", Code::malformed_value)),  // U+110000
         base64(bad("\"4oI=\"", Code::malformed_value)),      // cut
         base64(bad("\"YWJjZGVm\"", Code::out_of_range))});
    expect_all(integer_column(ColumnType::integer, "int"),
               {raw(ok("\"42\"", "42")),
                base64(ok("\"NDI=\"", "42")),
                raw(bad("\"4 2\"", Code::malformed_value))});
    expect_all(json_column(false), {raw(ok("\"{}\"", "'\"{}\"'"))});
}

TEST(EncodeMeaning, ReadsBitsFromTheLeastSignificantByte) {  // B65
    expect_all(bit_column(12),
               {meant(Meaning::bits, ok("\"AQI=\"", "513")),
                meant(Meaning::bits, ok("\"/w8=\"", "4095")),
                meant(Meaning::bits, ok("\"AQIA\"", "513")),
                meant(Meaning::bits, bad("\"ABA=\"", Code::out_of_range)),
                meant(Meaning::bits, bad("\"\"", Code::malformed_value)),
                base64(ok("\"AQI=\"", "258"))});
    expect_all(bit_column(64),
               {meant(Meaning::bits, ok("\"//////////8=\"", "18446744073709551615")),
                meant(Meaning::bits, bad("\"AAAAAAAAAAAB\"", Code::out_of_range))});
    expect_all(integer_column(ColumnType::smallint, "smallint"),
               {meant(Meaning::bits, ok("\"AQI=\"", "513"))});
}

TEST(EncodeMeaning, KeepsEveryDigitOfADecimal) {  // B66
    expect_all(decimal_column(12, 10),
               {decimal(10, ok("\"AQ==\"", "0.0000000001")),
                decimal(10, ok("\"/w==\"", "-0.0000000001")),
                decimal(2, ok("\"AYY=\"", "3.9")),
                decimal(-1, ok("\"AQ==\"", "10")),
                decimal(11, bad("\"AQ==\"", Code::would_lose_digits)),
                decimal(0, bad("\"ZA==\"", Code::out_of_range)),
                decimal(2, bad("\"\"", Code::malformed_value)),
                decimal(2, bad("\"=\"", Code::malformed_value))});
    const std::string nines(38, '9');
    expect_all(decimal_column(38, 0),
               {decimal(0, ok("\"SztMqFqGxHoJiiI//////w==\"", nines)),
                decimal(0, ok("\"tMSzV6V5O4X2dd3AAAAAAQ==\"", "-" + nines)),
                decimal(0, ok("\"+pQ4odKc8AAA\"", "-100000000000000000000"))});
    expect_all(decimal_column(65, 30),
               {decimal(30,
                        ok("\"AB4CvB6XhYvcbLlQWPNCVH/3YFzMArx08eLfeQ==\"",
                           "12345678901234567890123456789012345.678901234567890123456789012345"))});
    expect_all(varchar_column(40),
               {decimal(2, ok("\"AYY=\"", "'3.90'")),
                decimal(3, ok("\"/w==\"", "'-0.001'")),
                decimal(2, ok("\"AA==\"", "'0.00'")),
                decimal(-3, ok("\"AA==\"", "'0'")),
                decimal(0, ok("\"gAAAAAAAAAA=\"", "'-9223372036854775808'")),
                decimal(0, ok("\"/3////////8=\"", "'-36028797018963969'")),
                decimal(0, ok("\"/wAAAAAAAAAA\"", "'-18446744073709551616'")),
                decimal(0, ok("\"AP//////////\"", "'18446744073709551615'")),
                decimal(32'767, bad("\"AQ==\"", Code::out_of_range))});
    expect_all(
        integer_column(ColumnType::integer, "int"),
        {decimal(2, ok("\"AMg=\"", "2")), decimal(2, bad("\"AMk=\"", Code::would_lose_digits))});
    expect_all(make_column(ColumnType::float_double, "double"),
               {decimal(1, ok("\"Aw==\"", "3e-01"))});
    expect_all(json_column(true), {decimal(2, ok("\"AYY=\"", "'3.90'"))});
    expect_all(binary_column(ColumnType::blob, "blob", 99),
               {decimal(2, bad("\"AYY=\"", Code::wrong_kind))});
    expect_all(decimal_column(10, 2),
               {decimal(2, bad('"' + std::string(22'000, 'A') + '"', Code::out_of_range))});
}

TEST(EncodeMeaning, TakesADecimalWithItsOwnScale) {  // B66
    const ColumnDefinition column = decimal_column(10, 2);
    expect_all(column,
               {variable(ok("{\"scale\":2,\"value\":\"AYY=\"}", "3.9")),
                variable(ok("{\"value\":\"AQ==\",\"scale\":-2}", "100")),
                variable(bad("{\"scale\":3,\"value\":\"AQ==\"}", Code::would_lose_digits))});
    for (const char* json : {"{}",
                             "{\"scale\":2}",
                             "{\"value\":\"AQ==\"}",
                             "{\"scale\":2.5,\"value\":\"AQ==\"}",
                             "{\"scale\":40000,\"value\":\"AQ==\"}",
                             "{\"scale\":\"2\",\"value\":\"AQ==\"}",
                             "{\"scale\":2,\"value\":1}"}) {
        expect_all(column, {variable(bad(json, Code::malformed_value))});
    }
}

TEST(EncodeMeaning, CountsTimeWithoutZones) {  // B67, B68, B69, B70
    const ColumnDefinition date = temporal_column(ColumnType::date, "date");
    const ColumnDefinition datetime = temporal_column(ColumnType::datetime, "datetime(6)", 6);
    const ColumnDefinition time = temporal_column(ColumnType::time, "time(6)", 6);
    expect_all(
        date,
        {meant(Meaning::days, ok("0", "'1970-01-01'")),
         meant(Meaning::days, ok("19723", "'2024-01-01'")),
         meant(Meaning::epoch_ms, ok("86400000", "'1970-01-02'")),
         meant(Meaning::epoch_ms, bad("86400001", Code::would_lose_digits)),
         meant(
             Meaning::time_ms,
             bad("0", Code::wrong_kind, "number is a time of day by its schema, without a date"))});
    expect_all(datetime,
               {meant(Meaning::epoch_ms, ok("0", "'1970-01-01 00:00:00'")),
                meant(Meaning::epoch_ms, ok("-1", "'1969-12-31 23:59:59.999'")),
                meant(Meaning::epoch_us, ok("1704067200123456", "'2024-01-01 00:00:00.123456'")),
                meant(Meaning::epoch_us, ok("-30582489600000000", "'1000-11-18 00:00:00'")),
                meant(Meaning::epoch_ns, ok("-1000", "'1969-12-31 23:59:59.999999'")),
                meant(Meaning::epoch_ns, bad("1", Code::would_lose_digits)),
                meant(Meaning::days, ok("-1", "'1969-12-31 00:00:00'"))},
               {.unit = TimeUnit::seconds});
    expect_all(
        time,
        {meant(Meaning::time_ms, ok("37230500", "'10:20:30.5'")),
         meant(Meaning::time_us, ok("-1", "'-00:00:00.000001'")),
         meant(Meaning::time_ns, ok("86399999999000", "'23:59:59.999999'")),
         meant(Meaning::epoch_ms,
               bad("0", Code::wrong_kind, "number is a date by its schema, not a time of day")),
         meant(Meaning::time_ms, bad("\"x\"", Code::wrong_kind))});
    expect_all(temporal_column(ColumnType::timestamp, "timestamp"),
               {meant(Meaning::epoch_ms, bad("0", Code::out_of_range)),
                meant(Meaning::epoch_ms, ok("1000", "'1970-01-01 00:00:01'"))});
    expect_all(integer_column(ColumnType::bigint, "bigint"),
               {meant(Meaning::epoch_us, ok("1704067200123456", "1704067200123456")),
                meant(Meaning::days, ok("19723", "19723"))});
    expect_all(make_column(ColumnType::year, "year"),
               {meant(Meaning::days, bad("2024", Code::wrong_kind))});
}

TEST(EncodeMeaning, WritesTimesIntoTextAsIso) {
    expect_all(varchar_column(30),
               {meant(Meaning::days, ok("19783", "'2024-03-01'")),
                meant(Meaning::epoch_ms, ok("-1", "'1969-12-31T23:59:59.999Z'")),
                meant(Meaning::epoch_ns, ok("1", "'1970-01-01T00:00:00.000000001Z'")),
                meant(Meaning::epoch_us, ok("0", "'1970-01-01T00:00:00Z'")),
                meant(Meaning::time_us, ok("37230500000", "'10:20:30.5'")),
                meant(Meaning::days, bad("2932897", Code::out_of_range)),
                meant(Meaning::days, bad("1.5", Code::malformed_value))});
    expect_all(varchar_column(9), {meant(Meaning::days, bad("19783", Code::out_of_range))});
}

TEST(EncodeMeaning, TakesJsonTextAsJson) {  // B77
    const auto text = [](Case given) { return meant(Meaning::json_text, std::move(given)); };
    expect_all(json_column(false),
               {text(ok("\"{\\\"a\\\":1}\"", "'{\"a\":1}'")),
                text(ok("\"null\"", "'null'")),
                text(ok("\"[\\\"it's\\\"]\"", "'[\"it\\'s\"]'")),
                text(bad("\"{\"", Code::malformed_value, "string is no JSON text (not-json)")),
                text(bad("\"{\\\"a\\\":1,\\\"a\\\":2}\"",
                         Code::malformed_value,
                         "string is no JSON text (duplicate-field)")),
                text(bad("\"18446744073709551616\"", Code::would_lose_digits)),
                text(bad("{}", Code::wrong_kind))});
    expect_all(json_column(true), {text(ok("\"18446744073709551616\"", "'18446744073709551616'"))});
    expect_all(varchar_column(9), {text(ok("\"{}\"", "'{}'"))});
}

TEST(EncodeMeaning, NeverStoresTheMarkerOfAnUnsentValue) {
    expect_all(varchar_column(99),
               {meant(Meaning::unavailable,
                      bad("\"__debezium_unavailable_value\"",
                          Code::missing_value,
                          "the source did not send the value"))});
}

TEST(EncodeMeaning, RefusesTypesThatAreNotKnown) {
    expect_all(make_column(ColumnType::unsupported, "thing"),
               {meant(Meaning::days, bad("1", Code::unsupported_type))});
}

}  // namespace
}  // namespace txsink::mapping
