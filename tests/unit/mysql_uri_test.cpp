/// @file
/// mysql.uri: what it may say, and that a refusal names the part without showing a password.
#include <gtest/gtest.h>

#include <string>

#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/mysql_settings.hpp"

namespace txsink::mysql {
namespace {

std::string refusal(std::string_view uri) {
    try {
        static_cast<void>(parse_mysql_uri(uri));
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        return error.what();
    }
    return "(taken)";
}

TEST(MysqlUri, OneHost) {
    const auto settings = parse_mysql_uri("mysql://sink@db.example:3307/shop");
    EXPECT_EQ(settings.user, "sink");
    EXPECT_TRUE(settings.password.is_empty());
    EXPECT_EQ(settings.hosts, (std::vector<Host>{{"db.example", 3307}}));
    EXPECT_EQ(settings.database, "shop");
}

TEST(MysqlUri, SeveralHostsKeepTheirOrder) {
    EXPECT_EQ(parse_mysql_uri("mysql://u@b:1,a,[::1]:2,[fe80::2]/d").hosts,
              (std::vector<Host>{{"b", 1}, {"a", 3306}, {"::1", 2}, {"fe80::2", 3306}}));
}

TEST(MysqlUri, DecodesPercentSigns) {
    const auto settings = parse_mysql_uri("mysql://u%40x:p%2fw%3A%25@h/d%20b");
    EXPECT_EQ(settings.user, "u@x");
    EXPECT_EQ(settings.password.reveal(), "p/w:%");
    EXPECT_EQ(settings.database, "d b");
}

TEST(MysqlUri, TheDatabaseMayBeLeftOut) {
    EXPECT_EQ(parse_mysql_uri("mysql://u@h").database, "");
    EXPECT_EQ(parse_mysql_uri("mysql://u@h/").database, "");
}

TEST(MysqlUri, RefusalsNameThePart) {
    EXPECT_EQ(refusal("postgres://u@h/d"), "mysql.uri: it must begin with mysql://");
    EXPECT_EQ(refusal("mysql://h/d"), "mysql.uri: the user is missing");
    EXPECT_EQ(refusal("mysql://:p@h/d"), "mysql.uri: the user is missing");
    EXPECT_EQ(refusal("mysql://u@/d"), "mysql.uri: a host has no name");
    EXPECT_EQ(refusal("mysql://u@h,/d"), "mysql.uri: a host has no name");
    EXPECT_EQ(refusal("mysql://u@h:0/d"),
              "mysql.uri: the port of host 'h' must be a number from 1 to 65535");
    EXPECT_EQ(refusal("mysql://u@h:65536/d"),
              "mysql.uri: the port of host 'h' must be a number from 1 to 65535");
    EXPECT_EQ(refusal("mysql://u@h:/d"),
              "mysql.uri: the port of host 'h' must be a number from 1 to 65535");
    EXPECT_EQ(refusal("mysql://u@::1/d"), "mysql.uri: an IPv6 address must stand in brackets");
    EXPECT_EQ(refusal("mysql://u@[::1/d"), "mysql.uri: an IPv6 address lacks its closing bracket");
    EXPECT_EQ(refusal("mysql://u@[::1]x/d"),
              "mysql.uri: only a port may follow the bracket of an IPv6 address");
    EXPECT_EQ(refusal("mysql://u@h/d?tls=1"),
              "mysql.uri: nothing may follow the database; options have names of their own "
              "(mysql.tls, ...)");
}

TEST(MysqlUri, RefusalsNeverShowThePassword) {
    for (const auto* uri : {"mysql://u:secret%zz@h/d",
                            "mysql://u:secret%4@h/d",
                            "mysql://u:secret@h:x/d",
                            "mysql://u:secret@/d",
                            "mysql://:secret@h/d"}) {
        const auto text = refusal(uri);
        EXPECT_NE(text, "(taken)") << uri;
        EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace txsink::mysql
