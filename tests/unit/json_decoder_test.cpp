#include "txsink/decode/json_decoder.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "support/skip.hpp"

namespace txsink::decode {
namespace {

using namespace std::string_literals;

/// Kinds, names and texts of all values, in order.
std::string dump(Document document) {
    std::string out;
    for (const Value& value : document) {
        out += std::string{name_of(value.kind)} + ' ' + std::string{value.name} + ' ' +
               std::string{value.text} + ' ' + std::to_string(value.size) + '\n';
    }
    return out;
}

RecordError error_of(const std::string& text, JsonLimits limits = {}) {
    JsonDecoder decoder{limits};
    const Result<Document> result = decoder.decode(text);
    EXPECT_FALSE(result) << text;
    return result ? RecordError{} : result.error();
}

TEST(JsonDecoder, GivesAFlatTreeInDocumentOrder) {
    JsonDecoder decoder;
    const auto result = decoder.decode(
        "\t{\"id\" : 1 , \"a\":[true,{\"b\" : null} ] ,\n\"s\":\"x\\ty\",\"o\":{ } , \"e\":[]}\n ");
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(dump(result.value()),
              "object  {\"id\" : 1 , \"a\":[true,{\"b\" : null} ] ,\n"
              "\"s\":\"x\\ty\",\"o\":{ } , \"e\":[]} 9\n"
              "number id 1 1\n"
              "array a [true,{\"b\" : null} ] 4\n"
              "boolean  true 1\n"
              "object  {\"b\" : null} 2\n"
              "null b null 1\n"
              "string s x\ty 1\n"
              "object o { } 1\n"
              "array e [] 1\n");
}

TEST(JsonDecoder, VisitsDirectChildrenOnly) {
    JsonDecoder decoder;
    const auto result = decoder.decode(R"({"a":[1,2,3],"b":{"c":4},"d":5})");
    ASSERT_TRUE(result);
    std::string names;
    for_each_child(result.value(), 0, [&](std::size_t, const Value& child) {
        names += std::string{child.name} + ',';
    });
    EXPECT_EQ(names, "a,b,d,");
}

TEST(JsonDecoder, KeepsEveryDigitOfNumbers) {  // B74
    for (const char* number : {"9007199254740993",
                               "12345678901234567890123.45",
                               "-0.000000000000000000000000000000000001",
                               "1e400",
                               "99999999999999999999999999999999999999"}) {
        JsonDecoder decoder;
        const std::string text = R"({"n":)"s + number + "}";
        const auto result = decoder.decode(text);
        ASSERT_TRUE(result) << number;
        EXPECT_EQ(result.value()[1].text, number);
        EXPECT_EQ(decoder.decode(number).value()[0].text, number);
    }
}

TEST(JsonDecoder, TakesScalarsAsTheWholeText) {
    JsonDecoder decoder;
    EXPECT_EQ(dump(decoder.decode(" 42 ").value()), "number  42 1\n");
    EXPECT_EQ(dump(decoder.decode("\"a\\\"b\"\n").value()), "string  a\"b 1\n");
    EXPECT_EQ(dump(decoder.decode("true").value()), "boolean  true 1\n");
    EXPECT_EQ(dump(decoder.decode("null").value()), "null  null 1\n");
    EXPECT_EQ(dump(decoder.decode("\"\"").value()), "string   1\n");
}

TEST(JsonDecoder, UnescapesStringsAndNames) {  // B63, B76
    JsonDecoder decoder;
    const auto result = decoder.decode(
        R"({"\u00e9\n":"a\u0000b","smile":"\ud83d\ude00","esc":"\"\\\/\b\f\n\r\t"})");
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result.value()[1].name, "\xC3\xA9\n");
    EXPECT_EQ(result.value()[1].text, "a\0b"s);
    EXPECT_EQ(result.value()[2].text, "\xF0\x9F\x98\x80");
    EXPECT_EQ(result.value()[3].text, "\"\\/\b\f\n\r\t");
}

TEST(JsonDecoder, ForgetsTheLastText) {
    JsonDecoder decoder;
    ASSERT_TRUE(decoder.decode(R"({"a":{"b":[1,2,3,4,5,6,7,8]}})"));
    EXPECT_FALSE(decoder.decode(R"({"a":{"b":[1)"));
    EXPECT_FALSE(decoder.decode(R"({"a":{"b":[1,2]})"));
    EXPECT_FALSE(decoder.decode(R"({)"));
    EXPECT_EQ(dump(decoder.decode("{}").value()), "object  {} 1\n");
}

TEST(JsonDecoder, RefusesWhatIsNotJson) {  // B75, B76
    const std::string cases[] = {
        "",
        " \n",
        "{",
        "}",
        "[",
        "]",
        "{]",
        "[}",
        "{}}",
        "[]]",
        "{} {}",
        "1 2",
        "{}x",
        "\"a\"x",
        "\"a\" \"b\"",
        "abc",
        "nul",
        "nulll",
        "true false",
        "truex",
        "True",
        "NaN",
        "Infinity",
        "-Infinity",
        "01",
        "+1",
        "1.",
        ".5",
        "0x10",
        "1e",
        "\xEF\xBB\xBF{}",
        "{\"a\":NaN}",
        "{\"a\":-Infinity}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":1e}",
        "{\"a\":1e5x}",
        "{\"a\":1 2}",
        "{\"a\":1\"b\"}",
        "{\"a\":\"b\"x}",
        "{\"a\":\"b\"1}",
        "{\"a\":\"b\"\"c\"}",
        "{\"a\"x:1}",
        "[\"a\"b]",
        "[\"a\" \"b\"]",
        "{\"a\":\"b\"\x01}",
        "{\"a\":\"b\" \x7F}",
        "{\"a\":tru}",
        "{\"a\":truefalse}",
        "{\"a\":}",
        "{\"a\"}",
        "{\"a\" 1}",
        "{\"a\"::1}",
        "{\"a\":\"b\":1}",
        "{\"a\":1:2}",
        "{\"a\":1,}",
        "{,}",
        "{,\"a\":1}",
        "{\"a\":1,,\"b\":2}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{'a':1}",
        "{1:1}",
        "{null:1}",
        "{\"a\":{\"b\":1}",
        "{\"a\":[1,2}",
        "{\"a\":{}",
        "{\"a\":[]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1,2",
        "[{]}",
        "\"abc",
        "\"a\nb\"",
        "{\"a\":\"b\tc\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\\u12G4\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00\"}",
        "{\"a\":\"\\ud800\\u0041\"}",
        "{\"a\":\"\\ude00\\ud83d\"}",
        "{\"a\":[{\"\\ud800\":1}]}",
        "\"\\ud800\"",
        "{\"a\":\"\xFF\"}",
        "{\"a\":\"\xC3\"}",
        "{\"a\":\"\xED\xA0\x80\"}",
        "{\"a\":\"\xC0\x80\"}",
        "{\"a\":\"\xF4\x90\x80\x80\"}",
        "{\xC3\"a\":1}",
        "{\"a\":1}\0"s,
        "{\"a\":\0}"s,
        "\0"s,
        "\0{}"s,
        "// c\n{}",
        "{}/**/",
        "\f{}",
        "\xC2\xA0{}",
    };
    for (const std::string& text : cases) {
        EXPECT_EQ(error_of(text).code, RecordErrorCode::not_json) << text;
    }
}

TEST(JsonDecoder, SaysWhatIsWrongAndWhereButNotTheValue) {
    EXPECT_EQ(error_of("{\"a\": 0123}").message,
              "not JSON: neither a value nor a number in JSON syntax at byte 6");
    EXPECT_EQ(error_of("{\"a\":1} {}").message, "not JSON: text after the value at byte 8");
    EXPECT_EQ(error_of("{\"a\":\"\xFF\"}").message, "not JSON: invalid UTF-8");
    EXPECT_EQ(error_of("").message, "not JSON: no text");
    EXPECT_EQ(error_of("\xEF\xBB\xBF{}").message, "not JSON: a byte order mark at the beginning");
    EXPECT_EQ(error_of("{\"a\":\"secret").message, "not JSON: a string that is never closed");
    EXPECT_EQ(error_of("[\"secret\\ud800\"]").message.find("secret"), std::string::npos);
}

TEST(JsonDecoder, RecognisesSchemaRegistryFrames) {  // B83
    const RecordError error = error_of("\0\0\0\0\x07{\"id\":1}"s);
    EXPECT_EQ(error.code, RecordErrorCode::schema_registry);
    EXPECT_EQ(error.message,
              "framed by a schema registry (byte 0 and schema id 7), which is not supported: have "
              "the producer write plain JSON, or take it as raw bytes");
    EXPECT_NE(error_of("\0\xFF\xFF\xFF\xFE{}"s).message.find("schema id 4294967294"),
              std::string::npos);
    EXPECT_EQ(error_of("\0\0\0\0\x07"s).code, RecordErrorCode::schema_registry);
    EXPECT_EQ(error_of("\0\0\0\0"s).code, RecordErrorCode::not_json);
}

TEST(JsonDecoder, LimitsNesting) {  // B81
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    JsonDecoder decoder;
    EXPECT_TRUE(decoder.decode(nested(100)));
    EXPECT_EQ(error_of(nested(101)).code, RecordErrorCode::too_deep);
    EXPECT_EQ(error_of(nested(101)).message, "nested deeper than 100 levels");
    EXPECT_EQ(error_of(nested(100'000)).code, RecordErrorCode::too_deep);
    EXPECT_EQ(error_of(std::string(100'000, '[')).code, RecordErrorCode::not_json);
    EXPECT_EQ(error_of(nested(3), JsonLimits{2}).code, RecordErrorCode::too_deep);

    std::string objects;
    for (int i = 0; i < 100'000; ++i) {
        objects += "{\"a\":";
    }
    EXPECT_EQ(error_of(objects + "1" + std::string(100'000, '}')).code, RecordErrorCode::too_deep);
    EXPECT_FALSE(decoder.decode(objects));
    EXPECT_TRUE(decoder.decode("{}"));
}

TEST(JsonDecoder, RefusesDuplicateNames) {  // B82
    const RecordError error = error_of(R"({"id":1,"x":0,"id":2})");
    EXPECT_EQ(error.code, RecordErrorCode::duplicate_field);
    EXPECT_EQ(error.field, "id");
    EXPECT_EQ(error.message, "two members named \"id\" in one object");
    for (const char* text : {R"({"a":{"b":1,"b":1}})",
                             R"([{"b":1,"b":1}])",
                             R"({"":1,"":2})",
                             R"({"a":1,"\u0061":2})",
                             R"({"a":{"x":1},"a":{"y":1}})"}) {
        EXPECT_EQ(error_of(text).code, RecordErrorCode::duplicate_field) << text;
    }
    JsonDecoder decoder;
    EXPECT_TRUE(decoder.decode(R"({"a":1,"A":2,"b":{"a":1,"b":{"a":1}},"ab":1,"ba":1})"));
}

TEST(JsonDecoder, FindsDuplicatesAmongManyNames) {
    std::string members;
    for (int i = 0; i < 20'000; ++i) {
        members += "\"k" + std::to_string(i) + "\":0,";
    }
    JsonDecoder decoder;
    EXPECT_TRUE(decoder.decode("{" + members + "\"last\":1}"));
    EXPECT_EQ(error_of("{" + members + "\"k4711\":1}").field, "k4711");
}

TEST(JsonDecoder, ShortensNamesInMessages) {
    const std::string name(100, 'n');
    EXPECT_EQ(error_of("{\"" + name + "\":1,\"" + name + "\":2}").field,
              std::string(64, 'n') + "...");
    const std::string wide = "x\\n" + std::string(61, 'n') + "\xF0\x9F\x98\x80" + "tail";
    EXPECT_EQ(error_of("{\"" + wide + "\":1,\"" + wide + "\":2}").field,
              "x?" + std::string(61, 'n') + "...");
}

/// Compares the tree with that of simdjson's DOM parser, which shares only the first stage.
void expect_same(Document nodes, std::size_t at, simdjson::dom::element expected) {
    const Value& value = nodes[at];
    if (expected.is_object()) {
        ASSERT_EQ(value.kind, ValueKind::object);
        auto member = expected.get_object().value().begin();
        for_each_child(nodes, at, [&](std::size_t i, const Value& child) {
            EXPECT_EQ(child.name, member.key());
            expect_same(nodes, i, member.value());
            ++member;
        });
        EXPECT_FALSE(member != expected.get_object().value().end());
    } else if (expected.is_array()) {
        ASSERT_EQ(value.kind, ValueKind::array);
        auto element = expected.get_array().value().begin();
        for_each_child(nodes, at, [&](std::size_t i, const Value&) {
            expect_same(nodes, i, *element);
            ++element;
        });
        EXPECT_FALSE(element != expected.get_array().value().end());
    } else if (expected.is_string()) {
        ASSERT_EQ(value.kind, ValueKind::string);
        EXPECT_EQ(value.text, expected.get_string().value());
    } else {
        EXPECT_EQ(value.text, simdjson::minify(expected));
    }
}

/// Values or error, whole.
std::string outcome(JsonDecoder& decoder, const std::string& text) {
    const auto result = decoder.decode(text);
    if (!result) {
        return name_of(result.error().code) + (": " + result.error().message);
    }
    std::string shown;
    for (const Value& value : result.value()) {
        shown += name_of(value.kind) + (' ' + std::string{value.name}) + '=' +
                 std::string{value.text} + '/' + std::to_string(value.size) + '\n';
    }
    return shown;
}

/// Names are remembered from text to text, and must not show: each text against a decoder that has
/// seen no other. The texts are neighbours of few, so that they often have names in common.
TEST(JsonDecoder, ForgetsEachTextWithTheNext) {
    std::string many = "{";
    for (int i = 0; i < 80; ++i) {
        many += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + "\":" + std::to_string(i);
    }
    many += '}';
    const std::vector<std::string> texts{
        R"({"id":1,"name":"x","at":[1,{"id":2}],"in":{"id":3,"name":null}})",
        R"({"id":1,"name":"x","na\u006de":2,"quo\"te":3,"":4})",
        R"({"id":1,"in":{"id":3,"name":null,"id2":{}},"name":"id"})",
        R"({"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1,"b":2}}}}}}}}}})",
        R"([{"id":1,"name":2},{"id":1,"name":2},{"name":1,"id":2}])",
        "{\"" + std::string(60, 'n') + "\":1,\"" + std::string(61, 'n') + "\":2,\"n\":3}",
        many};
    const std::vector<std::string> pieces{"\"id\":1,",
                                          "\"name\":2,",
                                          "\"",
                                          "\\",
                                          "{",
                                          "}",
                                          ",",
                                          ":",
                                          "id",
                                          "\"f7\":1,",
                                          " ",
                                          "\\u0069d"};
    std::mt19937 random{4};  // NOLINT: a known seed on purpose
    JsonDecoder used;
    std::size_t read = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = texts[random() % texts.size()];
        for (std::size_t change = random() % 3; change > 0; --change) {
            const std::size_t at = random() % text.size();
            if (random() % 2 == 0) {
                text.erase(at, random() % 8);
            } else {
                text.insert(at, pieces[random() % pieces.size()]);
            }
        }
        JsonDecoder fresh;
        const std::string expected = outcome(fresh, text);
        ASSERT_EQ(outcome(used, text), expected) << text;
        read += expected.find(": ") == std::string::npos ? 1 : 0;
    }
    EXPECT_GT(read, 5'000U);
}

TEST(JsonDecoder, AgreesWithAnotherParserOnNamesInEveryScript) {
    const std::filesystem::path folder{"/usr/share/iso-codes/json"};
    if (!std::filesystem::exists(folder)) {
        TXSINK_SKIP("names in every script need the package iso-codes");
    }
    JsonDecoder decoder;
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
        const simdjson::padded_string text = simdjson::padded_string::load(entry.path().c_str());
        simdjson::dom::parser parser;
        const simdjson::dom::element expected = parser.parse(text);
        const auto result = decoder.decode(std::string_view{text});
        ASSERT_TRUE(result) << entry.path() << ": " << result.error().message;
        expect_same(result.value(), 0, expected);
        ++files;
    }
    EXPECT_GE(files, 8U);
}

}  // namespace
}  // namespace txsink::decode
