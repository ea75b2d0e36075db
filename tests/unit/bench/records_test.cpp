/// @file
/// The records of the workloads, and what the table holds after them.
#include "records.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "workload.hpp"

namespace txsink::bench {
namespace {

/// What the records say themselves, read independently.
struct Told {
    std::map<std::string, std::int64_t> last;
    std::int64_t sum = 0;
    std::size_t tombstones = 0;
    std::size_t bytes = 0;
};

Told read_all(RecordMaker& maker, const RecordPlan& plan, int records) {
    simdjson::dom::parser parser;
    Told told;
    for (int i = 0; i < records; ++i) {
        const auto record = maker.next();
        if (!record.value) {
            ++told.tombstones;
            told.last.erase(std::string{record.key});
            continue;
        }
        told.bytes += record.value->size();
        simdjson::dom::element row = parser.parse(simdjson::padded_string{*record.value});
        if (plan.form == RecordForm::change_event) {
            row = row["after"];
        }
        const std::string_view amount = row["amount"];
        const auto cents = std::llround(std::stod(std::string{amount}) * 100);
        told.sum += cents;
        told.last[std::string{record.key}] = cents;
    }
    return told;
}

TEST(Records, OfEachWorkloadAreWhatTheContentSays) {
    constexpr int kRecords = 2'000;
    for (const auto& workload : workloads()) {
        SCOPED_TRACE(workload.name);
        RecordMaker maker{workload.records, kRecords};
        const auto told = read_all(maker, workload.records, kRecords);
        std::int64_t last = 0;
        for (const auto& [key, cents] : told.last) {
            last += cents;
        }
        EXPECT_EQ(maker.last_states(), (Content{told.last.size(), last}));
        EXPECT_EQ(maker.sums(), (Content{told.last.size(), told.sum}));
    }
}

TEST(Records, OfOrdersHaveAbout200Bytes) {
    RecordMaker maker{{}, 1'000};
    const auto told = read_all(maker, {}, 1'000);
    EXPECT_GT(told.bytes, 195'000U);
    EXPECT_LT(told.bytes, 225'000U);
    EXPECT_EQ(told.last.size(), 1'000U);
}

TEST(Records, OfOrdersHaveAnEscapeAndALetterBeyondAscii) {
    RecordMaker maker{{}, 1};
    const auto record = maker.next();
    EXPECT_EQ(record.key, "1");
    EXPECT_NE(record.value->find("\\\"twice\\\""), std::string_view::npos);
    EXPECT_NE(record.value->find("caf\xc3\xa9"), std::string_view::npos);
}

TEST(Records, AreTheSameEachTime) {
    const RecordPlan plan{RecordForm::order, KeyOrder::hot, 10};
    RecordMaker one{plan, 500};
    RecordMaker other{plan, 500};
    for (int i = 0; i < 500; ++i) {
        const auto record = one.next();
        const auto again = other.next();
        ASSERT_EQ(record.key, again.key);
        ASSERT_EQ(record.value, again.value);
    }
}

TEST(Records, OfTheDeletesAreTombstonesForTheTenthPart) {
    const RecordPlan plan{RecordForm::order, KeyOrder::each_once, 10};
    RecordMaker maker{plan, 10'000};
    EXPECT_NEAR(static_cast<double>(read_all(maker, plan, 10'000).tombstones), 1'000, 150);
}

TEST(Records, OfHotKeysMeetFewKeysOften) {
    const RecordPlan plan{RecordForm::order, KeyOrder::hot, 0};
    RecordMaker maker{plan, 10'000};
    std::map<std::string, int> counts;
    for (int i = 0; i < 10'000; ++i) {
        ++counts[std::string{maker.next().key}];
    }
    int most = 0;
    for (const auto& [key, count] : counts) {
        most = std::max(most, count);
    }
    EXPECT_LE(counts.size(), 1'000U);
    EXPECT_NEAR(most, 10'000 / 7.485, 150);  // 1 + 1/2 + ... + 1/1000 = 7.485
}

}  // namespace
}  // namespace txsink::bench
