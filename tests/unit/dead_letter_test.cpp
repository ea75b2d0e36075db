/// @file
/// Dead letters: what is kept of a record, and records kept for the case.
#include "txsink/batch/dead_letter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace txsink::batch {
namespace {

ConsumerRecord record_at(std::int64_t offset) {
    ConsumerRecord record;
    record.topic = "orders";
    record.offset = Offset{offset};
    record.timestamp_ms = 1'700'000'000'000 + offset;
    return record;
}

std::string headers_of(std::vector<RecordHeader> headers) {
    auto record = record_at(1);
    record.headers = headers;
    return make_dead_letter(record, {}, {}).headers;
}

TEST(DeadLetters, KeepTheRecordAndWhy) {
    auto record = record_at(5);
    record.key = "k";
    record.value = std::string_view{"\0\xff", 2};
    const auto letter = make_dead_letter(
        record, {RecordErrorCode::out_of_range, "id", "too large", 1264}, "shop.orders");
    EXPECT_EQ(letter.offset, Offset{5});
    EXPECT_EQ(letter.key, "k");
    EXPECT_EQ(letter.value, (std::string{"\0\xff", 2}));
    EXPECT_EQ(letter.headers, "");
    EXPECT_EQ(letter.timestamp_ms, 1'700'000'000'005);
    EXPECT_EQ(letter.error.code, RecordErrorCode::out_of_range);
    EXPECT_EQ(letter.error.message, "too large");
    EXPECT_EQ(letter.error.native_code, 1264);
    EXPECT_EQ(letter.target, "shop.orders");
}

TEST(DeadLetters, TellNullFromEmpty) {
    auto record = record_at(5);
    EXPECT_EQ(make_dead_letter(record, {}, {}).key, std::nullopt);
    EXPECT_EQ(make_dead_letter(record, {}, {}).value, std::nullopt);
    record.key = "";
    record.value = "";
    EXPECT_EQ(make_dead_letter(record, {}, {}).key, "");
    EXPECT_EQ(make_dead_letter(record, {}, {}).value, "");
}

TEST(DeadLetters, HeadersAreJsonWithBase64) {
    EXPECT_EQ(headers_of({{"a", "f"}, {"a", "fo"}, {"b", "foo"}, {"", std::nullopt}, {"c", ""}}),
              R"([{"name":"a","value":"Zg=="},{"name":"a","value":"Zm8="},)"
              R"({"name":"b","value":"Zm9v"},{"name":"","value":null},{"name":"c","value":""}])");
    EXPECT_EQ(headers_of({{"x", "\xfb\xff\xbf"}}), R"([{"name":"x","value":"+/+/"}])");
    EXPECT_EQ(headers_of({{"\"\\\n\x01\x7f", "x"}}),
              "[{\"name\":\"\\\"\\\\\\u000a\\u0001\x7f\",\"value\":\"eA==\"}]");
}

TEST(DeadLetters, AHeaderNameThatIsNotUtf8IsMended) {
    const auto name_of = [](std::string_view name) {
        const auto json = headers_of({{name, std::nullopt}});
        return json.substr(10, json.size() - 10 - 16);
    };
    EXPECT_EQ(name_of("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
              "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    EXPECT_EQ(name_of("\xc3"), "\\ufffd");
    EXPECT_EQ(name_of("\xc0\x80"), "\\ufffd\\ufffd");
    EXPECT_EQ(name_of("\xed\xa0\x80"), "\\ufffd\\ufffd\\ufffd");
    EXPECT_EQ(name_of("\xf4\x90\x80\x80"), "\\ufffd\\ufffd\\ufffd\\ufffd");
    EXPECT_EQ(name_of("\xe2\x82x"), "\\ufffd\\ufffdx");
}

TEST(KeptRecordsTest, AreFoundByTheirOffset) {
    KeptRecords kept;
    const std::vector<RecordHeader> headers{{"h", "1"}, {"g", std::nullopt}};
    for (int round = 0; round < 2; ++round) {
        kept.clear();
        EXPECT_EQ(kept.bytes(), 0U);
        for (const std::int64_t offset : {3, 7, 8}) {
            const auto text = std::to_string(offset);
            auto record = record_at(offset);
            if (offset != 7) {
                record.key = text;
                record.headers = headers;
            }
            const auto value = "value " + text;
            record.value = value;
            kept.add(record);
        }
        const auto first = kept.find(Offset{3});
        EXPECT_EQ(first.key, "3");
        EXPECT_EQ(first.value, "value 3");
        EXPECT_EQ(first.offset, Offset{3});
        EXPECT_EQ(first.timestamp_ms, 1'700'000'000'003);
        ASSERT_EQ(first.headers.size(), 2U);
        EXPECT_EQ(first.headers[0].name, "h");
        EXPECT_EQ(first.headers[0].value, "1");
        EXPECT_EQ(first.headers[1].value, std::nullopt);
        const auto second = kept.find(Offset{7});
        EXPECT_EQ(second.key, std::nullopt);
        EXPECT_EQ(second.value, "value 7");
        EXPECT_TRUE(second.headers.empty());
        EXPECT_EQ(kept.find(Offset{8}).value, "value 8");
    }
    const auto bytes = kept.bytes();
    auto tombstone = record_at(9);
    tombstone.key = "";
    kept.add(tombstone);
    EXPECT_EQ(kept.bytes(), bytes);
    EXPECT_EQ(kept.find(Offset{9}).key, "");
    EXPECT_EQ(kept.find(Offset{9}).value, std::nullopt);
}

}  // namespace
}  // namespace txsink::batch
