/// @file
/// Migrations, txsink's own tables and its offset rows on a real server.
#include "txsink/mysql/migrations.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "mysql/session.hpp"
#include "mysql/table_reader.hpp"
#include "support/test_database.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/offsets_reader.hpp"

namespace txsink::test {
namespace {

using mysql::built_in_migrations;
using mysql::make_migration;
using mysql::Migration;
using mysql::MigrationSet;
using mysql::MigrationSource;
using Names = std::vector<std::string>;

class Migrations : public MysqlTest {
protected:
    void SetUp() override {
        MysqlTest::SetUp();
        if (!IsSkipped()) {
            // The test database comes with the tables; here they are what is to be made.
            db().execute("DROP TABLE txsink_offsets, txsink_dead_letters, txsink_gaps");
            session_.emplace(db().connect());
        }
    }
    mysql::Session& session() { return *session_; }

    static MigrationSet files(const std::vector<std::pair<const char*, const char*>>& contents) {
        MigrationSet set{MigrationSource::user, {}};
        for (const auto& [name, sql] : contents) {
            set.migrations.push_back(make_migration(name, sql));
        }
        return set;
    }
    static Names names(const std::vector<Migration>& migrations) {
        Names result;
        for (const auto& migration : migrations) {
            result.push_back(migration.file_name);
        }
        return result;
    }
    Names migrate(const MigrationSet& set) { return names(mysql::migrate(session(), set)); }

    SinkError refusal(const MigrationSet& set) {
        try {
            static_cast<void>(mysql::migrate(session(), set));
        } catch (const SinkError& error) {
            return error;
        }
        ADD_FAILURE() << "nothing was refused";
        return SinkError{ErrorKind::internal, ""};
    }
    std::string history(const char* columns) {
        std::string text;
        for (const auto& row : db().query(fmt::format(
                 "SELECT {} FROM txsink_schema_history ORDER BY source, version", columns))) {
            for (const auto& cell : row) {
                text += cell.value_or("NULL") + ' ';
            }
        }
        return text;
    }

private:
    std::optional<mysql::Session> session_;
};

TEST_F(Migrations, BuiltInOnesMakeTheTablesOnce) {
    EXPECT_EQ(names(mysql::pending_migrations(session(), built_in_migrations())).size(), 3u);
    EXPECT_EQ(mysql::check_own_tables(session()).size(), 3u);
    EXPECT_EQ(mysql::check_own_tables(session())[0].hint,
              "run txsink migrate, or grant the account privileges on it: without any it stays "
              "invisible");

    EXPECT_EQ(migrate(built_in_migrations()),
              (Names{"V1__offsets.sql", "V2__dead_letters.sql", "V3__gaps.sql"}));
    EXPECT_EQ(mysql::check_own_tables(session()).size(), 0u);
    EXPECT_EQ(history("source, version, description, success"),
              "txsink 1 offsets 1 txsink 2 dead letters 1 txsink 3 gaps 1 ");
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM txsink_schema_history WHERE execution_ms IS NOT "
                          "NULL AND installed_by LIKE '%@%' AND LENGTH(checksum) = 16"),
              3);

    EXPECT_EQ(migrate(built_in_migrations()), Names{});
    EXPECT_EQ(mysql::pending_migrations(session(), built_in_migrations()).size(), 0u);
    const auto applied = mysql::applied_migrations(session(), MigrationSource::txsink);
    ASSERT_EQ(applied.size(), 3u);
    EXPECT_EQ(applied[1].version, "2");
    EXPECT_EQ(applied[1].description, "dead letters");
    EXPECT_EQ(applied[1].installed_at.size(), 19u);
    EXPECT_TRUE(applied[1].is_complete);
}

TEST_F(Migrations, TablesMadeByOtherMeansAreTakenOver) {
    for (const auto& migration : built_in_migrations().migrations) {
        db().execute(mysql::split_statements(migration).at(0).text);
    }
    db().execute(
        "INSERT INTO txsink_offsets (connector, topic, partition_id, next_offset, start_offset) "
        "VALUES ('c', 't', 0, 7, 0)");
    EXPECT_EQ(mysql::check_own_tables(session()).size(), 0u);
    EXPECT_EQ(migrate(built_in_migrations()).size(), 3u);
    EXPECT_EQ(db().number("SELECT next_offset FROM txsink_offsets"), 7);
}

TEST_F(Migrations, OwnTablesThatAreNotOursAreNamed) {
    static_cast<void>(migrate(built_in_migrations()));
    db().execute("ALTER TABLE txsink_offsets DROP COLUMN start_offset");
    db().execute("ALTER TABLE txsink_dead_letters ENGINE = MyISAM");
    db().execute("ALTER TABLE txsink_gaps DROP PRIMARY KEY, ADD UNIQUE (id)");
    const auto faults = mysql::check_own_tables(session());
    ASSERT_EQ(faults.size(), 3u);
    EXPECT_EQ(faults[0].what, "txsink_offsets has no column start_offset");
    EXPECT_EQ(
        faults[1].what,
        "the table " + db().name() + ".txsink_dead_letters cannot take part in a transaction");
    EXPECT_EQ(faults[1].hint,
              "ALTER TABLE `" + db().name() + "`.`txsink_dead_letters` ENGINE = InnoDB");
    EXPECT_EQ(faults[2].what, "the primary key of txsink_gaps is not (id)");
}

TEST_F(Migrations, UsersFilesHaveVersionsOfTheirOwn) {
    static_cast<void>(migrate(built_in_migrations()));
    auto set = files({{"V1__a.sql", "CREATE TABLE a (b INT); INSERT INTO a VALUES (1), (2);"},
                      {"V2__b.sql", "INSERT INTO a VALUES (3)"}});
    EXPECT_EQ(migrate(set), (Names{"V1__a.sql", "V2__b.sql"}));
    EXPECT_EQ(db().number("SELECT SUM(b) FROM a"), 6);
    EXPECT_EQ(migrate(set), Names{});
    set.migrations.push_back(make_migration("V10__c.sql", "INSERT INTO a VALUES (4)"));
    EXPECT_EQ(migrate(set), Names{"V10__c.sql"});
    EXPECT_EQ(db().number("SELECT SUM(b) FROM a"), 10);
    EXPECT_EQ(migrate(built_in_migrations()), Names{});
}

TEST_F(Migrations, EditedAndMissingFilesAreRefused) {
    static_cast<void>(migrate(files({{"V1__a.sql", "DO 1"}, {"V2__b.sql", "DO 2"}})));
    EXPECT_EQ(std::string{refusal(files({{"V1__a.sql", "DO 1"}, {"V2__b.sql", "DO 3"}})).what()},
              "the applied migration V2__b.sql was edited");
    EXPECT_EQ(std::string{refusal(files({{"V1__a.sql", "DO 1"}, {"V3__c.sql", "DO 3"}})).what()},
              "the applied migration V2 (b) is missing");
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM txsink_schema_history"), 2);
}

TEST_F(Migrations, NothingRunsWhenAFileCannotBeSplit) {
    const auto error =
        refusal(files({{"V1__a.sql", "CREATE TABLE a (b INT)"}, {"V2__b.sql", "DELIMITER //"}}));
    EXPECT_EQ(std::string{error.what()}, "the migration V2__b.sql uses DELIMITER");
    EXPECT_EQ(db().value("SHOW TABLES LIKE 'a'"), "(no row)");
}

TEST_F(Migrations, AHalfFailedOneIsMarkedAndNamed) {
    auto set = files({{"V1__a.sql", "CREATE TABLE a (b INT);\n\nCREATE TABLE a (c INT);"},
                      {"V2__b.sql", "CREATE TABLE b (b INT)"}});
    const auto error = refusal(set);
    EXPECT_EQ(error.kind, ErrorKind::configuration);
    EXPECT_EQ(std::string{error.what()},
              "the migration V1__a.sql failed at statement 2 of 2 (line 3)");
    EXPECT_EQ(error.detail, "MySQL error 1050 (42S01): Table 'a' already exists");
    EXPECT_EQ(history("version, success"), "1 0 ");
    EXPECT_EQ(db().value("SHOW TABLES LIKE 'b'"), "(no row)");

    const auto again = refusal(set);
    EXPECT_EQ(std::string{again.what()}, "the migration V1 (a) did not complete");
    // What the hint says: undone and run again, mended.
    db().execute("DROP TABLE a");
    db().execute("DELETE FROM txsink_schema_history WHERE source = 'user' AND version = '1'");
    set.migrations[0] = make_migration("V1__a.sql", "CREATE TABLE a (b INT)");
    EXPECT_EQ(migrate(set), (Names{"V1__a.sql", "V2__b.sql"}));
}

TEST_F(Migrations, OneThatFailsAtOnceLeavesNoMark) {
    const auto error = refusal(files({{"V1__a.sql", "-- why\nCREATE TABEL a (b INT)"}}));
    EXPECT_EQ(std::string{error.what()},
              "the migration V1__a.sql failed at statement 1 of 1 (line 2)");
    EXPECT_EQ(error.native_code, 1064);
    EXPECT_NE(error.detail.find("near 'TABEL a (b INT)'"), std::string::npos) << error.detail;
    EXPECT_EQ(history("version"), "");
    EXPECT_EQ(migrate(files({{"V1__a.sql", "CREATE TABLE a (b INT)"}})), Names{"V1__a.sql"});
}

TEST_F(Migrations, FilesMayChangeTheSession) {
    const auto set = files(
        {{"V1__a.sql",
          "SET autocommit = 0; CREATE TABLE a (b INT); INSERT INTO a VALUES (1); SELECT * FROM a; "
          "SELECT 1"},
         {"V2__b.sql", "SET autocommit = 0; USE information_schema"},
         {"V3__c.sql", "INSERT INTO a VALUES (2)"},
         {"V4__d.sql", "CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW SET NEW.b = 5"}});
    EXPECT_EQ(migrate(set).size(), 4u);
    EXPECT_EQ(db().number("SELECT SUM(b) FROM a"), 3);
    EXPECT_EQ(db().number("SELECT SUM(success) FROM txsink_schema_history"), 4);
}

TEST_F(Migrations, OfTwoAtOnceOneWaits) {
    const auto set = files({{"V1__a.sql", "CREATE TABLE a (b INT); DO SLEEP(0.2);"},
                            {"V2__b.sql", "INSERT INTO a VALUES (1)"}});
    const auto one = [&] {
        auto own = db().connect();
        return mysql::migrate(own, set).size();
    };
    auto first = std::async(std::launch::async, one);
    auto second = std::async(std::launch::async, one);
    EXPECT_EQ(first.get() + second.get(), 2u);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM a"), 1);
}

TEST_F(Migrations, WaitingForTheOtherHasALimit) {
    const auto set = files({{"V1__a.sql", "DO 1"}});
    auto other = db().connect();
    std::string lock;
    mysql::MigrateOptions options;
    // The lock's name is the migrator's own business: taken while it holds it.
    options.listener = [&](const Migration&, const std::chrono::milliseconds* took) {
        if (took != nullptr) {
            return;
        }
        try {
            static_cast<void>(
                mysql::migrate(other, set, {std::chrono::seconds{0}, mysql::MigrationListener{}}));
            ADD_FAILURE() << "both went on";
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, ErrorKind::configuration);
            EXPECT_EQ(std::string{error.what()},
                      "another process migrates the database " + db().name());
        }
    };
    EXPECT_EQ(mysql::migrate(session(), set, options).size(), 1u);
    // And it is free again.
    EXPECT_EQ(mysql::migrate(other, set, {std::chrono::seconds{0}, {}}).size(), 0u);
}

TEST_F(Migrations, TellWhatTheyDo) {
    Names told;
    mysql::MigrateOptions options;
    options.listener = [&](const Migration& migration, const std::chrono::milliseconds* took) {
        told.push_back(migration.version + (took != nullptr ? " done" : " begins"));
    };
    static_cast<void>(
        mysql::migrate(session(), files({{"V1__a.sql", "DO 1"}, {"V2__b.sql", "DO 2"}}), options));
    EXPECT_EQ(told, (Names{"1 begins", "1 done", "2 begins", "2 done"}));
}

TEST_F(Migrations, NeedADatabase) {
    auto settings = db().settings();
    settings.database.clear();
    mysql::Session nowhere{settings, settings.hosts.front()};
    try {
        static_cast<void>(mysql::migrate(nowhere, built_in_migrations()));
        ADD_FAILURE() << "it migrated nowhere";
    } catch (const SinkError& error) {
        EXPECT_EQ(std::string{error.what()}, "no database is chosen");
    }
}

TEST_F(Migrations, TheExamplesAreTablesThatRunTakes) {
    for (const char* name : {"orders", "ledger"}) {
        std::ifstream file{fmt::format("{}/examples/{}.sql", TXSINK_SQL_DIR, name)};
        const std::string sql{std::istreambuf_iterator<char>{file}, {}};
        EXPECT_EQ(migrate({MigrationSource::user,
                           {make_migration(fmt::format("V{}__{}.sql", name[0] == 'o' ? 1 : 2, name),
                                           sql)}})
                      .size(),
                  1u);
        db().execute("DELETE FROM txsink_schema_history");
        const auto table = mysql::read_table(session(), {"", name});
        EXPECT_EQ(table.primary_key.size(), name[0] == 'o' ? 1u : 0u);
        for (const auto& column : table.columns) {
            EXPECT_NE(column.type, mapping::ColumnType::unsupported) << column.name;
        }
    }
}

class OffsetsReader : public MysqlTest {};

TEST_F(OffsetsReader, ReadsTheRowsOfOneConnector) {
    db().execute(
        "INSERT INTO txsink_offsets (connector, topic, partition_id, next_offset, start_offset, "
        "fence, owner, cluster_id, records, dead_letters, last_timestamp_ms) VALUES "
        "('c', 'b', 10, 5, 1, 0, '', '', 0, 0, NULL), "
        "('c', 'b', 9, 9223372036854775807, 0, 18446744073709551615, 'h\xC3\xB6st:1', 'abc', 7, 2, "
        "1700000000000), "
        "('c', 'B', 0, 3, 3, 1, 'x', 'abc', 1, 0, 0), "
        "('C', 'b', 9, 1, 1, 1, 'x', 'abc', 1, 0, 0)");
    db().execute(
        "UPDATE txsink_offsets SET updated_at = CURRENT_TIMESTAMP(6) - INTERVAL 90 SECOND "
        "WHERE connector = 'c' AND topic = 'B'");
    auto session = db().connect();
    const auto rows = mysql::read_offset_rows(session, "c");
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0].partition, (TopicPartition{"B", 0}));
    EXPECT_EQ(rows[0].last_timestamp_ms, 0);
    EXPECT_GE(rows[0].age, std::chrono::seconds{90});
    EXPECT_LT(rows[0].age, std::chrono::seconds{120});
    EXPECT_EQ(rows[1].partition, (TopicPartition{"b", 9}));
    EXPECT_EQ(rows[1].next, Offset{9223372036854775807});
    EXPECT_EQ(rows[1].start, Offset{0});
    EXPECT_EQ(rows[1].fence, Fence{18446744073709551615U});
    EXPECT_EQ(rows[1].owner, "h\xC3\xB6st:1");
    EXPECT_EQ(rows[1].cluster_id, "abc");
    EXPECT_EQ(rows[1].records, 7u);
    EXPECT_EQ(rows[1].dead_letters, 2u);
    EXPECT_EQ(rows[1].last_timestamp_ms, 1700000000000);
    EXPECT_EQ(rows[2].partition, (TopicPartition{"b", 10}));
    EXPECT_EQ(rows[2].last_timestamp_ms, std::nullopt);
    EXPECT_EQ(mysql::read_offset_rows(session, "it's").size(), 0u);
}

TEST_F(OffsetsReader, DoesNotWaitForAnOpenBatch) {
    db().execute(
        "INSERT INTO txsink_offsets (connector, topic, partition_id, next_offset, start_offset) "
        "VALUES ('c', 't', 0, 5, 0)");
    auto writer = db().connect();
    writer.execute("START TRANSACTION");
    writer.execute("UPDATE txsink_offsets SET next_offset = 9");
    auto session = db().connect();
    EXPECT_EQ(mysql::read_offset_rows(session, "c").at(0).next, Offset{5});
    writer.execute("ROLLBACK");
}

TEST_F(OffsetsReader, NamesTheMissingTable) {
    db().execute("DROP TABLE txsink_offsets");
    auto session = db().connect();
    try {
        static_cast<void>(mysql::read_offset_rows(session, "c"));
        ADD_FAILURE() << "no table, and no error";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_NE(error.hint.find("txsink migrate"), std::string::npos);
    }
}

}  // namespace
}  // namespace txsink::test
