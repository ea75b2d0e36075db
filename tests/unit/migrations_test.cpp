/// @file
/// Migrations without a server: names, versions, checksums, statements, and what a history allows.
#include "txsink/mysql/migrations.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "mysql/migration_history.hpp"
#include "mysql/table_reader.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {
namespace {

using ::testing::TestWithParam;
using Texts = std::vector<std::string>;

/// What `action` throws; fails the test when it does not.
template <typename Action>
SinkError error_of(Action&& action) {
    try {
        action();
    } catch (const SinkError& error) {
        return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return SinkError{ErrorKind::internal, ""};
}

Migration file(const char* name, const char* sql = "SELECT 1") {
    return make_migration(name, sql);
}

TEST(MigrationName, GivesVersionAndDescription) {
    const auto migration = file("V001_10__add_a_thing.sql");
    EXPECT_EQ(migration.version, "1.10");
    EXPECT_EQ(migration.description, "add a thing");
    EXPECT_EQ(migration.file_name, "V001_10__add_a_thing.sql");
    EXPECT_EQ(file("V20240131235959__x.sql").version, "20240131235959");
    EXPECT_EQ(file("V1.2.0__x__y.sql").version, "1.2");
    EXPECT_EQ(file("V1.2.0__x__y.sql").description, "x  y");
    EXPECT_EQ(file("V0__x.sql").version, "0");
}

TEST(MigrationName, RefusesOthers) {
    for (const char* name : {"v1__x.sql",
                             "V1_x.sql",
                             "V1__.sql",
                             "V__x.sql",
                             "R__x.sql",
                             "U1__x.sql",
                             "V1..2__x.sql",
                             "V1a__x.sql",
                             "V1__x.SQL",
                             "V_1__x.sql",
                             "V1234567890123456789__x.sql",
                             "x.sql"}) {
        const auto error = error_of([&] { static_cast<void>(file(name)); });
        EXPECT_EQ(error.kind, ErrorKind::configuration) << name;
        EXPECT_EQ(error.what(), std::string{name} + " is not named like a migration");
    }
}

TEST(MigrationVersion, IsOrderedNumberByNumber) {
    const Texts order{"0", "0.1", "1", "1.0.1", "1.2", "1.9", "1.10", "2", "10", "20240101"};
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = 0; j < order.size(); ++j) {
            EXPECT_EQ(is_older(order[i], order[j]), i < j) << order[i] << ' ' << order[j];
        }
    }
}

TEST(MigrationChecksum, IgnoresLineEndsAndMark) {
    const auto checksum = file("V1__x.sql", "SELECT 1;\nSELECT 2;\n").checksum;
    EXPECT_EQ(checksum.size(), 16u);
    EXPECT_EQ(file("V1__x.sql", "SELECT 1;\r\nSELECT 2;\r\n").checksum, checksum);
    EXPECT_EQ(file("V1__x.sql", "\xEF\xBB\xBFSELECT 1;\nSELECT 2;\n").checksum, checksum);
    EXPECT_NE(file("V1__x.sql", "SELECT 1;\nSELECT 3;\n").checksum, checksum);
    // FNV-1a's published vectors: the number is stored, so it must never change.
    EXPECT_EQ(checksum_of(""), "cbf29ce484222325");
    EXPECT_EQ(checksum_of("a"), "af63dc4c8601ec8c");
    EXPECT_EQ(checksum_of("foobar"), "85944171f73967e8");
}

TEST(SplitStatements, SeparatesAtSemicolons) {
    const auto statements = split_statements(file("V1__x.sql",
                                                  "-- what it is for; really\n"
                                                  "CREATE TABLE a (b INT); # rest; of line\n"
                                                  "\n"
                                                  "/* ; */ INSERT INTO a VALUES (1) -- why\n"
                                                  ";;\n"
                                                  "DROP TABLE a"));
    ASSERT_EQ(statements.size(), 3u);
    EXPECT_EQ(statements[0].text, "CREATE TABLE a (b INT)");
    EXPECT_EQ(statements[0].line, 2u);
    EXPECT_EQ(statements[1].text, "INSERT INTO a VALUES (1)");
    EXPECT_EQ(statements[1].line, 4u);
    EXPECT_EQ(statements[2].text, "DROP TABLE a");
    EXPECT_EQ(statements[2].line, 6u);
}

TEST(SplitStatements, LeavesQuotedTextAlone) {
    for (const char* sql : {"SELECT ';'",
                            "SELECT 'it\\';s'",
                            "SELECT 'it'';s'",
                            "SELECT \";\\\";\"",
                            "SELECT `;``;\\` FROM a",
                            "SELECT 1 /* ; ' */ + 2",
                            "SELECT 1 -- '\n + 2",
                            "SELECT 5--3",
                            "SELECT '-- ;'",
                            "SELECT '/*;'",
                            "/*!40101 SET a = ';;' */",
                            "SELECT /*+ x(;) */ 1",
                            "/*M!100100 a; */",
                            "SELECT '\n;\n'"}) {
        const auto statements = split_statements(file("V1__x.sql", sql));
        ASSERT_EQ(statements.size(), 1u) << sql;
        EXPECT_EQ(statements[0].text, sql);
    }
}

TEST(SplitStatements, TakesOneStatementBodies) {
    const char* sql =
        "CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW SET NEW.b = 1;"
        "CREATE TABLE event (begin INT, trigger_ INT)";
    EXPECT_EQ(split_statements(file("V1__x.sql", sql)).size(), 2u);
}

struct Refusal {
    const char* name;
    const char* sql;
    const char* what;
    const char* line;
};
class RefusesText : public TestWithParam<Refusal> {};

TEST_P(RefusesText, WithItsLine) {
    const auto error =
        error_of([&] { static_cast<void>(split_statements(file("V1__x.sql", GetParam().sql))); });
    EXPECT_EQ(error.kind, ErrorKind::configuration);
    EXPECT_EQ(error.what(), std::string{"the migration V1__x.sql "} + GetParam().what);
    EXPECT_EQ(error.detail, std::string{"line "} + GetParam().line);
}

INSTANTIATE_TEST_SUITE_P(
    SplitStatements,
    RefusesText,
    ::testing::Values(
        Refusal{"Nothing", "", "holds no statement", "1"},
        Refusal{"OnlyComments", "-- x\n/* y */;\n", "holds no statement", "1"},
        Refusal{"OpenString", "SELECT 1;\nSELECT 'x\ny", "has a ' that is not closed", "2"},
        Refusal{"OpenName", "SELECT `x", "has a ` that is not closed", "1"},
        Refusal{"OpenComment", "\n\n/* x", "has a comment that is not closed", "3"},
        Refusal{"Delimiter", "SELECT 1;\ndelimiter //\n", "uses DELIMITER", "2"},
        Refusal{"Body",
                "CREATE DEFINER=`a`@`b` TRIGGER t BEFORE INSERT ON a FOR EACH ROW\nBEGIN SET x=1; "
                "END",
                "has a BEGIN ... END body",
                "2"}),
    [](const auto& each) { return std::string{each.param.name}; });

TEST(BuiltInMigrations, AreTheFilesInSql) {
    const auto built_in = built_in_migrations();
    EXPECT_EQ(built_in.source, MigrationSource::txsink);
    const auto files = load_migrations(TXSINK_SQL_DIR);
    ASSERT_EQ(built_in.migrations.size(), files.migrations.size());
    for (std::size_t i = 0; i < files.migrations.size(); ++i) {
        EXPECT_EQ(built_in.migrations[i].file_name, files.migrations[i].file_name);
        EXPECT_EQ(built_in.migrations[i].sql, files.migrations[i].sql);
        EXPECT_EQ(built_in.migrations[i].checksum, files.migrations[i].checksum);
        EXPECT_FALSE(split_statements(built_in.migrations[i]).empty());
    }
}

TEST(BuiltInMigrations, PrintAsOneScript) {
    MigrationSet set;
    set.migrations = {file("V1__a.sql", "SELECT 1;\n"), file("V2__b.sql", "SELECT 2")};
    EXPECT_EQ(to_text(set), "-- V1__a.sql\nSELECT 1;\n\n-- V2__b.sql\nSELECT 2\n");
}

class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "txsink-test-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }
    void put(const char* name, const char* text = "SELECT 1;") {
        std::ofstream{path_ / name} << text;
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

TEST(LoadMigrations, SortsByVersionAndIgnoresOtherFiles) {
    Folder folder;
    for (const char* name : {"V10__c.sql", "V9__b.sql", "V1__a.sql", "README.md"}) {
        folder.put(name);
    }
    const auto set = load_migrations(folder.path());
    EXPECT_EQ(set.source, MigrationSource::user);
    ASSERT_EQ(set.migrations.size(), 3u);
    EXPECT_EQ(set.migrations[0].version, "1");
    EXPECT_EQ(set.migrations[1].version, "9");
    EXPECT_EQ(set.migrations[2].version, "10");
}

TEST(LoadMigrations, RefusesWhatItCannotOrder) {
    Folder folder;
    const auto load = [&] { static_cast<void>(load_migrations(folder.path())); };
    EXPECT_EQ(error_of(load).kind, ErrorKind::configuration);  // nothing there
    folder.put("V1__a.sql");
    folder.put("V01__b.sql");
    EXPECT_EQ(std::string{error_of(load).what()}, "two migrations have the version 1");
    EXPECT_EQ(error_of([] { static_cast<void>(load_migrations("/nowhere/at/all")); }).kind,
              ErrorKind::configuration);
}

class PendingAfter : public ::testing::Test {
protected:
    MigrationSet set_{MigrationSource::user,
                      {file("V1__a.sql"), file("V2__b.sql"), file("V10__c.sql")}};
    std::vector<AppliedMigration> applied_;

    void apply(const char* version, bool is_complete = true) {
        AppliedMigration done;
        done.version = version;
        done.description = "x";
        done.checksum = file("V1__a.sql").checksum;
        done.is_complete = is_complete;
        applied_.push_back(done);
    }
    Texts pending() {
        Texts names;
        for (const auto& migration : pending_after(applied_, set_)) {
            names.push_back(migration.file_name);
        }
        return names;
    }
    std::string refusal() {
        return error_of([&] { static_cast<void>(pending()); }).what();
    }
};

TEST_F(PendingAfter, IsWhatIsNotApplied) {
    EXPECT_EQ(pending(), (Texts{"V1__a.sql", "V2__b.sql", "V10__c.sql"}));
    apply("1");
    apply("2");
    EXPECT_EQ(pending(), Texts{"V10__c.sql"});
    apply("10");
    EXPECT_EQ(pending(), Texts{});
}

TEST_F(PendingAfter, RefusesAnEditedFile) {
    apply("1");
    set_.migrations[0] = file("V1__a.sql", "SELECT 2");
    EXPECT_EQ(refusal(), "the applied migration V1__a.sql was edited");
}

TEST_F(PendingAfter, RefusesAMissingFile) {
    apply("1");
    apply("3");
    EXPECT_EQ(refusal(), "the applied migration V3 (x) is missing");
}

TEST_F(PendingAfter, RefusesAVersionBelowTheNewestApplied) {
    apply("1");
    apply("10");
    EXPECT_EQ(refusal(), "the migration V2__b.sql comes too late");
}

TEST_F(PendingAfter, RefusesToGoOnAfterAHalfAppliedOne) {
    apply("1");
    apply("2", false);
    EXPECT_EQ(refusal(), "the migration V2 (x) did not complete");
    const auto error = error_of([&] { static_cast<void>(pending()); });
    EXPECT_NE(error.hint.find("WHERE source = 'user' AND version = '2'"), std::string::npos);
}

TEST(EnumMembers, AreUnquoted) {
    EXPECT_EQ(enum_members("enum('a','it''s','x,y','b\\\\c','n\\nl','','''')"),
              (Texts{"a", "it's", "x,y", "b\\c", "n\nl", "", "'"}));
    EXPECT_EQ(enum_members("enum('\\0\\r')"), (Texts{std::string{"\0\r", 2}}));
    EXPECT_EQ(enum_members("enum('a')"), Texts{"a"});
}

}  // namespace
}  // namespace txsink::mysql
