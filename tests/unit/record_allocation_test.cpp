/// @file
/// From a polled record to the finished statement no memory is taken once the buffers have grown.
/// Counts every operator new of the process, so it is alone in its executable.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "support/counting_allocator.hpp"
#include "txsink/batch/write_plan.hpp"
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

struct Path {
    const char* name;
    Format format = Format::json;
    Mode mode = Mode::upsert;
    KeySource key = KeySource::value;
    friend std::ostream& operator<<(std::ostream& out, const Path& path) {
        return out << path.name;
    }
};

class RecordPath : public ::testing::TestWithParam<Path> {};

/// A change event around the row.
std::string event_of(const std::string& row) {
    return "{\"before\":null,\"after\":" + row +
           ",\"source\":{\"connector\":\"mysql\",\"db\":\"shop\",\"gtid\":null,\"pos\":4},"
           "\"op\":\"c\",\"ts_ms\":1709288430123}";
}

/// From polled records to the statements of their batch.
TEST_P(RecordPath, TakesNoMemoryOnceWarm) {
    constexpr std::size_t kPartitions = 3;
    Route route;
    route.format = GetParam().format;
    route.mode = GetParam().mode;
    route.key = GetParam().key;
    RecordMapper mapper{route, events_table()};
    batch::Batch batch;
    batch.partitions.resize(kPartitions);
    batch::WritePlan plan{batch::Dialect::row_alias, {}};
    const std::vector<std::string> rows = records();
    std::vector<std::string> texts = rows;
    if (route.format == Format::debezium) {
        std::transform(rows.begin(), rows.end(), texts.begin(), event_of);
    }
    const auto write_all = [&] {
        for (auto& part : batch.partitions) {
            part.rows.clear();
        }
        for (std::size_t i = 0; i < texts.size(); ++i) {
            ConsumerRecord record;
            record.offset = Offset{static_cast<std::int64_t>(i)};
            // The key of the record: its first number.
            record.key = std::string_view{rows[i]}.substr(6, rows[i].find(',') - 6);
            if (i % 100 != 0) {
                record.value = texts[i];
            }
            ASSERT_TRUE(mapper.map(record, batch.partitions[i % kPartitions].rows));
        }
        ASSERT_FALSE(plan.build(batch));
    };
    write_all();
    ASSERT_EQ(batch.rows(), texts.size());
    ASSERT_GT(plan.size(), 0U);
    const std::string before = plan[0].sql;
    const std::size_t allocated = allocations.load();
    write_all();
    EXPECT_EQ(allocations.load() - allocated, 0U);
    EXPECT_EQ(plan[0].sql, before);
}

INSTANTIATE_TEST_SUITE_P(
    Of,
    RecordPath,
    ::testing::Values(Path{"Upsert"},
                      Path{"UpsertByRecordKey", Format::json, Mode::upsert, KeySource::record},
                      Path{"Insert", Format::json, Mode::insert},
                      Path{"Debezium", Format::debezium}),
    [](const auto& path) { return std::string{path.param.name}; });

TEST(RecordPathSpeed, IsReported) {
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
