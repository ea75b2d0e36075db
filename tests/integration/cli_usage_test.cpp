/// @file
/// What the binary says to a wrong command line or configuration; needs no servers.
#include <gtest/gtest.h>

#include <fstream>
#include <ostream>
#include <string>

#include "integration/cli_fixture.hpp"

namespace txsink::test {
namespace {

const Arguments kComplete{"run",
                          "--kafka.bootstrap.servers",
                          "127.0.0.1:1",
                          "--mysql.uri",
                          "mysql://u@127.0.0.1:1/d",
                          "--topic",
                          "t",
                          "--table",
                          "t"};

Arguments complete_and(const Arguments& more) {
    auto all = kComplete;
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

struct Wrong {
    const char* name;
    Arguments arguments;
    int code;
    const char* output;
    friend std::ostream& operator<<(std::ostream& out, const Wrong& wrong) {
        return out << wrong.name;
    }
};

class WrongInput : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongInput, EndsWithItsCodeAndSaysWhy) {
    const auto ending = run_txsink(GetParam().arguments);
    EXPECT_EQ(ending.code, GetParam().code);
    EXPECT_EQ(ending.output, GetParam().output);
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine,
    WrongInput,
    ::testing::Values(
        Wrong{"NoSuchCommand",
              {"bogus"},
              64,
              "error: there is no command bogus\nhint: txsink help lists them\n"},
        Wrong{"MisspelledCommand",
              {"runn", "--topic", "t"},
              64,
              "error: there is no command runn\nhint: did you mean run?\n"},
        Wrong{"MisspelledSecondWord",
              {"offsets", "lst"},
              64,
              "error: offsets is not a whole command\nhint: did you mean offsets list?\n"},
        Wrong{"ControlCharactersInAWord",
              {"run", "a\x1b[2Jb"},
              64,
              "error: unexpected word a?[2Jb\nhint: txsink help run\n"},
        Wrong{"HalfACommand",
              {"offsets"},
              64,
              "error: offsets is not a whole command\nhint: one of: offsets list, offsets set\n"},
        Wrong{"OptionBeforeTheCommand",
              {"--topic", "x", "run"},
              64,
              "error: the command comes first\n"
              "hint: txsink COMMAND [OPTION]...; txsink help lists the commands\n"},
        Wrong{"UnknownOption",
              {"run", "--tabel", "t"},
              64,
              "error: unknown option --tabel\nhint: did you mean --table?\n"},
        Wrong{"UnexpectedWord",
              {"run", "now"},
              64,
              "error: unexpected word now\nhint: txsink help run\n"},
        Wrong{"WrongType",
              complete_and({"--batch.rows", "many"}),
              64,
              "error: batch.rows: \"many\" is not a whole number\n"
              "detail: given as --batch.rows\nhint: allowed: 1 to 1000000\n"},
        Wrong{"OutOfRange",
              complete_and({"--pipelines", "0"}),
              64,
              "error: pipelines: \"0\" is not from 1 to 64\n"
              "detail: given as --pipelines\nhint: allowed: 1 to 64\n"},
        Wrong{"PasswordOnTheCommandLine",
              complete_and({"--mysql.password", "geheim"}),
              64,
              "error: mysql.password: a secret on the command line\n"
              "detail: every user of this machine can see it, in the list of processes\n"
              "hint: put it into a file (--mysql.password-file) or into TXSINK_MYSQL_PASSWORD\n"},
        Wrong{"FixedProperty",
              complete_and({"--kafka.enable.auto.commit", "true"}),
              64,
              "error: option kafka.enable.auto.commit cannot be set to 'true'\n"
              "detail: it is always false: positions are kept in the database; given as "
              "--kafka.enable.auto.commit\n"
              "hint: leave it out\n"},
        Wrong{"MissingTable",
              {kComplete.begin(), kComplete.end() - 2},
              78,
              "error: table is missing\nhint: say which table the records go into\n"},
        Wrong{"MissingFile",
              complete_and({"--config", "/nowhere/x.ini"}),
              78,
              "error: cannot read the configuration file /nowhere/x.ini\n"},
        Wrong{"OffsetsSetWithoutOffset",
              {"offsets", "set", "orders:0"},
              64,
              "error: offsets set needs a partition and an offset\n"
              "hint: for example: txsink offsets set orders:0 43\n"},
        Wrong{"OffsetsSetOfNoPartition",
              {"offsets", "set", "orders:-1", "43"},
              64,
              "error: \"orders:-1\" is not a partition, TOPIC:NUMBER\n"
              "hint: for example: txsink offsets set orders:0 43\n"},
        Wrong{"OffsetsSetOfNoOffset",
              {"offsets", "set", "orders:0", "9223372036854775808"},
              64,
              "error: \"9223372036854775808\" is not an offset: a whole number from 0 to "
              "9223372036854775807\n"
              "hint: for example: txsink offsets set orders:0 43\n"},
        Wrong{"OffsetsSetOfANegativeOffset",
              {"offsets", "set", "orders:0", "-1"},
              64,
              "error: unknown option -1\nhint: options are written with two dashes\n"},
        Wrong{"HalfADeadLettersCommand",
              {"dead-letters"},
              64,
              "error: dead-letters is not a whole command\nhint: one of: dead-letters list, "
              "dead-letters show, dead-letters replay, dead-letters purge\n"},
        Wrong{"DeadLettersShowOfNoRecord",
              {"dead-letters", "show", "orders:0"},
              64,
              "error: \"orders:0\" is not a record, TOPIC:PARTITION@OFFSET\n"
              "hint: for example: txsink dead-letters show orders:0@42\n"},
        Wrong{"DeadLettersSinceNoTime",
              {"dead-letters", "list", "--from", "2024-02-30"},
              64,
              "error: --from: \"2024-02-30\" is not a time\n"
              "hint: for example 2024-03-01 or 2024-03-01T10:00:00Z; all times are UTC\n"},
        Wrong{"PreviewOfNothing",
              {"preview", "--limit", "0"},
              64,
              "error: --limit: \"0\" is not a whole number that is allowed\n"
              "hint: allowed: 1 to 10000\n"},
        Wrong{"InferFromSomewhere",
              {"infer", "--from", "here"},
              64,
              "error: --from: \"here\" is not one of the names allowed\n"
              "hint: allowed: earliest | latest\n"},
        Wrong{"InferWithoutTopic",
              {"infer", "--kafka.bootstrap.servers", "127.0.0.1:1"},
              78,
              "error: infer takes one topic\n"
              "hint: give --topic TOPIC, and no file with routes\n"},
        Wrong{"OutputFormat",
              {"check", "--output", "xml"},
              64,
              "error: --output: \"xml\" is not one of the names allowed\n"
              "hint: allowed: text | json\n"}),
    [](const auto& param_info) { return std::string{param_info.param.name}; });

TEST(Cli, NamesTheVariableOfAWrongValue) {
    const auto ending = run_txsink(kComplete, {{"TXSINK_BATCH_LINGER", "100"}});
    EXPECT_EQ(ending.code, 78);
    EXPECT_EQ(ending.output,
              "error: batch.linger: \"100\" is not a duration\ndetail: given in "
              "TXSINK_BATCH_LINGER\nhint: allowed: 0 to 1m; units ms, s, m, h\n");
}

TEST(Cli, NamesFileAndLineOfAnUnknownKey) {
    const auto path = ::testing::TempDir() + unique_name("txsink") + ".ini";
    std::ofstream{path} << "[mysql]\nurl = mysql://u@h/d\n";
    const auto ending = run_txsink({"check", "--config", path});
    EXPECT_EQ(ending.code, 78);
    EXPECT_EQ(ending.output,
              "error: unknown option mysql.url\ndetail: given in " + path +
                  ":2\nhint: did you mean mysql.uri?\n");
    std::filesystem::remove(path);
}

TEST(Cli, HelpsAndTellsItsVersion) {
    EXPECT_EQ(run_txsink({"--version"}).output, run_txsink({"run", "--version"}).output);
    EXPECT_TRUE(run_txsink({"--version"}).says("txsink "));
    EXPECT_EQ(run_txsink({"--help"}).output, run_txsink({"help"}).output);
    EXPECT_EQ(run_txsink({"run", "--help"}).output, run_txsink({"help", "run"}).output);
    EXPECT_EQ(run_txsink({"help", "run"}).code, 0);
    EXPECT_EQ(run_txsink({}).code, 64);
    EXPECT_EQ(run_txsink({"help", "offsets"}).code, 0);
    EXPECT_EQ(run_txsink({"help", "bogus"}).code, 64);
}

TEST(Cli, SaysTheLastErrorAsJsonWhereMessagesAre) {
    const auto ending =
        run_txsink(complete_and({"--connect.timeout", "1s", "--log.format", "json"}));
    EXPECT_EQ(ending.code, 69);
    EXPECT_TRUE(ending.says(R"("level":"error","message":"opening a session on 127.0.0.1:1: )"))
        << ending.output;
    EXPECT_FALSE(ending.says("\nerror: ")) << ending.output;
}

TEST(Cli, PrintsTheMigrationsWithoutAServer) {
    const auto ending = run_txsink({"migrate", "--print"});
    EXPECT_EQ(ending.code, 0);
    EXPECT_TRUE(ending.says("CREATE TABLE IF NOT EXISTS txsink_offsets")) << ending.output;
}

TEST(Cli, SaysThatMysqlIsAway) {
    const auto ending = run_txsink(complete_and({"--connect.timeout", "1s"}));
    EXPECT_EQ(ending.code, 69);
    EXPECT_TRUE(ending.says(": the server cannot be reached\n")) << ending.output;
    EXPECT_TRUE(ending.says("127.0.0.1")) << ending.output;
    EXPECT_TRUE(ending.says("hint: is it running? ")) << ending.output;
}

}  // namespace
}  // namespace txsink::test
