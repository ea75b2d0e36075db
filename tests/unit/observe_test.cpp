#include <gtest/gtest.h>
#include <spdlog/details/log_msg.h>

#include <chrono>
#include <string>

#include "observe/log_formatter.hpp"
#include "txsink/observe/progress.hpp"

namespace txsink::observe {
namespace {

std::string format(LogFormat format, spdlog::level::level_enum level, std::string_view text) {
    const spdlog::log_clock::time_point when{std::chrono::milliseconds{1'709'287'200'007}};
    const spdlog::details::log_msg message{
        when, {}, "txsink", level, spdlog::string_view_t{text.data(), text.size()}};
    spdlog::memory_buf_t out;
    make_log_formatter(format)->format(message, out);
    return {out.data(), out.size()};
}

TEST(LogFormatter, WritesTimeInUtcLevelAndMessage) {
    EXPECT_EQ(format(LogFormat::text, spdlog::level::info, "claimed orders[0]"),
              "2024-03-01T10:00:00.007Z info  claimed orders[0]\n");
    EXPECT_EQ(format(LogFormat::text, spdlog::level::warn, "x"),
              "2024-03-01T10:00:00.007Z warn  x\n");
}

TEST(LogFormatter, KeepsAMessageOnOneLine) {
    EXPECT_EQ(format(LogFormat::text, spdlog::level::err, "a\nb\r\x1b[0m\"\\"),
              "2024-03-01T10:00:00.007Z error a\\nb\\u000d\\u001b[0m\"\\\n");
}

TEST(LogFormatter, WritesWellFormedJson) {
    EXPECT_EQ(format(LogFormat::json, spdlog::level::warn, "say \"x\\y\"\n\u00e4"),
              "{\"time\":\"2024-03-01T10:00:00.007Z\",\"level\":\"warn\","
              "\"message\":\"say \\\"x\\\\y\\\"\\n\u00e4\"}\n");
}

TEST(Progress, CountsWhatHappenedInBetween) {
    Snapshot before;
    before.records = 5'000;
    before.rows = 4'900;
    before.commits = 10;
    Snapshot now = before;
    now.records += 1'200;
    now.rows += 1'180;
    now.commits += 6;
    before.statement_time_us = 1'000'000;
    now.statement_time_us = 1'812'000;
    now.commit_time_us = 140'000;
    EXPECT_EQ(describe_progress(before, now, std::chrono::seconds{10}),
              "1200 records, 1180 rows in 6 commits (118 rows/s, 0.8 s in statements and 0.1 s in "
              "COMMIT); since start 6200 records");
}

TEST(Progress, NamesTroubleOnlyWhenThereWasSome) {
    Snapshot now;
    now.retries = 2;
    now.gaps = 1;
    now.pipelines_waiting = 1;
    EXPECT_EQ(describe_progress({}, now, std::chrono::seconds{1}),
              "0 records, 0 rows in 0 commits (0 rows/s, 0.0 s in statements and 0.0 s in COMMIT), "
              "2 retries, 1 gap, "
              "1 pipeline waiting for the database");
}

TEST(Progress, NamesWhatBecameOfRecordsWithoutARow) {
    Snapshot before;
    before.records = 100;
    before.filtered = 1;
    Snapshot now = before;
    now.records += 10;
    now.filtered += 4;
    now.dead_letters = 2;
    now.skipped = 1;
    now.missed_rows = 3;
    EXPECT_EQ(describe_progress(before, now, std::chrono::seconds{1}),
              "10 records, 0 rows in 0 commits (0 rows/s, 0.0 s in statements and 0.0 s in "
              "COMMIT), 4 filtered, 2 dead letters, 1 skipped, "
              "3 rows not found; since start 110 records");
}

TEST(Progress, CountsOneAsOne) {
    Snapshot now;
    now.records = 1;
    now.rows = 1;
    now.commits = 1;
    EXPECT_EQ(describe_progress({}, now, std::chrono::seconds{1}),
              "1 record, 1 row in 1 commit (1 rows/s, 0.0 s in statements and 0.0 s in COMMIT)");
}

TEST(Progress, ReadsTheCounters) {
    pipeline::Statistics statistics;
    statistics.records = 1;
    statistics.rows = 2;
    statistics.commits = 3;
    statistics.retries = 4;
    statistics.rewinds = 5;
    statistics.takeovers = 6;
    statistics.gaps = 7;
    statistics.pipelines_waiting = 8;
    statistics.filtered = 9;
    statistics.dead_letters = 10;
    statistics.skipped = 11;
    statistics.missed_rows = 12;
    statistics.statement_time_us = 13;
    statistics.commit_time_us = 14;
    const auto read = snapshot(statistics);
    EXPECT_EQ(read.records, 1U);
    EXPECT_EQ(read.rows, 2U);
    EXPECT_EQ(read.commits, 3U);
    EXPECT_EQ(read.retries, 4U);
    EXPECT_EQ(read.rewinds, 5U);
    EXPECT_EQ(read.takeovers, 6U);
    EXPECT_EQ(read.gaps, 7U);
    EXPECT_EQ(read.pipelines_waiting, 8U);
    EXPECT_EQ(read.filtered, 9U);
    EXPECT_EQ(read.dead_letters, 10U);
    EXPECT_EQ(read.skipped, 11U);
    EXPECT_EQ(read.missed_rows, 12U);
    EXPECT_EQ(read.statement_time_us, 13U);
    EXPECT_EQ(read.commit_time_us, 14U);
}

TEST(ProgressReporter, EndsAtOnceHoweverLongItsInterval) {
    pipeline::Statistics statistics;
    const auto start = std::chrono::steady_clock::now();
    { const ProgressReporter reporter{statistics, std::chrono::hours{1}}; }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{5});
}

}  // namespace
}  // namespace txsink::observe
