/// @file
/// Medians, percentiles, Zipf's law and latencies.
#include "figures.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "connector.hpp"
#include "latency.hpp"
#include "zipf.hpp"

namespace txsink::bench {
namespace {

TEST(Figures, MedianIsTheMiddle) {
    EXPECT_EQ(median({}), 0);
    EXPECT_EQ(median({7}), 7);
    EXPECT_EQ(median({9, 1, 5}), 5);
    EXPECT_EQ(median({9, 1, 5, 6}), 5.5);
}

TEST(Figures, SpreadIsRelativeToTheMedian) {
    EXPECT_EQ(spread({}), 0);
    EXPECT_EQ(spread({7}), 0);
    EXPECT_EQ(spread({90, 110, 100}), 0.2);
}

TEST(Figures, PercentileIsTheNearestRank) {
    std::vector<double> hundred;
    for (int i = 1; i <= 100; ++i) {
        hundred.push_back(i);
    }
    EXPECT_EQ(percentile({}, 50), 0);
    EXPECT_EQ(percentile(hundred, 50), 50);
    EXPECT_EQ(percentile(hundred, 99), 99);
    EXPECT_EQ(percentile(hundred, 100), 100);
    EXPECT_EQ(percentile({1, 2, 3}, 50), 2);
    EXPECT_EQ(percentile({1, 2, 3}, 1), 1);
}

TEST(Random, IsTheSameEverywhere) {
    // The reference values of splitmix64 for this seed.
    Random random{1234567};
    EXPECT_EQ(random.next(), 6457827717110365317U);
    EXPECT_EQ(random.next(), 3203168211198807973U);
}

TEST(Zipf, IsRepeatable) {
    const Zipf zipf{1'000, 1.0};
    Random one{5};
    Random other{5};
    for (int i = 0; i < 1'000; ++i) {
        ASSERT_EQ(zipf.next(one), zipf.next(other));
    }
}

TEST(Zipf, GivesEachRankItsShare) {
    constexpr int kDraws = 200'000;
    const Zipf zipf{100, 1.0};
    Random random{11};
    std::vector<int> counts(100);
    for (int i = 0; i < kDraws; ++i) {
        ++counts.at(zipf.next(random));
    }
    // 1 / (1 + 1/2 + ... + 1/100) = 0.1928
    EXPECT_NEAR(static_cast<double>(counts[0]) / kDraws, 0.1928, 0.005);
    EXPECT_NEAR(static_cast<double>(counts[1]) / kDraws, 0.0964, 0.005);
    EXPECT_NEAR(static_cast<double>(counts[9]) / kDraws, 0.0193, 0.005);
}

TEST(Latency, CountsFromProduceToTheLookThatFoundTheRecord) {
    const Clock::time_point zero{};
    const auto at = [&](int milliseconds) {
        return zero + std::chrono::milliseconds{milliseconds};
    };
    const ProducedAt produced{{at(0), at(10), at(20), at(30)}, {at(0), at(5)}};
    const std::vector<Seen> seen{
        {0, 1, at(3)}, {1, 1, at(3)}, {0, 3, at(50)}, {1, 2, at(60)}, {0, 4, at(61)}};
    EXPECT_EQ(latencies_of(produced, seen, 1), (std::vector<double>{30, 31, 40, 55}));
}

TEST(Latency, TakesNoOffsetBeyondTheRecords) {
    const Clock::time_point zero{};
    EXPECT_EQ(latencies_of({{zero, zero}}, {{0, 9, zero + std::chrono::milliseconds{2}}}, 0),
              (std::vector<double>{2, 2}));
}

TEST(ConnectorLog, TellsTheWaits) {
    ConnectorRun run;
    take_waits("info: whole run: 3 records, 3 rows in 1 commit (3 rows/s)", run);
    EXPECT_FALSE(run.statement_seconds);
    EXPECT_FALSE(run.commit_seconds);
    take_waits(
        "info: 2 records (1.5 s in statements and 0.5 s in COMMIT)\n"
        "info: whole run: 3 records (8.25 s in statements and 2.5 s in COMMIT)",
        run);
    EXPECT_EQ(run.statement_seconds, 8.25);
    EXPECT_EQ(run.commit_seconds, 2.5);
}

}  // namespace
}  // namespace txsink::bench
