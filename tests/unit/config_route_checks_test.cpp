/// @file
/// Options of routes that do not fit together.
#include <gtest/gtest.h>

#include <string>

#include "unit/config_loading.hpp"

namespace txsink::config {
namespace {

using namespace testing;

constexpr const char* kRow = "topic = o\ntable = t\n";
constexpr const char* kSql = "topic = o\nmode = sql\nsql = DELETE FROM t WHERE id = :id\n";

Settings load_route(const std::string& lines) {
    return load_file(std::string{kHead} + "[route.r]\n" + lines);
}

struct RouteMisfit {
    const char* name;
    const char* base;
    const char* lines;
    const char* what;
    friend std::ostream& operator<<(std::ostream& out, const RouteMisfit& misfit) {
        return out << misfit.name;
    }
};

class RefusesRouteMisfit : public ::testing::TestWithParam<RouteMisfit> {};

TEST_P(RefusesRouteMisfit, SayingWhatDoesNotFitAndWhatToDo) {
    const auto& misfit = GetParam();
    const auto error = message_of([&] { load_route(std::string{misfit.base} + misfit.lines); });
    EXPECT_EQ(error.kind, ErrorKind::configuration);
    EXPECT_EQ(error.what, misfit.what);
    EXPECT_FALSE(error.hint.empty());
}

INSTANTIATE_TEST_SUITE_P(
    AcrossOptions,
    RefusesRouteMisfit,
    ::testing::Values(
        RouteMisfit{"NoTopic", "table = t\n", "", "route.r.topic is missing"},
        RouteMisfit{"NoTable", "topic = o\n", "", "route.r.table is missing"},
        RouteMisfit{"SqlModeWithoutSql",
                    "topic = o\n",
                    "mode = sql\n",
                    "route.r.mode = sql needs sql or sql-file"},
        RouteMisfit{"SqlModeWithTable",
                    kSql,
                    "table = t\n",
                    "route.r.table cannot be given with mode = sql"},
        RouteMisfit{"SqlModeWithColumn",
                    kSql,
                    "column.a = $.b\n",
                    "route.r.column.C needs mode = upsert, insert or update (see parameter.P)"},
        RouteMisfit{"SqlModeWithForEach",
                    kSql,
                    "for-each = $.items\n",
                    "route.r.for-each needs mode = upsert, insert or update"},
        RouteMisfit{"SqlModeWithSoft",
                    kSql,
                    "tombstone = soft:gone\n",
                    "route.r.tombstone = soft needs mode = upsert, insert or update"},
        RouteMisfit{"SqlModeWithDeleteWhen",
                    kSql,
                    "delete-when = $.gone\n",
                    "route.r.delete-when needs mode = upsert, insert or update (see when)"},
        RouteMisfit{
            "SqlWithoutItsMode", kRow, "sql = DELETE FROM t\n", "route.r.sql needs mode = sql"},
        RouteMisfit{"ParameterWithoutItsMode",
                    kRow,
                    "parameter.id = $key\n",
                    "route.r.parameter.P needs mode = sql"},
        RouteMisfit{"RequireRowsWithoutItsMode",
                    kRow,
                    "require-rows = 1\n",
                    "route.r.require-rows needs mode = sql"},
        RouteMisfit{"MissingRowWithoutItsMode",
                    kRow,
                    "missing-row = bad-record\n",
                    "route.r.missing-row needs mode = update"},
        RouteMisfit{"ChildrenWithoutForEach",
                    kRow,
                    "replace-children = order_id\n",
                    "route.r.replace-children needs for-each"},
        RouteMisfit{"ChildrenOfAnUpdate",
                    kRow,
                    "for-each = $.items\nreplace-children = a\nmode = update\n",
                    "route.r.replace-children needs mode = upsert or insert"},
        RouteMisfit{"IfNewerOfAnInsert",
                    kRow,
                    "mode = insert\nif-newer = v\n",
                    "route.r.if-newer needs mode = upsert or update"},
        RouteMisfit{"OnConflictOfAnInsert",
                    kRow,
                    "mode = insert\non-conflict = add\n",
                    "route.r.on-conflict needs mode = upsert or update"},
        RouteMisfit{"ColumnOnConflictOfAnInsert",
                    kRow,
                    "mode = insert\ncolumn.a.on-conflict = max\n",
                    "route.r.column.a.on-conflict needs mode = upsert or update"},
        RouteMisfit{"SoftDeleteOfAnInsert",
                    kRow,
                    "mode = insert\ntombstone = soft:gone\n",
                    "route.r.tombstone = soft needs mode = upsert or update"},
        RouteMisfit{"RuleForWhatIfNewerCompares",
                    kRow,
                    "if-newer = version\ncolumn.Version.on-conflict = max\n",
                    "route.r.column.Version.on-conflict needs to be replace, as if-newer compares "
                    "the column"},
        // B62: columns are matched without case.
        RouteMisfit{"OneColumnInTwoSpellings",
                    kRow,
                    "column.Id = $.a\ncolumn.iD.unit = ms\n",
                    "route.r.column.Id and route.r.column.iD are one column"},
        RouteMisfit{"RawWithoutColumns",
                    kRow,
                    "format = raw\ncolumn.a.binary = text\n",
                    "route.r.format = raw needs route.r.column.C"},
        RouteMisfit{"FieldsAndExcludeFields",
                    kRow,
                    "fields = a\nexclude-fields = b\n",
                    "route.r.fields and route.r.exclude-fields do not go together"},
        RouteMisfit{"ItemOutsideForEach",
                    kRow,
                    "column.a = $item.x\n",
                    "route.r.column.a: there is no $item or $index here"},
        RouteMisfit{"IndexInAFilter",
                    kRow,
                    "for-each = $.items\nwhen = $.a = $index\n",
                    "route.r.when: there is no $item or $index here"},
        RouteMisfit{"ItemInAParameter",
                    kSql,
                    "parameter.id = $item\n",
                    "route.r.parameter.id: there is no $item or $index here"},
        RouteMisfit{"ForEachOfAHeader",
                    kRow,
                    "for-each = $.items | $header.items\n",
                    "route.r.for-each is no source of arrays"},
        RouteMisfit{"KeyThatIsNotRead",
                    kRow,
                    "column.a = $key | $.a\nkey-format = none\n",
                    "route.r.column.a uses $key, and route.r.key-format = none"},
        RouteMisfit{"RowsOfAKeyThatIsNotRead",
                    kRow,
                    "key = record\nkey-format = none\n",
                    "route.r.key = record needs the key, and route.r.key-format = none"},
        RouteMisfit{"BeforeOfNoChangeEvent",
                    kRow,
                    "delete-when = $before.a = 1\n",
                    "route.r.delete-when uses $before, and route.r.format is not debezium"},
        RouteMisfit{"GroupOfNoExpression",
                    "topic = o\ntable = x_${1}\n",
                    "",
                    "route.r.table: nothing can be put in for ${1}"},
        RouteMisfit{"GroupBeyondTheExpression",
                    "topic = ^(o)\ntable = x_${2}\n",
                    "",
                    "route.r.table: nothing can be put in for ${2}"},
        RouteMisfit{"UnknownPlaceholder",
                    "topic = ^(o)\ntable = x_${name}\n",
                    "",
                    "route.r.table: nothing can be put in for ${name}"}),
    [](const auto& param_info) { return std::string{param_info.param.name}; });

TEST(RouteChecks, TakeWhatFits) {
    const auto loads = [](const std::string& lines) {
        EXPECT_NO_THROW(static_cast<void>(load_route(lines))) << lines;
    };
    const std::string row = kRow;
    const std::string sql = kSql;
    loads(sql + "parameter.id = $key\nrequire-rows = 2\ntombstone = ignore\nwhen = $.a\n");
    loads(sql + "format = raw\nparameter.id = $\n");
    loads(row +
          "for-each = $.items\ncolumn.n = $index\ncolumn.a = $item.a | $.a\n"
          "replace-children = order_id\n");
    loads(row + "mode = insert\ndelete-when = $.gone\ncolumn.a.on-conflict = replace\n");
    loads(row + "format = raw\ncolumn.a = $\ncolumn.b = $offset\n");
    loads(row + "format = debezium\ncolumn.was = $before.a\n");
    loads(row + "if-newer = v\ncolumn.v = $timestamp\ncolumn.n.on-conflict = keep\n");
    loads(row + "mode = update\nmissing-row = bad-record\n");
    loads("topic = ^(o)\ntable = x_${1}_${topic}\n");
}

TEST(RouteChecks, NameTheOptionsOfTheOneRouteAlone) {
    EXPECT_EQ(message_of([] {
                  load_line(with({{"replace-children", "a"}}));
              }).what,
              "replace-children needs for-each");
    EXPECT_EQ(message_of([] {
                  load_line(with({{"table", "${1}"}}));
              }).what,
              "table: nothing can be put in for ${1}");
}

// B59: a topic whose table MySQL cannot have is found at the start.
TEST(RouteChecks, RefuseATopicThatMakesTooLongAName) {
    const std::string topic(100, 't');
    const auto error =
        message_of([&] { load_route("topic = short," + topic + "\ntable = ${topic}\n"); });
    EXPECT_EQ(error.kind, ErrorKind::configuration);
    EXPECT_EQ(error.what,
              "route.r.table: the topic " + topic + " makes a name that MySQL cannot have");
    EXPECT_TRUE(contains(error.detail, "has 100 characters, and 64 are the most")) << error.detail;
    EXPECT_NO_THROW(
        static_cast<void>(load_route("topic = " + std::string(64, 't') + "\ntable = ${topic}\n")));
}

TEST(RouteChecks, RefuseTwoRoutesForWhatIsLeft) {
    const auto complaint = [](const std::string& one, const std::string& other) {
        return message_of([&] {
            load_file(std::string{kHead} + "[route.a]\ntable = t\nwhen = otherwise\ntopic = " +
                      one + "\n[route.b]\ntable = u\nwhen = otherwise\ntopic = " + other + "\n");
        });
    };
    for (const auto& [one, other] : Pairs{{"o,p", "p"}, {"^o", "^o"}, {"^o", "ox"}, {"ox", "^o"}}) {
        const auto error = complaint(one, other);
        EXPECT_EQ(error.what, "two routes of one topic have when = otherwise");
        EXPECT_EQ(error.detail, "route.a and route.b");
    }
    EXPECT_NO_THROW(static_cast<void>(
        load_file(std::string{kHead} + "[route.a]\ntable = t\nwhen = otherwise\ntopic = o\n"
                                       "[route.b]\ntable = u\nwhen = otherwise\ntopic = p\n")));
}

TEST(RouteChecks, RefuseADeadLetterTopicThatNobodyFillsOrThatComesBack) {
    EXPECT_EQ(message_of([] {
                  load_line(with({{"dead-letter.topic", "dead"}}));
              }).what,
              "dead-letter.topic needs a route with on-bad-record = dead-letter");
    EXPECT_EQ(message_of([] {
                  load_line(with({{"dead-letter.topic", "orders-dead"},
                                  {"on-bad-record", "dead-letter"},
                                  {"connector", "c"},
                                  {"topic", "^orders"}}));
              }).what,
              "dead-letter.topic: a route takes the topic orders-dead");
    EXPECT_EQ(load_line(with({{"dead-letter.topic", "dead"}, {"on-bad-record", "dead-letter"}}))
                  .dead_letter_topic,
              "dead");
}

}  // namespace
}  // namespace txsink::config
