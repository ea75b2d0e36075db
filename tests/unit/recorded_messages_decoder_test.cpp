/// @file
/// Messages that the real converters and connector wrote (tests/data): each one is decoded, and
/// operation, row and meanings are compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "txsink/decode/json_decoder.hpp"
#include "txsink/decode/record_decoder.hpp"
#include "unit/decoder_dump.hpp"

namespace txsink::decode {
namespace {

using testing::describe;
using testing::describe_children;

struct Message {
    std::string name;
    std::string topic;
    std::optional<std::string> key;
    std::optional<std::string> value;
};

std::optional<std::string> text_of(Document line, std::string_view name) {
    const Value& value = member(line, name)[0];
    return value.kind == ValueKind::null ? std::nullopt
                                         : std::optional<std::string>{std::string{value.text}};
}

std::vector<Message> messages(const std::string& file) {
    std::ifstream lines{std::string{TXSINK_TEST_DATA "/"} + file};
    EXPECT_TRUE(lines) << file;
    JsonDecoder decoder;
    std::vector<Message> all;
    for (std::string line; std::getline(lines, line);) {
        const Document document = decoder.decode(line).value();
        all.push_back({*text_of(document, "name"),
                       *text_of(document, "topic"),
                       text_of(document, "key"),
                       text_of(document, "value")});
    }
    return all;
}

Result<DecodedRecord> decode(RecordDecoder& decoder, const Message& message) {
    ConsumerRecord record;
    record.topic = message.topic;
    record.key = message.key;
    record.value = message.value;
    return decoder.decode(record);
}

/// "write", ..., or the error's message.
std::string operation_of(RecordDecoder& decoder, const Message& message) {
    const auto record = decode(decoder, message);
    return record ? testing::name_of(record.value().operation) : record.error().message;
}

/// The message `name` of connect-json.jsonl.
Message converted(std::string_view name) {
    for (Message& message : messages("connect-json.jsonl")) {
        if (message.name == name) {
            return std::move(message);
        }
    }
    ADD_FAILURE() << "no message " << name;
    return {};
}

/// The row of the message `name` of connect-json.jsonl.
std::string converted_row(Format format, std::string_view name) {
    RecordDecoder decoder{format};
    const auto record = decode(decoder, converted(name));
    return record ? describe_children(record.value().row) : record.error().message;
}

constexpr std::string_view kWkb = R"("wkb":"AQEAAAAAAAAAAAAIQAAAAAAAABBA")";

TEST(ConnectMessages, GiveConnectsTypesTheirMeaning) {  // B66
    EXPECT_EQ(converted_row(Format::json_schema, "connect"),
              "int8: number -128\n"
              "int16: number 32767\n"
              "int32: number -2147483648\n"
              "int64: number 9007199254740993\n"
              "float: number 1.5\n"
              "double: number -2.25E100\n"
              "nan: string NaN\n"
              "boolean: boolean true\n"
              "string: string caf\xC3\xA9 \"quoted\"\n"
              "bytes: string <base64> AAH/\n"
              "decimal: string <decimal 10> AQ==\n"
              "decimal38: string <decimal 4> tMSzV6V5O4X2dd3AAAAAAQ==\n"
              "date: number <days> -353964\n"
              "time: number <time_ms> 45296789\n"
              "timestamp: number <epoch_ms> 1709288430123\n"
              "null: null null\n"
              "fallback: number 6\n"
              "nested: object {\"at\":1,\"note\":null}\n"
              "decimals: array [\"ZA==\",\"/wY=\"]\n"
              "dates: object {\"first\":1}\n"
              "pairs: array [[7,\"seven\"]]\n");
}

TEST(ConnectMessages, GiveMeaningsBelowTheTopToo) {
    RecordDecoder decoder{Format::json_schema};
    const auto record = decode(decoder, converted("connect"));
    ASSERT_TRUE(record) << record.error().message;
    const Document row = record.value().row;
    EXPECT_EQ(describe_children(member(row, "nested")),
              "at: number <epoch_ms> 1\nnote: null null\n");
    EXPECT_EQ(describe_children(member(row, "decimals")),
              ": string <decimal 2> ZA==\n: string <decimal 2> /wY=\n");
    EXPECT_EQ(describe_children(member(row, "dates")), "first: number <days> 1\n");
}

TEST(ConnectMessages, GiveDebeziumsTypesTheirMeaning) {  // B65, B66
    const std::string wkb{kWkb};
    EXPECT_EQ(converted_row(Format::json_schema, "debezium"),
              "date: number <days> -353964\n"
              "time: number <time_ms> 45296789\n"
              "micro_time: number <time_us> 86399123456\n"
              "nano_time: number <time_ns> 86399123456789\n"
              "timestamp: number <epoch_ms> 1709288430123\n"
              "micro_timestamp: number <epoch_us> 253402300799999999\n"
              "nano_timestamp: number <epoch_ns> 1709288430123456789\n"
              "zoned_timestamp: string 2024-03-01T10:20:30.123456Z\n"
              "zoned_time: string 10:20:30+02:00\n"
              "iso_date: string 2024-03-01Z\n"
              "iso_time: string 10:20:30Z\n"
              "iso_timestamp: string 2024-03-01T10:20:30Z\n"
              "year: number 2024\n"
              "micro_duration: number 1000000\n"
              "nano_duration: number 1000\n"
              "interval: string P1Y2M3DT4H5M6.78S\n"
              "json: string <json_text> {\"k\":[1,null]}\n"
              "enum: string b\n"
              "enum_set: string x,z\n"
              "bits: string <bits> AQI=\n"
              "variable_decimal: object <variable_decimal> "
              "{\"scale\":5,\"value\":\"/vqR8MlZu8IdIIc=\"}\n"
              "uuid: string 0b2c3d4e-0000-4000-8000-000000000001\n"
              "xml: string <a/>\n"
              "tsvector: string 'a':1\n"
              "geometry: object <geometry> {" +
                  wkb + ",\"srid\":4326}\ngeography: object <geometry> {" + wkb +
                  ",\"srid\":4326}\npoint: object <geometry> {\"x\":3.0,\"y\":4.0," + wkb +
                  ",\"srid\":null}\n"
                  "float_vector: array [1.0,2.5]\n"
                  "double_vector: array [1.0,2.5]\n"
                  "sparse_vector: object {\"dimensions\":25,\"vector\":[[1,10.0]]}\n");
}

TEST(ConnectMessages, KeepNumericDecimalsAsNumbers) {
    EXPECT_EQ(converted_row(Format::json_schema, "numeric"), "d: number 12345678901234567890.10\n");
}

TEST(ConnectMessages, HaveNoMeaningWithoutSchema) {
    EXPECT_EQ(converted_row(Format::json_schema, "map-without-schema"), "a: number 1\n");
    EXPECT_EQ(converted_row(Format::json, "numeric-schemaless"),
              "d: number 12345678901234567890.10\n");
    EXPECT_EQ(converted_row(Format::json_schema, "numeric-schemaless"),
              "not an envelope: \"schema\" is missing");
}

TEST(ConnectMessages, TakeANullForATombstone) {
    RecordDecoder decoder{Format::json_schema};
    EXPECT_EQ(operation_of(decoder, converted("null")), "tombstone");
    EXPECT_EQ(operation_of(decoder, converted("null-of-schema")), "tombstone");
    const auto record = decode(decoder, converted("null-of-schema"));
    EXPECT_TRUE(record.value().value.empty());
    EXPECT_TRUE(record.value().row.empty());
}

TEST(ConnectMessages, HaveKeysOfEveryShape) {
    KeyDecoder decoder{KeyFormat::automatic, Format::json_schema};
    for (const auto& [name, root, children] :
         {std::tuple{
              "connect", "object {\"id\":7,\"at\":1}", "id: number 7\nat: number <epoch_ms> 1\n"},
          std::tuple{
              "connect-schemaless", "object {\"id\":7,\"at\":1}", "id: number 7\nat: number 1\n"},
          std::tuple{"null", "number 5", ""},
          std::tuple{"null-schemaless", "number 5", ""},
          std::tuple{"null-of-schema", "string k", ""},
          std::tuple{"null-of-schema-schemaless", "string k", ""}}) {
        const auto key = decoder.decode(*converted(name).key);
        ASSERT_TRUE(key) << name << ": " << key.error().message;
        EXPECT_EQ(describe(key.value()[0]), root) << name;
        EXPECT_EQ(describe_children(key.value()), children) << name;
    }
}

TEST(ConnectMessages, MarkUnavailableValues) {  // B79
    for (const char* name : {"unavailable", "unavailable-schemaless"}) {
        RecordDecoder decoder{Format::debezium};
        const auto record = decode(decoder, converted(name));
        ASSERT_TRUE(record) << record.error().message;
        std::string marked;
        for_each_child(record.value().row, 0, [&marked](std::size_t, const Value& field) {
            marked += field.meaning == Meaning::unavailable ? std::string{field.name} + ' ' : "";
        });
        EXPECT_EQ(marked, "text bytes hex json texts byteas ints longs doubles hstore hstore_json ")
            << name;
    }
}

TEST(ConnectMessages, SkipMessagesOfTheLog) {  // B85
    RecordDecoder decoder{Format::debezium};
    EXPECT_EQ(operation_of(decoder, converted("message")), "none");
    EXPECT_EQ(operation_of(decoder, converted("message-schemaless")), "none");
}

/// A file of the MySQL connector, and what its settings change in a row.
struct Recording {
    const char* name;
    const char* file;
    std::string bits;
    std::string decimal;
    std::string small_decimal;
    std::string binaries;
    std::string times;
    std::string json;
    std::string geometry;

    friend std::ostream& operator<<(std::ostream& os, const Recording& r) { return os << r.name; }
};

class MysqlMessages : public ::testing::TestWithParam<Recording> {
protected:
    /// The row `id`, in which `text` and `decimal` changed.
    static std::string row(int id,
                           const std::string& text,
                           const std::string& decimal,
                           bool is_read) {
        const Recording& r = GetParam();
        return "id: number " + std::to_string(id) +
               "\nt1: number 1\nti: number -128\nsu: number 65535\ni: number -2147483648\n"
               "iu: number 4294967295\nbig: number 9007199254740993\nb1: boolean true\nb12: "
               "string " +
               r.bits + "AQI=\nd: " + decimal + "\nd2: " + r.small_decimal +
               "\nf: number 1.5\ndb: number -2.25E100\nc: string abcd\nv: string " + text +
               "\ntx: string a\nb" + std::string(1, '\0') + "c\n" + r.binaries + r.times +
               "ts0: string 1970-01-01T00:00:01Z\nts6: string 2038-01-19T03:14:07.999999Z\n"
               "y: number 2024\ne: string b\ns: string x,z\nj: string " +
               r.json + (is_read ? "{\"k\": [1, null]}" : "{\"k\":[1,null]}") + "\ng: object " +
               r.geometry +
               "{\"wkb\":\"AQIAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPA/AAAAAAAAAEA=\","
               "\"srid\":null}\np: object " +
               r.geometry + "{\"x\":3.0,\"y\":4.0," + std::string{kWkb} +
               ",\"srid\":null}\nvec: array [1.0,2.5,-3.0]\n";
    }

    /// Operation, row and state before of each message of the table, by number.
    struct Seen {
        std::string operation;
        std::string row;
        std::string before;
    };
    std::map<std::string, Seen> decode_table() {
        RecordDecoder decoder{Format::debezium};
        std::map<std::string, Seen> seen;
        for (const Message& message : messages(GetParam().file)) {
            const auto record = decode(decoder, message);
            EXPECT_TRUE(record) << message.name << ": " << record.error().message;
            seen[message.name] = {testing::name_of(record.value().operation),
                                  describe_children(record.value().row),
                                  describe_children(record.value().before)};
        }
        return seen;
    }
};

TEST_P(MysqlMessages, AskForWhatTheSourceDid) {  // B84, B85
    RecordDecoder decoder{Format::debezium};
    std::map<std::string, std::vector<std::string>> operations;
    for (const Message& message : messages(GetParam().file)) {
        operations[message.topic].push_back(operation_of(decoder, message));
    }
    // Read, insert, update; the key's change: delete, tombstone, insert; insert; delete, tombstone.
    EXPECT_THAT(operations["shop.recorded.everything"],
                ::testing::ElementsAre("write",
                                       "write",
                                       "write",
                                       "remove",
                                       "tombstone",
                                       "write",
                                       "write",
                                       "remove",
                                       "tombstone",
                                       "truncate"));
    EXPECT_THAT(operations["__debezium-heartbeat.shop"], ::testing::ElementsAre("none"));
    EXPECT_EQ(operations["shop"], std::vector<std::string>(9, "none"));
    EXPECT_EQ(operations["shop.transaction"], std::vector<std::string>(10, "none"));
}

TEST_P(MysqlMessages, GiveRowsTheirMeaning) {  // B65, B66
    std::map<std::string, Seen> seen = decode_table();
    const std::string inserted = row(2, "inserted caf\xC3\xA9", GetParam().decimal, false);
    const std::string updated = row(2, "updated", "null null", false);
    EXPECT_EQ(seen["shop.recorded.everything#1"].row, row(1, "snapshot", GetParam().decimal, true));
    EXPECT_EQ(seen["shop.recorded.everything#2"].row, inserted);
    EXPECT_EQ(seen["shop.recorded.everything#2"].before, "-");
    EXPECT_EQ(seen["shop.recorded.everything#3"].row, updated);
    EXPECT_EQ(seen["shop.recorded.everything#3"].before, inserted);
    EXPECT_EQ(seen["shop.recorded.everything#4"].row, updated);
    EXPECT_EQ(seen["shop.recorded.everything#5"].row, "-");
    EXPECT_EQ(seen["shop.recorded.everything#6"].row, row(3, "updated", "null null", false));
    EXPECT_EQ(seen["shop.recorded.everything#8"].row, row(3, "updated", "null null", false));
    EXPECT_EQ(seen["shop.recorded.everything#10"].row, "-");
    EXPECT_EQ(seen["shop.recorded.ending#1"].row, "id: number 1\nnote: string THE-END\n");
}

TEST_P(MysqlMessages, ShowTheWholeEvent) {
    RecordDecoder decoder{Format::debezium};
    for (const Message& message : messages(GetParam().file)) {
        const auto record = decode(decoder, message);
        ASSERT_TRUE(record);
        if (message.name == "shop.recorded.everything#3") {
            EXPECT_EQ(describe(member(record.value().value, "op")[0]), "string u");
            EXPECT_EQ(describe(member(member(record.value().value, "source"), "table")[0]),
                      "string everything");
            EXPECT_TRUE(member(record.value().value, "schema").empty());
        }
    }
}

TEST_P(MysqlMessages, HaveKeysThatNameTheRow) {
    KeyDecoder decoder{KeyFormat::automatic, Format::debezium};
    std::string ids;
    for (const Message& message : messages(GetParam().file)) {
        if (message.topic == "shop.recorded.everything" && message.key) {
            const auto key = decoder.decode(*message.key);
            ASSERT_TRUE(key) << key.error().message;
            ids += describe_children(key.value());
        }
    }
    EXPECT_EQ(ids,
              "id: number 1\nid: number 2\nid: number 2\nid: number 2\nid: number 2\n"
              "id: number 3\nid: number 4\nid: number 3\nid: number 3\n");
}

// The connector sends null for a negative TIME in mode connect.
INSTANTIATE_TEST_SUITE_P(
    Recorded,
    MysqlMessages,
    ::testing::Values(
        Recording{"PreciseAdaptiveBytesWithSchemas",
                  "debezium-mysql-precise-adaptive-bytes-schemas.jsonl",
                  "<bits> ",
                  "string <decimal 10> 9rZPCQ/9zOw7tm+xM5i66w==",
                  "string <decimal 2> AQ==",
                  "bin: string <base64> AAECAw==\nvb: string <base64> /wA=\n"
                  "bl: string <base64> 3q2+7w==\n",
                  "da: number <days> -353964\nt0: number <time_us> -45296000000\n"
                  "t6: number <time_us> 86399123456\ndt0: number <epoch_ms> 1709288430000\n"
                  "dt3: number <epoch_ms> 1709288430123\n"
                  "dt6: number <epoch_us> 253402300799999999\n",
                  "<json_text> ",
                  "<geometry> "},
        Recording{"PreciseAdaptiveBytes",
                  "debezium-mysql-precise-adaptive-bytes.jsonl",
                  "",
                  "string 9rZPCQ/9zOw7tm+xM5i66w==",
                  "string AQ==",
                  "bin: string AAECAw==\nvb: string /wA=\nbl: string 3q2+7w==\n",
                  "da: number -353964\nt0: number -45296000000\nt6: number 86399123456\n"
                  "dt0: number 1709288430000\ndt3: number 1709288430123\n"
                  "dt6: number 253402300799999999\n",
                  "",
                  ""},
        Recording{"StringConnectBase64WithSchemas",
                  "debezium-mysql-string-connect-base64-schemas.jsonl",
                  "<bits> ",
                  "string -1234567890123456789012345678.0123456789",
                  "string 0.01",
                  "bin: string AAECAw==\nvb: string /wA=\nbl: string 3q2+7w==\n",
                  "da: number <days> -353964\nt0: null null\nt6: number <time_ms> 86399123\n"
                  "dt0: number <epoch_ms> 1709288430000\ndt3: number <epoch_ms> 1709288430123\n"
                  "dt6: number <epoch_ms> 253402300799999\n",
                  "<json_text> ",
                  "<geometry> "},
        Recording{"DoubleConnectHex",
                  "debezium-mysql-double-connect-hex.jsonl",
                  "",
                  "number -1.2345678901234569E27",
                  "number 0.01",
                  "bin: string 00010203\nvb: string ff00\nbl: string deadbeef\n",
                  "da: number -353964\nt0: null null\nt6: number 86399123\n"
                  "dt0: number 1709288430000\ndt3: number 1709288430123\n"
                  "dt6: number 253402300799999\n",
                  "",
                  ""}),
    [](const auto& param_info) { return std::string{param_info.param.name}; });

}  // namespace
}  // namespace txsink::decode
