/// @file
/// RecordDecoder: each format's rules, and what is refused. Recorded messages have their own file.
#include "txsink/decode/record_decoder.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/decoder_dump.hpp"

namespace txsink::decode {
namespace {

using namespace std::string_literals;
using testing::describe;
using testing::describe_children;

/// `operation row`, or the error as `code: message`.
std::string decode(RecordDecoder& decoder, const std::string& text) {
    ConsumerRecord record;
    record.value = text;
    const auto decoded = decoder.decode(record);
    if (!decoded) {
        return std::string{txsink::name_of(decoded.error().code)} + ": " + decoded.error().message;
    }
    const Document row = decoded.value().row;
    return std::string{testing::name_of(decoded.value().operation)} + ' ' +
           (row.empty() ? "-" : describe(row[0]));
}

std::string decode(Format format, const std::string& text) {
    RecordDecoder decoder{format};
    return decode(decoder, text);
}

std::string envelope(const std::string& schema, const std::string& payload) {
    return "{\"schema\":" + schema + ",\"payload\":" + payload + "}";
}

/// The payload's own value, or the error's code and message.
std::string payload_of(const std::string& schema, const std::string& payload) {
    return decode(Format::json_schema, envelope(schema, payload));
}

std::string type(const std::string& name) {
    return R"({"type":")" + name + "\"}";
}

TEST(RecordDecoder, TakesARecordWithoutValueForATombstone) {
    for (const Format format : {Format::json, Format::json_schema, Format::debezium, Format::raw}) {
        RecordDecoder decoder{format};
        const auto record = decoder.decode(ConsumerRecord{});
        ASSERT_TRUE(record);
        EXPECT_EQ(record.value().operation, Operation::tombstone);
        EXPECT_TRUE(record.value().value.empty());
        EXPECT_TRUE(record.value().row.empty());
        EXPECT_TRUE(record.value().before.empty());
    }
}

TEST(RecordDecoder, ReadsJsonAsItIs) {
    EXPECT_EQ(decode(Format::json, R"( {"schema":{},"payload":1} )"),
              R"(write object {"schema":{},"payload":1})");
    EXPECT_EQ(decode(Format::json, "null"), "write null null");
    EXPECT_EQ(decode(Format::json, "[1]"), "write array [1]");
    EXPECT_EQ(decode(Format::json, "{"),
              "not-json: not JSON: an object or array that is never closed at byte 0");
}

TEST(RecordDecoder, TakesRawBytesAsOneString) {
    EXPECT_EQ(decode(Format::raw, "\0\0\0\0\x07\xFF"s),
              "write string <raw_bytes> \0\0\0\0\x07\xFF"s);
    EXPECT_EQ(decode(Format::raw, ""), "write string <raw_bytes> ");
    RecordDecoder decoder{Format::raw};
    ConsumerRecord record;
    record.value = "__debezium_unavailable_value";
    const auto decoded = decoder.decode(record);
    EXPECT_EQ(describe(decoded.value().value[0]),
              "string <raw_bytes> __debezium_unavailable_value");
}

TEST(RecordDecoder, RecognisesSchemaRegistryFrames) {  // B83
    for (const Format format : {Format::json, Format::json_schema, Format::debezium}) {
        EXPECT_EQ(decode(format, "\0\0\0\x01\x02{\"id\":1}"s),
                  "schema-registry: framed by a schema registry (byte 0 and schema id 258), which "
                  "is not supported: have the producer write plain JSON, or take it as raw bytes");
    }
}

TEST(RecordDecoder, LimitsNestingInEveryFormat) {  // B81
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    const std::string near = std::string(101, '[') + std::string(101, ']');
    const std::string at_limit = std::string(100, '[') + std::string(100, ']');
    for (const Format format : {Format::json, Format::debezium}) {
        EXPECT_EQ(decode(format, deep), "too-deep: nested deeper than 100 levels");
        EXPECT_EQ(decode(format, near), "too-deep: nested deeper than 100 levels");
    }
    EXPECT_EQ(payload_of("null", deep), "too-deep: nested deeper than 301 levels");
    EXPECT_EQ(payload_of("null", near), "too-deep: nested deeper than 100 levels");
    EXPECT_EQ(payload_of("null", at_limit), "write array " + at_limit);
    std::string schema;
    for (int i = 0; i < 50'000; ++i) {
        schema += R"({"type":"array","items":)";
    }
    EXPECT_EQ(payload_of(schema + type("int8") + std::string(50'000, '}'), "1"),
              "too-deep: nested deeper than 301 levels");
}

TEST(RecordDecoder, RefusesDuplicateNamesInEveryFormat) {  // B82
    for (const Format format : {Format::json, Format::debezium}) {
        EXPECT_EQ(decode(format, R"({"op":"c","op":"d","after":{}})"),
                  "duplicate-field: two members named \"op\" in one object");
    }
    EXPECT_EQ(payload_of("null", R"({"a":1,"a":2})"),
              "duplicate-field: two members named \"a\" in one object");
    // After a schema that is known already, too.
    RecordDecoder decoder{Format::json_schema};
    EXPECT_EQ(decode(decoder, envelope("null", "{}")), "write object {}");
    EXPECT_EQ(decode(decoder, envelope("null", R"({"a":1,"a":2})")),
              "duplicate-field: two members named \"a\" in one object");
    EXPECT_EQ(decode(decoder, envelope("null", R"(1,"payload":2)")),
              "duplicate-field: two members named \"payload\" in one object");
}

TEST(JsonSchemaFormat, WantsExactlySchemaAndPayload) {
    EXPECT_EQ(decode(Format::json_schema, "[1]"),
              "not-an-envelope: not an envelope: not an object with \"schema\" and \"payload\"");
    EXPECT_EQ(decode(Format::json_schema, R"({"payload":1})"),
              "not-an-envelope: not an envelope: \"schema\" is missing");
    EXPECT_EQ(decode(Format::json_schema, R"({"schema":null})"),
              "not-an-envelope: not an envelope: \"payload\" is missing");
    EXPECT_EQ(decode(Format::json_schema, R"({"schema":null,"payload":1,"x":2})"),
              "not-an-envelope: not an envelope: members beside \"schema\" and \"payload\"");
    EXPECT_EQ(decode(Format::json_schema, R"({"schema":"int32","payload":1})"),
              "not-an-envelope: not an envelope: \"schema\" is neither an object nor null");
}

TEST(JsonSchemaFormat, ReadsEnvelopesInAnyOrderAndWithBlanks) {
    for (const std::string& text : {
             R"({"schema":{"type":"string"},"payload":"a\"}{\n"})"s,
             R"({"payload":"a\"}{\n","schema":{"type":"string"}})"s,
             " {\n\"schema\" : {\"type\":\"string\"} ,\t\"payload\" : \"a\\\"}{\\n\" } \n"s,
             " { \"payload\" :\n \"a\\\"}{\\n\" , \"schema\" : {\"type\":\"string\"} } "s,
             R"({"pa\u0079load":"a\"}{\n","sche\u006da":{"type":"string"}})"s,
             R"({"sche\u006da":{"type":"string"},"pa\u0079load":"a\"}{\n"})"s,
         }) {
        RecordDecoder decoder{Format::json_schema};
        EXPECT_EQ(decode(decoder, text), "write string a\"}{\n") << text;
        EXPECT_EQ(decode(decoder, text), "write string a\"}{\n") << text << " again";
    }
    EXPECT_EQ(decode(Format::json_schema, R"({"payload": 5 ,"schema":null})"), "write number 5");
    RecordDecoder turned{Format::json_schema};
    EXPECT_EQ(decode(turned, R"({"payload":"AQ==","schema":{"type":"string"}})"),
              "write string AQ==");
    EXPECT_EQ(decode(turned, R"({"payload":"AQ==","schema":{"type":"bytes"}})"),
              "write string <base64> AQ==");
    EXPECT_EQ(decode(Format::json_schema, R"({"payload":{"schema":1},"schema":null})"),
              R"(write object {"schema":1})");
}

TEST(JsonSchemaFormat, RefusesBrokenTextsAfterAKnownSchemaAsBefore) {
    RecordDecoder decoder{Format::json_schema};
    const std::string head = R"({"schema":{"type":"int32"},"payload":)";
    EXPECT_EQ(decode(decoder, head + "1}"), "write number 1");
    for (const char* tail :
         {"}", "", "1", "1}}", "1}x", "1,}", "1 2}", "1]", "12", "\xEF\xBB\xBF\x31}", "01}"}) {
        EXPECT_EQ(decode(decoder, head + tail), decode(Format::json_schema, head + tail)) << tail;
        EXPECT_EQ(decode(decoder, head + tail).substr(0, 9), "not-json:") << tail;
    }
    EXPECT_EQ(decode(decoder, head + "1,\"x\":2}"),
              "not-an-envelope: not an envelope: members beside \"schema\" and \"payload\"");
    EXPECT_EQ(decode(decoder, head + " 2 } \n"), "write number 2");
}

TEST(JsonSchemaFormat, KeepsApartManySchemas) {
    RecordDecoder decoder{Format::json_schema};
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 20; ++i) {
            const std::string schema =
                R"({"type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":")" +
                std::to_string(i) + "\"}}";
            EXPECT_EQ(decode(decoder, envelope(schema, "\"AQ==\"")),
                      "write string <decimal " + std::to_string(i) + "> AQ==");
        }
    }
}

TEST(JsonSchemaFormat, ReadsScalesOfAnySign) {  // B66
    const auto decimal = [](const std::string& parameters) {
        return payload_of(
            R"({"type":"bytes","name":"org.apache.kafka.connect.data.Decimal")" + parameters + "}",
            "\"AQ==\"");
    };
    EXPECT_EQ(decimal(R"(,"parameters":{"scale":"10"})"), "write string <decimal 10> AQ==");
    EXPECT_EQ(decimal(R"(,"parameters":{"scale":"-3"})"), "write string <decimal -3> AQ==");
    for (const char* bad : {"",
                            R"(,"parameters":{})",
                            R"(,"parameters":{"scale":"x"})",
                            R"(,"parameters":{"scale":"1x"})",
                            R"(,"parameters":{"scale":"40000"})",
                            R"(,"parameters":{"scale":2})"}) {
        EXPECT_EQ(decimal(bad),
                  "not-an-envelope: no schema of Connect: a Decimal without \"scale\" among its "
                  "parameters")
            << bad;
    }
}

TEST(JsonSchemaFormat, IgnoresNamesThatDoNotFitTheirType) {
    EXPECT_EQ(payload_of(R"({"type":"string","name":"io.debezium.time.Date"})", "\"x\""),
              "write string x");
    EXPECT_EQ(payload_of(R"({"type":"bytes","name":"com.example.Blob"})", "\"AQ==\""),
              "write string <base64> AQ==");
}

TEST(JsonSchemaFormat, RefusesPayloadsThatAreNotWhatTheirSchemaSays) {
    const auto mismatch = [](const std::string& what) { return "schema-mismatch: " + what; };
    for (const char* integer : {"int8", "int16", "int32", "int64"}) {
        EXPECT_EQ(payload_of(type(integer), "\"secret\""),
                  mismatch("the payload is of kind string; its schema says an integer"));
    }
    EXPECT_EQ(payload_of(type("float"), "\"NaN\""), "write string NaN");
    EXPECT_EQ(payload_of(type("double"), "\"-Infinity\""), "write string -Infinity");
    EXPECT_EQ(payload_of(type("double"), "\"nan\""),
              mismatch("the payload is of kind string; its schema says a number"));
    EXPECT_EQ(payload_of(type("boolean"), "1"),
              mismatch("the payload is of kind number; its schema says a boolean"));
    EXPECT_EQ(payload_of(type("string"), "1"),
              mismatch("the payload is of kind number; its schema says a string"));
    EXPECT_EQ(payload_of(type("bytes"), "[]"),
              mismatch("the payload is of kind array; its schema says bytes (a base64 string)"));
    EXPECT_EQ(payload_of(type("int32"), "null"),
              mismatch("the payload is null, which its schema does not allow"));
    EXPECT_EQ(payload_of(R"({"type":"int32","optional":true})", "null"), "tombstone -");
}

constexpr const char* kNested = R"({"type":"struct","fields":[
    {"field":"id","type":"int64"},
    {"field":"note","type":"string","optional":true},
    {"field":"size","type":"int32","default":3},
    {"field":"flag","type":"boolean","default":null},
    {"field":"items","optional":true,"type":"array","items":{"type":"struct","fields":[
        {"field":"at","type":"int64","name":"io.debezium.time.Timestamp"}]}},
    {"field":"map","optional":true,"type":"map","keys":{"type":"string"},"values":{"type":"int32"}},
    {"field":"pairs","optional":true,"type":"map","keys":{"type":"int32"},
        "values":{"type":"bytes"}}]})";

TEST(JsonSchemaFormat, NamesThePathOfWhatDoesNotFit) {
    const auto refusal = [](const std::string& payload) {
        RecordDecoder decoder{Format::json_schema};
        ConsumerRecord record;
        const std::string text = envelope(kNested, payload);
        record.value = text;
        const auto decoded = decoder.decode(record);
        if (decoded) {
            return "fits: " + describe_children(decoded.value().row);
        }
        EXPECT_EQ(decoded.error().code, RecordErrorCode::schema_mismatch);
        return decoded.error().field + ": " + decoded.error().message;
    };
    EXPECT_EQ(refusal("{}"), "fits: ");
    EXPECT_EQ(refusal(R"({"size":null,"note":null,"id":1})"),
              "fits: size: null null\nnote: null null\nid: number 1\n");
    EXPECT_EQ(refusal(R"({"id":null})"),
              "id: field \"id\" is null, which its schema does not allow");
    EXPECT_EQ(refusal(R"({"flag":null})"),
              "flag: field \"flag\" is null, which its schema does not allow");
    EXPECT_EQ(refusal(R"({"id":1,"more":1})"), "more: field \"more\" is not in its schema");
    EXPECT_EQ(refusal(R"({"items":[{"at":1},{"at":"secret"}]})"),
              "items[1].at: field \"items[1].at\" is of kind string; its schema says an integer");
    EXPECT_EQ(refusal(R"({"items":{}})"),
              "items: field \"items\" is of kind object; its schema says an array");
    EXPECT_EQ(refusal(R"({"map":{"a":1,"b":[]}})"),
              "map.b: field \"map.b\" is of kind array; its schema says an integer");
    EXPECT_EQ(refusal(R"({"map":[["a",1]]})"),
              "map: field \"map\" is of kind array; its schema says an object");
    EXPECT_EQ(refusal(R"({"pairs":[[1,"AQ=="],[2,"AQ=="]]})"),
              "fits: pairs: array [[1,\"AQ==\"],[2,\"AQ==\"]]\n");
    EXPECT_EQ(refusal(R"({"pairs":[[1,"AQ=="],["x","AQ=="]]})"),
              "pairs[1][0]: field \"pairs[1][0]\" is of kind string; its schema says an integer");
    EXPECT_EQ(refusal(R"({"pairs":[[1,2]]})"),
              "pairs[0][1]: field \"pairs[0][1]\" is of kind number; its schema says bytes (a "
              "base64 string)");
    for (const char* pair : {"1", "[]", "[1]", "[1,\"AQ==\",3]"}) {
        EXPECT_EQ(
            refusal(R"({"pairs":[)"s + pair + "]}"),
            "pairs[0]: field \"pairs[0]\" is not a pair of key and value, as its schema says");
    }
}

TEST(JsonSchemaFormat, RefusesWhatIsNoSchema) {
    for (const auto& [schema, what] : {
             std::pair{"{}", "its \"type\" is missing or unknown"},
             std::pair{R"({"type":"record"})", "its \"type\" is missing or unknown"},
             std::pair{R"({"type":5})", "its \"type\" is missing or unknown"},
             std::pair{R"({"type":"struct"})", "a struct without \"fields\""},
             std::pair{R"({"type":"struct","fields":{}})", "a struct without \"fields\""},
             std::pair{R"({"type":"struct","fields":[{"type":"int8"}]})",
                       "a field of a struct without \"field\", its name"},
             std::pair{R"({"type":"struct","fields":[1]})",
                       "a field of a struct without \"field\", its name"},
             std::pair{R"({"type":"array"})", "not an object"},
             std::pair{R"({"type":"array","items":5})", "not an object"},
             std::pair{R"({"type":"map","keys":{"type":"string"}})", "not an object"},
         }) {
        EXPECT_EQ(payload_of(schema, "{}"), "not-an-envelope: no schema of Connect: "s + what)
            << schema;
    }
}

TEST(DebeziumFormat, RefusesWhatIsNoEvent) {
    const auto refused = [](const std::string& what) {
        return "not-an-envelope: not a change event: " + what;
    };
    const std::string no_op =
        refused("\"op\" is missing, and it is no heartbeat, schema change or transaction");
    EXPECT_EQ(decode(Format::debezium, R"({"id":1})"), no_op);
    EXPECT_EQ(decode(Format::debezium, "{}"), no_op);
    EXPECT_EQ(decode(Format::debezium, R"({"ts_ms":"1"})"), no_op);
    EXPECT_EQ(decode(Format::debezium, R"({"ts_ms":1,"id":1})"), no_op);
    EXPECT_EQ(decode(Format::debezium, R"({"status":"PAID","id":"1","event_count":1})"), no_op);
    EXPECT_EQ(decode(Format::debezium, R"({"status":"END","id":"1"})"), no_op);
    EXPECT_EQ(decode(Format::debezium, R"({"source":{},"ddl":"x"})"), no_op);
    EXPECT_EQ(decode(Format::debezium, R"({"source":{},"databaseName":"x"})"), no_op);
    EXPECT_EQ(decode(Format::debezium, "[1]"), refused("not an object"));
    EXPECT_EQ(decode(Format::debezium, "null"), refused("not an object"));
    for (const char* op : {R"({"op":"x"})", R"({"op":""})", R"({"op":"cc"})", R"({"op":null})"}) {
        EXPECT_EQ(decode(Format::debezium, op), refused("\"op\" is none of c, r, u, d, t, m"));
    }
    for (const std::string op : {"c", "r", "u"}) {
        const std::string missing =
            refused("op \"" + op + "\" without \"after\", the row's new state");
        EXPECT_EQ(decode(Format::debezium, "{\"op\":\"" + op + "\"}"), missing);
        EXPECT_EQ(decode(Format::debezium, R"({"after":null,"op":")" + op + "\"}"), missing);
        EXPECT_EQ(decode(Format::debezium, R"({"after":"{}","op":")" + op + "\"}"),
                  refused("\"after\" is neither an object nor null"));
        EXPECT_EQ(decode(Format::debezium, R"({"before":1,"after":{},"op":")" + op + "\"}"),
                  refused("\"before\" is neither an object nor null"));
    }
    EXPECT_EQ(decode(Format::debezium, envelope("null", R"({"id":1})")), no_op);
    EXPECT_EQ(decode(Format::debezium, R"({"payload":{"op":"t"}})"),
              "not-an-envelope: not an envelope: \"schema\" is missing");
}

TEST(DebeziumFormat, ReadsEventsWithLittleInThem) {
    EXPECT_EQ(decode(Format::debezium, R"({"op":"c","after":{"id":1}})"),
              R"(write object {"id":1})");
    EXPECT_EQ(decode(Format::debezium, R"({"op":"d","before":{"id":1},"after":null})"),
              R"(remove object {"id":1})");
    EXPECT_EQ(decode(Format::debezium, R"({"op":"d","before":null})"), "remove -");
    EXPECT_EQ(decode(Format::debezium, R"({"op":"d"})"), "remove -");
    EXPECT_EQ(decode(Format::debezium, R"({"op":"t"})"), "truncate -");
    EXPECT_EQ(decode(Format::debezium, envelope("null", "null")), "tombstone -");
    EXPECT_EQ(decode(Format::debezium,
                     envelope(R"({"type":"struct","optional":true,"fields":[]})", "null")),
              "tombstone -");
}

/// The names of the top-level members that are marked.
std::string marked(Format format, const std::string& text, DecodeOptions options = {}) {
    RecordDecoder decoder{format, std::move(options)};
    ConsumerRecord record;
    record.value = text;
    std::string names;
    const auto decoded = decoder.decode(record);
    for_each_child(decoded.value().row, 0, [&names](std::size_t, const Value& field) {
        names += field.meaning == Meaning::unavailable ? std::string{field.name} + ' ' : "";
    });
    return names;
}

TEST(RecordDecoder, MarksUnavailableValuesOfTheRow) {  // B79
    const std::string row =
        R"({"a":"__debezium_unavailable_value","b":"__debezium_unavailable_valu",)"
        R"("c":{"d":"__debezium_unavailable_value"},"e":["__debezium_unavailable_value"]})";
    EXPECT_EQ(marked(Format::json, row), "a e ");
    EXPECT_EQ(marked(Format::json_schema, envelope("null", row)), "a e ");
    EXPECT_EQ(marked(Format::debezium, R"({"op":"u","before":)" + row + R"(,"after":)" + row + "}"),
              "a e ");
    EXPECT_EQ(marked(Format::debezium, R"({"op":"d","before":)" + row + "}"), "a e ");
}

TEST(RecordDecoder, TakesAnotherMarkerOrNone) {
    const std::string row =
        R"({"a":"~?","b":"fj8=","c":"fj8","d":"7e3f","e":[126,63],"f":[126.0,63.0],"g":{"~?":"~?"},)"
        R"("h":[126],"i":[],"j":{},"k":"","l":["fj8="],"m":[126,"~"],"n":[126,63,0],)"
        R"("o":"__debezium_unavailable_value","p":[126,63.5],"q":{"~?":1},"r":"{\"~?\":\"~?\"}"})";
    EXPECT_EQ(marked(Format::json, row, {.unavailable_marker = "~?"}), "a b d e f g l r ");
    EXPECT_EQ(marked(Format::json, row, {.unavailable_marker = ""}), "");
    // Base64 for URLs differs where the plain one has + or /.
    EXPECT_EQ(marked(Format::json, R"({"a":"Pz8_","b":"Pz8/"})", {.unavailable_marker = "???"}),
              "a b ");
}

TEST(RecordDecoder, ForgetsTheMeaningsOfTheLastRecord) {
    RecordDecoder decoder{Format::debezium};
    const std::string schema =
        R"({"type":"struct","fields":[{"field":"op","type":"string"},{"field":"after",)"
        R"("type":"struct","fields":[{"field":"d","type":"int32","name":"io.debezium.time.Date"}]}]})";
    ConsumerRecord record;
    const std::string with = envelope(schema, R"({"op":"c","after":{"d":1}})");
    const std::string without = R"({"op":"c","after":{"d":1}})";
    for (int round = 0; round < 2; ++round) {
        record.value = with;
        EXPECT_EQ(describe_children(decoder.decode(record).value().row), "d: number <days> 1\n");
        record.value = without;
        EXPECT_EQ(describe_children(decoder.decode(record).value().row), "d: number 1\n");
    }
}

}  // namespace
}  // namespace txsink::decode
