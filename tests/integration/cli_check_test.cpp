/// @file
/// `txsink check` on what routes write: tables that topics name, and the statements of mode sql.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "integration/cli_fixture.hpp"

namespace txsink::test {
namespace {

class CliCheck : public CliTest {
protected:
    /// What an account of any test needs of txsink's own tables.
    [[nodiscard]] std::vector<std::string> with_own_tables(std::vector<std::string> grants) {
        const auto name = db().name();
        grants.push_back("SELECT, INSERT, UPDATE ON " + name + ".txsink_offsets");
        grants.push_back("SELECT, INSERT ON " + name + ".txsink_gaps");
        grants.push_back("SELECT, INSERT, UPDATE, DELETE ON " + name + ".txsink_dead_letters");
        return grants;
    }

    [[nodiscard]] Ending check(const std::map<std::string, std::string>& options,
                               const std::string& user = {}) {
        auto all = options;
        all["mysql.uri"] = uri(user);
        auto arguments = with_options({"check"}, all);
        if (options.contains("sql")) {
            const auto table = std::find(arguments.begin(), arguments.end(), "--table");
            arguments.erase(table, table + 2);
        }
        return run_txsink(arguments, {{"TXSINK_MYSQL_PASSWORD", user.empty() ? "" : "pw"}});
    }

    [[nodiscard]] Ending check_sql(const std::string& statements, const std::string& user = {}) {
        return check({{"mode", "sql"}, {"sql", statements}}, user);
    }
};

class CliCheckOfTopics : public CliCheck {
protected:
    void SetUp() override {
        CliCheck::SetUp();
        if (IsSkipped()) {
            return;
        }
        for (const char* end : {"_a", "_b"}) {
            create_topic(broker, topic + end, 1);
        }
        db().execute("CREATE TABLE items_a LIKE items");
    }
    [[nodiscard]] std::map<std::string, std::string> by_topic() const {
        return {{"topic", "^" + topic + "(_[ab])$"}, {"table", "items${1}"}, {"connector", topic}};
    }
};

TEST_F(CliCheckOfTopics, LooksAtTheTableOfEachTopic) {
    const auto missing = check(by_topic());
    EXPECT_EQ(missing.code, 78) << missing.output;
    EXPECT_TRUE(missing.says("ok    target " + db().name() + ".items_a ")) << missing.output;
    EXPECT_TRUE(missing.says("fail  target " + db().name() + ".items_b ")) << missing.output;
    EXPECT_TRUE(missing.says("there is no table " + db().name() + ".items_b")) << missing.output;
    EXPECT_FALSE(missing.says("${1}")) << missing.output;
    EXPECT_TRUE(missing.says("1 check failed")) << missing.output;
    db().execute("CREATE TABLE items_b LIKE items");
    const auto there = check(by_topic());
    EXPECT_EQ(there.code, 0) << there.output;
    EXPECT_TRUE(there.says("ok    target " + db().name() + ".items_b ")) << there.output;
}

TEST_F(CliCheckOfTopics, NamesThePrivilegesThatOneTableLacks) {
    const auto name = db().name();
    db().execute("CREATE TABLE items_b LIKE items");
    make_account("cli_check_topics",
                 "pw",
                 with_own_tables({"SELECT, INSERT, UPDATE, DELETE ON " + name + ".items_a",
                                  "SELECT, INSERT ON " + name + ".items_b"}));
    const auto ending = check(by_topic(), "cli_check_topics");
    EXPECT_EQ(ending.code, 77) << ending.output;
    EXPECT_TRUE(ending.says("ok    target " + name + ".items_a ")) << ending.output;
    EXPECT_TRUE(ending.says("has no UPDATE, DELETE privilege on " + name + ".items_b"))
        << ending.output;
}

TEST_F(CliCheckOfTopics, SkipsTablesWhereTheTopicsAreNotKnown) {
    auto options = by_topic();
    options["kafka.bootstrap.servers"] = "127.0.0.1:1";
    options["connect.timeout"] = "1s";
    options["request.timeout"] = "1s";
    const auto ending = check(options);
    EXPECT_EQ(ending.code, 69) << ending.output;
    EXPECT_TRUE(ending.says("skip  target ") && ending.says("needs the topics")) << ending.output;
}

TEST_F(CliCheck, HasTheServerPrepareEachStatement) {
    const auto ending = check_sql(
        "INSERT INTO items (id, v) VALUES (:id, :v); UPDATE items SET v = :v WHERE id = :id");
    EXPECT_EQ(ending.code, 0) << ending.output;
    EXPECT_TRUE(ending.says("2 statements, all taken by the server")) << ending.output;
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM items"), 0) << "prepared, not run";
}

TEST_F(CliCheck, FindsAStatementWithAWrongSyntax) {
    const auto ending =
        check_sql("UPDATE items SET v = :v WHERE id = :id; UPDATE items SET v := := :v");
    EXPECT_EQ(ending.code, 78) << ending.output;
    EXPECT_TRUE(ending.says("fail  statements of route.")) << ending.output;
    EXPECT_TRUE(ending.says("statement 2 is refused: ")) << ending.output;
    EXPECT_TRUE(ending.says("error in your SQL syntax")) << ending.output;
}

TEST_F(CliCheck, FindsAStatementThatIsNoneOfRows) {
    const auto ending = check_sql("DROP TABLE items");
    EXPECT_EQ(ending.code, 78) << ending.output;
    EXPECT_TRUE(ending.says("a statement begins with DROP")) << ending.output;
}

TEST_F(CliCheck, FindsAStatementOfAMissingTable) {
    const auto ending = check_sql("DELETE FROM nothing WHERE id = :id");
    EXPECT_EQ(ending.code, 78) << ending.output;
    EXPECT_TRUE(ending.says("statement 1 is refused: ")) << ending.output;
    EXPECT_TRUE(ending.says("nothing' doesn't exist")) << ending.output;
}

TEST_F(CliCheck, FindsAStatementThatTheAccountMayNotRun) {
    make_account(
        "cli_check_sql", "pw", with_own_tables({"SELECT, INSERT ON " + db().name() + ".items"}));
    const auto allowed = check_sql("INSERT INTO items (id) VALUES (:id)", "cli_check_sql");
    EXPECT_EQ(allowed.code, 0) << allowed.output;
    const auto denied = check_sql("UPDATE items SET v = :v WHERE id = :id", "cli_check_sql");
    EXPECT_EQ(denied.code, 78) << denied.output;
    EXPECT_TRUE(denied.says("UPDATE command denied to user")) << denied.output;
}

}  // namespace
}  // namespace txsink::test
