/// @file
/// The options of routes, columns and parameters, from each source to their place.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "config/option_table.hpp"
#include "txsink/config/command_line.hpp"
#include "txsink/mapping/route.hpp"
#include "unit/config_loading.hpp"

namespace txsink::config {
namespace {

using namespace testing;
using namespace mapping;

/// The one route of a file that has `lines` in its section.
Route route_with(const std::string& lines) {
    const auto routes = load_file(std::string{kHead} + "[route.r]\n" + lines).pipeline.routes;
    EXPECT_EQ(routes.size(), 1U);
    return routes.at(0);
}

Route row_route_with(const std::string& lines) {
    return route_with("topic = orders\ntable = orders\n" + lines);
}

TEST(RouteOptions, PutWhatComesInInItsPlace) {
    const auto route = route_with(R"(
topic = ^shop[.](.*)
table = `${1}.x`.`t_${topic}`
format = debezium
key-format = int64
unavailable-marker = (gone)
when = $.type = 'order' and $.total
for-each = $.items
replace-children = order_id, region
key = record
on-bad-record = skip
)");
    EXPECT_EQ(route.topics, std::vector<std::string>{"^shop[.](.*)"});
    EXPECT_EQ(route.table, (TableName{"${1}.x", "t_${topic}"}));
    EXPECT_EQ(route.format, Format::debezium);
    EXPECT_EQ(route.key_format, KeyFormat::int64);
    EXPECT_EQ(route.unavailable_marker, "(gone)");
    EXPECT_EQ(route.when, parse_filter("$.type = 'order' and $.total"));
    EXPECT_FALSE(route.is_otherwise);
    EXPECT_EQ(route.for_each, parse_source("$.items"));
    EXPECT_EQ(route.replace_children, (std::vector<std::string>{"order_id", "region"}));
    EXPECT_EQ(route.key, KeySource::record);
    EXPECT_EQ(route.on_bad_record, OnBadRecord::skip);
}

TEST(RouteOptions, PutWhatHappensToRowsInItsPlace) {
    const auto route = row_route_with(R"(
mode = update
on-conflict = add
if-newer = version
tombstone = soft:deleted_at
delete-when = $.__deleted = 'true'
missing-row = bad-record
)");
    EXPECT_EQ(route.mode, Mode::update);
    EXPECT_EQ(route.on_conflict, OnConflict::add);
    EXPECT_EQ(route.if_newer, "version");
    EXPECT_EQ(route.tombstone, OnTombstone::soft);
    EXPECT_EQ(route.soft_delete_column, "deleted_at");
    EXPECT_EQ(route.delete_when, parse_filter("$.__deleted = 'true'"));
    EXPECT_EQ(route.missing_row, OnMissingRow::bad_record);
    EXPECT_EQ(row_route_with("tombstone = ignore\n").tombstone, OnTombstone::ignore);
    EXPECT_EQ(row_route_with("tombstone = bad-record\n").tombstone, OnTombstone::bad_record);
    EXPECT_EQ(row_route_with("tombstone = delete\n").tombstone, OnTombstone::remove);
}

TEST(RouteOptions, PutHowValuesFitInItsPlace) {
    const auto route = row_route_with(R"(
exclude-fields = secret, a b
flatten = __
unknown-fields = error
missing = error
null = default
excess-fraction = truncate
time-unit = us
binary = hex
decimal-handling = precise
time-precision = connect
)");
    EXPECT_EQ(route.exclude_fields, (std::vector<std::string>{"secret", "a b"}));
    EXPECT_EQ(route.flatten, "__");
    EXPECT_EQ(route.unknown_fields, UnknownFields::error);
    EXPECT_EQ(route.values.missing, OnMissing::error);
    EXPECT_EQ(route.values.null, OnNull::fallback);
    EXPECT_EQ(route.values.excess_fraction, OnExcessFraction::truncate);
    EXPECT_EQ(route.values.unit, TimeUnit::microseconds);
    EXPECT_EQ(route.values.binary, BinaryEncoding::hex);
    EXPECT_EQ(route.values.decimals, DecimalHandling::precise);
    EXPECT_EQ(route.values.times, TimePrecision::connect);
    EXPECT_EQ(row_route_with("fields = a,b\n").fields, (std::vector<std::string>{"a", "b"}));
}

TEST(RouteOptions, PutTheRulesOfEachColumnInItsPlace) {
    const auto columns = row_route_with(R"(
column.id = $key | $.id
column.total.on-conflict = add
column.total = $.a.total
column.total.missing = null
column.total.null = default
column.at.excess-fraction = round
column.at.unit = ms
column.data.binary = text
column.null = 'x'
column.`a.b``c` = $.x
column.`a.b``c`.unit = days
)")
                             .columns;
    const auto rule = [&](const std::string& name) {
        for (const auto& one : columns) {
            if (one.column == name) {
                return one;
            }
        }
        ADD_FAILURE() << name;
        return ColumnRule{};
    };
    EXPECT_EQ(columns.size(), 6U);
    EXPECT_EQ(rule("id").source, parse_source("$key | $.id"));
    EXPECT_EQ(rule("id").on_conflict, std::nullopt);
    EXPECT_EQ(rule("total").source, parse_source("$.a.total"));
    EXPECT_EQ(rule("total").on_conflict, OnConflict::add);
    EXPECT_EQ(rule("total").missing, OnMissing::null);
    EXPECT_EQ(rule("total").null, OnNull::fallback);
    EXPECT_EQ(rule("at").source, std::nullopt);
    EXPECT_EQ(rule("at").excess_fraction, OnExcessFraction::round);
    EXPECT_EQ(rule("at").unit, TimeUnit::milliseconds);
    EXPECT_EQ(rule("data").binary, BinaryEncoding::text);
    EXPECT_EQ(rule("null").source, parse_source("'x'"));
    EXPECT_EQ(rule("a.b`c").source, parse_source("$.x"));
    EXPECT_EQ(rule("a.b`c").unit, TimeUnit::days);
}

TEST(RouteOptions, PutStatementsAndParametersInTheirPlace) {
    const auto route = route_with(R"(
topic = moves
mode = sql
sql = UPDATE account SET balance = balance + :delta WHERE id = :account
parameter.account = $.from.id
parameter.delta = $.amount
require-rows = 1
)");
    EXPECT_EQ(route.mode, Mode::sql);
    EXPECT_EQ(route.sql, "UPDATE account SET balance = balance + :delta WHERE id = :account");
    ASSERT_EQ(route.parameters.size(), 2U);
    EXPECT_EQ(route.parameters[0].first, "account");
    EXPECT_EQ(route.parameters[0].second, parse_source("$.from.id"));
    EXPECT_EQ(route.parameters[1].first, "delta");
    EXPECT_EQ(route.require_rows, 1U);
    EXPECT_EQ(route.table, TableName{});
}

TEST(RouteOptions, ReadStatementsFromAFile) {
    const TemporaryFile sql{"# why\nUPDATE t\nSET a = '#';\n"};
    EXPECT_EQ(route_with("topic = t\nmode = sql\nsql-file = " + sql.path() + "\n").sql,
              "# why\nUPDATE t\nSET a = '#';\n");
    const auto complaint = [](const std::string& lines) {
        return message_of([&] { route_with("topic = t\nmode = sql\n" + lines); }).what;
    };
    EXPECT_EQ(complaint("sql = x\nsql-file = " + sql.path() + "\n"),
              "route.r.sql-file: \"" + sql.path() +
                  "\" cannot be given with sql: write the statements in one place");
    EXPECT_EQ(complaint("sql-file = /nowhere/x.sql\n"),
              "route.r.sql-file: \"/nowhere/x.sql\" cannot be read");
    EXPECT_TRUE(contains(complaint("sql-file = " + ::testing::TempDir() + "\n"), "cannot be read"));
    const TemporaryFile empty{""};
    EXPECT_TRUE(contains(complaint("sql-file = " + empty.path() + "\n"), "is empty"));
    const TemporaryFile large{std::string((1U << 20U) + 1, 'x')};
    EXPECT_TRUE(contains(complaint("sql-file = " + large.path() + "\n"), "holds more than 1MiB"));
}

TEST(RouteOptions, DefaultToTheStruct) {
    const auto route = row_route_with("");
    const Route fresh;
    EXPECT_EQ(route.format, fresh.format);
    EXPECT_EQ(route.key_format, fresh.key_format);
    EXPECT_EQ(route.unavailable_marker, fresh.unavailable_marker);
    EXPECT_EQ(route.when, Filter{});
    EXPECT_EQ(route.for_each, std::nullopt);
    EXPECT_EQ(route.delete_when, std::nullopt);
    EXPECT_EQ(route.on_conflict, fresh.on_conflict);
    EXPECT_EQ(route.tombstone, fresh.tombstone);
    EXPECT_EQ(route.values.missing, fresh.values.missing);
    EXPECT_EQ(route.values.times, TimePrecision::none);
    EXPECT_TRUE(route.columns.empty());
}

TEST(RouteOptions, TakeTheTimesOfDebeziumUnlessToldOtherwise) {
    EXPECT_EQ(row_route_with("format = debezium\n").values.times, TimePrecision::adaptive);
    EXPECT_EQ(row_route_with("format = debezium\ntime-precision = none\n").values.times,
              TimePrecision::none);
    EXPECT_EQ(load_line(with({{"format", "debezium"}})).pipeline.routes.at(0).values.times,
              TimePrecision::adaptive);
    EXPECT_EQ(load_line(with({{"format", "debezium"}, {"time-precision", "connect"}}))
                  .pipeline.routes.at(0)
                  .values.times,
              TimePrecision::connect);
}

TEST(RouteOptions, WorkOnTheCommandLineToo) {
    const auto line = parse_command_line(std::vector<std::string>{"--column.id",
                                                                  "$key",
                                                                  "--column.total.on-conflict=add",
                                                                  "--when",
                                                                  "$.a = 'x=y'",
                                                                  "--flatten=_"},
                                         {});
    const auto route = load_line(with(line.options)).pipeline.routes.at(0);
    ASSERT_EQ(route.columns.size(), 2U);
    EXPECT_EQ(route.columns[0].source, parse_source("$key"));
    EXPECT_EQ(route.columns[1].on_conflict, OnConflict::add);
    EXPECT_EQ(route.when, parse_filter("$.a = 'x=y'"));
}

TEST(RouteOptions, HaveVariablesUnlessTheyNameAColumn) {
    const std::string file = std::string{kHead} + "[route.r]\ntopic = o\ntable = t\n";
    const auto routes = load_file(file,
                                  {"TXSINK_ROUTE_R_KEY_FORMAT=raw",
                                   "TXSINK_ROUTE_R_DELETE_WHEN=$.gone",
                                   "TXSINK_ROUTE_R_EXCLUDE_FIELDS=a"})
                            .pipeline.routes;
    ASSERT_EQ(routes.size(), 1U);
    EXPECT_EQ(routes[0].key_format, KeyFormat::raw);
    EXPECT_EQ(routes[0].delete_when, parse_filter("$.gone"));
    EXPECT_TRUE(routes[0].when.conditions.empty());
    EXPECT_EQ(routes[0].exclude_fields, std::vector<std::string>{"a"});
    for (const char* variable : {"TXSINK_COLUMN_ID",
                                 "TXSINK_PARAMETER_ID",
                                 "TXSINK_ROUTE_R_COLUMN_ID",
                                 "TXSINK_ROUTE_R_COLUMN_ID_UNIT",
                                 "TXSINK_ROUTE_R_PARAMETER_ID"}) {
        const auto error = message_of([&] { load_file(file, {std::string{variable} + "=$key"}); });
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_EQ(error.what, std::string{variable} + ": columns and parameters have no variables");
        EXPECT_TRUE(contains(error.hint, "in the file of --config")) << error.hint;
    }
}

TEST(RouteOptions, ReadAVariableAsTheLongerOptionWithoutAFile) {
    const auto settings = load_from(Sources{{{"kafka.bootstrap.servers", "h:1"},
                                             {"mysql.uri", "mysql://u@h/d"},
                                             {"connector", "c"}},
                                            {"TXSINK_ROUTE_A_TOPIC=t",
                                             "TXSINK_ROUTE_A_TABLE=t",
                                             "TXSINK_ROUTE_A_KEY_FORMAT=string"},
                                            {}},
                                    Needs{});
    ASSERT_EQ(settings.pipeline.routes.size(), 1U);
    EXPECT_EQ(settings.pipeline.routes[0].key_format, KeyFormat::string);
}

TEST(RouteOptions, KeepAHashBetweenQuotes) {
    const auto route = row_route_with(R"(
column.a = '#1' | $."b#c"   # a comment with 'quotes' # twice
column.`n#1` = 'it''s #2'
when = $.x != '#' and not $."#y" #'last
)");
    ASSERT_EQ(route.columns.size(), 2U);
    EXPECT_EQ(route.columns[1].source, parse_source("'#1' | $.\"b#c\""));
    EXPECT_EQ(route.columns[0].column, "n#1");
    EXPECT_EQ(route.columns[0].source, parse_source("'it''s #2'"));
    EXPECT_EQ(route.when, parse_filter("$.x != '#' and not $.\"#y\""));
    EXPECT_TRUE(contains(message_of([] { row_route_with("column.a = $.b#c\n"); }).what,
                         "a '#' inside a value"));
    // A quote in a value that is no source is a letter like any other.
    const auto settings =
        load_file(std::string{kHead} + "password = it's   # don't\n[route.r]\ntopic=t\ntable=t\n");
    EXPECT_EQ(settings.mysql.password.reveal(), "it's");
}

TEST(RouteOptions, LetSeveralRoutesTakeOneTopic) {
    const auto settings = load_file(
        std::string{kHead} +
        "[route.a]\ntopic = o,p\ntable = t\nwhen = $.x\n[route.b]\ntopic = p\ntable = u\n"
        "[route.c]\ntopic = ^o.*\ntable = v\n[route.d]\ntopic = p\ntable = u\nwhen = otherwise\n");
    ASSERT_EQ(settings.pipeline.routes.size(), 4U);
    EXPECT_TRUE(settings.pipeline.routes[3].is_otherwise);
    EXPECT_EQ(settings.kafka.topics, (std::vector<std::string>{"^o.*", "o", "p"}));
}

// B57: a topic with dots stays one name, in the database of the URI.
TEST(RouteOptions, KeepATopicWithDotsInOneTable) {
    const auto route = route_with("topic = shop.orders, a.b.c\ntable = ${topic}\n");
    EXPECT_EQ(route.table_for("shop.orders"), (TableName{"d", "shop.orders"}));
    EXPECT_EQ(route.table_for("a.b.c"), (TableName{"d", "a.b.c"}));
}

TEST(RouteOptions, SuggestNamesForColumnsToo) {
    const auto hint = [](const std::string& line) {
        return message_of([&] { row_route_with(line + "\n"); }).hint;
    };
    EXPECT_EQ(hint("column.total.on-conflct = add"),
              "did you mean route.r.column.total.on-conflict?");
    EXPECT_EQ(hint("column.`a.b`.units = ms"), "did you mean route.r.column.`a.b`.unit?");
    EXPECT_EQ(hint("delet-when = $.a"), "did you mean route.r.delete-when?");
    EXPECT_EQ(message_of([] { row_route_with("column.a.b.c = $.a\n"); }).what,
              "unknown option route.r.column.a.b.c");
    EXPECT_EQ(message_of([] { row_route_with("parameter.a-b = $.a\n"); }).what,
              "unknown option route.r.parameter.a-b");
    EXPECT_EQ(message_of([] { row_route_with("column.`` = $.a\n"); }).what,
              "unknown option route.r.column.``");
}

struct WrongRoute {
    const char* name;
    const char* value;
    const char* complaint;
    const char* hint;
    friend std::ostream& operator<<(std::ostream& out, const WrongRoute& wrong) {
        return out << wrong.name << "=" << wrong.value;
    }
};

class RefusesRouteValue : public ::testing::TestWithParam<WrongRoute> {};

TEST_P(RefusesRouteValue, NamingWhatIsWrong) {
    const auto& wrong = GetParam();
    const auto error =
        message_of([&] { row_route_with(std::string{wrong.name} + " = " + wrong.value + "\n"); });
    EXPECT_EQ(error.kind, ErrorKind::configuration);
    EXPECT_EQ(
        error.what,
        std::string{"route.r."} + wrong.name + ": \"" + wrong.value + "\" " + wrong.complaint);
    EXPECT_TRUE(contains(error.hint, wrong.hint)) << error.hint;
}

constexpr const char* kNoName = "is not one of the names allowed";

INSTANTIATE_TEST_SUITE_P(
    EachKind,
    RefusesRouteValue,
    ::testing::Values(
        WrongRoute{"format", "jsno", kNoName, "did you mean json? allowed: json | json-schema"},
        WrongRoute{"key-format", "int", kNoName, "int32 | int64"},
        WrongRoute{"mode", "upsrt", kNoName, "did you mean upsert?"},
        WrongRoute{"tombstone", "delte", kNoName, "did you mean delete?"},
        WrongRoute{"tombstone", "soft:", "names no column", "soft:COLUMN"},
        WrongRoute{"on-bad-record", "deadletter", kNoName, "did you mean dead-letter?"},
        WrongRoute{"on-conflict", "sum", kNoName, "replace | keep | add | max | min"},
        WrongRoute{"column.a.on-conflict", "sum", kNoName, "replace | keep | add | max | min"},
        WrongRoute{"column.a.unit", "seconds", kNoName, "automatic | days | s | ms | us | ns"},
        WrongRoute{"column.a",
                   "$.",
                   "is not a source: at character 3: expected a name; one with other characters "
                   "is written \"a name\"",
                   "allowed: a source, such as"},
        WrongRoute{"column.a",
                   "x",
                   "is not a source: at character 1: expected a source: $..., or a constant in "
                   "single quotes",
                   "'text'"},
        WrongRoute{"when",
                   "$.a == 1",
                   "is not a filter: at character 6: expected 'text', a number, true, false, null "
                   "or a source",
                   "or otherwise"},
        WrongRoute{"delete-when",
                   "$.a or $.b",
                   "is not a filter: at character 5: expected =, !=, in, not in, and, or the end",
                   "a filter"},
        WrongRoute{"for-each",
                   "items",
                   "is not a source: at character 1: expected a source: $..., or a constant in "
                   "single quotes",
                   "$.items"},
        WrongRoute{"fields", "a,,b", "has an empty name", "commas"},
        WrongRoute{"exclude-fields", "a, a", "names a twice", "commas"},
        WrongRoute{"require-rows", "one", "is not a whole number", "0 to"}));

TEST(RouteOptions, RefuseColumnNamesThatMySqlCannotHave) {
    const std::string longest(64, 'c');
    EXPECT_EQ(row_route_with("if-newer = " + longest + "\n").if_newer, longest);
    for (const auto& option : {"if-newer = ", "replace-children = ", "tombstone = soft:"}) {
        EXPECT_TRUE(contains(message_of([&] { row_route_with(option + longest + "c\n"); }).what,
                             "is longer than the 64 characters of a name in MySQL"))
            << option;
    }
}

}  // namespace
}  // namespace txsink::config
