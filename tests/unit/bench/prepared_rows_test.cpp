/// @file
/// Multi-row statements taken apart for prepared ones.
#include "prepared_rows.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace txsink::bench {
namespace {

TEST(PreparedRows, HasEveryValueAndWhatStandsAround) {
    const auto taken = take_apart(
        "INSERT INTO `d`.`t` (`a`,`b`) VALUES (1,'x'),(-2,NULL),(3.50,'it\\'s (a), \\\\ \\n') AS n "
        "ON DUPLICATE KEY UPDATE `b` = n.`b`");
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->head, "INSERT INTO `d`.`t` (`a`,`b`) VALUES ");
    EXPECT_EQ(taken->tail, " AS n ON DUPLICATE KEY UPDATE `b` = n.`b`");
    EXPECT_EQ(taken->columns, 2U);
    EXPECT_EQ(taken->rows(), 3U);
    EXPECT_EQ(taken->cells,
              (std::vector<Cell>{std::int64_t{1},
                                 std::string{"x"},
                                 std::int64_t{-2},
                                 std::monostate{},
                                 std::string{"3.50"},
                                 std::string{"it's (a), \\ \n"}}));
    EXPECT_EQ(with_placeholders(*taken, 2),
              "INSERT INTO `d`.`t` (`a`,`b`) VALUES (?,?),(?,?) AS n "
              "ON DUPLICATE KEY UPDATE `b` = n.`b`");
}

TEST(PreparedRows, LeavesOthersAsText) {
    EXPECT_FALSE(take_apart("DELETE FROM t WHERE a IN (1,2)"));
    EXPECT_FALSE(take_apart("INSERT INTO t (a) VALUES (x'00ff')"));
    EXPECT_FALSE(take_apart("INSERT INTO t (a) VALUES ('open"));
    EXPECT_FALSE(take_apart("INSERT INTO t (a,b) VALUES (1,2),(3)"));
    EXPECT_FALSE(take_apart("INSERT INTO t (a) VALUES (1"));
}

TEST(PreparedRows, HasFewSizes) {
    EXPECT_EQ(prepared_size(2'000), 500U);
    EXPECT_EQ(prepared_size(499), 100U);
    EXPECT_EQ(prepared_size(99), 20U);
    EXPECT_EQ(prepared_size(19), 5U);
    EXPECT_EQ(prepared_size(4), 1U);
}

}  // namespace
}  // namespace txsink::bench
