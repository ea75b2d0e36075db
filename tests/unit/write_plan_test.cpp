/// @file
/// WritePlan: the text of the statements, where a run ends, and the limits.
#include "txsink/batch/write_plan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace txsink::batch {
namespace {

using mapping::ChangeKind;
using mapping::RowBuffer;
using mapping::RowShape;
using mapping::TableDefinition;

mapping::ColumnDefinition column(const char* name) {
    mapping::ColumnDefinition definition;
    definition.name = name;
    return definition;
}

/// `shop`.`orders`: primary key id; columns id, total, note.
TableDefinition orders() {
    TableDefinition table;
    table.name = {"shop", "orders"};
    table.columns = {column("id"), column("total"), column("note")};
    table.primary_key = {0};
    return table;
}

void add(RowBuffer& rows, const RowShape& shape, std::int64_t offset, const char* tuple) {
    rows.open() += tuple;
    rows.close(&shape, Offset{offset});
}

std::vector<std::string> texts(const WritePlan& plan) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        all.push_back(plan[i].sql);
    }
    return all;
}

class WritePlanTest : public ::testing::Test {
protected:
    TableDefinition table_ = orders();
    RowShape insert_{&table_, ChangeKind::insert, {0, 1}};
    RowShape upsert_{&table_, ChangeKind::upsert, {0, 1}};
    RowShape remove_{&table_, ChangeKind::remove, {0}};
    Batch batch_ = [] {
        Batch batch;
        batch.partitions.resize(2);
        return batch;
    }();
    RowBuffer& first_ = batch_.partitions[0].rows;
    RowBuffer& second_ = batch_.partitions[1].rows;

    std::vector<std::string> plan(Dialect dialect = Dialect::row_alias,
                                  StatementLimits limits = {}) {
        WritePlan plan{dialect, limits};
        EXPECT_EQ(plan.build(batch_), std::nullopt);
        return texts(plan);
    }
};

using Texts = std::vector<std::string>;

TEST_F(WritePlanTest, MakesOneInsertOfARun) {
    add(first_, insert_, 0, "(1,10)");
    add(first_, insert_, 1, "(2,20)");
    EXPECT_EQ(plan(), Texts{"INSERT INTO `shop`.`orders` (`id`,`total`) VALUES (1,10),(2,20)"});
}

TEST_F(WritePlanTest, InsertsARowOfDefaults) {
    const RowShape nothing{&table_, ChangeKind::insert, {}};
    add(first_, nothing, 0, "()");
    EXPECT_EQ(plan(), Texts{"INSERT INTO `shop`.`orders` () VALUES ()"});
}

TEST_F(WritePlanTest, B46_B47_UpsertsInTheServersOwnWords) {
    add(first_, upsert_, 0, "(1,10)");
    EXPECT_EQ(plan(Dialect::row_alias),
              Texts{"INSERT INTO `shop`.`orders` (`id`,`total`) VALUES (1,10) AS txsink_new "
                    "ON DUPLICATE KEY UPDATE `total` = txsink_new.`total`"});
    EXPECT_EQ(plan(Dialect::values_function),
              Texts{"INSERT INTO `shop`.`orders` (`id`,`total`) VALUES (1,10) "
                    "ON DUPLICATE KEY UPDATE `total` = VALUES(`total`)"});
}

TEST_F(WritePlanTest, B47_AliasIsNeverTheTablesName) {
    table_.name.table = "Txsink_NEW";
    add(first_, upsert_, 0, "(1,10)");
    EXPECT_EQ(plan(),
              Texts{"INSERT INTO `shop`.`Txsink_NEW` (`id`,`total`) VALUES (1,10) AS txsink_row "
                    "ON DUPLICATE KEY UPDATE `total` = txsink_row.`total`"});
}

TEST_F(WritePlanTest, B55_QuotesEveryName) {
    table_.name = {"a`b", "order"};
    table_.columns[1].name = "gr`oup";
    add(first_, upsert_, 0, "(1,10)");
    EXPECT_EQ(plan(),
              Texts{"INSERT INTO `a``b`.`order` (`id`,`gr``oup`) VALUES (1,10) AS txsink_new "
                    "ON DUPLICATE KEY UPDATE `gr``oup` = txsink_new.`gr``oup`"});
}

TEST_F(WritePlanTest, B86_UpsertOfOnlyTheKeyChangesNothing) {
    const RowShape key_only{&table_, ChangeKind::upsert, {0}};
    add(first_, key_only, 0, "(1)");
    EXPECT_EQ(plan(Dialect::values_function),
              Texts{"INSERT INTO `shop`.`orders` (`id`) VALUES (1) "
                    "ON DUPLICATE KEY UPDATE `id` = `shop`.`orders`.`id`"});
}

TEST_F(WritePlanTest, GuardsTablesWithFurtherUniqueKeys) {
    table_.primary_key = {0, 2};
    table_.unique_keys = {{"uq_total", {1}}};
    const RowShape all{&table_, ChangeKind::upsert, {0, 1, 2}};
    add(first_, all, 0, "(1,10,'x')");
    EXPECT_EQ(plan(Dialect::values_function),
              Texts{"INSERT INTO `shop`.`orders` (`id`,`total`,`note`) VALUES (1,10,'x') "
                    "ON DUPLICATE KEY UPDATE `id` = IF(IF("
                    "`shop`.`orders`.`id` = VALUES(`id`) AND "
                    "`shop`.`orders`.`note` = VALUES(`note`), 1, "
                    "(SELECT 1 UNION ALL SELECT 2)), `shop`.`orders`.`id`, NULL), "
                    "`total` = VALUES(`total`)"});
}

TEST_F(WritePlanTest, GuardsAnUpsertOfOnlyTheKeyToo) {
    table_.unique_keys = {{"uq_total", {1}}};
    const RowShape key_only{&table_, ChangeKind::upsert, {0}};
    add(first_, key_only, 0, "(1)");
    EXPECT_EQ(plan(),
              Texts{"INSERT INTO `shop`.`orders` (`id`) VALUES (1) AS txsink_new "
                    "ON DUPLICATE KEY UPDATE `id` = IF(IF("
                    "`shop`.`orders`.`id` = txsink_new.`id`, 1, "
                    "(SELECT 1 UNION ALL SELECT 2)), `shop`.`orders`.`id`, NULL)"});
}

TEST_F(WritePlanTest, RemovesByTheWholeKey) {
    add(first_, remove_, 0, "(1)");
    add(first_, remove_, 1, "(2)");
    EXPECT_EQ(plan(), Texts{"DELETE FROM `shop`.`orders` WHERE (`id`) IN ((1),(2))"});

    table_.primary_key = {2, 0};
    const RowShape remove{&table_, ChangeKind::remove, {2, 0}};
    first_.clear();
    add(first_, remove, 0, "('x',1)");
    add(first_, remove, 1, "('it\\'s, (\\\\',2)");
    add(second_, remove, 2, "('it''s',CAST('a,b' AS CHAR))");
    EXPECT_EQ(plan(),
              Texts{"DELETE FROM `shop`.`orders` WHERE (`note` = 'x' AND `id` = 1) OR "
                    "(`note` = 'it\\'s, (\\\\' AND `id` = 2) OR "
                    "(`note` = 'it''s' AND `id` = CAST('a,b' AS CHAR))"});
}

TEST_F(WritePlanTest, BoundsTheKeysOfADelete) {
    for (int i = 0; i < 1'001; ++i) {
        add(first_, remove_, i, "(7)");
    }
    WritePlan plan{Dialect::row_alias, {}};
    ASSERT_EQ(plan.build(batch_), std::nullopt);
    ASSERT_EQ(plan.size(), 2u);
    EXPECT_EQ(plan[0].changes, kMaxKeysPerDelete);
    EXPECT_EQ(plan[1].changes, 1u);
    EXPECT_EQ(plan[1].first, (ChangePosition{0, 1'000}));
}

TEST_F(WritePlanTest, BoundsTheKeysOfACompositeDelete) {
    table_.primary_key = {0, 1};
    const RowShape remove{&table_, ChangeKind::remove, {0, 1}};
    for (int i = 0; i < 201; ++i) {
        add(first_, remove, i, "(7,8)");
    }
    WritePlan plan{Dialect::row_alias, {}};
    ASSERT_EQ(plan.build(batch_), std::nullopt);
    ASSERT_EQ(plan.size(), 2u);
    EXPECT_EQ(plan[0].changes, kMaxCompositeKeysPerDelete);
    EXPECT_EQ(plan[1].first, (ChangePosition{0, 200}));

    const std::string two =
        "DELETE FROM `shop`.`orders` WHERE (`id` = 7 AND `total` = 8) OR (`id` = 7 AND `total` = "
        "8)";
    plan.set_limits({two.size(), 100});
    ASSERT_EQ(plan.build(batch_), std::nullopt);
    EXPECT_EQ(plan[0].sql, two);
    plan.set_limits({two.size() - 1, 100});
    ASSERT_EQ(plan.build(batch_), std::nullopt);
    EXPECT_EQ(plan[0].changes, 1u);
    plan.set_limits({two.size() / 2, 100});
    EXPECT_EQ(plan.build(batch_), (ChangePosition{0, 0}));
}

TEST_F(WritePlanTest, NeverReordersAPartition) {
    const RowShape other{&table_, ChangeKind::upsert, {0, 2}};
    add(first_, upsert_, 0, "(1,10)");
    add(first_, remove_, 1, "(1)");
    add(first_, upsert_, 2, "(1,11)");
    add(first_, other, 3, "(1,'x')");
    add(first_, upsert_, 4, "(1,12)");
    WritePlan plan{Dialect::row_alias, {}};
    ASSERT_EQ(plan.build(batch_), std::nullopt);
    ASSERT_EQ(plan.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(plan[i].first, (ChangePosition{0, i}));
        EXPECT_EQ(plan[i].changes, 1u);
    }
}

TEST_F(WritePlanTest, GoesOnAcrossPartitions) {
    batch_.partitions.resize(4);
    add(batch_.partitions[0].rows, insert_, 0, "(1,10)");
    add(batch_.partitions[2].rows, insert_, 0, "(2,20)");
    add(batch_.partitions[2].rows, insert_, 1, "(3,30)");
    add(batch_.partitions[3].rows, remove_, 0, "(1)");
    WritePlan plan{Dialect::row_alias, {}};
    ASSERT_EQ(plan.build(batch_), std::nullopt);
    EXPECT_EQ(texts(plan),
              (Texts{"INSERT INTO `shop`.`orders` (`id`,`total`) VALUES (1,10),(2,20),(3,30)",
                     "DELETE FROM `shop`.`orders` WHERE (`id`) IN ((1))"}));
    EXPECT_EQ(plan[0].first, (ChangePosition{0, 0}));
    EXPECT_EQ(plan[0].changes, 3u);
    EXPECT_EQ(plan[1].first, (ChangePosition{3, 0}));
}

TEST_F(WritePlanTest, SplitsByRows) {
    for (int i = 0; i < 5; ++i) {
        add(i < 3 ? first_ : second_, insert_, i, "(1,10)");
    }
    WritePlan plan{Dialect::row_alias, {1'024, 2}};
    ASSERT_EQ(plan.build(batch_), std::nullopt);
    ASSERT_EQ(plan.size(), 3u);
    EXPECT_EQ(plan[1].first, (ChangePosition{0, 2}));
    EXPECT_EQ(plan[1].changes, 2u);
    EXPECT_EQ(plan[2].first, (ChangePosition{1, 1}));
}

TEST_F(WritePlanTest, B39_NoStatementIsLongerThanTheLimit) {
    for (int i = 0; i < 40; ++i) {
        add(i % 3 == 0 ? second_ : first_,
            i % 7 == 0 ? remove_ : upsert_,
            i,
            i % 7 == 0 ? "(123)" : "(1,1234567)");
    }
    const std::size_t shortest =
        std::string{
            "INSERT INTO `shop`.`orders` (`id`,`total`) VALUES (1,1234567) AS txsink_new "
            "ON DUPLICATE KEY UPDATE `total` = txsink_new.`total`"}
            .size();
    for (std::size_t limit = shortest; limit < shortest + 60; ++limit) {
        WritePlan plan{Dialect::row_alias, {limit, 100}};
        ASSERT_EQ(plan.build(batch_), std::nullopt) << limit;
        std::size_t changes = 0;
        for (std::size_t i = 0; i < plan.size(); ++i) {
            EXPECT_LE(plan[i].sql.size(), limit);
            changes += plan[i].changes;
        }
        EXPECT_EQ(changes, 40u);
    }
    WritePlan plan{Dialect::row_alias, {shortest - 1, 100}};
    EXPECT_NE(plan.build(batch_), std::nullopt);
}

TEST_F(WritePlanTest, FillsAStatementUpToTheLimit) {
    add(first_, insert_, 0, "(1,10)");
    add(second_, insert_, 0, "(2,20)");
    const std::string both = "INSERT INTO `shop`.`orders` (`id`,`total`) VALUES (1,10),(2,20)";
    EXPECT_EQ(plan(Dialect::row_alias, {both.size(), 100}), Texts{both});
    EXPECT_EQ(plan(Dialect::row_alias, {both.size() - 1, 100}).size(), 2u);
}

TEST_F(WritePlanTest, NamesAChangeThatAloneIsTooLong) {
    add(first_, insert_, 0, "(1,10)");
    add(second_, insert_, 0, "(2,20)");
    add(second_, insert_, 1, "(3,30000000000000000000)");
    WritePlan plan{Dialect::row_alias, {60, 100}};
    EXPECT_EQ(plan.build(batch_), (ChangePosition{1, 1}));
    // And is of use again.
    EXPECT_EQ(plan.build(batch_, {0, 0}, {1, 1}), std::nullopt);
    EXPECT_EQ(plan.size(), 2u);
}

TEST_F(WritePlanTest, PlansPartOfABatch) {
    for (int i = 0; i < 6; ++i) {
        add(i < 3 ? first_ : second_, insert_, i, ("(" + std::to_string(i) + ",0)").c_str());
    }
    WritePlan plan{Dialect::row_alias, {}};
    const std::string head = "INSERT INTO `shop`.`orders` (`id`,`total`) VALUES ";
    ASSERT_EQ(plan.build(batch_, {0, 1}, {1, 2}), std::nullopt);
    EXPECT_EQ(texts(plan), Texts{head + "(1,0),(2,0),(3,0),(4,0)"});
    EXPECT_EQ(plan[0].first, (ChangePosition{0, 1}));
    ASSERT_EQ(plan.build(batch_, {0, 1}, {0, 2}), std::nullopt);
    EXPECT_EQ(texts(plan), Texts{head + "(1,0)"});
    ASSERT_EQ(plan.build(batch_, {1, 0}, {1, 3}), std::nullopt);
    EXPECT_EQ(texts(plan), Texts{head + "(3,0),(4,0),(5,0)"});
    ASSERT_EQ(plan.build(batch_, {0, 3}, {1, 0}), std::nullopt);
    EXPECT_EQ(plan.size(), 0u);
    ASSERT_EQ(plan.build(batch_, {1, 1}, {0, 2}), std::nullopt);
    EXPECT_EQ(plan.size(), 0u);
}

TEST_F(WritePlanTest, ReusesItsStatements) {
    for (int i = 0; i < 100; ++i) {
        add(first_, i % 2 == 0 ? insert_ : upsert_, i, "(1,10)");
    }
    WritePlan plan{Dialect::row_alias, {}};
    ASSERT_EQ(plan.build(batch_), std::nullopt);
    const auto before = texts(plan);
    std::vector<const char*> buffers;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        buffers.push_back(plan[i].sql.data());
    }
    ASSERT_EQ(plan.build(batch_), std::nullopt);
    EXPECT_EQ(texts(plan), before);
    for (std::size_t i = 0; i < plan.size(); ++i) {
        EXPECT_EQ(plan[i].sql.data(), buffers[i]);
    }
}

TEST_F(WritePlanTest, PlansNothingOfAnEmptyBatch) {
    EXPECT_EQ(plan(), Texts{});
    batch_.partitions.clear();
    EXPECT_EQ(plan(), Texts{});
}

}  // namespace
}  // namespace txsink::batch
