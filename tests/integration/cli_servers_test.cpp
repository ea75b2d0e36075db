/// @file
/// The commands against real servers: what each wrong thing there ends with, and the way out.
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <string>

#include "integration/cli_fixture.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::test {
namespace {

using std::chrono::seconds;

const char* kAllOnOwnTables = "SELECT, INSERT, UPDATE ON {}.txsink_offsets";

class CliServers : public CliTest {
protected:
    /// `check` fails on the same thing as `run`, with the same code.
    void expect_refused(const std::map<std::string, std::string>& options,
                        int code,
                        const std::string& what,
                        const std::string& hint = {},
                        const Environment& environment = {}) {
        const auto run = run_txsink(with_options({"run"}, options), environment);
        EXPECT_EQ(run.code, code) << run.output;
        EXPECT_TRUE(run.says("error: ") && run.says(what)) << run.output;
        EXPECT_TRUE(hint.empty() || run.says("hint: " + hint)) << run.output;
        const auto check = run_txsink(with_options({"check"}, options), environment);
        EXPECT_EQ(check.code, code) << check.output;
        EXPECT_TRUE(check.says("fail ")) << check.output;
        EXPECT_TRUE(check.says(what)) << check.output;
        EXPECT_TRUE(hint.empty() || check.says("hint: " + hint)) << check.output;
    }

    [[nodiscard]] std::string stored() {
        return db().value(
            "SELECT GROUP_CONCAT(next_offset ORDER BY partition_id) FROM "
            "txsink_offsets WHERE topic = '" +
            topic + "'");
    }
};

TEST_F(CliServers, MigrateMakesTheTablesOnce) {
    db().execute("DROP TABLE txsink_offsets, txsink_dead_letters, txsink_gaps");
    const auto first = run_txsink({"migrate", "--mysql.uri", uri()});
    EXPECT_EQ(first.code, 0) << first.output;
    EXPECT_TRUE(first.says("applied V1__offsets.sql")) << first.output;
    const auto second = run_txsink({"migrate", "--mysql.uri", uri()});
    EXPECT_EQ(second.code, 0);
    EXPECT_EQ(second.output, "nothing to do: " + db().name() + " is up to date\n");
}

TEST_F(CliServers, CheckFindsAllGood) {
    const auto ending = run_txsink(with_options({"check"}));
    EXPECT_EQ(ending.code, 0) << ending.output;
    EXPECT_TRUE(ending.says("ok    mysql server ")) << ending.output;
    EXPECT_TRUE(ending.says("ok    txsink's tables ")) << ending.output;
    EXPECT_TRUE(ending.says("items upsert of 2 columns, primary key (id)")) << ending.output;
    EXPECT_TRUE(ending.says(topic + " (2 partitions)")) << ending.output;
    EXPECT_TRUE(ending.says("none yet of connector " + topic)) << ending.output;
    EXPECT_TRUE(ending.says("ready to run")) << ending.output;
    EXPECT_EQ(stored(), "NULL") << "check writes nothing";
}

TEST_F(CliServers, CheckPrintsEveryFailureAndEndsWithTheFirst) {
    db().execute("DROP TABLE txsink_gaps");
    const auto ending = run_txsink(with_options({"check"}, {{"table", "nothing"}}));
    EXPECT_EQ(ending.code, 78);
    EXPECT_TRUE(ending.says("fail  txsink's tables")) << ending.output;
    EXPECT_TRUE(ending.says("fail  target")) << ending.output;
    EXPECT_TRUE(ending.says("skip  stored offsets")) << ending.output;
    EXPECT_TRUE(ending.says("2 checks failed")) << ending.output;
}

TEST_F(CliServers, CheckWarnsOfFurtherUniqueKeysAndPowerfulAccounts) {
    db().execute("ALTER TABLE items ADD UNIQUE KEY by_v (v)");
    const auto ending = run_txsink(with_options({"check"}));
    EXPECT_EQ(ending.code, 0) << ending.output;
    EXPECT_TRUE(ending.says("has further unique keys (by_v)")) << ending.output;
    EXPECT_TRUE(ending.says("warn  mysql account")) << "the tests' account may do everything";
}

TEST_F(CliServers, WritesWellFormedJson) {
    produce(0, {R"({"id":1})"});
    ASSERT_EQ(run_txsink(with_options({"run", "--until-end"})).code, 0);
    for (const Arguments& command : {Arguments{"check", "--output", "json"},
                                     Arguments{"offsets", "list", "--output", "json"}}) {
        const auto ending = run_txsink(with_options(command));
        EXPECT_EQ(ending.code, 0) << ending.output;
        decode::JsonDecoder decoder;
        const auto document = decoder.decode(ending.output);
        ASSERT_TRUE(document.has_value()) << ending.output;
        EXPECT_EQ(document.value().front().kind, decode::ValueKind::object);
    }
}

TEST_F(CliServers, RefusesAWrongPassword) {
    make_account("cli_password", "right", {"SELECT ON " + db().name() + ".*"});
    expect_refused({{"mysql.uri", uri("cli_password")}},
                   77,
                   "wrong user or password",
                   "mend the user of mysql.uri or the password",
                   {{"TXSINK_MYSQL_PASSWORD", "wrong-geheim"}});
}

TEST_F(CliServers, NeverShowsThePassword) {
    make_account("cli_secret", "right", {"SELECT ON " + db().name() + ".*"});
    const auto ending = run_txsink(
        with_options({"run", "--log.level", "debug"}, {{"mysql.uri", uri("cli_secret")}}),
        {{"TXSINK_MYSQL_PASSWORD", "wrong-geheim"}});
    EXPECT_EQ(ending.code, 77);
    EXPECT_FALSE(ending.says("geheim")) << ending.output;
}

TEST_F(CliServers, RefusesADatabaseThatIsNotThere) {
    expect_refused({{"mysql.uri", uri({}, "no_such_database")}},
                   78,
                   "the database does not exist",
                   "create it, or mend");
}

TEST_F(CliServers, RefusesToRunWithoutItsTables) {
    db().execute("DROP TABLE txsink_offsets");
    expect_refused({}, 78, "there is no table", "run txsink migrate");
}

TEST_F(CliServers, RefusesATargetThatIsNotThere) {
    expect_refused({{"table", "nothing"}}, 78, "there is no table " + db().name() + ".nothing");
}

TEST_F(CliServers, RefusesATopicThatIsNotThere) {
    expect_refused({{"topic", "no.such.topic"}}, 78, "topic no.such.topic does not exist");
}

TEST_F(CliServers, RefusesABrokerThatDoesNotAnswer) {
    expect_refused({{"kafka.bootstrap.servers", "127.0.0.1:1"},
                    {"connect.timeout", "1s"},
                    {"request.timeout", "1s"}},
                   69,
                   "no Kafka broker answers at 127.0.0.1:1");
}

TEST_F(CliServers, RefusesATableWithoutTransactions) {
    db().execute("CREATE TABLE my (id BIGINT PRIMARY KEY) ENGINE = MyISAM");
    expect_refused({{"table", "my"}}, 78, "the table " + db().name() + ".my");
}

TEST_F(CliServers, RefusesToUpsertWithoutPrimaryKey) {
    db().execute("CREATE TABLE log (id BIGINT) ENGINE = InnoDB");
    const auto ending = run_txsink(with_options({"run"}, {{"table", "log"}}));
    EXPECT_EQ(ending.code, 78) << ending.output;
    EXPECT_TRUE(ending.says("primary key")) << ending.output;
    EXPECT_EQ(run_txsink(with_options({"check"}, {{"table", "log"}, {"mode", "insert"}})).code, 0);
}

TEST_F(CliServers, NamesThePrivilegesThatAreMissing) {
    const auto name = db().name();
    make_account("cli_poor",
                 "pw",
                 {fmt::format(fmt::runtime(kAllOnOwnTables), name),
                  "SELECT, INSERT ON " + name + ".txsink_gaps",
                  "SELECT ON " + name + ".txsink_dead_letters",
                  "SELECT, INSERT ON " + name + ".items"});
    expect_refused({{"mysql.uri", uri("cli_poor")}},
                   77,
                   "cli_poor has no UPDATE, DELETE privilege on " + name + ".items",
                   "GRANT UPDATE, DELETE ON " + name + ".items TO cli_poor",
                   {{"TXSINK_MYSQL_PASSWORD", "pw"}});
}

TEST_F(CliServers, RunsWithNoMorePrivilegesThanCheckAsksFor) {
    const auto name = db().name();
    make_account("cli_enough",
                 "pw",
                 {fmt::format(fmt::runtime(kAllOnOwnTables), name),
                  "SELECT, INSERT ON " + name + ".txsink_gaps",
                  "SELECT ON " + name + ".txsink_dead_letters",
                  "SELECT, INSERT, UPDATE, DELETE ON " + name + ".items"});
    const std::map<std::string, std::string> options{{"mysql.uri", uri("cli_enough")}};
    const Environment environment{{"TXSINK_MYSQL_PASSWORD", "pw"}};
    const auto check = run_txsink(with_options({"check"}, options), environment);
    EXPECT_EQ(check.code, 0) << check.output;
    EXPECT_TRUE(check.says("writes to no read-only server")) << check.output;
    produce(0, {R"({"id":1,"v":"a"})", R"({"id":1,"v":"b"})"});
    const auto run = run_txsink(with_options({"run", "--until-end"}, options), environment);
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_EQ(db().value("SELECT v FROM items WHERE id = 1"), "b");
}

TEST_F(CliServers, RunsUntilTheEndAndListsWhereItStands) {
    produce(0, {R"({"id":1})", R"({"id":2})"});
    produce(1, {R"({"id":3})"});
    const auto run = run_txsink(with_options({"run", "--until-end"}));
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM items"), 3);
    EXPECT_EQ(stored(), "2,1");
    produce(1, {R"({"id":4})"});
    const auto list = run_txsink(with_options({"offsets", "list"}));
    EXPECT_EQ(list.code, 0) << list.output;
    EXPECT_TRUE(list.says("TOPIC ")) << list.output;
    EXPECT_TRUE(list.says("          0     2          0        2    0")) << list.output;
    EXPECT_TRUE(list.says("          1     1          0        2    1")) << list.output;
}

TEST_F(CliServers, RunsUntilTheEndOfAnEmptyTopic) {
    const auto run = run_txsink(with_options({"run", "--until-end"}));
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_EQ(stored(), "0,0");
}

TEST_F(CliServers, StopsAtABadRecordAndIsMovedPastIt) {
    produce(0, {R"({"id":1})", R"({"id":"no number"})", R"({"id":3})"});
    const auto run = run_txsink(with_options({"run", "--until-end"}));
    EXPECT_EQ(run.code, 65) << run.output;
    EXPECT_TRUE(run.says(topic + "[0]@1")) << run.output;
    EXPECT_FALSE(run.says("no number")) << "no values of records: " << run.output;

    const auto set = run_txsink(with_options({"offsets", "set", topic + ":0", "2"}));
    EXPECT_EQ(set.code, 0) << set.output;
    EXPECT_EQ(set.output, topic + "[0]: 1 -> 2; the gap is recorded in txsink_gaps\n");
    EXPECT_EQ(
        db().value("SELECT CONCAT(from_offset, '-', to_offset, ' ', reason) FROM txsink_gaps"),
        "1-2 set by an operator");

    EXPECT_EQ(run_txsink(with_options({"run", "--until-end"})).code, 0);
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(id ORDER BY id) FROM items"), "1,3");
}

TEST_F(CliServers, SetsAnOffsetUnderANewToken) {
    produce(0, {R"({"id":1})", R"({"id":2})"});
    ASSERT_EQ(run_txsink(with_options({"run", "--until-end"})).code, 0);
    const auto fence = "SELECT fence FROM txsink_offsets WHERE partition_id = 0";
    const auto before = db().value(fence);
    const auto back = run_txsink(with_options({"offsets", "set", topic + ":0", "1"}));
    EXPECT_EQ(back.output,
              topic +
                  "[0]: 2 -> 1; the records between are read again, and their dead "
                  "letters made again or removed\n");
    EXPECT_NE(db().value(fence), before);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM txsink_gaps"), 0);

    const auto beyond = run_txsink(with_options({"offsets", "set", topic + ":0", "9"}));
    EXPECT_EQ(beyond.code, 78);
    EXPECT_TRUE(beyond.says("error: 9 is not in the log of " + topic + "[0]")) << beyond.output;
    ASSERT_EQ(run_txsink(with_options({"offsets", "set", topic + ":0", "9", "--force"})).code, 0);
    const auto list = run_txsink(with_options({"offsets", "list", "--output", "json"}));
    EXPECT_TRUE(list.says(R"("log_end":2,"lag":null)")) << list.output;
    ASSERT_EQ(run_txsink(with_options({"offsets", "set", topic + ":0", "1", "--force"})).code, 0);
    const auto unknown = run_txsink(with_options({"offsets", "set", "other:0", "9", "--force"}));
    EXPECT_EQ(unknown.code, 78);
    EXPECT_TRUE(unknown.says("has no stored offset of other[0]")) << unknown.output;
    EXPECT_EQ(stored(), "1,0");
    db().execute("DROP TABLE txsink_offsets");
    const auto missing = run_txsink(with_options({"offsets", "set", topic + ":0", "1"}));
    EXPECT_EQ(missing.code, 78);
    EXPECT_TRUE(missing.says("run txsink migrate")) << missing.output;
}

TEST_F(CliServers, SetsNoOffsetUnderALiveConnectorUnlessForced) {
    produce(0, {R"({"id":1})"});
    Txsink connector{with_options({"run"})};
    ASSERT_TRUE(eventually([&] { return stored() == "1,0"; })) << connector.process().output();
    const auto refused = run_txsink(with_options({"offsets", "set", topic + ":0", "0"}));
    EXPECT_EQ(refused.code, 78) << refused.output;
    EXPECT_TRUE(refused.says("has 1 live member")) << refused.output;
    EXPECT_TRUE(refused.says("--force")) << refused.output;
    EXPECT_EQ(run_txsink(with_options({"offsets", "set", topic + ":0", "0", "--force"})).code, 0);
    connector.process().signal(SIGTERM);
    EXPECT_EQ(connector.end(seconds{20}).code, 0);
}

TEST_F(CliServers, CheckFindsAnOffsetThatIsOutOfRange) {
    produce(0, {R"({"id":1})"});
    ASSERT_EQ(run_txsink(with_options({"run", "--until-end"})).code, 0);
    db().execute("UPDATE txsink_offsets SET next_offset = 50 WHERE partition_id = 0");
    const auto fatal = run_txsink(with_options({"check"}));
    EXPECT_EQ(fatal.code, 78) << fatal.output;
    EXPECT_TRUE(fatal.says(topic + "[0]: the stored offset 50 lies beyond the end of the log"))
        << fatal.output;
    EXPECT_TRUE(fatal.says("the log has 0 to 1")) << fatal.output;
    const auto set = run_txsink(with_options({"check"}, {{"on-topic-recreated", "restart"}}));
    EXPECT_EQ(set.code, 0) << set.output;
    EXPECT_TRUE(set.says("warn  stored offsets")) << set.output;
    EXPECT_EQ(run_txsink(with_options({"run", "--until-end"})).code, 78)
        << "an old offset beyond the end is not the end";
    db().execute("UPDATE txsink_offsets SET next_offset = 1, cluster_id = 'another'");
    const auto foreign = run_txsink(with_options({"check"}));
    EXPECT_EQ(foreign.code, 78);
    EXPECT_TRUE(foreign.says("is of another cluster")) << foreign.output;
}

TEST_F(CliServers, RunUntilTheEndRestartsARecreatedTopicFirst) {
    produce(0, {R"({"id":1})", R"({"id":2})"});
    db().execute(
        fmt::format("INSERT INTO txsink_offsets (connector, topic, partition_id, "
                    "next_offset, start_offset) VALUES ('{0}', '{0}', 0, 50, 0), "
                    "('{0}', '{0}', 1, 0, 0)",
                    topic));
    const auto run =
        run_txsink(with_options({"run", "--until-end"}, {{"on-topic-recreated", "restart"}}));
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM items"), 2) << run.output;
    EXPECT_EQ(stored(), "2,0");
}

TEST_F(CliServers, StopsInGoodOrderOnASignal) {
    for (const int number : {SIGTERM, SIGINT}) {
        Txsink connector{with_options({"run"})};
        ASSERT_TRUE(eventually([&] { return connector.process().has_said("assigned"); }))
            << connector.process().output();
        connector.process().signal(number);
        const auto ending = connector.end(seconds{20});
        EXPECT_EQ(ending.code, 0) << ending.output;
        EXPECT_TRUE(ending.says("stopping (")) << ending.output;
    }
}

TEST_F(CliServers, StopsWhileItWaitsForAServer) {  // B38
    Txsink connector{with_options(
        {"run"}, {{"mysql.uri", "mysql://u@127.0.0.1:1/d"}, {"connect.timeout", "10m"}})};
    ASSERT_TRUE(eventually([&] { return connector.process().has_said("trying again"); }));
    connector.process().signal(SIGTERM);
    EXPECT_EQ(connector.end(seconds{20}).code, 0);
}

}  // namespace
}  // namespace txsink::test
