/// @file
/// `txsink dead-letters` on real servers: looking, removing, and applying again exactly once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "integration/cli_fixture.hpp"
#include "support/tcp_proxy.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::test {
namespace {

using std::chrono::seconds;

class DeadLetters : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        options_["on-bad-record"] = "dead-letter";
    }

    [[nodiscard]] Ending run_with(const Arguments& command) {
        return run_txsink(with_options(command, options_));
    }
    /// With the topic as the flag that it is there.
    [[nodiscard]] Ending dead_letters(Arguments command) {
        command.insert(command.begin(), "dead-letters");
        return run_with(command);
    }

    void send(std::int32_t partition,
              std::optional<std::string> key,
              std::optional<std::string> value) {
        TestProducer producer{broker};
        producer.produce(topic, partition, key, value);
        producer.flush();
    }
    void run_to_end() {
        const auto run = run_with({"run", "--until-end"});
        ASSERT_EQ(run.code, 0) << run.output;
    }
    [[nodiscard]] std::string letters() {
        return db().value(
            "SELECT GROUP_CONCAT(CONCAT(partition_id, '@', record_offset, ' ', error_code) ORDER "
            "BY partition_id, record_offset) FROM txsink_dead_letters");
    }
    [[nodiscard]] std::string items() {
        return db().value("SELECT GROUP_CONCAT(CONCAT(id, v) ORDER BY id) FROM items");
    }
    /// A refused record that counts twice if it is applied twice.
    void refuse_a_sum() {
        db().execute(
            "CREATE TABLE sums (id BIGINT PRIMARY KEY, n TINYINT NOT NULL) ENGINE = InnoDB");
        options_["table"] = "sums";
        options_["on-conflict"] = "add";
        send(0, "1", R"({"id":1,"n":200})");
        run_to_end();
        db().execute("ALTER TABLE sums MODIFY n INT NOT NULL");
    }
    void add_letters(int count) {
        std::string rows;
        for (int i = 0; i < count; ++i) {
            rows += fmt::format("{}('{}', '{}', 0, {}, 'not-json', 0, '', '')",
                                rows.empty() ? "" : ",",
                                topic,
                                topic,
                                i);
        }
        db().execute(
            "INSERT INTO txsink_dead_letters (connector, topic, partition_id, record_offset, "
            "error_code, error_number, error_text, target_table) VALUES " +
            rows);
    }
    void widen() { db().execute("ALTER TABLE items MODIFY v VARCHAR(100)"); }

    std::map<std::string, std::string> options_;
};

const char* kTooLong = R"({"id":1,"v":"longer than ten"})";

TEST_F(DeadLetters, ListCountsByCodeAndShowsNoValues) {
    send(0, "1", kTooLong);
    send(0, "2", R"({"id":2,"v":"fits"})");
    send(1, "3", "geheim");
    run_to_end();
    const auto list = dead_letters({"list"});
    EXPECT_EQ(list.code, 0) << list.output;
    EXPECT_TRUE(list.says(topic + "[0]@0")) << list.output;
    EXPECT_TRUE(list.says(topic + "[1]@0")) << list.output;
    EXPECT_TRUE(list.says("out-of-range") && list.says(db().name() + ".items")) << list.output;
    EXPECT_TRUE(list.says("2 dead letters: 1 not-json, 1 out-of-range")) << list.output;
    EXPECT_FALSE(list.says("geheim") || list.says("longer than ten")) << list.output;
    const auto one = dead_letters({"list", "--partition", "1"});
    EXPECT_TRUE(one.says("1 dead letter: 1 not-json")) << one.output;
    const auto by_code = dead_letters({"list", "--code", "out-of-range", "--limit", "1"});
    EXPECT_TRUE(by_code.says("1 dead letter: 1 out-of-range")) << by_code.output;
    EXPECT_TRUE(dead_letters({"list", "--to", "2000-01-01"}).says("has no such dead letters"));
    EXPECT_TRUE(dead_letters({"list", "--from", "2000-01-01T00:00Z"}).says("2 dead letters"));
    const auto first = dead_letters({"list", "--limit", "1"});
    EXPECT_TRUE(first.says("2 dead letters, the first 1 shown")) << first.output;
    EXPECT_EQ(dead_letters({"list", "--from", "yesterday"}).code, 64);
}

TEST_F(DeadLetters, ShowHasAllOfTheRecord) {
    send(0, std::string("\0k", 2), "no json \u00e4");
    run_to_end();
    for (const auto& name : {topic + ":0@0", topic + "[0]@0"}) {
        const auto show =
            run_txsink({"dead-letters", "show", name, "--connector", topic, "--mysql.uri", uri()});
        EXPECT_EQ(show.code, 0) << show.output;
        EXPECT_TRUE(show.says("\nkey        base64 AGs=\n")) << show.output;
        EXPECT_TRUE(show.says("\nvalue      no json \u00e4\n")) << show.output;
        EXPECT_TRUE(show.says("\ncode       not-json\n")) << show.output;
    }
    const Arguments json{"dead-letters",
                         "show",
                         topic + ":0@0",
                         "--connector",
                         topic,
                         "--mysql.uri",
                         uri(),
                         "--output",
                         "json"};
    const auto shown = run_txsink(json);
    decode::JsonDecoder decoder;
    const auto document = decoder.decode(shown.output);
    ASSERT_TRUE(document.has_value()) << shown.output;
    EXPECT_EQ(decode::member(document.value(), "key_encoding").front().text, "base64");
    EXPECT_EQ(decode::member(document.value(), "value").front().text, "no json \u00e4");
    const auto missing = run_txsink(
        {"dead-letters", "show", topic + ":0@9", "--connector", topic, "--mysql.uri", uri()});
    EXPECT_EQ(missing.code, 78) << missing.output;
    const auto wrong = run_txsink({"dead-letters", "show", "orders"});
    EXPECT_EQ(wrong.code, 64);
    EXPECT_TRUE(wrong.says("is not a record, TOPIC:PARTITION@OFFSET")) << wrong.output;
}

TEST_F(DeadLetters, PurgeRemovesOnlyWithYes) {
    send(0, "1", kTooLong);
    send(1, "1", "x");
    run_to_end();
    EXPECT_EQ(dead_letters({"purge"}).output, "would remove 2 dead letters; --yes removes them\n");
    EXPECT_EQ(dead_letters({"purge", "--code", "not-json", "--yes"}).output,
              "removed 1 dead letter\n");
    EXPECT_EQ(letters(), "0@0 out-of-range");
    EXPECT_EQ(dead_letters({"purge", "--yes", "--limit", "5"}).output, "removed 1 dead letter\n");
}

TEST_F(DeadLetters, PurgeOfManyIsManySmallTransactions) {
    add_letters(2'500);
    auto other = db().connect();
    other.execute("START TRANSACTION");
    other.execute(
        fmt::format("SELECT 1 FROM txsink_dead_letters WHERE connector = '{}' AND topic = '{}' AND "
                    "partition_id = 0 AND record_offset = 1500 FOR UPDATE",
                    topic,
                    topic));
    Txsink purge{with_options({"dead-letters", "purge", "--yes"}, options_)};
    const auto waiting = db().wait_for_lock_wait();
    ASSERT_NE(waiting, 0U);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM txsink_dead_letters"), 1'500);
    db().kill(waiting);
    const auto ending = purge.end();
    EXPECT_NE(ending.code, 0);
    EXPECT_TRUE(ending.says("removed 1000 dead letters\n")) << ending.output;
    other.execute("ROLLBACK");
    EXPECT_EQ(dead_letters({"purge", "--yes"}).output, "removed 1500 dead letters\n");
}

TEST_F(DeadLetters, ReplayAppliesAndRemovesInOrder) {
    send(0, "1", R"({"id":1,"v":"the first, too long"})");
    send(0, "1", R"({"id":1,"v":"the second, too long"})");
    send(1, "2", R"({"id":2,"v":"the third, too long"})");
    run_to_end();
    widen();
    const auto replay = dead_letters({"replay"});
    EXPECT_EQ(replay.code, 0) << replay.output;
    EXPECT_EQ(replay.output, "replayed 3, still refused 0, held back 0\n");
    EXPECT_EQ(items(), "1the second, too long,2the third, too long");
    EXPECT_EQ(letters(), "NULL");
}

TEST_F(DeadLetters, ReplayKeepsWhatIsRefusedAgainWithItsNewReason) {
    send(0, "1", kTooLong);
    send(0, "2", R"({"id":2,"v":"also longer than ten"})");
    run_to_end();
    db().execute("ALTER TABLE items MODIFY v VARCHAR(100), ADD CHECK (id <> 1)");
    const auto replay = dead_letters({"replay"});
    EXPECT_EQ(replay.code, 65) << replay.output;
    EXPECT_TRUE(replay.says(topic + "[0]@0: still refused: refused-by-server")) << replay.output;
    EXPECT_TRUE(replay.says("replayed 1, still refused 1, held back 0")) << replay.output;
    EXPECT_EQ(letters(), "0@0 refused-by-server");
    EXPECT_EQ(items(), "2also longer than ten");
    db().execute("ALTER TABLE items ADD COLUMN needed INT NOT NULL");
    EXPECT_EQ(dead_letters({"replay"}).code, 65);
    EXPECT_EQ(letters(), "0@0 missing-value") << "refused by today's mapping";
}

TEST_F(DeadLetters, ReplayHoldsBackWhatNewerRecordsOvertook) {
    send(0, "1", kTooLong);
    send(0, "2", R"({"id":2,"v":"longer than ten, too"})");
    send(0, "1", R"({"id":1,"v":"newer"})");
    run_to_end();
    widen();
    const auto held = dead_letters({"replay"});
    EXPECT_EQ(held.code, 65) << held.output;
    EXPECT_TRUE(held.says(topic + "[0]@0: held back: newer records of its key were applied since"))
        << held.output;
    EXPECT_TRUE(held.says("replayed 1, still refused 0, held back 1")) << held.output;
    EXPECT_EQ(items(), "1newer,2longer than ten, too");
    const auto told = dead_letters({"replay", "--even-if-newer"});
    EXPECT_EQ(told.code, 0) << told.output;
    EXPECT_EQ(items(), "1longer than ten,2longer than ten, too");
}

TEST_F(DeadLetters, ReplayTakesDeadLettersOfTheKeyForNoNewerRecords) {
    send(0, "1", kTooLong);
    send(0, "1", R"({"id":1,"v":"longer than ten, newer"})");
    run_to_end();
    widen();
    EXPECT_EQ(dead_letters({"replay", "--limit", "1"}).output,
              "replayed 1, still refused 0, held back 0\n");
    EXPECT_EQ(items(), "1longer than ten");
    EXPECT_EQ(dead_letters({"replay"}).code, 0);
    EXPECT_EQ(items(), "1longer than ten, newer");
}

TEST_F(DeadLetters, ReplayOfTheLaterMakesTheEarlierOutdated) {
    send(0, "1", R"({"id":1,"v":5000000000000000000000000000})");
    send(0, "1", "no json");
    run_to_end();
    db().execute(
        "UPDATE txsink_dead_letters SET record_value = '{\"id\":1,\"v\":\"mended\"}' "
        "WHERE record_offset = 1");
    EXPECT_EQ(dead_letters({"replay", "--code", "not-json"}).code, 0);
    widen();
    const auto earlier = dead_letters({"replay"});
    EXPECT_TRUE(earlier.says("newer records of its key were applied since")) << earlier.output;
    EXPECT_EQ(items(), "1mended");
}

TEST_F(DeadLetters, ReplayHoldsBackWhatCannotBeTold) {
    send(0, std::nullopt, kTooLong);
    send(0, "2", R"({"id":2,"v":"longer than ten, too"})");
    send(0, "3", R"({"id":3,"v":"c"})");
    send(0, "4", R"({"id":4,"v":"d"})");
    run_to_end();
    widen();
    delete_records(broker, topic, 0, 3);
    const auto held = dead_letters({"replay"});
    EXPECT_EQ(held.code, 65) << held.output;
    EXPECT_TRUE(held.says("[0]@0: held back: it has no key")) << held.output;
    EXPECT_TRUE(held.says("[0]@1: held back: Kafka no longer has all records behind it"))
        << held.output;
    EXPECT_EQ(items(), "3c,4d");
    EXPECT_EQ(dead_letters({"replay", "--even-if-newer"}).code, 0);
    EXPECT_EQ(items(), "1longer than ten,2longer than ten, too,3c,4d");
}

TEST_F(DeadLetters, ReplaySeesWhatTheConnectorAppliesAtTheLastMoment) {
    send(0, "1", kTooLong);
    run_to_end();
    widen();
    // The connector's batch, slowed down: it has the row when the replay looks, and moves it.
    auto batch = db().connect();
    batch.execute("START TRANSACTION");
    batch.execute("UPDATE txsink_offsets SET next_offset = 2 WHERE partition_id = 0");
    send(0, "1", R"({"id":1,"v":"newer"})");
    Txsink replay{with_options({"dead-letters", "replay"}, options_)};
    ASSERT_NE(db().wait_for_lock_wait(), 0U);
    batch.execute("INSERT INTO items VALUES (1, 'newer')");
    batch.execute_commit();
    const auto ending = replay.end();
    EXPECT_EQ(ending.code, 65) << ending.output;
    EXPECT_TRUE(ending.says("newer records of its key were applied since")) << ending.output;
    EXPECT_EQ(items(), "1newer");
    EXPECT_EQ(letters(), "0@0 out-of-range");
}

TEST_F(DeadLetters, ReplayLetsGoOfAConnectorThatHasGoneFarMeanwhile) {
    send(0, "1", kTooLong);
    run_to_end();
    widen();
    constexpr int kMany = 10'500;  // more than is read while the connector waits
    auto batch = db().connect();
    batch.execute("START TRANSACTION");
    batch.execute(fmt::format("UPDATE txsink_offsets SET next_offset = {} WHERE partition_id = 0",
                              kMany + 1));
    Txsink replay{with_options({"dead-letters", "replay"}, options_)};
    ASSERT_NE(db().wait_for_lock_wait(), 0U);
    TestProducer producer{broker};
    for (int i = 0; i < kMany; ++i) {
        producer.produce(topic, 0, i == kMany - 1 ? "1" : "2", R"({"id":1,"v":"newer"})");
    }
    producer.flush();
    batch.execute("INSERT INTO items VALUES (1, 'newer')");
    batch.execute_commit();
    const auto ending = replay.end();
    EXPECT_EQ(ending.code, 65) << ending.output;
    EXPECT_TRUE(ending.says("newer records of its key were applied since")) << ending.output;
    EXPECT_EQ(items(), "1newer");
}

class DeadLettersInDoubt : public DeadLetters, public ::testing::WithParamInterface<CommitFault> {};

TEST_P(DeadLettersInDoubt, ReplayFindsOutWhatBecameOfItsCommit) {
    refuse_a_sum();
    TcpProxy proxy{db().settings().hosts.front().port};
    options_["mysql.uri"] =
        fmt::format("mysql://{}@127.0.0.1:{}/{}", db().settings().user, proxy.port(), db().name());
    options_["mysql.tls"] = "disabled";
    options_["mysql.read-timeout"] = "3s";
    options_["mysql.lock-wait-timeout"] = "1s";
    options_["mysql.wait-timeout"] = "5s";
    options_["idle.check"] = "2s";
    proxy.strike(GetParam(), 1, 1);
    const auto replay = dead_letters({"replay"});
    EXPECT_EQ(proxy.struck(), 1);
    EXPECT_EQ(replay.code, 0) << replay.output;
    EXPECT_TRUE(replay.says("replayed 1, still refused 0, held back 0\n")) << replay.output;
    EXPECT_EQ(db().number("SELECT n FROM sums"), 200);
    EXPECT_EQ(letters(), "NULL");
}

std::string name_of_fault(const ::testing::TestParamInfo<CommitFault>& fault) {
    constexpr const char* kNames[] = {
        "None", "CutBefore", "CutAfter", "FreezeBefore", "FreezeAfter"};
    return kNames[static_cast<std::size_t>(fault.param)];
}

INSTANTIATE_TEST_SUITE_P(Faults,
                         DeadLettersInDoubt,
                         ::testing::Values(CommitFault::cut_before,
                                           CommitFault::cut_after,
                                           CommitFault::freeze_before,
                                           CommitFault::freeze_after),
                         name_of_fault);

TEST_F(DeadLetters, ReplayKeepsWhatNoRouteTakesNow) {
    send(0, "1", kTooLong);
    run_to_end();
    widen();
    // --topic would be the filter, too.
    const auto held = run_txsink({"dead-letters",
                                  "replay",
                                  "--connector",
                                  topic,
                                  "--kafka.bootstrap.servers",
                                  broker,
                                  "--mysql.uri",
                                  uri(),
                                  "--route.one.topic",
                                  topic + "-other",
                                  "--route.one.table",
                                  "items"});
    EXPECT_EQ(held.code, 65) << held.output;
    EXPECT_TRUE(held.says("held back: no route takes its topic")) << held.output;
    EXPECT_EQ(letters(), "0@0 out-of-range");
    EXPECT_EQ(items(), "NULL");
}

TEST_F(DeadLetters, ReplayGoesWhereItsTopicIsRoutedNow) {
    send(0, "1", kTooLong);
    run_to_end();
    db().execute("CREATE TABLE wide (id BIGINT PRIMARY KEY, v VARCHAR(100)) ENGINE = InnoDB");
    options_["table"] = "wide";
    EXPECT_EQ(dead_letters({"replay"}).code, 0);
    EXPECT_EQ(items(), "NULL");
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(id, v) FROM wide"), "1longer than ten");
}

TEST_F(DeadLetters, ReplaySaysWhatItRemovesWithoutARow) {
    send(0, "1", kTooLong);
    send(0, "2", R"({"id":2,"v":"also longer than ten"})");
    run_to_end();
    widen();
    options_["when"] = "$.id = 2";
    options_["unrouted"] = "ignore";
    const auto replay = dead_letters({"replay"});
    EXPECT_EQ(replay.code, 0) << replay.output;
    EXPECT_TRUE(replay.says(topic + "[0]@0: removed without a row: no route takes it any more\n"))
        << replay.output;
    EXPECT_TRUE(replay.says("replayed 1, removed without a row 1, still refused 0, held back 0\n"))
        << replay.output;
    EXPECT_EQ(items(), "2also longer than ten");
    EXPECT_EQ(letters(), "NULL");
}

#ifdef TXSINK_FAILPOINTS
TEST_F(DeadLetters, ReplaysAreOneAtATime) {
    refuse_a_sum();
    Txsink first{with_options({"dead-letters", "replay"}, options_),
                 {{"TXSINK_FAILPOINT", "replay-before-commit:1:stop"}}};
    ASSERT_TRUE(eventually([&] { return first.process().is_stopped(); }));
    for (const auto& command : {Arguments{"replay"}, Arguments{"replay", "--even-if-newer"}}) {
        const auto second = dead_letters(command);
        EXPECT_EQ(second.code, 78) << second.output;
        EXPECT_TRUE(second.says("another replay of connector")) << second.output;
    }
    first.process().signal(SIGCONT);
    EXPECT_EQ(first.end().code, 0);
    EXPECT_EQ(db().number("SELECT n FROM sums"), 200);
}

TEST_F(DeadLetters, ReplayThatIsKilledHasDoneNothing) {
    refuse_a_sum();
    Txsink killed{with_options({"dead-letters", "replay"}, options_),
                  {{"TXSINK_FAILPOINT", "replay-before-commit:1"}}};
    const auto status = killed.process().wait_for(seconds{60});
    ASSERT_TRUE(status.has_value());
    EXPECT_EQ(status->signal, SIGKILL) << killed.process().output();
    EXPECT_EQ(letters(), "0@0 out-of-range");
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM sums"), 0);
    EXPECT_EQ(dead_letters({"replay"}).code, 0);
    EXPECT_EQ(db().number("SELECT n FROM sums"), 200);
}
#endif

TEST_F(DeadLetters, ReplayOfInsertsNeedsNoKey) {
    options_["mode"] = "insert";
    send(0, std::nullopt, kTooLong);
    run_to_end();
    widen();
    const auto replay = dead_letters({"replay"});
    EXPECT_EQ(replay.code, 0) << replay.output;
    EXPECT_EQ(items(), "1longer than ten");
}

TEST_F(DeadLetters, ReplayLeavesToTheConnectorWhatItReadsAgain) {
    send(0, "1", kTooLong);
    run_to_end();
    widen();
    db().execute("UPDATE txsink_offsets SET next_offset = 0 WHERE partition_id = 0");
    for (const auto& command : {Arguments{"replay"}, Arguments{"replay", "--even-if-newer"}}) {
        const auto held = dead_letters(command);
        EXPECT_EQ(held.code, 65) << held.output;
        EXPECT_TRUE(held.says("the connector reads it again by itself")) << held.output;
    }
    EXPECT_EQ(items(), "NULL");
}

TEST_F(DeadLetters, ReplayDoesNotTakeALetterThatIsNotWholeForATombstone) {
    send(0, "1", R"({"id":1,"v":"a"})");
    send(0, "1", kTooLong);
    run_to_end();
    db().execute(
        "UPDATE txsink_dead_letters SET record_value = NULL, "
        "error_text = CONCAT(error_text, ' [value of 9 bytes left out]')");
    const auto held = dead_letters({"replay", "--even-if-newer"});
    EXPECT_EQ(held.code, 65) << held.output;
    EXPECT_TRUE(held.says("it is not whole")) << held.output;
    EXPECT_EQ(items(), "1a");
}

TEST_F(DeadLetters, ReplayCountsEachRecordOnceBesideALiveConnector) {
    db().execute("CREATE TABLE sums (id BIGINT PRIMARY KEY, n TINYINT NOT NULL) ENGINE = InnoDB");
    options_["table"] = "sums";
    options_["on-conflict"] = "add";
    options_["batch.linger"] = "1ms";
    TestProducer producer{broker};
    for (int i = 0; i < 160; ++i) {  // a quarter is refused: more would be systemic
        producer.produce(topic,
                         0,
                         std::to_string(i),
                         fmt::format(R"({{"id":{},"n":{}}})", i % 40, i < 40 ? 200 : 0));
    }
    producer.flush();
    run_to_end();
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM txsink_dead_letters"), 40);
    db().execute("ALTER TABLE sums MODIFY n INT NOT NULL");
    Txsink connector{with_options({"run"}, options_)};
    ASSERT_TRUE(eventually([&] { return connector.process().has_said("assigned"); }));
    for (int i = 0; i < 2'000; ++i) {
        producer.produce(
            topic, 0, std::to_string(1'000 + i % 10), fmt::format(R"({{"id":{},"n":1}})", i % 40));
    }
    Txsink first{with_options({"dead-letters", "replay"}, options_)};
    Txsink second{with_options({"dead-letters", "replay"}, options_)};
    producer.flush();
    const auto ends = {first.end(), second.end()};
    for (const auto& ending : ends) {
        EXPECT_TRUE(ending.code == 0 || ending.says("another replay")) << ending.output;
    }
    EXPECT_EQ(dead_letters({"replay"}).code, 0);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM txsink_dead_letters"), 0);
    EXPECT_TRUE(eventually([&] {
        return db().value("SELECT SUM(n) FROM sums") == std::to_string(40 * 200 + 2'000);
    })) << db().value("SELECT SUM(n) FROM sums");
    connector.process().signal(SIGTERM);
    EXPECT_EQ(connector.end(seconds{20}).code, 0);
    EXPECT_EQ(db().number("SELECT SUM(n) FROM sums"), 40 * 200 + 2'000);
}

TEST_F(DeadLetters, ReplayReportsAsJson) {
    send(0, "1", kTooLong);
    run_to_end();
    const auto replay = dead_letters({"replay", "--output", "json"});
    EXPECT_EQ(replay.code, 65) << replay.output;
    decode::JsonDecoder decoder;
    const auto document = decoder.decode(replay.output);
    ASSERT_TRUE(document.has_value()) << replay.output;
    EXPECT_EQ(decode::member(document.value(), "still_refused").front().text, "1");
}

}  // namespace
}  // namespace txsink::test
