/// @file
/// read_table against a real server: types, keys, names, and what it refuses.
#include "mysql/table_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/test_database.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::test {
namespace {

using mapping::ColumnDefinition;
using mapping::ColumnType;
using mapping::TableDefinition;
using Names = std::vector<std::string>;

class TableReader : public MysqlTest {
protected:
    void SetUp() override {
        MysqlTest::SetUp();
        if (!IsSkipped()) {
            session_.emplace(db().connect());
        }
    }
    void TearDown() override {
        for (const auto& name : further_) {
            db().execute("DROP DATABASE IF EXISTS " + name);
        }
    }

    mysql::Session& session() { return *session_; }
    TableDefinition read(const std::string& table, const std::string& database = {}) {
        return mysql::read_table(session(), {database, table});
    }
    SinkError refusal(const std::string& table, const std::string& database = {}) {
        try {
            static_cast<void>(read(table, database));
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, ErrorKind::configuration) << error.what();
            EXPECT_NE(error.hint, "");
            return error;
        }
        ADD_FAILURE() << table << " was not refused";
        return SinkError{ErrorKind::internal, ""};
    }
    std::string further_database(const std::string& suffix) {
        further_.push_back(db().name() + suffix);
        db().execute("CREATE DATABASE " + further_.back());
        return further_.back();
    }
    static const ColumnDefinition& column(const TableDefinition& table, const std::string& name) {
        for (const auto& each : table.columns) {
            if (each.name == name) {
                return each;
            }
        }
        ADD_FAILURE() << "no column " << name;
        return table.columns.front();
    }
    static Names names(const TableDefinition& table, const std::vector<std::size_t>& columns) {
        Names result;
        for (const auto index : columns) {
            result.push_back(table.columns.at(index).name);
        }
        return result;
    }
    bool tells_case_apart() { return db().number("SELECT @@lower_case_table_names") == 0; }

private:
    std::optional<mysql::Session> session_;
    Names further_;
};

TEST_F(TableReader, ReadsEveryType) {
    struct Case {
        const char* type;
        ColumnType want;
    };
    std::vector<Case> cases{
        {"TINYINT", ColumnType::tinyint},
        {"BOOLEAN", ColumnType::tinyint},
        {"SMALLINT", ColumnType::smallint},
        {"MEDIUMINT", ColumnType::mediumint},
        {"INT", ColumnType::integer},
        {"BIGINT UNSIGNED", ColumnType::bigint},
        {"DECIMAL(10,2)", ColumnType::decimal},
        {"FLOAT", ColumnType::float_single},
        {"DOUBLE", ColumnType::float_double},
        {"CHAR(5)", ColumnType::character},
        {"VARCHAR(5)", ColumnType::varchar},
        {"TINYTEXT", ColumnType::text},
        {"TEXT", ColumnType::text},
        {"MEDIUMTEXT", ColumnType::text},
        {"LONGTEXT", ColumnType::text},
        {"BINARY(3)", ColumnType::binary},
        {"VARBINARY(3)", ColumnType::varbinary},
        {"TINYBLOB", ColumnType::blob},
        {"BLOB", ColumnType::blob},
        {"MEDIUMBLOB", ColumnType::blob},
        {"LONGBLOB", ColumnType::blob},
        {"DATE", ColumnType::date},
        {"TIME(3)", ColumnType::time},
        {"DATETIME(6)", ColumnType::datetime},
        {"TIMESTAMP NULL", ColumnType::timestamp},
        {"ENUM('a')", ColumnType::enumeration},
        {"JSON", ColumnType::json},
        {"YEAR", ColumnType::year},
        {"BIT(3)", ColumnType::bit},
        {"SET('a')", ColumnType::set},
        {"GEOMETRY", ColumnType::geometry},
        {"POINT", ColumnType::geometry},
        {"LINESTRING", ColumnType::geometry},
        {"POLYGON", ColumnType::geometry},
        {"MULTIPOINT", ColumnType::geometry},
        {"MULTILINESTRING", ColumnType::geometry},
        {"MULTIPOLYGON", ColumnType::geometry},
        {"GEOMETRYCOLLECTION", ColumnType::geometry},
        {"FLOAT(7,3)", ColumnType::unsupported},
        {"DOUBLE(7,3)", ColumnType::unsupported},
    };
    if (db().is_mariadb()) {
        cases.push_back({"UUID", ColumnType::uuid});
        cases.push_back({"INET4", ColumnType::inet4});
        cases.push_back({"INET6", ColumnType::inet6});
    } else if (session().version_number() >= 90'000) {
        cases.push_back({"VECTOR(3)", ColumnType::vector});
    }
    std::string columns;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        columns += fmt::format("{}c{} {}", i == 0 ? "" : ", ", i, cases[i].type);
    }
    db().execute("CREATE TABLE t (" + columns + ")");
    const auto table = read("t");
    ASSERT_EQ(table.columns.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_EQ(table.columns[i].type, cases[i].want) << cases[i].type;
        EXPECT_EQ(table.columns[i].name, fmt::format("c{}", i));
    }
    EXPECT_EQ(table.name, (mapping::TableName{db().name(), "t"}));
    EXPECT_EQ(table.engine, "InnoDB");
    EXPECT_EQ(table.primary_key.size(), 0u);
    EXPECT_EQ(table.unique_keys.size(), 0u);
}

TEST_F(TableReader, ReadsLimits) {
    db().execute(
        "CREATE TABLE t (u INT UNSIGNED, s INT, d DECIMAL(38,10), c CHAR(5) CHARACTER SET latin1, "
        "v VARCHAR(20) COLLATE utf8mb4_bin, x TEXT CHARACTER SET utf8mb4, b VARBINARY(9), "
        "bl MEDIUMBLOB, t TIME(3), dt DATETIME, ts TIMESTAMP(6) NULL, f FLOAT)");
    const auto table = read("t");
    EXPECT_TRUE(column(table, "u").is_unsigned);
    EXPECT_FALSE(column(table, "s").is_unsigned);
    EXPECT_EQ(column(table, "d").precision, 38u);
    EXPECT_EQ(column(table, "d").scale, 10u);
    EXPECT_EQ(column(table, "d").type_text, "decimal(38,10)");
    EXPECT_EQ(column(table, "f").precision, 0u);
    EXPECT_EQ(column(table, "c").max_characters, 5u);
    EXPECT_EQ(column(table, "c").max_bytes, 5u);
    EXPECT_EQ(column(table, "c").character_set, "latin1");
    EXPECT_EQ(column(table, "c").collation, "latin1_swedish_ci");
    EXPECT_EQ(column(table, "v").max_characters, 20u);
    EXPECT_EQ(column(table, "v").max_bytes, 80u);
    EXPECT_EQ(column(table, "v").collation, "utf8mb4_bin");
    EXPECT_EQ(column(table, "x").max_bytes, 65535u);
    EXPECT_EQ(column(table, "b").max_bytes, 9u);
    EXPECT_EQ(column(table, "b").max_characters, 0u);
    EXPECT_EQ(column(table, "b").character_set, "");
    EXPECT_EQ(column(table, "bl").max_bytes, 16777215u);
    EXPECT_EQ(column(table, "t").fraction_digits, 3u);
    EXPECT_EQ(column(table, "dt").fraction_digits, 0u);
    EXPECT_EQ(column(table, "ts").fraction_digits, 6u);
}

TEST_F(TableReader, ReadsDefaultsAndGeneratedColumns) {
    db().execute(
        "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, nothing INT NOT NULL, "
        "nothing_text TEXT NOT NULL, zero INT NOT NULL DEFAULT 0, blank VARCHAR(9) NOT NULL "
        "DEFAULT '', nullable INT, now DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, "
        "expression VARCHAR(40) NOT NULL DEFAULT (CONCAT('a', 'b')), "
        "virtual_ INT AS (zero + 1) VIRTUAL, stored_ INT AS (zero + 1) STORED, "
        "hidden INT DEFAULT 5 INVISIBLE)");
    const auto table = read("t");
    const auto with = [&](bool ColumnDefinition::*property) {
        Names result;
        for (const auto& each : table.columns) {
            if (each.*property) {
                result.push_back(each.name);
            }
        }
        return result;
    };
    EXPECT_EQ(with(&ColumnDefinition::has_default),
              (Names{"id",
                     "zero",
                     "blank",
                     "nullable",
                     "now",
                     "expression",
                     "virtual_",
                     "stored_",
                     "hidden"}));
    EXPECT_EQ(with(&ColumnDefinition::is_nullable),
              (Names{"nullable", "virtual_", "stored_", "hidden"}));
    EXPECT_EQ(with(&ColumnDefinition::is_generated), (Names{"virtual_", "stored_"}));
    EXPECT_EQ(with(&ColumnDefinition::is_auto_increment), Names{"id"});
    EXPECT_EQ(table.columns.size(), 11u);
}

TEST_F(TableReader, ReadsEnumMembers) {
    db().execute(
        "CREATE TABLE t (e ENUM('a', 'it''s', 'x,y', 'b\\\\c', 'n\\nl', '', '\xC3\xA9', "
        "'\xF0\x9F\x98\x80', '\\'') CHARACTER SET utf8mb4)");
    // information_schema is utf8mb3 on both servers: a member beyond it cannot be read.
    EXPECT_EQ(read("t").columns[0].members,
              (Names{"a", "it's", "x,y", "b\\c", "n\nl", "", "\xC3\xA9", "?", "'"}));
}

TEST_F(TableReader, ReadsWhatOneFamilyOfTypesHas) {
    db().execute("CREATE TABLE t (b BIT(12), s SET('a', 'it''s'), g POINT, d DECIMAL(12, 4))");
    const auto table = read("t");
    EXPECT_EQ(column(table, "b").precision, 12u);
    EXPECT_EQ(column(table, "s").members, (Names{"a", "it's"}));
    EXPECT_EQ(column(table, "g").type_text, "point");
    EXPECT_EQ(column(table, "g").srid, std::nullopt);
    EXPECT_EQ(column(table, "d").precision, 12u);
    EXPECT_EQ(column(table, "d").scale, 4u);
    if (db().is_mariadb()) {
        return;
    }
    db().execute("CREATE TABLE g (a POINT SRID 4326, b GEOMETRY SRID 0)");
    const auto geometries = read("g");
    EXPECT_EQ(column(geometries, "a").srid, 4326u);
    EXPECT_EQ(column(geometries, "b").srid, 0u);
    if (session().version_number() >= 90'000) {
        db().execute("CREATE TABLE v (a VECTOR(3), b VECTOR)");
        EXPECT_EQ(column(read("v"), "a").precision, 3u);
        EXPECT_EQ(column(read("v"), "b").precision, 2048u);
    }
}

TEST_F(TableReader, TellsWhichTablesAreIndependent) {
    const auto other = further_database("_child");
    db().execute("CREATE TABLE parent (id INT PRIMARY KEY)");
    db().execute(
        "CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id))");
    db().execute("CREATE TABLE alone (id INT PRIMARY KEY)");
    db().execute("CREATE TABLE afar (id INT PRIMARY KEY)");
    db().execute("CREATE TABLE watched (id INT PRIMARY KEY)");
    db().execute(
        "CREATE TABLE own (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES own (id))");
    db().execute("CREATE TABLE " + other + ".child (p INT, FOREIGN KEY (p) REFERENCES " +
                 db().name() + ".afar (id))");
    db().execute("CREATE TRIGGER w BEFORE INSERT ON watched FOR EACH ROW SET NEW.id = NEW.id");
    EXPECT_TRUE(read("alone").is_independent);
    EXPECT_FALSE(read("parent").is_independent);
    EXPECT_FALSE(read("child").is_independent);
    EXPECT_FALSE(read("afar").is_independent);
    EXPECT_FALSE(read("watched").is_independent);
    EXPECT_FALSE(read("own").is_independent);
    // A name of the same table in another database is another table.
    db().execute("CREATE TABLE " + other + ".parent (id INT PRIMARY KEY)");
    EXPECT_TRUE(read("parent", other).is_independent);
    db().execute("DROP TABLE " + other + ".child");
}

TEST_F(TableReader, ATableIsNotIndependentWhereTheAccountCannotTell) {
    db().execute("CREATE TABLE t (id INT PRIMARY KEY)");
    const auto user = "txsink_blind_" + std::to_string(db().number("SELECT CONNECTION_ID()"));
    db().execute("CREATE USER '" + user + "'@'%' IDENTIFIED BY ''");
    auto settings = db().settings();
    settings.user = user;
    settings.database.clear();
    const auto is_independent = [&] {
        mysql::Session limited{settings, settings.hosts.front()};
        return mysql::read_table(limited, {db().name(), "t"}).is_independent;
    };
    db().execute("GRANT SELECT, INSERT, UPDATE, DELETE ON " + db().name() + ".* TO '" + user +
                 "'@'%'");
    EXPECT_FALSE(is_independent());
    db().execute("GRANT TRIGGER ON " + db().name() + ".t TO '" + user + "'@'%'");
    EXPECT_FALSE(is_independent()) << "foreign keys of other databases";
    db().execute("GRANT SELECT ON *.* TO '" + user + "'@'%'");
    EXPECT_TRUE(is_independent());
    db().execute("REVOKE TRIGGER ON " + db().name() + ".t FROM '" + user + "'@'%'");
    EXPECT_FALSE(is_independent()) << "triggers";
    db().execute("DROP USER '" + user + "'@'%'");
}

TEST_F(TableReader, B77_KnowsJsonThatIsText) {
    db().execute(
        "CREATE TABLE t (j JSON, `we``ird` JSON, l LONGTEXT, c LONGTEXT CHECK (LENGTH(c) > 1))");
    const auto table = read("t");
    for (const char* name : {"j", "we`ird"}) {
        EXPECT_EQ(column(table, name).type, ColumnType::json);
        EXPECT_EQ(column(table, name).is_json_text, db().is_mariadb());
    }
    EXPECT_EQ(column(table, "l").type, ColumnType::text);
    EXPECT_EQ(column(table, "c").type, ColumnType::text);
    EXPECT_FALSE(column(table, "c").is_json_text);
}

TEST_F(TableReader, ReadsKeysInTheirOwnOrder) {
    db().execute(
        "CREATE TABLE t (a INT, b VARCHAR(40), c INT, d TEXT, PRIMARY KEY (c, a), "
        "UNIQUE z (b, a), UNIQUE y (d(10)), KEY x (c))");
    const auto table = read("t");
    EXPECT_EQ(names(table, table.primary_key), (Names{"c", "a"}));
    ASSERT_EQ(table.unique_keys.size(), 2u);
    EXPECT_EQ(table.unique_keys[0].name, "y");
    EXPECT_EQ(names(table, table.unique_keys[1].columns), (Names{"b", "a"}));
    EXPECT_EQ(table.unique_keys[1].name, "z");
}

TEST_F(TableReader, AKeyOnAPrefixOrAnExpressionNamesNoColumns) {
    db().execute("CREATE TABLE t (a VARCHAR(40), PRIMARY KEY (a(3)))");
    const auto table = read("t");
    EXPECT_EQ(names(table, table.primary_key), Names{});
    ASSERT_EQ(table.unique_keys.size(), 1u);
    EXPECT_EQ(table.unique_keys[0].name, "PRIMARY");
    EXPECT_EQ(names(table, table.unique_keys[0].columns), Names{});
    if (!db().is_mariadb()) {
        db().execute("CREATE TABLE e (a INT PRIMARY KEY, b INT, UNIQUE f ((b + 1), b))");
        const auto with_expression = read("e");
        EXPECT_EQ(names(with_expression, with_expression.primary_key), Names{"a"});
        ASSERT_EQ(with_expression.unique_keys.size(), 1u);
        EXPECT_EQ(with_expression.unique_keys[0].name, "f");
        EXPECT_EQ(with_expression.columns.size(), 2u);
    }
}

TEST_F(TableReader, LeavesOutWhatTheServerAddsByItself) {
    if (db().is_mariadb()) {
        db().execute(
            "CREATE TABLE t (a INT PRIMARY KEY, s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, "
            "e TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME(s, e)) WITH SYSTEM "
            "VERSIONING");
        const auto table = read("t");
        EXPECT_EQ(names(table, table.primary_key), Names{"a"});
        EXPECT_TRUE(column(table, "s").is_generated);
        EXPECT_TRUE(column(table, "e").is_generated);
    } else {
        db().execute("SET SESSION sql_generate_invisible_primary_key = ON");
        db().execute("CREATE TABLE t (a INT)");
        const auto table = read("t");
        EXPECT_EQ(names(table, table.primary_key), Names{});
        ASSERT_EQ(table.columns.size(), 1u);
        EXPECT_EQ(table.columns[0].name, "a");
    }
}

TEST_F(TableReader, B58_LooksOnlyInTheDatabaseNamed) {
    const auto other = further_database("_other");
    db().execute("CREATE TABLE " + other + ".elsewhere (a INT PRIMARY KEY)");
    db().execute("CREATE TABLE " + other + ".both (a INT PRIMARY KEY, b INT)");
    db().execute("CREATE TABLE `both` (c INT)");
    EXPECT_EQ(read("both").columns.size(), 1u);
    EXPECT_EQ(read("both", other).columns.size(), 2u);
    EXPECT_EQ(names(read("both"), read("both").primary_key), Names{});
    const auto error = refusal("elsewhere");
    EXPECT_EQ(std::string{error.what()}, "there is no table " + db().name() + ".elsewhere");
    EXPECT_NE(error.detail.find("looked in the database " + db().name()), std::string::npos);
    EXPECT_NE(error.hint.find(other + ".elsewhere"), std::string::npos);
}

TEST_F(TableReader, TakesNamesLiterally) {
    db().execute("CREATE TABLE `we``ird '%\\_` (`a'b` INT, `c``d` INT, PRIMARY KEY (`c``d`))");
    const auto table = read("we`ird '%\\_");
    EXPECT_EQ(names(table, table.primary_key), Names{"c`d"});
    EXPECT_EQ(table.columns[0].name, "a'b");
    db().execute("CREATE TABLE axb (a INT)");
    static_cast<void>(refusal("a%b"));
    static_cast<void>(refusal("a_b"));
    // information_schema pads what it compares.
    static_cast<void>(refusal("axb "));
    static_cast<void>(refusal("axb", db().name() + " "));
}

TEST_F(TableReader, TellsCaseApartAsTheServerDoes) {
    db().execute("CREATE TABLE Orders (a INT)");
    if (tells_case_apart()) {
        db().execute("CREATE TABLE ORDERS (a INT, b INT)");
        EXPECT_EQ(read("Orders").columns.size(), 1u);
        EXPECT_EQ(read("ORDERS").columns.size(), 2u);
        EXPECT_NE(refusal("orders").hint.find(db().name() + ".O"), std::string::npos);
    } else {
        EXPECT_EQ(read("ORDERS").columns.size(), 1u);
    }
}

TEST_F(TableReader, RefusesWhatIsNoTable) {
    db().execute("CREATE TABLE t (a INT)");
    db().execute("CREATE VIEW v AS SELECT * FROM t");
    EXPECT_EQ(std::string{refusal("v").what()}, db().name() + ".v is not a table");
    EXPECT_EQ(std::string{refusal("t", "no_such_database").what()},
              "there is no database no_such_database");
    EXPECT_EQ(std::string{refusal("").what()}, "there is no table " + db().name() + ".");
}

TEST_F(TableReader, B41_RefusesAnEngineWithoutTransactions) {
    db().execute("CREATE TABLE t (a INT PRIMARY KEY) ENGINE = MyISAM");
    const auto error = refusal("t");
    EXPECT_EQ(std::string{error.what()},
              "the table " + db().name() + ".t cannot take part in a transaction");
    EXPECT_EQ(error.detail, "its engine is MyISAM, and only InnoDB rolls back");
    EXPECT_EQ(error.hint, "ALTER TABLE `" + db().name() + "`.`t` ENGINE = InnoDB");
}

TEST_F(TableReader, NeedsOnlyThePrivilegesToWrite) {
    db().execute("CREATE TABLE t (a INT PRIMARY KEY, b INT, c JSON, UNIQUE (b))");
    const auto user = "txsink_reader_" + std::to_string(db().number("SELECT CONNECTION_ID()"));
    db().execute("CREATE USER '" + user + "'@'%' IDENTIFIED BY ''");
    auto settings = db().settings();
    settings.user = user;
    settings.database.clear();
    db().execute("GRANT INSERT, UPDATE, DELETE ON " + db().name() + ".t TO '" + user + "'@'%'");
    {
        mysql::Session limited{settings, settings.hosts.front()};
        const auto table = mysql::read_table(limited, {db().name(), "t"});
        EXPECT_EQ(names(table, table.primary_key), Names{"a"});
        EXPECT_EQ(table.unique_keys.size(), 1u);
        EXPECT_EQ(column(table, "c").type, ColumnType::json);
    }
    db().execute("REVOKE INSERT, UPDATE, DELETE ON " + db().name() + ".t FROM '" + user + "'@'%'");
    {
        mysql::Session limited{settings, settings.hosts.front()};
        try {
            static_cast<void>(mysql::read_table(limited, {db().name(), "t"}));
            ADD_FAILURE() << "a table without privileges was read";
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, ErrorKind::configuration);
            EXPECT_NE(error.hint.find("privileges"), std::string::npos);
        }
    }
    db().execute("DROP USER '" + user + "'@'%'");
}

}  // namespace
}  // namespace txsink::test
