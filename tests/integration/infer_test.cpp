/// @file
/// `txsink infer` on a real topic: its table is made on the server, and its route runs to the end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "integration/cli_fixture.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::test {
namespace {

class Infer : public CliTest {
protected:
    void TearDown() override {
        std::filesystem::remove(file_);
        CliTest::TearDown();
    }

    [[nodiscard]] Ending infer(Arguments more) {
        Arguments arguments{
            "infer", "--kafka.bootstrap.servers", broker, "--topic", topic, "--table", "proposed"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_txsink(arguments);
    }

    void produce_pairs(
        const std::vector<std::pair<std::optional<std::string>, std::string>>& pairs) {
        TestProducer producer{broker};
        std::int32_t partition = 0;
        for (const auto& [key, value] : pairs) {
            producer.produce(topic, partition, key, value);
            partition = 1 - partition;
        }
        producer.flush();
    }

    /// Makes the table and runs the route as they were proposed.
    void run_proposal(const Arguments& more = {}) {
        auto table = more;
        table.insert(table.end(), {"--only", "table"});
        const auto proposed_table = infer(table);
        ASSERT_EQ(proposed_table.code, 0) << proposed_table.output;
        db().execute(proposed_table.output);
        auto route = more;
        route.insert(route.end(), {"--only", "route"});
        const auto proposed_route = infer(route);
        ASSERT_EQ(proposed_route.code, 0) << proposed_route.output;
        file_ = ::testing::TempDir() + unique_name("infer") + ".ini";
        std::ofstream{file_} << "connector = inferred\n[kafka]\nbootstrap.servers = " << broker
                             << "\n[mysql]\nuri = " << uri() << "\n"
                             << proposed_route.output;
        const auto preview = run_txsink({"preview", "--config", file_});
        EXPECT_EQ(preview.code, 0) << preview.output << proposed_route.output;
        EXPECT_FALSE(preview.says("refused")) << preview.output << proposed_route.output;
        const auto run = run_txsink({"run", "--until-end", "--config", file_});
        ASSERT_EQ(run.code, 0) << run.output << proposed_table.output << proposed_route.output;
    }

    std::string file_;
};

TEST_F(Infer, ProposesATableThatTakesEveryRecord) {
    TestProducer producer{broker};
    for (int i = 0; i < 200; ++i) {
        producer.produce(
            topic,
            i % 2,
            std::nullopt,
            fmt::format(
                R"({{"id":{0},"name":"n\u00e4me {0}","price":{0}.25,"big":{1},"huge":{2},"ratio":1.5e-{3},)"
                R"("ok":{4},"day":"2024-02-{5:02}","at":"2024-02-{5:02}T10:00:00.{0:03}Z",)"
                R"("uuid_of":"123e4567-e89b-12d3-a456-{0:012}","sub":{{"a":[1,{0}]}},"mixed":{6},)"
                R"("none":null,"code":"{7}","long":"{8}"}})",
                i,
                9'000'000'000LL + i,
                "184467440737095516" + std::to_string(15 + i),
                i % 7,
                i % 3 == 0 ? "true" : "false",
                i % 28 + 1,
                i % 2 == 0 ? "\"x\"" : "5",
                std::string(static_cast<std::size_t>(i % 17), 'c'),
                std::string(static_cast<std::size_t>(i * 40), 'l')));
    }
    producer.flush();
    run_proposal({"--sample", "1000"});
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM proposed"), 200);
    EXPECT_EQ(db().value("SELECT CONCAT_WS('|', name, price, big, huge, ok, day, at, mixed, "
                         "LENGTH(`long`)) FROM proposed WHERE id = 7"),
              "n\u00e4me 7|7.25|9000000007|18446744073709551622|0|2024-02-08|"
              "2024-02-08 10:00:00.007|5|280");
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(column_name) FROM information_schema.columns WHERE "
                         "table_schema = DATABASE() AND table_name = 'proposed' AND column_key = "
                         "'PRI'"),
              "id");
}

TEST_F(Infer, ProposesTheRecordsKeyAndItsTombstonesDelete) {
    TestProducer producer{broker};
    for (const auto* key : {R"({"shop":"a","no":1})", R"({"shop":"a","no":2})"}) {
        producer.produce(topic, 0, key, R"({"v":"x"})");
    }
    producer.produce(topic, 0, R"({"shop":"a","no":2})", std::nullopt);
    producer.flush();
    run_proposal();
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(CONCAT(shop, no, v)) FROM proposed"), "a1x");
}

TEST_F(Infer, ProposesAKeyThatIsPlainText) {
    produce_pairs({{"abc", R"({"v":1})"}, {"ABC", R"({"v":2})"}, {"7", R"({"v":3})"}});
    run_proposal();
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(CONCAT(id, v) ORDER BY v) FROM proposed"),
              "abc1,ABC2,73")
        << "keys that differ in case are two rows";
}

TEST_F(Infer, ProposesBinaryIntegersAsKeys) {
    produce_pairs({{std::string("\0\0\0\0\0\0\1\0", 8), R"({"v":1})"},
                   {std::string("\xff\xff\xff\xff\xff\xff\xff\xff", 8), R"({"v":2})"}});
    run_proposal();
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(id ORDER BY id) FROM proposed"), "-1,256");
}

TEST_F(Infer, ProposesInsertsWithoutAKey) {
    produce_pairs({{{}, R"({"v":1,"V":"other"})"}, {{}, R"({"v":1})"}});
    run_proposal();
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM proposed WHERE v = 1"), 2);
}

TEST_F(Infer, ProposesOneColumnForRawValues) {
    produce_pairs({{"1", "plain text"}, {"2", "\xff\xfe"}});
    run_proposal({"--format", "raw"});
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(HEX(value) ORDER BY HEX(value)) FROM proposed"),
              "706C61696E2074657874,FFFE");
}

/// What Debezium's connector wrote: see tests/data/README.md.
class InferOfChangeEvents : public Infer, public ::testing::WithParamInterface<const char*> {
protected:
    void produce_recorded() {
        std::ifstream file{std::string{TXSINK_SOURCE_DIR "/tests/data/"} + GetParam()};
        TestProducer producer{broker};
        decode::JsonDecoder decoder;
        for (std::string line; std::getline(file, line);) {
            const auto message = decoder.decode(line).value();
            const auto part = [&](const char* name) {
                const auto value = decode::member(message, name).front();
                return value.kind == decode::ValueKind::null
                           ? std::nullopt
                           : std::optional<std::string_view>{value.text};
            };
            if (part("topic") == "shop.recorded.everything") {
                producer.produce(topic, 0, part("key"), part("value"));
                ++messages_;
            }
        }
        producer.flush();
    }
    int messages_ = 0;
};

TEST_P(InferOfChangeEvents, ProposesATableThatTakesThemAll) {
    produce_recorded();
    ASSERT_GE(messages_, 10);
    const auto proposal = infer({"--format", "debezium"});
    EXPECT_FALSE(proposal.says("cannot be read")) << proposal.output;
    run_proposal({"--format", "debezium"});
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(column_name) FROM information_schema.columns WHERE "
                         "table_schema = DATABASE() AND table_name = 'proposed' AND column_key = "
                         "'PRI'"),
              "id");
}

INSTANTIATE_TEST_SUITE_P(Recorded,
                         InferOfChangeEvents,
                         ::testing::Values("debezium-mysql-precise-adaptive-bytes-schemas.jsonl",
                                           "debezium-mysql-string-connect-base64-schemas.jsonl",
                                           "debezium-mysql-precise-adaptive-bytes.jsonl",
                                           "debezium-mysql-double-connect-hex.jsonl"),
                         [](const auto& param_info) {
                             std::string name{param_info.param};
                             name = name.substr(0, name.find('.'));
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST_F(Infer, ShowsNoValuesUnlessAsked) {
    produce_pairs({{"\"k-geheim\"", R"({"s":"geheim","o":{"p":"geheim"}})"}});
    const auto quiet = infer({});
    EXPECT_EQ(quiet.code, 0) << quiet.output;
    EXPECT_FALSE(quiet.says("geheim")) << quiet.output;
    EXPECT_TRUE(quiet.says("CREATE TABLE `proposed` (")) << quiet.output;
    EXPECT_TRUE(quiet.says("[route.")) << quiet.output;
    EXPECT_TRUE(infer({"--examples"}).says("for example \"geheim\""));
}

TEST_F(Infer, TakesTheSampleOfAllPartitionsOrTheNewestRecords) {
    produce(0, {R"({"a":1})", R"({"a":2})", R"({"a":3})"});
    produce(1, {R"({"b":1})"});
    const auto even = infer({"--sample", "2"});
    EXPECT_TRUE(even.says("from 2 records")) << even.output;
    EXPECT_TRUE(even.says("`a` INT") && even.says("`b` INT")) << even.output;
    const auto newest = infer({"--sample", "2", "--from", "latest"});
    EXPECT_TRUE(newest.says("from 3 to 3")) << newest.output;
}

TEST_F(Infer, SaysThatTheSampleHasOnlyTombstones) {
    TestProducer producer{broker};
    producer.produce(topic, 0, "1", std::nullopt);
    producer.produce(topic, 1, "2", std::nullopt);
    producer.flush();
    const auto removals = infer({});
    EXPECT_EQ(removals.code, 78);
    EXPECT_TRUE(removals.says("all 2 records of " + topic + " are tombstones or deletes"))
        << removals.output;
    produce(0, {"no json"});
    const auto mixed = infer({});
    EXPECT_TRUE(mixed.says("detail: 2 tombstones or deletes, 1 not-json")) << mixed.output;
}

TEST_F(Infer, SaysThatTheValuesAreBinary) {
    produce(0, {std::string("\xff\xfe\x01", 3)});
    const auto binary = infer({});
    EXPECT_EQ(binary.code, 78);
    EXPECT_TRUE(binary.says("hint: the values are binary: --format raw")) << binary.output;
    produce(0, {std::string("\0\0\0\0\1\x02\x03", 7)});
    const auto framed = infer({});
    EXPECT_TRUE(framed.says("framed by a schema registry's serializer")) << framed.output;
}

TEST_F(Infer, SaysWhyThereIsNothingToPropose) {
    const auto empty = infer({});
    EXPECT_EQ(empty.code, 78);
    EXPECT_TRUE(empty.says("the topic " + topic + " is empty")) << empty.output;
    produce(0, {"no json"});
    const auto unreadable = infer({});
    EXPECT_EQ(unreadable.code, 78);
    EXPECT_TRUE(unreadable.says("detail: 1 not-json")) << unreadable.output;
    EXPECT_TRUE(unreadable.says("hint: try another --format")) << unreadable.output;
    EXPECT_EQ(infer({"--sample", "0"}).code, 64);
    EXPECT_EQ(infer({"--only", "x"}).code, 64);
}

}  // namespace
}  // namespace txsink::test
