/// @file
/// The record path takes no memory once its buffers have grown. Counts every operator new of the
/// process, so it is alone in its executable.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "support/counting_allocator.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "unit/columns.hpp"

namespace txsink::mapping {
namespace {

using test::allocations;

using namespace testing;

TableDefinition events_table() {
    TableDefinition table;
    table.name = {"shop", "events"};
    table.columns = {
        required(named(integer_column(ColumnType::bigint, "bigint"), "id")),
        named(integer_column(ColumnType::integer, "int"), "qty"),
        named(varchar_column(100), "email"),
        named(decimal_column(12, 2), "amount"),
        named(varchar_column(20), "status"),
        named(temporal_column(ColumnType::datetime, "datetime(6)", 6), "created_at"),
        named(text_column(ColumnType::text, "text", 65'535, "utf8mb4", 65'535), "note"),
        named(integer_column(ColumnType::tinyint, "tinyint(1)"), "paid"),
    };
    table.primary_key = {0};
    return table;
}

/// About 200 bytes, 8 fields: an escape, a letter beyond ASCII, a decimal, a timestamp.
std::vector<std::string> records() {
    std::vector<std::string> texts;
    for (int i = 0; i < 10'000; ++i) {
        std::string number = std::to_string(i);
        texts.push_back("{\"id\":" + std::to_string(900'719'925'474'000 + i) +
                        ",\"qty\":" + number + ",\"email\":\"customer" + number +
                        "@example.org\",\"amount\":1234.50,\"status\":\"shipped\","
                        "\"created_at\":\"2024-03-01T10:20:30.123456Z\","
                        "\"note\":\"left at the door \\\"back\\\" caf\xC3\xA9\",\"paid\":" +
                        (i % 2 == 0 ? "true" : "false") +
                        (i % 5 == 0 ? ",\"extra\":{\"a\":[1]}}" : "}"));
    }
    return texts;
}

TEST(RecordPath, TakesNoMemoryOnceWarm) {
    for (const KeySource source : {KeySource::value, KeySource::record}) {
        Route route;
        route.key = source;
        RecordMapper mapper{route, events_table()};
        RowBuffer rows;
        const std::vector<std::string> texts = records();
        const auto map_all = [&] {
            rows.clear();
            for (std::size_t i = 0; i < texts.size(); ++i) {
                ConsumerRecord record;
                record.offset = Offset{static_cast<std::int64_t>(i)};
                // The key of the record, with its brace put back.
                const std::string_view text = texts[i];
                record.key = text.substr(6, text.find(',') - 6);
                if (i % 100 != 0) {
                    record.value = text;
                }
                ASSERT_TRUE(mapper.map(record, rows));
            }
        };
        map_all();
        ASSERT_EQ(rows.changes().size(), texts.size());
        const std::string before{rows.text()};
        const std::size_t allocated = allocations.load();
        map_all();
        EXPECT_EQ(allocations.load() - allocated, 0U);
        EXPECT_EQ(rows.text(), before);
    }
}

TEST(RecordPath, ReportsItsSpeed) {
    Route route;
    RecordMapper mapper{route, events_table()};
    RowBuffer rows;
    const std::vector<std::string> texts = records();
    std::size_t bytes = 0;
    double best = 1e9;
    for (int round = 0; round < 20; ++round) {
        rows.clear();
        bytes = 0;
        const std::clock_t start = std::clock();  // processor time: the machine may be busy
        for (const std::string& text : texts) {
            ConsumerRecord record;
            record.value = text;
            bytes += text.size();
            ASSERT_TRUE(mapper.map(record, rows));
        }
        const double took = static_cast<double>(std::clock() - start) * 1e9 / CLOCKS_PER_SEC;
        best = std::min(best, took / static_cast<double>(texts.size()));
    }
    // Not a limit: machines differ. A regression shows in the number.
    RecordProperty("nanoseconds_per_record", std::to_string(best));
    std::cout << "decode and map: " << best << " ns/record of " << bytes / texts.size()
              << " bytes\n";
}

}  // namespace
}  // namespace txsink::mapping
