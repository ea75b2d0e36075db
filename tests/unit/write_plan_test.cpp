/// @file
/// WritePlan: the text of the statements, where a run ends, and the limits.
#include "txsink/batch/write_plan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "txsink/mapping/route.hpp"

namespace txsink::batch {
namespace {

using mapping::ChangeKind;
using mapping::OnConflict;
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

/// One assignment of each rule.
struct RuleCase {
    const char* name;
    OnConflict rule;
    const char* row_alias;
    const char* values_function;
};
class WritePlanRules : public WritePlanTest, public ::testing::WithParamInterface<RuleCase> {};

TEST_P(WritePlanRules, MergesAColumn) {
    const auto& param = GetParam();
    mapping::ConflictRules rules;
    rules.by_column.assign(table_.columns.size(), OnConflict::keep);
    rules.by_column[1] = param.rule;
    const RowShape ruled{&table_, ChangeKind::upsert, {0, 1}, &rules};
    add(first_, ruled, 0, "(1,10)");
    const std::string head = "INSERT INTO `shop`.`orders` (`id`,`total`) VALUES (1,10) ";
    EXPECT_EQ(plan(Dialect::row_alias),
              Texts{head + "AS txsink_new ON DUPLICATE KEY UPDATE " + param.row_alias});
    EXPECT_EQ(plan(Dialect::values_function),
              Texts{head + "ON DUPLICATE KEY UPDATE " + param.values_function});
}

INSTANTIATE_TEST_SUITE_P(
    Rules,
    WritePlanRules,
    ::testing::Values(
        RuleCase{"Replace",
                 OnConflict::replace,
                 "`total` = txsink_new.`total`",
                 "`total` = VALUES(`total`)"},
        RuleCase{
            "Keep", OnConflict::keep, "`id` = `shop`.`orders`.`id`", "`id` = `shop`.`orders`.`id`"},
        RuleCase{"Add",
                 OnConflict::add,
                 "`total` = COALESCE(`shop`.`orders`.`total` + txsink_new.`total`, "
                 "`shop`.`orders`.`total`, txsink_new.`total`)",
                 "`total` = COALESCE(`shop`.`orders`.`total` + VALUES(`total`), "
                 "`shop`.`orders`.`total`, VALUES(`total`))"},
        RuleCase{"Max",
                 OnConflict::max,
                 "`total` = IF(`shop`.`orders`.`total` IS NULL OR `shop`.`orders`.`total` < "
                 "txsink_new.`total`, txsink_new.`total`, `shop`.`orders`.`total`)",
                 "`total` = IF(`shop`.`orders`.`total` IS NULL OR `shop`.`orders`.`total` < "
                 "VALUES(`total`), VALUES(`total`), `shop`.`orders`.`total`)"},
        RuleCase{"Min",
                 OnConflict::min,
                 "`total` = IF(`shop`.`orders`.`total` IS NULL OR `shop`.`orders`.`total` > "
                 "txsink_new.`total`, txsink_new.`total`, `shop`.`orders`.`total`)",
                 "`total` = IF(`shop`.`orders`.`total` IS NULL OR `shop`.`orders`.`total` > "
                 "VALUES(`total`), VALUES(`total`), `shop`.`orders`.`total`)"}),
    [](const auto& each) { return std::string{each.param.name}; });

TEST_F(WritePlanTest, IfNewerGuardsEveryColumnAndAssignsTheVersionLast) {
    table_.columns.push_back(column("seq"));
    table_.columns.push_back(column("n"));
    table_.unique_keys = {{"uq_note", {2}}};
    mapping::ConflictRules rules;
    rules.by_column.assign(table_.columns.size(), OnConflict::replace);
    rules.by_column[2] = OnConflict::keep;
    rules.by_column[4] = OnConflict::add;
    rules.newer = 3;
    const RowShape ruled{&table_, ChangeKind::upsert, {0, 1, 2, 3, 4}, &rules};
    add(first_, ruled, 0, "(1,10,'x',7,1)");
    const std::string newer =
        "IF(`shop`.`orders`.`seq` IS NULL OR `shop`.`orders`.`seq` < VALUES(`seq`), ";
    EXPECT_EQ(plan(Dialect::values_function),
              Texts{"INSERT INTO `shop`.`orders` (`id`,`total`,`note`,`seq`,`n`) VALUES "
                    "(1,10,'x',7,1) ON DUPLICATE KEY UPDATE `id` = IF(IF(`shop`.`orders`.`id` = "
                    "VALUES(`id`), 1, (SELECT 1 UNION ALL SELECT 2)), `shop`.`orders`.`id`, NULL), "
                    "`total` = " +
                    newer + "VALUES(`total`), `shop`.`orders`.`total`), `n` = " + newer +
                    "COALESCE(`shop`.`orders`.`n` + VALUES(`n`), `shop`.`orders`.`n`, "
                    "VALUES(`n`)), `shop`.`orders`.`n`), `seq` = " +
                    newer + "VALUES(`seq`), `shop`.`orders`.`seq`)"});
}

TEST_F(WritePlanTest, IfNewerWithoutAVersionChangesOnlyRowsWithoutOne) {
    mapping::ConflictRules rules;
    rules.by_column.assign(table_.columns.size(), OnConflict::replace);
    rules.newer = 2;
    const RowShape ruled{&table_, ChangeKind::upsert, {0, 1}, &rules};
    add(first_, ruled, 0, "(1,10)");
    EXPECT_EQ(plan(Dialect::row_alias),
              Texts{"INSERT INTO `shop`.`orders` (`id`,`total`) VALUES (1,10) AS txsink_new "
                    "ON DUPLICATE KEY UPDATE `total` = IF(`shop`.`orders`.`note` IS NULL, "
                    "txsink_new.`total`, `shop`.`orders`.`total`)"});
}

TEST_F(WritePlanTest, AStatementIsTakenAsItIs) {
    const RowShape update{&table_, ChangeKind::statement, {}};
    add(first_, upsert_, 0, "(1,10)");
    add(first_, update, 1, "UPDATE `a` SET b = 'x, y' WHERE c = 1");
    add(first_, update, 2, "DELETE FROM `a`");
    add(second_, upsert_, 0, "(2,20)");
    WritePlan plan{Dialect::row_alias, {}};
    ASSERT_EQ(plan.build(batch_), std::nullopt);
    ASSERT_EQ(plan.size(), 4u);
    EXPECT_EQ(plan[1].sql, "UPDATE `a` SET b = 'x, y' WHERE c = 1");
    EXPECT_EQ(plan[1].shape, &update);
    EXPECT_EQ(plan[1].changes, 1u);
    EXPECT_EQ(plan[2].sql, "DELETE FROM `a`");
    EXPECT_EQ(plan[2].first, (ChangePosition{0, 2}));
    plan.set_limits({36, 100});
    EXPECT_EQ(plan.build(batch_, {0, 1}, {1, 0}), (ChangePosition{0, 1}));
    EXPECT_EQ(plan.build(batch_, {0, 2}, {1, 0}), std::nullopt);
}

/// Records that fan out into two tables.
class WritePlanOrder : public WritePlanTest {
protected:
    WritePlanOrder() {
        table_.is_independent = true;
        lines_.name = {"shop", "lines"};
        lines_.is_independent = true;
        for (int i = 0; i < 2; ++i) {
            add(first_, insert_, i, ("(" + std::to_string(i) + ",0)").c_str());
            add(first_, line_, i, ("(" + std::to_string(i) + ",7)").c_str());
        }
    }
    static constexpr const char* kOrders = "INSERT INTO `shop`.`orders` (`id`,`total`) VALUES ";
    static constexpr const char* kLines = "INSERT INTO `shop`.`lines` (`id`,`total`) VALUES ";
    const Texts one_by_one_{std::string{kOrders} + "(0,0)",
                            std::string{kLines} + "(0,7)",
                            std::string{kOrders} + "(1,0)",
                            std::string{kLines} + "(1,7)"};
    TableDefinition lines_ = orders();
    RowShape line_{&lines_, ChangeKind::insert, {0, 1}};
};

TEST_F(WritePlanOrder, IndependentTablesArePutTogether) {
    add(second_, line_, 0, "(9,9)");
    add(second_, insert_, 1, "(9,9)");
    EXPECT_EQ(plan(),
              (Texts{std::string{kOrders} + "(0,0),(1,0),(9,9)",
                     std::string{kLines} + "(0,7),(1,7),(9,9)"}));
}

TEST_F(WritePlanOrder, OneThatIsNotKeepsTheOrderOfAll) {
    lines_.is_independent = false;
    EXPECT_EQ(plan(), one_by_one_);
    lines_.is_independent = true;
    table_.is_independent = false;
    EXPECT_EQ(plan(), one_by_one_);
}

TEST_F(WritePlanOrder, NothingPassesAStatementWithoutTable) {
    const RowShape sql{nullptr, ChangeKind::statement, {}};
    add(first_, sql, 2, "DO 1");
    add(first_, insert_, 3, "(3,0)");
    add(first_, line_, 3, "(3,7)");
    add(first_, insert_, 4, "(4,0)");
    EXPECT_EQ(plan(),
              (Texts{std::string{kOrders} + "(0,0),(1,0)",
                     std::string{kLines} + "(0,7),(1,7)",
                     "DO 1",
                     std::string{kOrders} + "(3,0),(4,0)",
                     std::string{kLines} + "(3,7)"}));
}

TEST_F(WritePlanOrder, TheChangesOfATableKeepTheirOrderAlsoUnderTwoDefinitions) {
    TableDefinition again = table_;
    const RowShape remove{&again, ChangeKind::remove, {0}};
    const RowShape update{&again, ChangeKind::statement, {}};
    add(first_, remove, 2, "(0)");
    add(first_, line_, 2, "(2,7)");
    add(first_, insert_, 3, "(0,1)");
    add(first_, update, 3, "UPDATE orders SET total = 2");
    EXPECT_EQ(plan(),
              (Texts{std::string{kOrders} + "(0,0),(1,0)",
                     "DELETE FROM `shop`.`orders` WHERE (`id`) IN ((0))",
                     std::string{kOrders} + "(0,1)",
                     "UPDATE orders SET total = 2",
                     std::string{kLines} + "(0,7),(1,7),(2,7)"}));
}

TEST_F(WritePlanOrder, PlansAnyRangeOfChanges) {
    WritePlan plan{Dialect::row_alias, {}};
    ASSERT_EQ(plan.build(batch_, {0, 1}, {0, 4}), std::nullopt);
    EXPECT_EQ(texts(plan),
              (Texts{std::string{kLines} + "(0,7),(1,7)", std::string{kOrders} + "(1,0)"}));
    EXPECT_EQ(plan[0].first, (ChangePosition{0, 1}));
    EXPECT_EQ(plan[1].first, (ChangePosition{0, 2}));
    // A change that is too long: named, and the plan is of use again.
    plan.set_limits({60, 100});
    add(first_, line_, 5, "(1,1000000000000000000000)");
    EXPECT_EQ(plan.build(batch_), (ChangePosition{0, 4}));
    ASSERT_EQ(plan.build(batch_, {0, 0}, {0, 2}), std::nullopt);
    EXPECT_EQ(plan.size(), 2u);
}

TEST_F(WritePlanTest, TakesLiteralsOfEveryKindApart) {
    table_.is_independent = true;
    table_.primary_key = {0, 1, 2};
    const RowShape remove{&table_, ChangeKind::remove, {0, 1, 2}};
    add(first_, remove, 0, "(ST_GeomFromText('POINT(1 2)',4326),_utf8mb4'a,\\')',x'2c29')");
    add(first_, remove, 1, "(DEFAULT,-1.5e-3,f(g(1,'('),')'))");
    EXPECT_EQ(plan(),
              Texts{"DELETE FROM `shop`.`orders` WHERE (`id` = ST_GeomFromText('POINT(1 2)',4326) "
                    "AND `total` = _utf8mb4'a,\\')' AND `note` = x'2c29') OR (`id` = DEFAULT AND "
                    "`total` = -1.5e-3 AND `note` = f(g(1,'('),')'))"});
}

TEST_F(WritePlanTest, B52_RemovesByTheWholeKey) {
    table_.is_independent = true;
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
    table_.is_independent = true;
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
    table_.is_independent = true;
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

TEST_F(WritePlanTest, ARemovalFromATableThatIsNotIndependentStandsAlone) {
    add(first_, remove_, 0, "(9)");
    add(first_, remove_, 1, "(1)");
    EXPECT_EQ(plan(),
              (Texts{"DELETE FROM `shop`.`orders` WHERE (`id`) IN ((9))",
                     "DELETE FROM `shop`.`orders` WHERE (`id`) IN ((1))"}));
    table_.primary_key = {2, 0};
    const RowShape remove{&table_, ChangeKind::remove, {2, 0}};
    first_.clear();
    add(first_, remove, 0, "('x',1)");
    add(second_, remove, 0, "('x',2)");
    EXPECT_EQ(plan(),
              (Texts{"DELETE FROM `shop`.`orders` WHERE (`note` = 'x' AND `id` = 1)",
                     "DELETE FROM `shop`.`orders` WHERE (`note` = 'x' AND `id` = 2)"}));
}

TEST_F(WritePlanTest, WithoutMergingEachChangeIsAStatementInItsPlace) {
    table_.is_independent = true;
    TableDefinition lines = orders();
    lines.name.table = "lines";
    lines.is_independent = true;
    const RowShape line{&lines, ChangeKind::insert, {0}};
    add(first_, insert_, 0, "(1,10)");
    add(first_, line, 0, "(1)");
    add(first_, insert_, 1, "(2,20)");
    add(second_, insert_, 0, "(3,30)");
    WritePlan careful{Dialect::row_alias, {}};
    careful.set_merging(Merging::none);
    ASSERT_EQ(careful.build(batch_), std::nullopt);
    EXPECT_EQ(texts(careful),
              (Texts{"INSERT INTO `shop`.`orders` (`id`,`total`) VALUES (1,10)",
                     "INSERT INTO `shop`.`lines` (`id`) VALUES (1)",
                     "INSERT INTO `shop`.`orders` (`id`,`total`) VALUES (2,20)",
                     "INSERT INTO `shop`.`orders` (`id`,`total`) VALUES (3,30)"}));
    EXPECT_EQ(careful[3].first, (ChangePosition{1, 0}));
    careful.set_merging(Merging::allowed);
    ASSERT_EQ(careful.build(batch_), std::nullopt);
    EXPECT_EQ(careful.size(), 2U);
}

TEST_F(WritePlanTest, AChangeLongerThanTheLimitStandsAlone) {
    const std::string head = "INSERT INTO `shop`.`orders` (`id`,`total`) VALUES ";
    for (const char* row : {"(1,1)", "(2,2)", "(3,3333333)", "(4,4)", "(5,5)"}) {
        add(first_, insert_, 0, row);
    }
    StatementLimits limits{head.size() + 11};
    WritePlan plan{Dialect::row_alias, limits};
    EXPECT_EQ(plan.build(batch_), std::nullopt);
    EXPECT_EQ(texts(plan),
              (Texts{head + "(1,1),(2,2)", head + "(3,3333333)", head + "(4,4),(5,5)"}));
    limits.bytes = head.size() + 10;
    plan.set_limits(limits);
    EXPECT_EQ(plan.build(batch_), (ChangePosition{0, 2}));
    limits.bytes_alone = head.size() + 11;
    plan.set_limits(limits);
    EXPECT_EQ(plan.build(batch_), std::nullopt);
    EXPECT_EQ(
        texts(plan),
        (Texts{
            head + "(1,1)", head + "(2,2)", head + "(3,3333333)", head + "(4,4)", head + "(5,5)"}));
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
