/// @file
/// What sources and filters find in a record.
#include "mapping/source_reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "txsink/decode/json_decoder.hpp"

namespace txsink::mapping {
namespace {

using decode::Meaning;
using decode::ValueKind;

/// A record with each part decoded from its own JSON text; empty: none.
class World {
public:
    explicit World(std::string row,
                   std::string key = {},
                   std::string item = {},
                   std::string before = {}) {
        decoded_.row = decode(0, row);
        decoded_.value = decoded_.row;
        view.key = decode(1, key);
        view.item = decode(2, item);
        decoded_.before = decode(3, before);
        record.topic = "shop.orders";
        record.partition = 3;
        record.offset = Offset{9'223'372'036'854'775'807};
        record.timestamp_ms = 1'700'000'000'000;
        record.headers = headers;
        view.record = &record;
        view.decoded = &decoded_;
        view.index = 7;
        view.connector = "mine";
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    /// `kind:text` of what `source` finds; "-": no value.
    std::string read(std::string_view source) {
        SourceReader reader{parse_source(source)};
        const auto found = reader.read(view);
        return found.empty() ? "-"
                             : std::string{name_of(found.front().kind)} + ":" +
                                   std::string{found.front().text};
    }
    bool matches(std::string_view filter) {
        return FilterReader{parse_filter(filter)}.matches(view);
    }

    std::vector<RecordHeader> headers{
        {"id", "first"}, {"none", std::nullopt}, {"id", "last"}, {"empty", ""}};
    ConsumerRecord record;
    RecordView view;

private:
    decode::Document decode(std::size_t at, const std::string& text) {
        if (text.empty()) {
            return {};
        }
        auto decoded = decoders_[at].decode(text);
        EXPECT_TRUE(decoded.has_value()) << text;
        return decoded.value();
    }

    std::array<decode::JsonDecoder, 4> decoders_;
    decode::DecodedRecord decoded_;
};

TEST(SourceReader, GoesDownThePath) {
    World world{R"({"a":{"b":"x"},"items":[{"id":1},{"id":2.50}],"n":null,"odd name":true})",
                R"({"id":5})",
                R"({"x":"i"})",
                R"({"a":"old"})"};
    EXPECT_EQ(world.read("$.a.b"), "string:x");
    EXPECT_EQ(world.read("$.a"), R"(object:{"b":"x"})");
    EXPECT_EQ(world.read("$.items[1].id"), "number:2.50");
    EXPECT_EQ(world.read("$.items[2].id"), "-");
    EXPECT_EQ(world.read("$.items.id"), "-");
    EXPECT_EQ(world.read("$.a[0]"), "-");
    EXPECT_EQ(world.read("$.\"odd name\""), "boolean:true");
    EXPECT_EQ(world.read("$.n"), "null:null");
    EXPECT_EQ(world.read("$.n.x"), "-");
    EXPECT_EQ(world.read("$value.a.b"), "string:x");
    EXPECT_EQ(world.read("$key.id"), "number:5");
    EXPECT_EQ(world.read("$item.x"), "string:i");
    EXPECT_EQ(world.read("$before.a"), "string:old");
}

TEST(SourceReader, FindsNothingInWhatIsNotThere) {
    World world{""};
    for (const char* source : {"$", "$.a", "$value", "$key", "$key.id", "$item", "$index"}) {
        EXPECT_EQ(world.read(source), "-") << source;
    }
}

TEST(SourceReader, ReadsWhatStandsBesideTheValue) {
    World world{"{}", "", "1"};
    EXPECT_EQ(world.read("$topic"), "string:shop.orders");
    EXPECT_EQ(world.read("$partition"), "number:3");
    EXPECT_EQ(world.read("$offset"), "number:9223372036854775807");
    EXPECT_EQ(world.read("$timestamp"), "number:1700000000000");
    EXPECT_EQ(world.read("$index"), "number:7");
    EXPECT_EQ(world.read("$connector"), "string:mine");
    EXPECT_EQ(world.read("'it''s'"), "string:it's");
    world.record.timestamp_ms = -1;
    EXPECT_EQ(world.read("$timestamp"), "-");
}

TEST(SourceReader, TakesTheLastHeaderOfAName) {
    World world{"{}"};
    EXPECT_EQ(world.read("$header.id"), "string:last");
    EXPECT_EQ(world.read("$header.empty"), "string:");
    EXPECT_EQ(world.read("$header.none"), "null:null");
    EXPECT_EQ(world.read("$header.Id"), "-");
}

TEST(SourceReader, TellsWhatBytesAndTimesMean) {
    World world{"{}"};
    SourceReader header{parse_source("$header.id")};
    EXPECT_EQ(header.read(world.view).front().meaning, Meaning::raw_bytes);
    SourceReader timestamp{parse_source("$timestamp")};
    EXPECT_EQ(timestamp.read(world.view).front().meaning, Meaning::epoch_ms);
    SourceReader offset{parse_source("$offset")};
    EXPECT_EQ(offset.read(world.view).front().meaning, Meaning::none);
    EXPECT_EQ(offset.read(world.view).size(), 1U);
}

TEST(SourceReader, FallsBackOverNullAndNothing) {
    World world{R"({"n":null,"a":1})"};
    EXPECT_EQ(world.read("$.x | $.n | $.a | 'c'"), "number:1");
    EXPECT_EQ(world.read("$.x | $.n"), "null:null");
    EXPECT_EQ(world.read("$.n | $.x"), "null:null");
    EXPECT_EQ(world.read("$header.none | $.x"), "null:null");
    EXPECT_EQ(world.read("$header.none | $offset"), "number:9223372036854775807");
    EXPECT_EQ(world.read("$.x | $.y"), "-");
}

TEST(SourceReader, ReadsFromRecordToRecordAndAfterItWasMoved) {
    World first{R"({"a":1})"};
    World second{R"({"a":2})"};
    second.record.offset = Offset{5};
    SourceReader reader{parse_source("$offset")};
    EXPECT_EQ(reader.read(first.view).front().text, "9223372036854775807");
    EXPECT_EQ(reader.read(second.view).front().text, "5");
    std::vector<SourceReader> moved;
    moved.push_back(std::move(reader));
    EXPECT_EQ(moved.front().read(second.view).front().text, "5");
}

TEST(SourceReader, KnowsWhatItUses) {
    SourceReader reader{parse_source("$.a | $key.b")};
    EXPECT_TRUE(reader.needs_key());
    EXPECT_TRUE(reader.uses(Origin::row));
    EXPECT_FALSE(reader.uses(Origin::item));
    EXPECT_FALSE(SourceReader{parse_source("$.a")}.needs_key());
    EXPECT_TRUE(FilterReader{parse_filter("$.a and $.b = $key")}.needs_key());
    EXPECT_TRUE(FilterReader{parse_filter("$.a and $item.b = 1")}.uses(Origin::item));
    EXPECT_FALSE(FilterReader{parse_filter("$.a and $.b = 1")}.needs_key());
}

TEST(FilterReader, ComparesByText) {
    World world{R"({"i":1,"d":1.0,"s":"1","t":true,"n":null,"o":{"a": 1},"e":""})"};
    EXPECT_TRUE(world.matches("$.i = '1'"));
    EXPECT_TRUE(world.matches("$.i = 1"));
    EXPECT_TRUE(world.matches("$.i = $.s"));
    EXPECT_FALSE(world.matches("$.d = 1"));
    EXPECT_TRUE(world.matches("$.d = 1.0"));
    EXPECT_TRUE(world.matches("$.t = true"));
    EXPECT_TRUE(world.matches("$.t = 'true'"));
    EXPECT_TRUE(world.matches("$.n = null"));
    EXPECT_FALSE(world.matches("$.e = null"));
    EXPECT_TRUE(world.matches("$.e = ''"));
    EXPECT_TRUE(world.matches(R"($.o = '{"a": 1}')"));
    EXPECT_FALSE(world.matches("$.s = 'X1'"));
    EXPECT_TRUE(world.matches("$topic = 'shop.orders' and $partition = 3"));
    EXPECT_TRUE(world.matches("$header.id = 'last'"));
}

TEST(FilterReader, TakesASourceWithoutAValueAsEqualToNothing) {
    World world{R"({"i":1,"n":null})"};
    EXPECT_FALSE(world.matches("$.x = 1"));
    EXPECT_FALSE(world.matches("$.x = $.y"));
    EXPECT_FALSE(world.matches("$.x = null"));
    EXPECT_TRUE(world.matches("$.x != 1"));
    EXPECT_TRUE(world.matches("$.x != $.y"));
    EXPECT_FALSE(world.matches("$.i = $.x"));
    EXPECT_TRUE(world.matches("$.i != $.x"));
    EXPECT_TRUE(world.matches("$.n"));
    EXPECT_FALSE(world.matches("not $.n"));
    EXPECT_FALSE(world.matches("$.x"));
    EXPECT_TRUE(world.matches("not $.x"));
    EXPECT_TRUE(world.matches("$.x not in (1, 2)"));
    EXPECT_FALSE(world.matches("$.x in (1, 2)"));
}

TEST(FilterReader, LooksInListsAndWantsEveryCondition) {
    World world{R"({"a":"y","b":2})"};
    EXPECT_TRUE(world.matches("$.a in ('x', 'y')"));
    EXPECT_FALSE(world.matches("$.a not in ('x', 'y')"));
    EXPECT_FALSE(world.matches("$.a in ('x')"));
    EXPECT_TRUE(world.matches("$.a != 'y' | 'z'") == world.matches("$.a != 'y'"));
    EXPECT_TRUE(world.matches("$.a = 'y' and $.b = 2"));
    EXPECT_FALSE(world.matches("$.a = 'y' and $.b = 3"));
    EXPECT_FALSE(world.matches("$.a = 'x' and $.b = 2"));
    EXPECT_TRUE(FilterReader{Filter{}}.matches(world.view));
}

}  // namespace
}  // namespace txsink::mapping
