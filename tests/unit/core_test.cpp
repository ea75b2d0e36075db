#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "txsink/core/base64.hpp"
#include "txsink/core/fence.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/retry_policy.hpp"
#include "txsink/core/secret.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/core/topic_partition.hpp"

namespace txsink {
namespace {

TEST(Fence, IsNeverZeroAndNeverTheSameTwice) {
    std::set<Fence> seen;
    for (int i = 0; i < 1000; ++i) {
        const Fence fence = random_fence();
        EXPECT_NE(fence, Fence{0});
        EXPECT_TRUE(seen.insert(fence).second);
    }
}

TEST(RetryPolicy, DoublesUpToTheMaximumWithJitter) {
    const RetryPolicy policy{std::chrono::milliseconds{100}, std::chrono::milliseconds{1000}};
    const std::int64_t longest[] = {100, 200, 400, 800, 1000, 1000};
    for (int attempt = 1; attempt <= 6; ++attempt) {
        for (int i = 0; i < 50; ++i) {
            const auto wait = policy.wait_before(attempt).count();
            EXPECT_GE(wait, longest[attempt - 1] / 2);
            EXPECT_LE(wait, longest[attempt - 1]);
        }
    }
    EXPECT_LE(policy.wait_before(1'000'000).count(), 1000);
}

TEST(Secret, IsNotPrinted) {
    std::ostringstream out;
    out << Secret{"hunter2"};
    EXPECT_EQ(out.str(), "***");
}

TEST(TopicPartition, NamesItselfAndItsRecords) {
    EXPECT_EQ(to_string(TopicPartition{"orders", 3}), "orders[3]");
    EXPECT_EQ(record_name("orders", 3, Offset{42}), "orders[3]@42");
}

TEST(ExitCode, FollowsTheTable) {
    EXPECT_EQ(exit_code(ErrorKind::usage), 64);
    EXPECT_EQ(exit_code(ErrorKind::bad_record), 65);
    EXPECT_EQ(exit_code(ErrorKind::unavailable), 69);
    EXPECT_EQ(exit_code(ErrorKind::internal), 70);
    EXPECT_EQ(exit_code(ErrorKind::fenced), 73);
    EXPECT_EQ(exit_code(ErrorKind::access_denied), 77);
    EXPECT_EQ(exit_code(ErrorKind::configuration), 78);
}

TEST(Base64, GoesThereAndBack) {
    const std::pair<std::string, std::string> pairs[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foobar", "Zm9vYmFy"},
                                                         {"\xff\xfe\xfb", "//77"}};
    for (const auto& [bytes, text] : pairs) {
        EXPECT_EQ(to_base64(bytes), text);
        EXPECT_EQ(from_base64(text), bytes);
    }
    for (const auto* text : {"Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Z-8="}) {
        EXPECT_EQ(from_base64(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace txsink
