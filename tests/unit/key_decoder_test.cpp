/// @file
/// KeyDecoder: every key format, and keys that are not what the format says.
#include <gtest/gtest.h>

#include <string>

#include "txsink/decode/record_decoder.hpp"
#include "unit/decoder_dump.hpp"

namespace txsink::decode {
namespace {

using namespace std::string_literals;
using testing::describe;

/// The key's root, or the error as `code: message`.
std::string decode(KeyFormat format, std::string_view key, Format of_value = Format::json) {
    KeyDecoder decoder{format, of_value};
    const auto decoded = decoder.decode(key);
    if (!decoded) {
        return std::string{txsink::name_of(decoded.error().code)} + ": " + decoded.error().message;
    }
    return decoded.value().empty() ? "-" : describe(decoded.value()[0]);
}

constexpr const char* kEnvelope = R"({"schema":{"type":"int32","name":"io.debezium.time.Date"},)"
                                  R"("payload":5})";

TEST(KeyDecoder, ReadsJson) {
    EXPECT_EQ(decode(KeyFormat::json, R"( {"id": 1} )"), R"(object {"id": 1})");
    EXPECT_EQ(decode(KeyFormat::json, "9007199254740993"), "number 9007199254740993");
    EXPECT_EQ(decode(KeyFormat::json, R"("a\n")"), "string a\n");
    EXPECT_EQ(decode(KeyFormat::json, kEnvelope, Format::json_schema), "object "s + kEnvelope);
    EXPECT_EQ(decode(KeyFormat::json, "abc"),
              "not-json: record key: not JSON: neither a value nor a number in JSON syntax at "
              "byte 0");
    EXPECT_EQ(decode(KeyFormat::json, ""), "not-json: record key: not JSON: no text");
}

TEST(KeyDecoder, RefusesDuplicateNamesAndDeepNestingAsInValues) {  // B81, B82
    EXPECT_EQ(decode(KeyFormat::json, R"({"id":1,"id":2})"),
              "duplicate-field: record key: two members named \"id\" in one object");
    EXPECT_EQ(decode(KeyFormat::json, std::string(100'000, '[') + std::string(100'000, ']')),
              "too-deep: record key: nested deeper than 100 levels");
    EXPECT_EQ(decode(KeyFormat::json_schema,
                     "{\"schema\":null,\"payload\":" + std::string(100'000, '[') +
                         std::string(100'000, ']') + "}"),
              "too-deep: record key: nested deeper than 301 levels");
}

TEST(KeyDecoder, ReadsEnvelopes) {
    EXPECT_EQ(decode(KeyFormat::json_schema, kEnvelope), "number <days> 5");
    EXPECT_EQ(decode(KeyFormat::json_schema, "5"),
              "not-an-envelope: record key: not an envelope: not an object with \"schema\" and "
              "\"payload\"");
    EXPECT_EQ(decode(KeyFormat::json_schema, R"({"schema":{"type":"int32"},"payload":"x"})"),
              "schema-mismatch: record key: the payload is of kind string; its schema says an "
              "integer");
}

TEST(KeyDecoder, IsAutomaticByTheFormatOfTheValue) {
    for (const Format format : {Format::json_schema, Format::debezium}) {
        EXPECT_EQ(decode(KeyFormat::automatic, kEnvelope, format), "number <days> 5");
        EXPECT_EQ(decode(KeyFormat::automatic, R"({"id":1})", format), R"(object {"id":1})");
        EXPECT_EQ(decode(KeyFormat::automatic, "\"k\"", format), "string k");
    }
    for (const Format format : {Format::json, Format::raw}) {
        EXPECT_EQ(decode(KeyFormat::automatic, kEnvelope, format), "object "s + kEnvelope);
    }
}

TEST(KeyDecoder, ReadsText) {
    EXPECT_EQ(decode(KeyFormat::string, "{\"id\":1}"), "string {\"id\":1}");
    EXPECT_EQ(decode(KeyFormat::string, "caf\xC3\xA9\0"s), "string caf\xC3\xA9\0"s);
    EXPECT_EQ(decode(KeyFormat::string, ""), "string ");
    for (const std::string& bytes : {"\xFF"s, "a\xC3"s, "\xED\xA0\x80"s, "\xC0\x80"s}) {
        EXPECT_EQ(decode(KeyFormat::string, bytes),
                  "bad-key: record key: not UTF-8 text; key-format = raw takes any bytes");
    }
}

TEST(KeyDecoder, ReadsBytes) {
    EXPECT_EQ(decode(KeyFormat::raw, "\0\xFF\0\0\0"s), "string <raw_bytes> \0\xFF\0\0\0"s);
    EXPECT_EQ(decode(KeyFormat::raw, ""), "string <raw_bytes> ");
}

TEST(KeyDecoder, ReadsIntegersOfJavasSerializers) {
    EXPECT_EQ(decode(KeyFormat::int32, "\0\0\x01\x02"s), "number 258");
    EXPECT_EQ(decode(KeyFormat::int32, "\xFF\xFF\xFF\xFF"), "number -1");
    EXPECT_EQ(decode(KeyFormat::int32, "\x80\0\0\0"s), "number -2147483648");
    EXPECT_EQ(decode(KeyFormat::int32, "\x7F\xFF\xFF\xFF"), "number 2147483647");
    EXPECT_EQ(decode(KeyFormat::int64, "\0\0\0\0\0\0\0\x07"s), "number 7");
    EXPECT_EQ(decode(KeyFormat::int64, "\0\x20\0\0\0\0\0\x01"s), "number 9007199254740993");
    EXPECT_EQ(decode(KeyFormat::int64, "\x80\0\0\0\0\0\0\0"s), "number -9223372036854775808");
    EXPECT_EQ(decode(KeyFormat::int64, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE"), "number -2");
    EXPECT_EQ(decode(KeyFormat::int32, "12345"),
              "bad-key: record key: 5 bytes long, where an integer of 32 bits has 4");
    EXPECT_EQ(decode(KeyFormat::int64, ""),
              "bad-key: record key: 0 bytes long, where an integer of 64 bits has 8");
}

TEST(KeyDecoder, LeavesTheKeyAloneWhereItIsNotAskedFor) {
    EXPECT_EQ(decode(KeyFormat::none, "\0\0\0\0\0"s), "-");
    EXPECT_EQ(decode(KeyFormat::none, ""), "-");
}

TEST(KeyDecoder, RecognisesSchemaRegistryFrames) {  // B83
    const std::string framed = "\0\0\0\x01\x02{\"id\":1}"s;
    for (const KeyFormat format : {KeyFormat::automatic,
                                   KeyFormat::json,
                                   KeyFormat::json_schema,
                                   KeyFormat::string,
                                   KeyFormat::int32,
                                   KeyFormat::int64}) {
        EXPECT_EQ(decode(format, framed, Format::debezium),
                  "schema-registry: record key: framed by a schema registry (byte 0 and schema id "
                  "258), which is not supported: have the producer write plain JSON, or take it "
                  "as raw bytes");
    }
}

}  // namespace
}  // namespace txsink::decode
