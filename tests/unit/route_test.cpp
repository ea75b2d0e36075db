#include "txsink/mapping/route.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace txsink::mapping
