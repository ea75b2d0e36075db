/// @file
/// Decoding takes no memory once the buffers have grown and the schemas are known. Counts every
/// operator new of the process, so it is alone in its executable.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "support/counting_allocator.hpp"
#include "txsink/decode/json_decoder.hpp"
#include "txsink/decode/record_decoder.hpp"

namespace txsink::decode {
namespace {

using test::allocations;

struct Message {
    std::string key;
    std::string value;
};

/// The messages of a recording that have a key and a value.
std::vector<Message> messages(const std::string& file) {
    std::ifstream lines{std::string{TXSINK_TEST_DATA "/"} + file};
    JsonDecoder decoder;
    std::vector<Message> all;
    for (std::string line; std::getline(lines, line);) {
        const Document document = decoder.decode(line).value();
        const Value& key = member(document, "key")[0];
        const Value& value = member(document, "value")[0];
        if (key.kind == ValueKind::string && value.kind == ValueKind::string) {
            all.push_back({std::string{key.text}, std::string{value.text}});
        }
    }
    EXPECT_GT(all.size(), 10U) << file;
    return all;
}

struct Decoders {
    explicit Decoders(Format format) : record{format}, key{KeyFormat::automatic, format} {}

    void decode_all(const std::vector<Message>& all) {
        for (const Message& message : all) {
            ConsumerRecord consumed;
            consumed.value = message.value;
            EXPECT_TRUE(record.decode(consumed));
            EXPECT_TRUE(key.decode(message.key));
        }
    }

    RecordDecoder record;
    KeyDecoder key;
};

constexpr const char* kWithSchemas = "debezium-mysql-precise-adaptive-bytes-schemas.jsonl";
constexpr const char* kWithout = "debezium-mysql-precise-adaptive-bytes.jsonl";

TEST(Decoders, AllocateNothingOnceTheyHaveSeenTheLike) {
    for (const auto& [format, file] : {std::pair{Format::debezium, kWithSchemas},
                                       std::pair{Format::debezium, kWithout},
                                       std::pair{Format::json_schema, kWithSchemas},
                                       std::pair{Format::json, kWithout},
                                       std::pair{Format::raw, kWithout}}) {
        const std::vector<Message> all = messages(file);
        Decoders decoders{format};
        decoders.decode_all(all);
        const std::size_t allocated = allocations.load();
        decoders.decode_all(all);
        EXPECT_EQ(allocations.load() - allocated, 0U) << file;
    }
}

TEST(Decoders, AllocateNothingForTheSchemaLastSeenBehindAPayload) {
    RecordDecoder decoder{Format::json_schema};
    ConsumerRecord record;
    record.value = R"({"payload": {"id": 1}, "schema": {"type": "struct", "fields": [)"
                   R"({"field": "id", "type": "int32", "name": "io.debezium.time.Date"}]}})";
    EXPECT_TRUE(decoder.decode(record));
    const std::size_t allocated = allocations.load();
    EXPECT_TRUE(decoder.decode(record));
    EXPECT_EQ(allocations.load() - allocated, 0U);
}

/// Not a limit: machines differ. A regression shows in the number.
void report_speed(const char* what, Format format, const std::vector<Message>& all) {
    RecordDecoder decoder{format};
    std::size_t bytes = 0;
    double best = 1e9;
    for (int round = 0; round < 50; ++round) {
        bytes = 0;
        const std::clock_t start = std::clock();  // processor time: the machine may be busy
        for (int i = 0; i < 20; ++i) {
            for (const Message& message : all) {
                ConsumerRecord record;
                record.value = message.value;
                bytes += message.value.size();
                ASSERT_TRUE(decoder.decode(record));
            }
        }
        const double took = static_cast<double>(std::clock() - start) * 1e9 / CLOCKS_PER_SEC;
        best = std::min(best, took / 20.0 / static_cast<double>(all.size()));
    }
    std::cout << what << ": " << best << " ns/record of " << bytes / 20 / all.size() << " bytes\n";
}

TEST(Decoders, ReportTheirSpeed) {
    std::vector<Message> with = messages(kWithSchemas);
    std::vector<Message> without = messages(kWithout);
    const auto is_no_row = [](const Message& message) {
        return message.value.find("\"op\":") == std::string::npos;
    };
    with.erase(std::remove_if(with.begin(), with.end(), is_no_row), with.end());
    without.erase(std::remove_if(without.begin(), without.end(), is_no_row), without.end());
    report_speed("json", Format::json, without);
    report_speed("debezium without schemas", Format::debezium, without);
    report_speed("debezium with schemas", Format::debezium, with);
    report_speed("json with schemas", Format::json, with);
}

}  // namespace
}  // namespace txsink::decode
