/// @file
/// WritePlan against a real server: a batch leaves what one statement a record would leave, and an
/// upsert never touches a row with another primary key.
#include "txsink/batch/write_plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mysql/session.hpp"
#include "mysql/table_reader.hpp"
#include "support/test_database.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/route.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::test {
namespace {

using batch::Batch;
using batch::WritePlan;
using mapping::ChangeKind;
using mapping::RowShape;
using mapping::TableDefinition;

/// One row change as a test writes it.
struct Change {
    const RowShape* shape = nullptr;
    std::string tuple;
};

class WritePlanServer : public MysqlTest {
protected:
    void SetUp() override {
        MysqlTest::SetUp();
        if (!IsSkipped()) {
            session_.emplace(db().connect());
        }
    }

    mysql::Session& session() { return *session_; }

    TableDefinition read(const char* table) { return mysql::read_table(session(), {"", table}); }

    /// A shape of `table` by its columns' names.
    static RowShape shape(const TableDefinition& table,
                          ChangeKind kind,
                          const std::vector<std::string>& names) {
        RowShape result{&table, kind, {}};
        for (const auto& name : names) {
            for (std::size_t i = 0; i < table.columns.size(); ++i) {
                if (table.columns[i].name == name) {
                    result.columns.push_back(i);
                }
            }
        }
        return result;
    }

    /// Two partitions: the first `split` changes in the first one.
    static Batch to_batch(const std::vector<Change>& changes, std::size_t split) {
        Batch batch;
        batch.partitions.resize(2);
        for (std::size_t i = 0; i < changes.size(); ++i) {
            auto& rows = batch.partitions[i < split ? 0 : 1].rows;
            rows.open() += changes[i].tuple;
            rows.close(changes[i].shape, Offset{static_cast<std::int64_t>(i)});
        }
        return batch;
    }

    /// Runs the changes in the transaction that is open. Returns the server's error number, or 0.
    int run(const std::vector<Change>& changes,
            batch::StatementLimits limits = {},
            std::size_t split = 0) {
        WritePlan plan{session().dialect(), limits};
        const auto batch = to_batch(changes, split);
        EXPECT_EQ(plan.build(batch), std::nullopt);
        try {
            for (std::size_t i = 0; i < plan.size(); ++i) {
                session().execute(plan[i].sql);
            }
        } catch (const SinkError& error) {
            return error.native_code;
        }
        return 0;
    }

    /// Runs the changes as one transaction; on an error nothing stays.
    int apply(const std::vector<Change>& changes) {
        session().execute("START TRANSACTION");
        const int code = run(changes);
        session().execute(code == 0 ? "COMMIT" : "ROLLBACK");
        return code;
    }

    std::string dump(const std::string& sql) {
        std::string text;
        for (const auto& row : session().query(sql)) {
            for (const auto& cell : row) {
                text += cell.value_or("NULL") + ' ';
            }
            text += '\n';
        }
        return text;
    }

private:
    std::optional<mysql::Session> session_;
};

TEST_F(WritePlanServer, UpsertsWithoutWarning) {
    for (const char* name : {"t", "new", "txsink_new", "TXSINK_NEW2", "values", "order"}) {
        const auto quoted = mapping::identifier(name);
        db().execute("CREATE TABLE " + quoted + " (id INT PRIMARY KEY, `group` INT, u INT UNIQUE)");
        const auto table = read(name);
        const auto upsert = shape(table, ChangeKind::upsert, {"id", "group"});
        ASSERT_EQ(apply({{&upsert, "(1,1)"}}), 0) << name;
        ASSERT_EQ(apply({{&upsert, "(1,2)"}, {&upsert, "(2,2)"}}), 0) << name;
        EXPECT_EQ(dump("SELECT id, `group` FROM " + quoted + " ORDER BY id"), "1 2 \n2 2 \n");
    }
    session().execute("DO 0");
    const auto table = read("t");
    const auto upsert = shape(table, ChangeKind::upsert, {"id", "group"});
    WritePlan plan{session().dialect(), {}};
    ASSERT_EQ(plan.build(to_batch({{&upsert, "(1,3)"}}, 0)), std::nullopt);
    session().execute(plan[0].sql);
    EXPECT_EQ(dump("SHOW WARNINGS"), "");
}

TEST_F(WritePlanServer, StoresAZeroInAnAutoIncrementKey) {
    db().execute("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT, u INT UNIQUE)");
    const auto table = read("t");
    const auto upsert = shape(table, ChangeKind::upsert, {"id", "v", "u"});
    EXPECT_EQ(apply({{&upsert, "(0,1,1)"}, {&upsert, "(5,1,NULL)"}, {&upsert, "(0,2,1)"}}), 0);
    EXPECT_EQ(dump("SELECT * FROM t ORDER BY id"), "0 2 1 \n5 1 NULL \n");
}

TEST_F(WritePlanServer, B86_UpsertOfOnlyTheKeyKeepsTheRow) {
    db().execute("CREATE TABLE t (id INT PRIMARY KEY, v INT DEFAULT 7)");
    db().execute("INSERT INTO t VALUES (1, 1)");
    const auto table = read("t");
    const auto upsert = shape(table, ChangeKind::upsert, {"id"});
    EXPECT_EQ(apply({{&upsert, "(1)"}, {&upsert, "(2)"}}), 0);
    EXPECT_EQ(dump("SELECT * FROM t ORDER BY id"), "1 1 \n2 7 \n");
}

TEST_F(WritePlanServer, AlsoTheKeyAloneIsGuarded) {
    db().execute("CREATE TABLE t (id INT PRIMARY KEY, v INT DEFAULT 7, UNIQUE (v))");
    db().execute("INSERT INTO t VALUES (1, 7)");
    const auto table = read("t");
    const auto upsert = shape(table, ChangeKind::upsert, {"id"});
    EXPECT_EQ(apply({{&upsert, "(1)"}}), 0);
    EXPECT_EQ(apply({{&upsert, "(2)"}}), batch::kAnotherRowsKeyCode);
    EXPECT_EQ(dump("SELECT * FROM t"), "1 7 \n");
}

/// A key column's type, the stored key, a spelling of the same key, and another key.
struct KeyCase {
    const char* name;
    const char* type;
    const char* stored;
    const char* same;
    const char* other;
};
class GuardServer : public WritePlanServer, public ::testing::WithParamInterface<KeyCase> {};

TEST_P(GuardServer, NeverChangesARowWithAnotherKey) {
    const auto& key = GetParam();
    db().execute(
        fmt::format("CREATE TABLE one (k {} NOT NULL, v INT, u VARCHAR(20), PRIMARY KEY (k), "
                    "UNIQUE (u))",
                    key.type));
    db().execute(
        fmt::format("CREATE TABLE two (a INT, k {} NOT NULL, v INT, u VARCHAR(20), "
                    "PRIMARY KEY (a, k), UNIQUE (u), KEY (k))",
                    key.type));
    for (const char* name : {"one", "two"}) {
        const bool is_two = std::string{name} == "two";
        const auto table = read(name);
        const auto upsert = is_two ? shape(table, ChangeKind::upsert, {"a", "k", "v", "u"})
                                   : shape(table, ChangeKind::upsert, {"k", "v", "u"});
        const auto row = [&](const char* k, const char* rest) {
            return Change{&upsert, fmt::format("({}{},{})", is_two ? "1," : "", k, rest)};
        };
        ASSERT_EQ(apply({row(key.stored, "1,'x'")}), 0);
        // CAST: a FLOAT or a BIT prints otherwise than it is stored.
        const auto select = fmt::format("SELECT HEX(k), k + 0e0, v, u FROM {} ORDER BY v", name);
        const auto stored = dump(fmt::format("SELECT HEX(k), k + 0e0 FROM {}", name));
        const auto before = dump(select);

        EXPECT_EQ(apply({row(key.other, "2,'x'")}), batch::kAnotherRowsKeyCode);
        EXPECT_EQ(dump(select), before);
        // In the middle of a statement: nothing of it stays.
        EXPECT_EQ(apply({row(key.same, "3,'y'"), row(key.other, "2,'y'")}),
                  batch::kAnotherRowsKeyCode);
        EXPECT_EQ(dump(select), before);
        // The own row, spelled otherwise: changed, and its key kept as it is.
        EXPECT_EQ(apply({row(key.same, "4,'x'")}), 0);
        EXPECT_EQ(apply({row(key.same, "5,'z'")}), 0);
        EXPECT_EQ(dump(fmt::format("SELECT HEX(k), k + 0e0 FROM {}", name)), stored);
        EXPECT_EQ(dump(fmt::format("SELECT v, u FROM {}", name)), "5 z \n");
        // Another row with another value, with NULL, and NULL again.
        EXPECT_EQ(apply({row(key.other, "6,'x'"), row(key.other, "7,NULL")}), 0);
        EXPECT_EQ(apply({row(key.same, "8,NULL")}), 0);
        EXPECT_EQ(dump(fmt::format("SELECT v, u FROM {} ORDER BY v", name)), "7 NULL \n8 NULL \n");
        // The primary key is the own row's, the further unique key another row's.
        EXPECT_EQ(apply({row(key.other, "9,'w'"), row(key.same, "10,'w'")}), 1062);
        EXPECT_EQ(dump(fmt::format("SELECT v, u FROM {} ORDER BY v", name)), "7 NULL \n8 NULL \n");
    }
}

INSTANTIATE_TEST_SUITE_P(
    Keys,
    GuardServer,
    ::testing::Values(KeyCase{"Int", "INT", "1", "1", "2"},
                      KeyCase{"AutoIncrement", "INT AUTO_INCREMENT", "1", "1", "2"},
                      KeyCase{"BigintUnsigned",
                              "BIGINT UNSIGNED",
                              "18446744073709551615",
                              "18446744073709551615",
                              "18446744073709551614"},
                      KeyCase{"Decimal",
                              "DECIMAL(65,30)",
                              "12345678901234567890123456789012345.123456789012345678901234567891",
                              "12345678901234567890123456789012345.123456789012345678901234567891",
                              "12345678901234567890123456789012345.123456789012345678901234567892"},
                      KeyCase{"CaseInsensitive",
                              "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
                              "'Abc'",
                              "'aBC'",
                              "'abd'"},
                      KeyCase{"PadSpace",
                              "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                              "'a'",
                              "'a  '",
                              "' a'"},
                      KeyCase{"Latin1",
                              "VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci",
                              "'\xC3\xA4'",
                              "'\xC3\x84'",
                              "'b'"},
                      KeyCase{"Utf16",
                              "VARCHAR(20) CHARACTER SET utf16 COLLATE utf16_general_ci",
                              "'\xF0\x9F\x98\x80 a'",
                              "'\xF0\x9F\x98\x80 A'",
                              "'\xF0\x9F\x98\x80'"},
                      KeyCase{"Char",
                              "CHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
                              "'a'",
                              "'A '",
                              "'b'"},
                      KeyCase{"Binary", "BINARY(3)", "x'00ff'", "x'00ff00'", "x'00fe'"},
                      KeyCase{"Varbinary", "VARBINARY(9)", "x'00ff'", "x'00ff'", "x'00ff00'"},
                      KeyCase{"Date", "DATE", "'2024-02-29'", "'2024-02-29'", "'2024-03-01'"},
                      KeyCase{"Datetime",
                              "DATETIME(6)",
                              "'2024-02-29 23:59:59.999999'",
                              "'2024-02-29 23:59:59.999999'",
                              "'2024-02-29 23:59:59.999998'"},
                      KeyCase{"Timestamp",
                              "TIMESTAMP(6)",
                              "'2024-10-27 01:30:00.000001'",
                              "'2024-10-27 01:30:00.000001'",
                              "'2024-10-27 00:30:00.000001'"},
                      KeyCase{
                          "Time", "TIME(3)", "'-838:59:58.999'", "'-838:59:58.999'", "'00:00:00'"},
                      KeyCase{"Enum", "ENUM('a', 'b', '1')", "'1'", "'1'", "'a'"},
                      KeyCase{"Year", "YEAR", "2024", "2024", "2025"},
                      KeyCase{"Double", "DOUBLE", "0.1", "0.1", "0.2"},
                      KeyCase{"Float", "FLOAT", "16777213", "16777213", "0.1"},
                      KeyCase{"Bit", "BIT(12)", "b'100000000001'", "b'100000000001'", "b'1'"}),
    [](const auto& each) { return std::string{each.param.name}; });

TEST_F(WritePlanServer, TheLiteralDefaultIsTheDefaultAlsoForARowThatExists) {
    db().execute(
        "CREATE TABLE t (id INT PRIMARY KEY, c INT DEFAULT 7, e INT DEFAULT (1 + 2), n INT, "
        "d DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6), s VARCHAR(9) NOT NULL DEFAULT 'x')");
    const auto table = read("t");
    mapping::ConflictRules rules;
    rules.by_column.assign(table.columns.size(), mapping::OnConflict::replace);
    rules.by_column[1] = mapping::OnConflict::add;
    auto upsert = shape(table, ChangeKind::upsert, {"id", "c", "e", "n", "d", "s"});
    upsert.conflict = &rules;
    const auto row = [&](const char* tuple) { return Change{&upsert, tuple}; };
    ASSERT_EQ(apply({row("(1,1,1,1,'2024-01-01','a')"),
                     row("(1,DEFAULT,DEFAULT,DEFAULT,DEFAULT,DEFAULT)"),
                     row("(2,DEFAULT,DEFAULT,DEFAULT,DEFAULT,DEFAULT)")}),
              0);
    EXPECT_EQ(dump("SELECT id, c, e, n, d > '2024-01-01', s FROM t ORDER BY id"),
              "1 8 3 NULL 1 x \n2 7 3 NULL 1 x \n");
}

/// A key column's type and spellings of keys, some of them equal for it.
struct SequenceCase {
    const char* name;
    const char* type;
    const char* mariadb_type;  ///< nullptr: the same
    std::vector<const char*> keys;
};
class SequenceServer : public WritePlanServer, public ::testing::WithParamInterface<SequenceCase> {
protected:
    /// Random changes of table `t`, those which the server refuses one by one left out; what they
    /// leave in `t` is the expected state.
    std::vector<Change> accepted_changes(std::mt19937& random,
                                         const std::vector<RowShape>& shapes) {
        const auto pick = [&](std::size_t count) {
            return std::uniform_int_distribution<std::size_t>{0, count - 1}(random);
        };
        std::vector<Change> accepted;
        for (int i = 0; i < 40; ++i) {
            const auto& shape = shapes[pick(shapes.size())];
            const auto& table = *shape.table;
            std::string tuple;
            for (const auto column : shape.columns) {
                const auto& name = table.columns[column].name;
                tuple += tuple.empty() ? '(' : ',';
                tuple += name == "k"   ? GetParam().keys[pick(GetParam().keys.size())]
                         : name == "a" ? std::to_string(pick(2))
                         : name == "u" ? (pick(3) == 0 ? "NULL" : std::to_string(pick(6)))
                                       : std::to_string(i);
            }
            const Change change{&shape, tuple + ')'};
            const int code = run({change});
            if (code == 0) {
                accepted.push_back(change);
            } else {
                EXPECT_TRUE(code == 1062 || code == batch::kAnotherRowsKeyCode) << code;
            }
        }
        return accepted;
    }
};

TEST_P(SequenceServer, BatchesLeaveWhatSingleStatementsLeave) {  // B27
    const auto& param = GetParam();
    const char* type =
        db().is_mariadb() && param.mariadb_type != nullptr ? param.mariadb_type : param.type;
    std::size_t applied = 0;
    std::mt19937 random{20240229};
    for (const char* columns :
         {"k {}, v INT, w INT DEFAULT -1, PRIMARY KEY (k)",
          "a INT, k {}, v INT, w INT DEFAULT -1, PRIMARY KEY (k, a)",
          "k {}, v INT, w INT DEFAULT -1, u INT NULL, PRIMARY KEY (k), UNIQUE (u)"}) {
        db().execute("DROP TABLE IF EXISTS t");
        db().execute(fmt::format(fmt::runtime(fmt::format("CREATE TABLE t ({})", columns)), type));
        const auto table = read("t");
        std::vector<std::string> key;
        for (const auto column : table.primary_key) {
            key.push_back(table.columns[column].name);
        }
        const auto with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), key.begin(), key.end());
            return more;
        };
        const bool has_unique = !table.unique_keys.empty();
        const std::vector<RowShape> shapes{
            shape(table, ChangeKind::upsert, with({"v"})),
            shape(table, ChangeKind::upsert, with({"v"})),
            shape(table, ChangeKind::upsert, with({"w"})),
            shape(table,
                  ChangeKind::upsert,
                  with(has_unique ? std::vector<std::string>{"v", "u"}
                                  : std::vector<std::string>{"v", "w"})),
            shape(table, ChangeKind::upsert, with({})),
            shape(table, ChangeKind::insert, with({"v"})),
            shape(table, ChangeKind::remove, with({})),
            shape(table, ChangeKind::remove, with({}))};
        for (int round = 0; round < 6; ++round) {
            const std::string select = "SELECT HEX(k), t.* FROM t ORDER BY v, w, 1";
            session().execute("START TRANSACTION");
            const auto changes = accepted_changes(random, shapes);
            const auto expected = dump(select);
            session().execute("ROLLBACK");
            session().execute("START TRANSACTION");
            const batch::StatementLimits limits{round % 2 == 0 ? 4096U : 450U,
                                                round < 3 ? 3U : 50U};
            ASSERT_EQ(run(changes, limits, changes.size() / 2), 0) << columns;
            EXPECT_EQ(dump(select), expected) << columns;
            session().execute("ROLLBACK");
            applied += changes.size();
        }
    }
    EXPECT_GT(applied, 300u);
}

INSTANTIATE_TEST_SUITE_P(
    Keys,
    SequenceServer,
    ::testing::Values(
        SequenceCase{"Int", "INT", nullptr, {"1", "2", "3"}},
        SequenceCase{"PadSpaceNoCase",
                     "VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
                     nullptr,
                     {"'a'", "'A'", "'a '", "'\xC3\xA4'", "'b'", "'B  '", "''", "' '"}},
        SequenceCase{"PadSpaceBinary",
                     "VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                     nullptr,
                     {"'a'", "'A'", "'a '", "'a\\t'", "''", "' '"}},
        SequenceCase{"NoPadNoCase",
                     "VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci",
                     "VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_nopad_ci",
                     {"'a'", "'A'", "'a '", "'\xC3\xA4'", "'ss'", "'\xC3\x9F'", "''", "' '"}},
        SequenceCase{"Latin1Char",
                     "CHAR(3) CHARACTER SET latin1 COLLATE latin1_german1_ci",
                     nullptr,
                     {"'a'", "'A '", "'\xC3\xA4'", "'b'", "''"}},
        SequenceCase{"Utf8mb3Varchar",
                     "VARCHAR(9) CHARACTER SET utf8mb3 COLLATE utf8mb3_unicode_ci",
                     nullptr,
                     {"'a'", "'A '", "'\xC3\xA4'", "'b'", "''"}},
        SequenceCase{"Enum", "ENUM('a', 'b', 'c')", nullptr, {"'a'", "'A'", "'b'"}},
        SequenceCase{"Varbinary", "VARBINARY(4)", nullptr, {"x'00'", "x'0000'", "x'61'", "x''"}},
        SequenceCase{"Decimal", "DECIMAL(4,2)", nullptr, {"1.1", "1.10", "01.1", "-1.1"}},
        SequenceCase{"BigintUnsigned",
                     "BIGINT UNSIGNED",
                     nullptr,
                     {"18446744073709551615", "18446744073709551614", "9007199254740993", "0"}},
        SequenceCase{
            "Datetime",
            "DATETIME(3)",
            nullptr,
            {"'2024-01-01 00:00:00'", "'2024-01-01 00:00:00.000'", "'2024-01-01 00:00:00.001'"}},
        SequenceCase{"Timestamp",
                     "TIMESTAMP(0)",
                     nullptr,
                     {"'2024-10-27 00:30:00'", "'2024-10-27 01:30:00'"}}),
    [](const auto& each) { return std::string{each.param.name}; });

TEST_F(WritePlanServer, DeletesByRangesOfThePrimaryKey) {
    const std::string numbers =
        "INSERT INTO {} WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r WHERE n < "
        "900) SELECT {} FROM r, (SELECT n m FROM r WHERE n <= 20) s";
    db().execute("CREATE TABLE one (k BIGINT PRIMARY KEY, v INT)");
    db().execute(fmt::format(fmt::runtime(numbers), "one", "n * 1000 + m, n"));
    db().execute("CREATE TABLE two (a INT, k VARCHAR(40), v INT, PRIMARY KEY (a, k))");
    db().execute(fmt::format(fmt::runtime(numbers), "two", "m, CONCAT('k', n), n"));
    static_cast<void>(db().query("ANALYZE TABLE one, two"));
    for (const char* name : {"one", "two"}) {
        const auto table = read(name);
        RowShape remove{&table, ChangeKind::remove, table.primary_key};
        std::vector<Change> changes;
        const auto count = table.primary_key.size() == 1 ? batch::kMaxKeysPerDelete
                                                         : batch::kMaxCompositeKeysPerDelete;
        for (int i = 1; i <= static_cast<int>(count); ++i) {
            changes.push_back({&remove,
                               std::string{name} == "one"
                                   ? fmt::format("({})", (i % 900 + 1) * 1000 + i % 20 + 1)
                                   : fmt::format("({},'k{}')", i % 20 + 1, i % 900 + 1)});
        }
        WritePlan plan{session().dialect(), {}};
        ASSERT_EQ(plan.build(to_batch(changes, 0)), std::nullopt);
        ASSERT_EQ(plan.size(), 1u);
        const auto rows = session().query(
            (session().is_mariadb() ? "EXPLAIN " : "EXPLAIN FORMAT = TRADITIONAL ") + plan[0].sql);
        ASSERT_EQ(rows.size(), 1u);
        // MySQL has a column for partitions.
        EXPECT_EQ(rows[0].at(session().is_mariadb() ? 3 : 4), "range") << name;
        session().execute(plan[0].sql);
        EXPECT_EQ(dump("SHOW WARNINGS"), "");
    }
}

}  // namespace
}  // namespace txsink::test
