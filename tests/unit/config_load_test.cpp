/// @file
/// Options from each source to Settings, and what each wrong one says.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "txsink/config/command_line.hpp"
#include "txsink/config/load.hpp"
#include "txsink/core/sink_error.hpp"
#include "unit/config_loading.hpp"

namespace txsink::config {
namespace {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kWholeFile = R"(# every kind of option
connector = shop
pipelines = 2
start = timestamp:2024-03-01T10:00:00Z
on-out-of-range = earliest
on-topic-recreated = restart
unrouted = ignore

[kafka]
bootstrap.servers = 127.0.0.1:9092    # a comment
heartbeat.interval.ms = 1000
[mysql]
uri = mysql://sink@db1,db2:3307/shop
tls = verify-identity
tls-ca = /etc/ca.pem
lock-wait-timeout = 5s
[batch]
rows = 500
bytes = 64KiB
linger = 1s
[retry]
initial = 50ms
maximum = 2s
deadline = 0
[bad-record]
limit = 7
window = 5m
[dead-letter]
topic = dead
[connect]
timeout = 1m
[shutdown]
timeout = 5s
[idle]
check = 10s
[fenced]
limit = 3
window = 1m
[mirror]
interval = 1s
[request]
timeout = 3s
[log]
level = debug
format = json
progress = 0
[route.orders]
topic = orders, orders.eu
table = sales.orders
mode = insert
key = record
unknown-fields = error
on-bad-record = dead-letter
format = json
[route.all]
topic = ^audit\..*
table = `audit.log`
)";

TEST(Load, PutsEveryOptionOfAFileInItsPlace) {
    const auto settings = load_file(kWholeFile);
    const auto& pipeline = settings.pipeline;
    EXPECT_EQ(pipeline.connector, "shop");
    EXPECT_EQ(settings.pipelines, 2);
    EXPECT_EQ(pipeline.start.kind, pipeline::StartKind::timestamp);
    EXPECT_EQ(pipeline.start.timestamp_ms, 1'709'287'200'000);
    EXPECT_EQ(pipeline.on_out_of_range, pipeline::OnOutOfRange::earliest);
    EXPECT_EQ(pipeline.on_topic_recreated, pipeline::OnTopicRecreated::restart);
    EXPECT_EQ(pipeline.batch.rows, 500U);
    EXPECT_EQ(pipeline.batch.bytes, 65'536U);
    EXPECT_EQ(pipeline.batch.linger, seconds{1});
    EXPECT_EQ(pipeline.retry.initial, milliseconds{50});
    EXPECT_EQ(pipeline.retry.maximum, seconds{2});
    EXPECT_EQ(pipeline.retry.deadline, milliseconds{0});
    EXPECT_EQ(pipeline.connect_deadline, seconds{60});
    EXPECT_EQ(pipeline.heartbeat, seconds{1});
    EXPECT_EQ(pipeline.idle_check, seconds{10});
    EXPECT_EQ(pipeline.fenced_limit, 3);
    EXPECT_EQ(pipeline.fenced_window, seconds{60});
    EXPECT_EQ(pipeline.on_unrouted, mapping::OnUnrouted::ignore);
    EXPECT_EQ(pipeline.bad_record_limit.count, 7U);
    EXPECT_EQ(pipeline.bad_record_limit.window, std::chrono::minutes{5});
    EXPECT_EQ(settings.dead_letter_topic, "dead");
    EXPECT_EQ(settings.shutdown_timeout, seconds{5});
    EXPECT_EQ(settings.log.level, observe::LogLevel::debug);
    EXPECT_EQ(settings.log.format, observe::LogFormat::json);
    EXPECT_EQ(settings.progress_interval, milliseconds{0});
}

TEST(Load, PutsBothServersOfAFileInTheirPlace) {
    const auto settings = load_file(kWholeFile);
    EXPECT_EQ(settings.kafka.properties,
              (kafka::Properties{{"bootstrap.servers", "127.0.0.1:9092"},
                                 {"group.id", "txsink-shop"},
                                 {"heartbeat.interval.ms", "1000"}}));
    EXPECT_EQ(settings.kafka.topics,
              (std::vector<std::string>{"^audit\\..*", "orders", "orders.eu"}));
    EXPECT_EQ(settings.kafka.mirror_interval, seconds{1});
    EXPECT_EQ(settings.kafka.request_timeout, seconds{3});
    const auto& mysql = settings.mysql;
    EXPECT_EQ(mysql.hosts, (std::vector<mysql::Host>{{"db1", 3306}, {"db2", 3307}}));
    EXPECT_EQ(mysql.user, "sink");
    EXPECT_EQ(mysql.database, "shop");
    EXPECT_EQ(mysql.tls.mode, mysql::TlsMode::verify_identity);
    EXPECT_EQ(mysql.tls.ca_file, "/etc/ca.pem");
    EXPECT_EQ(mysql.lock_wait_timeout, seconds{5});
    EXPECT_EQ(mysql.wait_timeout, mysql::MysqlSettings{}.wait_timeout);
}

TEST(Load, MakesARouteOfEachSection) {
    const auto routes = load_file(kWholeFile).pipeline.routes;
    ASSERT_EQ(routes.size(), 2U);
    EXPECT_EQ(routes[0].name, "all");
    EXPECT_TRUE(routes[0].is_regex());
    EXPECT_EQ(routes[0].table, (mapping::TableName{"shop", "audit.log"}));
    EXPECT_EQ(routes[0].mode, mapping::Mode::upsert);
    EXPECT_EQ(routes[1].name, "orders");
    EXPECT_EQ(routes[1].topics, (std::vector<std::string>{"orders", "orders.eu"}));
    EXPECT_EQ(routes[1].table, (mapping::TableName{"sales", "orders"}));
    EXPECT_EQ(routes[1].mode, mapping::Mode::insert);
    EXPECT_EQ(routes[1].key, mapping::KeySource::record);
    EXPECT_EQ(routes[1].unknown_fields, mapping::UnknownFields::error);
}

TEST(Load, TakesDefaultsFromTheStructs) {
    const auto settings = load_line(minimal());
    const Settings fresh;
    EXPECT_EQ(settings.pipelines, fresh.pipelines);
    EXPECT_EQ(settings.pipeline.batch.rows, fresh.pipeline.batch.rows);
    EXPECT_EQ(settings.pipeline.retry.deadline, fresh.pipeline.retry.deadline);
    EXPECT_EQ(settings.mysql.read_timeout, fresh.mysql.read_timeout);
    EXPECT_EQ(settings.pipeline.start.kind, pipeline::StartKind::earliest);
}

TEST(Load, NamesTheConnectorOfAOneTopicCommandAfterItsTopic) {
    const auto settings = load_line(minimal());
    EXPECT_EQ(settings.pipeline.connector, "orders");
    EXPECT_EQ(settings.kafka.properties.at("group.id"), "txsink-orders");
    EXPECT_EQ(load_line(with({{"connector", "c"}})).kafka.properties.at("group.id"), "txsink-c");
    EXPECT_EQ(load_line(with({{"kafka.group.id", "g"}})).kafka.properties.at("group.id"), "g");
}

TEST(Load, WantsAConnectorWhereTheTopicsMayChange) {
    for (const auto& topic : {std::string{"a,b"}, std::string{"^a.*"}, std::string(65, 't')}) {
        const auto error = message_of([&] { load_line(with({{"topic", topic}})); });
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_EQ(error.what, "connector is missing");
    }
}

TEST(Load, PrefersTheCommandLineOverTheEnvironmentOverTheFile) {
    const TemporaryFile file{"[batch]\nrows = 1\nbytes = 1111\nlinger = 1ms\n"};
    auto line = with({{"batch.rows", "3"}});
    const auto settings = load_from(
        Sources{line, {"TXSINK_BATCH_ROWS=2", "TXSINK_BATCH_BYTES=2222"}, file.path()}, Needs{});
    EXPECT_EQ(settings.pipeline.batch.rows, 3U);
    EXPECT_EQ(settings.pipeline.batch.bytes, 2'222U);
    EXPECT_EQ(settings.pipeline.batch.linger, milliseconds{1});
}

TEST(Load, ReadsTheEnvironment) {
    const auto settings = load_from(Sources{{},
                                            {"PATH=/bin",
                                             "TXSINK_KAFKA_BOOTSTRAP_SERVERS=h:1",
                                             "TXSINK_MYSQL_URI=mysql://u@h/d",
                                             "TXSINK_MYSQL_PASSWORD=geheim",
                                             "TXSINK_TOPIC=orders",
                                             "TXSINK_TABLE=t",
                                             "TXSINK_UNKNOWN_FIELDS=error",
                                             "TXSINK_RETRY_DEADLINE=",
                                             "TXSINK_TEST_KAFKA=h:2",
                                             "TXSINK_SERVICE_HOST=10.0.0.1",
                                             "TXSINK_PORT_9090_TCP=tcp://10.0.0.1:9090"},
                                            {}},
                                    Needs{});
    EXPECT_EQ(settings.kafka.properties.at("bootstrap.servers"), "h:1");
    EXPECT_EQ(settings.mysql.password.reveal(), "geheim");
    EXPECT_EQ(settings.pipeline.routes.at(0).unknown_fields, mapping::UnknownFields::error);
    EXPECT_EQ(settings.pipeline.retry.deadline, Settings{}.pipeline.retry.deadline);
}

TEST(Load, FindsTheRouteOfAVariableInTheFile) {
    const auto settings = load_file(
        "connector = c\n[kafka]\nbootstrap.servers = h:1\n[mysql]\nuri = mysql://u@h/d\n"
        "[route.Eu-Orders]\ntopic = o\ntable = t\n",
        {"TXSINK_ROUTE_EU_ORDERS_TABLE=other"});
    ASSERT_EQ(settings.pipeline.routes.size(), 1U);
    EXPECT_EQ(settings.pipeline.routes[0].table, (mapping::TableName{"d", "other"}));
}

TEST(Load, ReadsTheFileThatTheEnvironmentNames) {
    const TemporaryFile file{"[batch]\nrows = 7\n"};
    const auto settings =
        load_from(Sources{minimal(), {"TXSINK_CONFIG=" + file.path()}, {}}, Needs{});
    EXPECT_EQ(settings.pipeline.batch.rows, 7U);
}

TEST(Load, ReadsThePasswordFromItsFileWithoutTheLineBreak) {
    for (const char* content : {"pass#word ", "pass#word \n", "pass#word \r\n"}) {
        const TemporaryFile file{content};
        const auto settings = load_line(with({{"mysql.password-file", file.path()}}));
        EXPECT_EQ(settings.mysql.password.reveal(), "pass#word ");
    }
}

TEST(Load, AdoptsItsOwnGroupUnlessToldWhich) {
    EXPECT_EQ(load_line(with({{"start", "group"}})).pipeline.start.group, "txsink-orders");
    EXPECT_EQ(load_line(with({{"start", "group:connect-x:y"}})).pipeline.start.group,
              "connect-x:y");
}

TEST(Load, TakesFixedPartitions) {
    const auto settings = load_line(
        with({{"topic", "orders,other"}, {"connector", "c"}, {"assign", "orders:0-2, other:3"}}));
    EXPECT_EQ(
        settings.kafka.assign,
        (std::vector<TopicPartition>{{"orders", 0}, {"orders", 1}, {"orders", 2}, {"other", 3}}));
}

TEST(Load, NamesStaticMembersByPipeline) {
    const auto settings = load_line(with({{"instance", "host1"}, {"pipelines", "2"}}));
    EXPECT_EQ(kafka_settings_of(settings, 0).instance_id, "host1-0");
    EXPECT_EQ(kafka_settings_of(settings, 1).instance_id, "host1-1");
    EXPECT_EQ(kafka_settings_of(load_line(minimal()), 1).instance_id, "");
}

TEST(Load, LeavesOutWhatACommandDoesNotNeed) {
    const auto settings = load_from(Sources{{{"mysql.uri", "mysql://u@h/d"}}, {}, {}},
                                    Needs{true, false, false, false});
    EXPECT_EQ(settings.mysql.user, "u");
    EXPECT_EQ(settings.pipeline.connector, "");
}

TEST(Load, AsksForNoTableWhereNoRouteIsNeeded) {
    const auto settings =
        load_from(Sources{{{"mysql.uri", "mysql://u@h/d"}, {"topic", "orders"}}, {}, {}},
                  Needs{true, false, true, false});
    EXPECT_EQ(settings.pipeline.connector, "orders");
}

struct WrongValue {
    const char* name;
    const char* value;
    const char* what;
    const char* allowed;
    friend std::ostream& operator<<(std::ostream& out, const WrongValue& wrong) {
        return out << wrong.name << "=" << wrong.value;
    }
};

class RefusesValue : public ::testing::TestWithParam<WrongValue> {};

TEST_P(RefusesValue, NamingOptionValuePlaceAndWhatIsAllowed) {
    const auto& wrong = GetParam();
    const auto on_line = message_of([&] { load_line(with({{wrong.name, wrong.value}})); });
    EXPECT_EQ(on_line.kind, ErrorKind::usage);
    EXPECT_EQ(on_line.what, std::string{wrong.name} + ": " + wrong.what);
    EXPECT_EQ(on_line.detail, std::string{"given as --"} + wrong.name);
    EXPECT_TRUE(contains(on_line.hint, wrong.allowed)) << on_line.hint;

    const TemporaryFile file{std::string{"\n"} + wrong.name + " = " + wrong.value + "\n"};
    const auto in_file = message_of([&] { load_from(Sources{{}, {}, file.path()}, Needs{}); });
    EXPECT_EQ(in_file.kind, ErrorKind::configuration);
    EXPECT_EQ(in_file.what, on_line.what);
    EXPECT_EQ(in_file.detail, "given in " + file.path() + ":2");
}

INSTANTIATE_TEST_SUITE_P(
    EachKind,
    RefusesValue,
    ::testing::Values(
        WrongValue{"batch.rows", "many", "\"many\" is not a whole number", "1 to 1000000"},
        WrongValue{"batch.rows", "1e3", "\"1e3\" is not a whole number", "1 to 1000000"},
        WrongValue{"batch.rows", "0", "\"0\" is not from 1 to 1000000", "1 to 1000000"},
        WrongValue{"batch.rows", "-1", "\"-1\" is not from 1 to 1000000", "1 to 1000000"},
        WrongValue{"pipelines",
                   "99999999999999999999",
                   "\"99999999999999999999\" is not from 1 to 64",
                   "1 to 64"},
        WrongValue{"pipelines", "65", "\"65\" is not from 1 to 64", "1 to 64"},
        WrongValue{"batch.bytes", "4MB", "\"4MB\" is not a size", "units KiB, MiB, GiB"},
        WrongValue{"batch.bytes", "2GiB", "\"2GiB\" is out of range", "1KiB to 1GiB"},
        WrongValue{"batch.linger", "100", "\"100\" is not a duration", "units ms, s, m, h"},
        WrongValue{"batch.linger", "2m", "\"2m\" is out of range", "0 to 1m"},
        WrongValue{"mysql.read-timeout",
                   "1500ms",
                   "\"1500ms\" is not a whole number of seconds",
                   "1s to 30m"},
        WrongValue{"mode", "upset", "\"upset\" is not one of the names allowed", "upsert | insert"},
        WrongValue{"mysql.tls", "yes", "\"yes\" is not one of the names allowed", "verify-ca"},
        WrongValue{"start", "begin", "\"begin\" is not a start", "earliest | latest"},
        WrongValue{"start",
                   "timestamp:2024-03-01",
                   "\"timestamp:2024-03-01\" is not a time with its zone, such as "
                   "timestamp:2024-03-01T10:00:00Z",
                   "ISO 8601"},
        WrongValue{"start", "group:", "\"group:\" is not a start", "group[:<id>]"},
        WrongValue{"assign",
                   "orders",
                   "\"orders\" is not a list of partitions, such as orders:0-5,other:3",
                   "topic:first-last"},
        WrongValue{"assign",
                   "orders:0-1,orders:1",
                   "\"orders:0-1,orders:1\" names orders[1] twice",
                   "topic:partition"},
        WrongValue{"connector",
                   "a b",
                   "\"a b\" is not a name: 1 to 64 letters, digits, '.', '_' "
                   "and '-'",
                   "1 to 64"},
        WrongValue{"topic", "a,,b", "\"a,,b\" has an empty topic name", "^regex"},
        WrongValue{"topic",
                   "a,^b",
                   "\"a,^b\" mixes a regular expression with other topics: give "
                   "it a route of its own",
                   "^regex"},
        WrongValue{"topic", "a,a", "\"a,a\" names a twice", "commas"},
        WrongValue{"table",
                   "a.b.c",
                   "\"a.b.c\" has more than one dot: write a name that holds "
                   "dots in backticks, `a.b`",
                   "database.table"},
        WrongValue{"table", "a.", "\"a.\" is not a table name", "database.table"},
        WrongValue{"table", "`a", "\"`a\" is not a table name", "backticks"},
        WrongValue{"log.level", "loud", "\"loud\" is not one of the names allowed", "debug"}));

TEST(Load, RefusesAnIdentifierThatMysqlCannotHave) {
    const std::string longest(64, 't');
    EXPECT_EQ(load_line(with({{"table", longest}})).pipeline.routes.at(0).table.table, longest);
    const auto error = message_of([&] { load_line(with({{"table", longest + "t"}})); });
    EXPECT_TRUE(contains(error.what, "is longer than the 64 characters of a name in MySQL"));
}

TEST(Load, RefusesABrokenRegularExpression) {
    const auto error = message_of([] { load_line(with({{"topic", "^a("}, {"connector", "c"}})); });
    EXPECT_TRUE(contains(error.what, "topic: \"^a(\" is not a regular expression")) << error.what;
}

TEST(Load, NeverSplitsATopicWithDots) {
    const auto settings = load_line(with({{"topic", "shop.orders"}, {"table", "`shop.orders`"}}));
    EXPECT_EQ(settings.pipeline.routes.at(0).topics, std::vector<std::string>{"shop.orders"});
    EXPECT_EQ(settings.pipeline.routes.at(0).table, (mapping::TableName{"shop", "shop.orders"}));
}

TEST(Load, SuggestsTheNearestNameForAnUnknownOne) {
    const auto in_file = message_of([] { load_file("\n[mysql]\nurl = mysql://u@h/d\n"); });
    EXPECT_EQ(in_file.kind, ErrorKind::configuration);
    EXPECT_EQ(in_file.what, "unknown option mysql.url");
    EXPECT_TRUE(contains(in_file.detail, ":3")) << in_file.detail;
    EXPECT_EQ(in_file.hint, "did you mean mysql.uri?");

    const auto of_route = message_of([] { load_file("[route.x]\ntabel = t\n"); });
    EXPECT_EQ(of_route.what, "unknown option route.x.tabel");
    EXPECT_EQ(of_route.hint, "did you mean route.x.table?");

    const auto in_environment = message_of([] {
        load_from(Sources{minimal(), {"TXSINK_BATCH_ROW=1"}, {}}, Needs{});
    });
    EXPECT_EQ(in_environment.what, "unknown environment variable TXSINK_BATCH_ROW");
    EXPECT_EQ(in_environment.hint, "did you mean TXSINK_BATCH_ROWS?");

    const auto of_kafka = message_of([] { load_line(with({{"kafka.fetch.mim.bytes", "1"}})); });
    EXPECT_EQ(of_kafka.kind, ErrorKind::usage);
    EXPECT_EQ(of_kafka.what, "unknown option kafka.fetch.mim.bytes");
    EXPECT_EQ(of_kafka.hint, "did you mean kafka.fetch.min.bytes?");
}

TEST(Load, RefusesWhatExactlyOnceRestsOn) {
    for (const auto& [name, value] : Pairs{{"kafka.enable.auto.commit", "true"},
                                           {"kafka.auto.offset.reset", "latest"},
                                           {"kafka.partition.assignment.strategy", "range"},
                                           {"kafka.group.instance.id", "x"}}) {
        const auto error = message_of([&, n = name, v = value] { load_line(with({{n, v}})); });
        EXPECT_TRUE(contains(error.what, name)) << error.what;
        EXPECT_TRUE(contains(error.what, "cannot be set")) << error.what;
        EXPECT_FALSE(error.hint.empty());
    }
}

TEST(Load, RefusesADuplicateAndNamesBothPlaces) {
    const auto error =
        message_of([] { load_file("[batch]\nrows = 1\n[log]\n[batch]\nrows = 2\n"); });
    EXPECT_EQ(error.what, "batch.rows is given twice");
    EXPECT_TRUE(contains(error.detail, ":2 and in ")) << error.detail;
    EXPECT_TRUE(contains(error.detail, ":5")) << error.detail;
}

TEST(Load, RefusesALineThatIsNoOptionWithoutQuotingIt) {
    for (const char* line : {"geheim", "[mysql", "[]", "password = a#geheim"}) {
        const auto error = message_of([&] { load_file(std::string{"\n"} + line + "\n"); });
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_TRUE(contains(error.what, ":2: ")) << error.what;
        EXPECT_FALSE(contains(error.all(), "geheim")) << error.all();
    }
}

TEST(Load, RefusesAFileThatIsNotThere) {
    const auto error = message_of([] {
        load_from(Sources{minimal(), {}, "/nowhere/txsink.ini"}, Needs{});
    });
    EXPECT_EQ(error.kind, ErrorKind::configuration);
    EXPECT_EQ(error.what, "cannot read the configuration file /nowhere/txsink.ini");
    const auto folder = message_of([] { load_from(Sources{minimal(), {}, "/"}, Needs{}); });
    EXPECT_EQ(folder.kind, ErrorKind::configuration);
}

TEST(Load, TakesAFileOfWindows) {
    const auto settings = load_file(
        "\xef\xbb\xbf"
        "connector = c\r\n[kafka]\r\nbootstrap.servers = h:1\r\n[mysql]\r\nuri = "
        "mysql://u@h/d\r\n[route.r]\r\ntopic = o\r\ntable = t\r\n");
    EXPECT_EQ(settings.pipeline.connector, "c");
    EXPECT_EQ(settings.pipeline.routes.at(0).table.table, "t");
}

TEST(Load, NeverQuotesASecret) {
    const std::vector<std::function<void()>> mistakes{
        [] { load_file("[mysql]\nuri = mysql://u:geheim@h:port/d\n"); },
        [] { load_file("[mysql]\nuri = geheim\n"); },
        [] { load_file("[mysql]\nuri = mysql://u:geheim@h/d\npassword = geheim\n"); },
        [] { load_file("[mysql]\npasword = geheim\n"); },
        [] { load_file("[kafka]\nsasl.pasword = geheim\n"); },
        [] {
            load_from(Sources{{}, {"TXSINK_MYSQL_PASWORD=geheim"}, {}}, Needs{});
        },
    };
    for (const auto& mistake : mistakes) {
        const auto error = message_of(mistake);
        EXPECT_FALSE(contains(error.all(), "geheim")) << error.all();
    }
}

TEST(Load, RefusesASecondPassword) {
    const TemporaryFile file{"geheim\n"};
    const auto error = message_of([&] {
        load_from(
            Sources{
                with({{"mysql.password-file", file.path()}}), {"TXSINK_MYSQL_PASSWORD=other"}, {}},
            Needs{});
    });
    EXPECT_TRUE(contains(error.what, "is a second password")) << error.what;
    const TemporaryFile empty{"\n"};
    EXPECT_TRUE(contains(message_of([&] {
                             load_line(with({{"mysql.password-file", empty.path()}}));
                         }).what,
                         "is empty"));
    EXPECT_TRUE(contains(message_of([&] {
                             load_line(with({{"mysql.password-file", "/nowhere/pw"}}));
                         }).what,
                         "\"/nowhere/pw\" cannot be read"));
    const auto directory = message_of([&] {
        load_line(with({{"mysql.password-file", ::testing::TempDir()}}));
    });
    EXPECT_EQ(directory.kind, ErrorKind::usage);
    EXPECT_TRUE(contains(directory.what, "cannot be read")) << directory.what;
    const TemporaryFile endless{std::string(4097, 'x')};
    EXPECT_TRUE(contains(message_of([&] {
                             load_line(with({{"mysql.password-file", endless.path()}}));
                         }).what,
                         "holds more than the 4096 bytes of a password"));
}

TEST(Load, NamesTheUriOnceInAComplaintAboutIt) {
    EXPECT_EQ(message_of([] {
                  load_line(with({{"mysql.uri", "h/d"}}));
              }).what,
              "mysql.uri: it must begin with mysql://");
}

struct Misfit {
    const char* name;
    Pairs options;
    const char* what;
    friend std::ostream& operator<<(std::ostream& out, const Misfit& misfit) {
        return out << misfit.name;
    }
};

class RefusesMisfit : public ::testing::TestWithParam<Misfit> {};

TEST_P(RefusesMisfit, SayingWhatDoesNotFit) {
    const auto error = message_of([&] { load_line(with(GetParam().options)); });
    EXPECT_EQ(error.what, GetParam().what);
}

INSTANTIATE_TEST_SUITE_P(
    AcrossOptions,
    RefusesMisfit,
    ::testing::Values(
        Misfit{"LockWaitNotShorterThanRead",
               {{"mysql.lock-wait-timeout", "30s"}},
               "mysql.lock-wait-timeout must be shorter than mysql.read-timeout and "
               "mysql.write-timeout"},
        Misfit{"TimeoutsOverHalfOfThePollInterval",
               {{"kafka.max.poll.interval.ms", "200000"}},
               "the timeouts of mysql are too long for kafka.max.poll.interval.ms"},
        Misfit{"IdleCheckNotShorterThanWait",
               {{"mysql.wait-timeout", "20s"}},
               "idle.check must be shorter than mysql.wait-timeout"},
        Misfit{"RetryInitialOverMaximum",
               {{"retry.initial", "10s"}},
               "retry.initial must not be longer than retry.maximum"},
        Misfit{"CertificateWithoutKey",
               {{"mysql.tls-cert", "/c.pem"}},
               "mysql.tls-cert and mysql.tls-key go together"},
        Misfit{"AssignWithPipelines",
               {{"assign", "orders:0"}, {"pipelines", "2"}},
               "assign needs pipelines = 1"},
        Misfit{"AssignWithInstance",
               {{"assign", "orders:0"}, {"instance", "x"}},
               "assign and instance do not go together"},
        Misfit{"AssignOfATopicWithoutRoute",
               {{"assign", "other:0"}},
               "assign: no route takes the topic other"},
        Misfit{"TheOneRouteAndANamedOne",
               {{"route.x.topic", "x"}, {"route.x.table", "x"}},
               "both the one route and named routes: --topic and --route.x.topic"},
        Misfit{"NoDatabase", {{"mysql.uri", "mysql://u@h/"}}, "mysql.uri names no database"}),
    [](const auto& param_info) { return std::string{param_info.param.name}; });

TEST(Load, SaysWhatIsMissing) {
    const auto without = [](const char* name) {
        auto options = minimal();
        std::erase_if(options, [&](const auto& pair) { return pair.first == name; });
        return message_of([&] { load_line(options); });
    };
    EXPECT_EQ(without("kafka.bootstrap.servers").what, "kafka.bootstrap.servers is missing");
    EXPECT_EQ(without("mysql.uri").what, "mysql.uri is missing");
    EXPECT_EQ(without("mysql.uri").hint,
              "give --mysql.uri mysql://USER@HOST/DATABASE, or TXSINK_MYSQL_URI, or mysql.uri in "
              "the file of --config");
    EXPECT_EQ(without("topic").what, "topic is missing");
    EXPECT_EQ(without("table").what, "table is missing");
    EXPECT_EQ(without("table").kind, ErrorKind::configuration);
}

constexpr Flag kFlags[] = {{"until-end", "", ""}, {"output", "FORMAT", ""}};

CommandLine parse(const std::vector<std::string>& arguments) {
    return parse_command_line(arguments, kFlags);
}

TEST(CommandLine, SortsWordsFlagsAndOptions) {
    const auto line = parse({"offsets",
                             "--until-end",
                             "--output=json",
                             "--batch.rows",
                             "5",
                             "list",
                             "--kafka.client.id=a=b",
                             "--",
                             "--word"});
    EXPECT_EQ(line.words, (std::vector<std::string>{"offsets", "list", "--word"}));
    EXPECT_TRUE(line.has("until-end"));
    EXPECT_EQ(line.value_of("output"), "json");
    EXPECT_EQ(line.value_of("config"), std::nullopt);
    EXPECT_EQ(line.options, (Pairs{{"batch.rows", "5"}, {"kafka.client.id", "a=b"}}));
    EXPECT_TRUE(parse({"-h"}).has("help"));
}

TEST(CommandLine, RefusesWhatIsUnknownTwiceOrWithoutValue) {
    const auto unknown = message_of([] { parse({"--tabel", "geheim"}); });
    EXPECT_EQ(unknown.kind, ErrorKind::usage);
    EXPECT_EQ(unknown.what, "unknown option --tabel");
    EXPECT_EQ(unknown.hint, "did you mean --table?");
    EXPECT_EQ(message_of([] { parse({"--untilend"}); }).hint, "did you mean --until-end?");
    EXPECT_EQ(message_of([] { parse({"--rows=1"}); }).hint, "did you mean --batch.rows?");
    EXPECT_EQ(message_of([] {
                  parse({"--topic", "a", "--topic=b"});
              }).what,
              "--topic is given twice");
    EXPECT_EQ(message_of([] { parse({"--topic"}); }).what, "--topic needs a value");
    EXPECT_EQ(message_of([] { parse({"--topic", "--table"}); }).what, "--topic needs a value");
    EXPECT_EQ(message_of([] { parse({"--until-end=1"}); }).what, "--until-end takes no value");
    EXPECT_EQ(message_of([] { parse({"-x"}); }).what, "unknown option -x");
}

TEST(CommandLine, RefusesSecrets) {
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{"--mysql.password", "geheim"},
                                               {"--mysql.password=geheim"},
                                               {"--mysql.uri", "mysql://u:geheim@h/d"},
                                               {"--kafka.sasl.password", "geheim"},
                                               {"--kafka.ssl.key.pem", "geheim"}}) {
        const auto error = message_of([&] { parse(arguments); });
        EXPECT_EQ(error.kind, ErrorKind::usage);
        EXPECT_TRUE(contains(error.what, "on the command line")) << error.what;
        EXPECT_TRUE(contains(error.hint, "TXSINK_")) << error.hint;
        EXPECT_FALSE(contains(error.all(), "geheim")) << error.all();
    }
    EXPECT_NO_THROW(parse({"--mysql.uri", "mysql://u@h:3306,h2:1/d"}));
    EXPECT_NO_THROW(parse({"--mysql.password-file", "/f"}));
}

}  // namespace
}  // namespace txsink::config
