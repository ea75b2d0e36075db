#include "txsink/mapping/route.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "txsink/core/sink_error.hpp"

namespace txsink::mapping {
namespace {

Route route_of(std::vector<std::string> topics) {
    Route route;
    route.topics = std::move(topics);
    return route;
}

TEST(Route, TakesExactNames) {
    const Route route = route_of({"orders", "shop.orders"});
    EXPECT_FALSE(route.is_regex());
    EXPECT_TRUE(route.takes("orders"));
    EXPECT_TRUE(route.takes("shop.orders"));
    EXPECT_FALSE(route.takes("order"));
    EXPECT_FALSE(route.takes("orders2"));
    EXPECT_FALSE(route.takes("shopXorders"));
    EXPECT_FALSE(route.takes("Orders"));
    EXPECT_FALSE(route.takes(""));
    EXPECT_FALSE(route_of({}).takes("orders"));
}

TEST(Route, SearchesAnExpressionLikeTheClientLibrary) {
    const Route route = route_of({"^shop[.](orders|items)"});
    EXPECT_TRUE(route.is_regex());
    EXPECT_TRUE(route.takes("shop.orders"));
    EXPECT_TRUE(route.takes("shop.items-v2"));
    EXPECT_FALSE(route.takes("shopXorders"));
    EXPECT_FALSE(route.takes("my-shop.orders"));
    EXPECT_FALSE(route_of({"^orders$"}).takes("orders2"));
}

TEST(Route, ExplainsAnExpressionThatCannotBeRead) {
    try {
        static_cast<void>(route_of({"^orders("}).takes("orders"));
        FAIL() << "no error";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_STREQ(error.what(), "topic expression ^orders( cannot be read");
        EXPECT_FALSE(error.detail.empty());
    }
}

Route into(std::vector<std::string> topics, TableName table) {
    auto route = route_of(std::move(topics));
    route.table = std::move(table);
    return route;
}

/// Message and detail.
template <typename Action>
std::string complaint_of(Action action) {
    try {
        static_cast<void>(action());
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_FALSE(error.hint.empty());
        return error.what() + ("; " + error.detail);
    }
    return "no error";
}

TEST(RouteTable, IsThatOfTheRouteForEveryTopic) {
    const auto route = into({"a", "b.c"}, {"shop", "orders"});
    EXPECT_EQ(route.table_for("a"), (TableName{"shop", "orders"}));
    EXPECT_EQ(route.table_for("b.c"), (TableName{"shop", "orders"}));
    EXPECT_EQ(into({"a"}, {"", "$odd}{"}).table_for("a"), (TableName{"", "$odd}{"}));
}

// B57: a dot in a topic never means another database.
TEST(RouteTable, KeepsTheDotsOfATopic) {
    EXPECT_EQ(into({"shop.orders"}, {"sales", "${topic}"}).table_for("shop.orders"),
              (TableName{"sales", "shop.orders"}));
    EXPECT_EQ(into({"a.b.c"}, {"", "x_${topic}_y"}).table_for("a.b.c"),
              (TableName{"", "x_a.b.c_y"}));
}

TEST(RouteTable, TakesGroupsOfTheExpression) {
    const auto route = into({"^([a-z]+)[.](new-)?(.*)$"}, {"db_${1}", "${3}${2}_of_${1}"});
    EXPECT_EQ(route.table_for("shop.orders.v2"), (TableName{"db_shop", "orders.v2_of_shop"}));
    EXPECT_EQ(route.table_for("shop.new-orders"), (TableName{"db_shop", "ordersnew-_of_shop"}));
    EXPECT_NO_THROW(route.check_placeholders());
}

TEST(RouteTable, IsNoneForStatements) {
    auto route = into({"a"}, {"shop", ""});
    route.mode = Mode::sql;
    EXPECT_EQ(route.table_for("a"), TableName{});
}

// B59: names of more than 64 characters.
TEST(RouteTable, RefusesNamesThatMySqlCannotHave) {
    const auto route = into({"^.*"}, {"d", "${topic}"});
    EXPECT_EQ(route.table_for(std::string(64, 't')).table.size(), 64U);
    EXPECT_EQ(complaint_of([&] { return route.table_for(std::string(100, 't')); }),
              "table: the topic " + std::string(100, 't') +
                  " makes a name that MySQL cannot have; " + std::string(100, 't') +
                  " has 100 characters, and 64 are the most");
    EXPECT_EQ(complaint_of([] {
                  return into({"^(x?)y"}, {"d", "${1}"}).table_for("y");
              }),
              "table: the topic y makes a name that MySQL cannot have; the name is empty");
    EXPECT_EQ(complaint_of([] {
                  return into({"^(x?)y"}, {"${1}", "t"}).table_for("y");
              }),
              "table: the topic y makes a name that MySQL cannot have; the name is empty");
    // 64 characters, not bytes.
    std::string umlauts;
    for (int i = 0; i < 63; ++i) {
        umlauts += "\u00e4";
    }
    EXPECT_EQ(into({"a"}, {"d", umlauts + "${topic}"}).table_for("a").table, umlauts + "a");
}

TEST(RouteTable, RefusesPlaceholdersThatNothingCanBePutInFor) {
    const auto complaint = [](std::vector<std::string> topics, std::string table) {
        const auto route = into(std::move(topics), {"d", std::move(table)});
        const auto at_start = complaint_of([&] { return route.check_placeholders(), TableName{}; });
        EXPECT_EQ(complaint_of([&] { return route.table_for("ab"); }), at_start);
        return at_start;
    };
    EXPECT_EQ(complaint({"ab"}, "${1}"),
              "table: nothing can be put in for ${1}; the topics are given with 0 groups in "
              "parentheses");
    EXPECT_EQ(complaint({"^(a)b"}, "${1}_${2}"),
              "table: nothing can be put in for ${2}; the topics are given with 1 groups in "
              "parentheses");
    EXPECT_EQ(complaint({"^(a)b"}, "${0}"), "table: nothing can be put in for ${0}; ");
    EXPECT_EQ(complaint({"ab"}, "x${Topic}"), "table: nothing can be put in for ${Topic}; ");
    EXPECT_EQ(complaint({"ab"}, "x${topic"), "table: nothing can be put in for ${topic; ");
}

}  // namespace
}  // namespace txsink::mapping
