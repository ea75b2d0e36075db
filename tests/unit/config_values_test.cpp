/// @file
/// Single values: units, times, distances between names.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/units.hpp"
#include "txsink/config/nearest.hpp"

namespace txsink::config {
namespace {

using std::chrono::milliseconds;

TEST(Duration, IsReadWithItsUnit) {
    EXPECT_EQ(parse_duration("100ms"), milliseconds{100});
    EXPECT_EQ(parse_duration("2s"), milliseconds{2'000});
    EXPECT_EQ(parse_duration("5m"), milliseconds{300'000});
    EXPECT_EQ(parse_duration("1h"), milliseconds{3'600'000});
    EXPECT_EQ(parse_duration("0"), milliseconds{0});
    EXPECT_EQ(parse_duration("0s"), milliseconds{0});
}

TEST(Duration, WithoutOrWithAnotherUnitIsNone) {
    for (const char* text : {"",
                             "100",
                             "ms",
                             "1.5s",
                             "-1s",
                             "+1s",
                             " 1s",
                             "1 s",
                             "1S",
                             "1sec",
                             "1d",
                             "1s2",
                             "0x1s",
                             "99999999999999999999s",
                             "9223372036854775807h"}) {
        EXPECT_EQ(parse_duration(text), std::nullopt) << text;
    }
}

TEST(Duration, IsShownInTheLargestExactUnit) {
    EXPECT_EQ(format_duration(milliseconds{0}), "0");
    EXPECT_EQ(format_duration(milliseconds{1'500}), "1500ms");
    EXPECT_EQ(format_duration(milliseconds{10'000}), "10s");
    EXPECT_EQ(format_duration(milliseconds{1'800'000}), "30m");
    EXPECT_EQ(format_duration(milliseconds{7'200'000}), "2h");
}

TEST(Size, IsReadWithOrWithoutUnit) {
    EXPECT_EQ(parse_size("65536"), 65'536);
    EXPECT_EQ(parse_size("64KiB"), 65'536);
    EXPECT_EQ(parse_size("4MiB"), 4'194'304);
    EXPECT_EQ(parse_size("1GiB"), 1'073'741'824);
    for (const char* text :
         {"", "MiB", "4MB", "4M", "4mib", "-1", "1.5MiB", "9223372036854775807KiB"}) {
        EXPECT_EQ(parse_size(text), std::nullopt) << text;
    }
}

TEST(Size, IsShownInTheLargestExactUnit) {
    EXPECT_EQ(format_size(1'000), "1000");
    EXPECT_EQ(format_size(65'536), "64KiB");
    EXPECT_EQ(format_size(4'194'304), "4MiB");
    EXPECT_EQ(format_size(std::int64_t{1} << 30), "1GiB");
}

TEST(Timestamp, IsReadInItsZone) {
    EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00Z"), 0);
    EXPECT_EQ(parse_timestamp("2024-03-01T10:00:00Z"), 1'709'287'200'000);
    EXPECT_EQ(parse_timestamp("2024-03-01T12:00:00+02:00"), 1'709'287'200'000);
    EXPECT_EQ(parse_timestamp("2024-03-01T04:30:00-05:30"), 1'709'287'200'000);
    EXPECT_EQ(parse_timestamp("2024-02-29T23:59:59.25Z"), 1'709'251'199'250);
    EXPECT_EQ(parse_timestamp("2024-03-01T10:00:00.123456789Z"), 1'709'287'200'123);
}

TEST(Timestamp, WithoutZoneOrImpossibleIsNone) {
    for (const char* text : {"",
                             "2024-03-01",
                             "2024-03-01T10:00:00",
                             "2024-03-01 10:00:00Z",
                             "2023-02-29T00:00:00Z",
                             "2024-13-01T00:00:00Z",
                             "2024-00-10T00:00:00Z",
                             "2024-03-01T24:00:00Z",
                             "2024-03-01T10:60:00Z",
                             "2024-03-01T10:00:60Z",
                             "2024-03-01T10:00:00+2:00",
                             "2024-03-01T10:00:00+0200",
                             "2024-03-01T10:00:00+15:00",
                             "2024-03-01T10:00:00Zx",
                             "2024-03-01T10:00:00.Z",
                             "24-03-01T10:00:00Z",
                             "1709287200000"}) {
        EXPECT_EQ(parse_timestamp(text), std::nullopt) << text;
    }
}

TEST(EditDistance, CountsInsertRemoveReplaceAndSwap) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("abc", ""), 3U);
    EXPECT_EQ(edit_distance("rows", "row"), 1U);
    EXPECT_EQ(edit_distance("rows", "rowss"), 1U);
    EXPECT_EQ(edit_distance("rows", "raws"), 1U);
    EXPECT_EQ(edit_distance("rows", "rwos"), 1U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, FindsTheNameMeantOrNone) {
    const std::vector<std::string> names{"batch.rows", "batch.bytes", "mysql.uri", "mode", "key"};
    EXPECT_EQ(nearest("batch.row", names), "batch.rows");
    EXPECT_EQ(nearest("bacth.bytes", names), "batch.bytes");
    EXPECT_EQ(nearest("rows", names), "batch.rows");
    EXPECT_EQ(nearest("uri", names), "mysql.uri");
    EXPECT_EQ(nearest("mod", names), "mode");
    EXPECT_EQ(nearest("x", names), "");
    EXPECT_EQ(nearest("something.else.entirely", names), "");
}

}  // namespace
}  // namespace txsink::config
