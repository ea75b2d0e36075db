/// @file
/// `txsink preview` on real servers: what it shows is what `run` does, and it changes nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "integration/cli_fixture.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::test {
namespace {

class Preview : public CliTest {
protected:
    [[nodiscard]] Ending preview(const Arguments& more = {}) {
        Arguments command{"preview"};
        command.insert(command.end(), more.begin(), more.end());
        return run_txsink(with_options(command));
    }
};

TEST_F(Preview, ShowsRowsRemovalsAndRefusals) {
    TestProducer producer{broker};
    producer.produce(topic, 0, "1", R"x({"id":1,"v":"it's, (so)"})x");
    producer.produce(topic, 0, "1", R"({"id":"x"})");
    producer.produce(topic, 0, "1", std::nullopt);
    producer.flush();
    const auto ending = preview();
    EXPECT_EQ(ending.code, 0) << ending.output;
    EXPECT_TRUE(ending.says("id = 1, v = 'it\\'s, (so)'")) << ending.output;
    EXPECT_TRUE(ending.says(topic + "[0]@1  refused, fail")) << ending.output;
    EXPECT_TRUE(ending.says("malformed-value: ")) << ending.output;
    EXPECT_TRUE(ending.says(topic + "[0]@2  delete")) << ending.output;
    EXPECT_TRUE(ending.says("3 records, 1 refused, 2 applied; nothing was written"))
        << ending.output;
}

TEST_F(Preview, WritesNothing) {
    produce(0, {R"({"id":1})"});
    EXPECT_EQ(preview({"--sql"}).code, 0);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM items"), 0);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM txsink_offsets"), 0);
    EXPECT_EQ(committed_offset(broker, "txsink-" + topic, topic, 0), -1);
}

TEST_F(Preview, BeginsWhereRunWouldGoOn) {
    produce(0, {R"({"id":1})", R"({"id":2})"});
    ASSERT_EQ(run_txsink(with_options({"run", "--until-end"})).code, 0);
    EXPECT_TRUE(preview().says("0 records; nothing was written"));
    produce(0, {R"({"id":3})"});
    const auto stored = preview();
    EXPECT_TRUE(stored.says("[0]@2") && !stored.says("[0]@1")) << stored.output;
    const auto earliest = preview({"--from", "earliest", "--limit", "2"});
    EXPECT_TRUE(earliest.says("[0]@0") && earliest.says("[0]@1") && !earliest.says("[0]@2"))
        << earliest.output;
    const auto latest = preview({"--from", "latest", "--limit", "1", "--partition", "0"});
    EXPECT_TRUE(latest.says("[0]@2") && !latest.says("[0]@1")) << latest.output;
}

TEST_F(Preview, BeginsANewTopicOfAPatternWhereRunWould) {
    const auto other = topic + "-new";
    const std::map<std::string, std::string> options{
        {"topic", "^" + topic + ".*"}, {"connector", topic}, {"start", "latest"}};
    produce(0, {R"({"id":1})"});
    const auto first = run_txsink(with_options({"preview"}, options));
    EXPECT_TRUE(first.says("0 records")) << "no rows yet: as start says\n" << first.output;
    ASSERT_EQ(run_txsink(with_options({"run", "--until-end"}, options)).code, 0);
    create_topic(broker, other, 1);
    TestProducer producer{broker};
    producer.produce(other, 0, std::nullopt, R"({"id":2})");
    producer.flush();
    const auto ending = run_txsink(with_options({"preview"}, options));
    EXPECT_EQ(ending.code, 0) << ending.output;
    EXPECT_TRUE(ending.says(other + "[0]@0") && ending.says("1 record, 1 applied"))
        << ending.output;
}

TEST_F(Preview, EndsWhenItHasMoreThanItCanHold) {
    db().execute("ALTER TABLE items MODIFY v LONGTEXT");
    const auto value = R"({"id":1,"v":")" + std::string(900'000, 'v') + "\"}";
    produce(0, std::vector<std::string>(20, value));
    for (const auto& more : {Arguments{}, Arguments{"--sql"}}) {
        Arguments command{"--limit", "20"};
        command.insert(command.end(), more.begin(), more.end());
        const auto ending = preview(command);
        EXPECT_EQ(ending.code, 0);
        EXPECT_TRUE(ending.says("[0]@18") && !ending.says("[0]@19"));
        EXPECT_TRUE(
            ending.says("19 records, 19 applied; nothing was written\n"
                        "ended after 16 MiB of rows: "));
    }
}

TEST_F(Preview, SharesTheLimitOutToThePartitions) {
    produce(0, {R"({"id":1})", R"({"id":2})", R"({"id":3})"});
    produce(1, {R"({"id":4})"});
    const auto ending = preview({"--limit", "3"});
    EXPECT_TRUE(ending.says("[0]@1") && !ending.says("[0]@2") && ending.says("[1]@0"))
        << ending.output;
    EXPECT_TRUE(preview({"--partition", "1"}).says("1 record, 1 applied"));
    EXPECT_EQ(preview({"--partition", "7"}).code, 78);
}

TEST_F(Preview, EndsBehindTheMarkersOfTransactions) {
    TestProducer producer{broker, unique_name("preview")};
    producer.begin();
    producer.produce(topic, 0, std::nullopt, R"({"id":1})");
    producer.commit();
    producer.begin();
    producer.produce(topic, 0, std::nullopt, R"({"id":2})");
    producer.abort();
    const auto ending = preview();
    EXPECT_EQ(ending.code, 0) << ending.output;
    EXPECT_TRUE(ending.says("1 record, 1 applied")) << ending.output;
}

TEST_F(Preview, ShowsStatementsThatTheServerTakes) {
    TestProducer producer{broker};
    producer.produce(topic, 0, "1", R"({"id":1,"v":"a"})");
    producer.produce(topic, 0, "2", R"({"id":2,"v":"b"})");
    producer.produce(topic, 0, "1", std::nullopt);
    producer.flush();
    const auto ending = preview({"--sql", "--output", "json"});
    ASSERT_EQ(ending.code, 0) << ending.output;
    decode::JsonDecoder decoder;
    const auto document = decoder.decode(ending.output);
    ASSERT_TRUE(document.has_value()) << ending.output;
    const auto statements = decode::member(document.value(), "statements");
    int count = 0;
    decode::for_each_child(statements, 0, [&](std::size_t at, const decode::Value&) {
        const auto sql = decode::member(decode::subtree(statements, at), "sql");
        db().execute(sql.front().text);
        ++count;
    });
    EXPECT_EQ(count, 2) << "one of two rows, one of the removal";
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(id, v) FROM items"), "2b");
    const auto records = decode::member(document.value(), "records");
    const auto first = decode::element(records, 0);
    EXPECT_EQ(decode::member(first, "result").front().text, "rows");
    EXPECT_EQ(decode::member(first, "offset").front().text, "0");
}

TEST_F(Preview, ShowsEachRouteOfATopicAndWhatIsFiltered) {
    db().execute("CREATE TABLE others (id BIGINT PRIMARY KEY) ENGINE = InnoDB");
    produce(0, {R"({"id":1,"v":"a"})", R"({"id":2,"v":"b"})"});
    const auto ending =
        run_txsink({"preview",   "--connector",       topic,       "--kafka.bootstrap.servers",
                    broker,      "--mysql.uri",       uri(),       "--route.one.topic",
                    topic,       "--route.one.table", "items",     "--route.one.when",
                    "$.v = 'a'", "--route.two.topic", topic,       "--route.two.table",
                    "others",    "--route.two.when",  "$.v = 'a'", "--unrouted",
                    "ignore"});
    EXPECT_EQ(ending.code, 0) << ending.output;
    EXPECT_TRUE(ending.says("one    " + db().name() + ".items")) << ending.output;
    EXPECT_TRUE(ending.says("two    " + db().name() + ".others")) << ending.output;
    EXPECT_TRUE(ending.says(topic + "[0]@1  filtered")) << ending.output;
}

TEST_F(Preview, LetsNoControlCharacterOntoTheTerminal) {
    produce(0, {R"({"id":1,"v":"\u001b[2J"})"});
    const auto ending = preview({"--sql"});
    EXPECT_EQ(ending.code, 0) << ending.output;
    EXPECT_FALSE(ending.says("\x1b")) << ending.output;
}

TEST_F(Preview, SaysThatTheStoredOffsetIsNotInTheLog) {
    produce(0, {R"({"id":1})"});
    ASSERT_EQ(run_txsink(with_options({"run", "--until-end"})).code, 0);
    db().execute("UPDATE txsink_offsets SET next_offset = 50 WHERE partition_id = 0");
    const auto ending = preview();
    EXPECT_EQ(ending.code, 78);
    EXPECT_TRUE(ending.says("detail: stored 50, the log has 0 to 1")) << ending.output;
    EXPECT_EQ(preview({"--limit", "0"}).code, 64);
}

}  // namespace
}  // namespace txsink::test
