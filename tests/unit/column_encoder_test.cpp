#include "mapping/column_encoder.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/encoding.hpp"

namespace txsink::mapping {
namespace {

using namespace testing;

TEST(ColumnEncoder, RefusesNullForNotNull) {
    ColumnDefinition column = integer_column(ColumnType::integer, "int");
    column.is_nullable = false;
    expect_all(column, {bad("null", Code::null_value, "null, but the column is NOT NULL")});
}

TEST(ColumnEncoder, RefusesTypesThatItDoesNotKnow) {
    const ColumnDefinition column = make_column(ColumnType::unsupported, "geometry");
    for (const char* json : {"1", "null", "\"POINT(1 1)\"", "{}"}) {
        expect_all(column, {bad(json, Code::unsupported_type, "this type is not supported")});
    }
}

TEST(ColumnEncoder, NeverShowsTheValue) {
    const std::string secret = "5ecret5";
    const ColumnDefinition columns[] = {
        integer_column(ColumnType::integer, "int"),
        decimal_column(10, 2),
        make_column(ColumnType::float_double, "double"),
        varchar_column(3),
        binary_column(ColumnType::blob, "blob", 65'535),
        temporal_column(ColumnType::date, "date"),
        temporal_column(ColumnType::datetime, "datetime"),
        temporal_column(ColumnType::time, "time"),
        enum_column({"a"}),
        bit_column(4),
        make_column(ColumnType::year, "year"),
        set_column({"a"}),
        geometry_column("point"),
        vector_column(3),
        make_column(ColumnType::uuid, "uuid"),
        make_column(ColumnType::inet4, "inet4"),
        make_column(ColumnType::inet6, "inet6"),
        make_column(ColumnType::unsupported, "thing"),
    };
    for (const ColumnDefinition& column : columns) {
        const Result<std::string> result = encode(column, ok('"' + secret + '"', ""));
        ASSERT_FALSE(result) << column.type_text;
        EXPECT_EQ(result.error().message.find(secret), std::string::npos);
        EXPECT_NE(result.error().message.find(column.type_text), std::string::npos);
    }
}

TEST(ColumnEncoder, PutsTheDefaultForNullWhereAskedFor) {
    const ValueRules rules{.null = OnNull::fallback};
    ColumnDefinition column = integer_column(ColumnType::integer, "int");
    expect_all(column, {ok("null", "DEFAULT"), ok("1", "1")}, rules);
    column.is_nullable = false;
    expect_all(column, {ok("null", "DEFAULT")}, rules);
    column.has_default = false;
    expect_all(
        column,
        {bad("null", Code::null_value, "null, but the column is NOT NULL and has no default")},
        rules);
}

}  // namespace
}  // namespace txsink::mapping
