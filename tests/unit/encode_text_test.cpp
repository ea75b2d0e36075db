/// @file
/// Strings, bytes, members, addresses and JSON into their columns.
#include <gtest/gtest.h>

#include <string>

#include "unit/encoding.hpp"

namespace txsink::mapping {
namespace {

using namespace testing;

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

TEST(EncodeText, KnowsLatin1) {
    const ColumnDefinition column = text_column(ColumnType::varchar, "varchar(4)", 4, "latin1", 4);
    expect_all(
        column,
        {ok("\"\\u00e9\\u20ac\\u2122\\u0081\"", "'\xC3\xA9\xE2\x82\xAC\xE2\x84\xA2\xC2\x81'"),
         bad("\"\\u4e00\"",
             Code::malformed_value,
             "string has a character outside latin1, which is the column's character set"),
         bad("\"\\u0080\"", Code::malformed_value),
         bad("\"\\ud83d\\ude00\"", Code::malformed_value),
         bad("\"\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\"", Code::out_of_range)});
}

TEST(EncodeBinary, TakesHexadecimalAndTextWhereAskedFor) {
    const ColumnDefinition column = binary_column(ColumnType::varbinary, "varbinary(4)", 4);
    expect_all(
        column,
        {ok("\"\"", "x''"),
         ok("\"00fF\"", "x'00ff'"),
         bad("\"0\"", Code::malformed_value, "string is not hexadecimal (two digits a byte)"),
         bad("\"0g\"", Code::malformed_value),
         bad("\"0x00\"", Code::malformed_value),
         bad("\"00 0\"", Code::malformed_value),
         bad("\"0001020304\"", Code::out_of_range, "string holds more than 4 bytes"),
         bad("12", Code::wrong_kind, "number is no string")},
        {.binary = BinaryEncoding::hex});
    expect_all(column,
               {ok("\"\\u00e9a\\u0000\"", "x'c3a96100'"),
                bad("\"abcde\"", Code::out_of_range),
                bad("true", Code::wrong_kind)},
               {.binary = BinaryEncoding::text});
    expect_all(binary_column(ColumnType::binary, "binary(2)", 2),
               {ok("\"0001\"", "x'0001'"), bad("\"00\"", Code::out_of_range)},
               {.binary = BinaryEncoding::hex});
}

TEST(EncodeSet, TakesMembersFromAStringOrAnArray) {
    expect_all(set_column({"a", "it's", "c"}),
               {ok("\"\"", "''"),
                ok("[]", "''"),
                ok("\"a\"", "'a'"),
                ok("\"c,a\"", "'c,a'"),
                ok("[\"it's\",\"c\"]", "'it\\'s,c'"),
                bad("\"a,\"",
                    Code::out_of_range,
                    "string names what is not, byte for byte, one of the 3 members"),
                bad("\",a\"", Code::out_of_range),
                bad("\"A\"", Code::out_of_range),
                bad("\"a, c\"", Code::out_of_range),
                bad("\"1\"", Code::out_of_range),
                bad("[\"a,c\"]", Code::out_of_range),
                bad("\"a,a\"",
                    Code::would_lose_digits,
                    "string names a member twice, which a SET keeps once"),
                bad("[1]", Code::wrong_kind, "array has an element that is no string"),
                bad("3", Code::wrong_kind, "number is neither a string nor an array of strings"),
                bad("{}", Code::wrong_kind)});
}

TEST(EncodeUuid, TakesTheCanonicalForm) {
    expect_all(
        make_column(ColumnType::uuid, "uuid"),
        {ok("\"6ccd780c-BABA-1026-9564-5b8c656024db\"", "'6ccd780c-baba-1026-9564-5b8c656024db'"),
         bad("\"6ccd780cbaba102695645b8c656024db\"",
             Code::malformed_value,
             "string is no UUID (hexadecimal digits, 8-4-4-4-12 of them)"),
         bad("\"{6ccd780c-baba-1026-9564-5b8c656024db}\"", Code::malformed_value),
         bad("\"6ccd780c-baba-1026-9564-5b8c656024dg\"", Code::malformed_value),
         bad("1", Code::wrong_kind)});
}

TEST(EncodeAddress, IsStrict) {
    expect_all(make_column(ColumnType::inet4, "inet4"),
               {ok("\"1.2.3.4\"", "'1.2.3.4'"),
                ok("\"255.255.255.255\"", "'255.255.255.255'"),
                bad("\"01.2.3.4\"", Code::malformed_value),
                bad("\"256.2.3.4\"", Code::malformed_value),
                bad("\"1.2.3\"", Code::malformed_value),
                bad("\"1.2.3.4 \"", Code::malformed_value),
                bad("\"1.2.3.4\\u0000\"", Code::malformed_value),
                bad("\"::1\"", Code::malformed_value),
                bad("16909060", Code::wrong_kind)});
    expect_all(make_column(ColumnType::inet6, "inet6"),
               {ok("\"2001:DB8::1\"", "'2001:db8::1'"),
                ok("\"::ffff:1.2.3.4\"", "'::ffff:1.2.3.4'"),
                ok("\"1:0:0:0:0:0:0:0\"", "'1::'"),
                ok("\"::\"", "'::'"),
                bad("\"1.2.3.4\"", Code::malformed_value),
                bad("\"fe80::1%eth0\"", Code::malformed_value),
                bad("\"00001::\"", Code::malformed_value),
                bad("\"1::2::3\"", Code::malformed_value),
                bad("\"" + std::string(100, ':') + "\"", Code::malformed_value)});
}

}  // namespace
}  // namespace txsink::mapping
