#include "txsink/mapping/record_mapper.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "txsink/core/sink_error.hpp"
#include "unit/columns.hpp"

namespace txsink::mapping {
namespace {

using namespace testing;

using Code = RecordErrorCode;

/// id bigint PK, name varchar(20) NOT NULL, qty int NULL, price decimal(10,2) NOT NULL DEFAULT,
/// total generated.
TableDefinition orders_table() {
    TableDefinition table;
    table.name = {"shop", "orders"};
    table.columns = {
        required(named(integer_column(ColumnType::bigint, "bigint"), "id")),
        required(named(varchar_column(20), "name")),
        named(integer_column(ColumnType::integer, "int"), "qty"),
        named(decimal_column(10, 2), "price"),
        named(decimal_column(12, 2), "total"),
    };
    table.columns[3].is_nullable = false;
    table.columns[4].is_generated = true;
    table.primary_key = {0};
    return table;
}

/// PRIMARY KEY (region varchar(3), id int), note varchar(9) NULL; in the order note, id, region.
TableDefinition two_key_table() {
    TableDefinition table;
    table.name = {"shop", "stock"};
    table.columns = {
        named(varchar_column(9), "note"),
        required(named(integer_column(ColumnType::integer, "int"), "Id")),
        required(named(varchar_column(3), "region")),
    };
    table.primary_key = {2, 1};
    return table;
}

Route route_for(Mode mode, KeySource key = KeySource::value) {
    Route route;
    route.name = "orders";
    route.mode = mode;
    route.key = key;
    return route;
}

ConsumerRecord record_of(std::optional<std::string_view> key,
                         std::optional<std::string_view> value,
                         std::int64_t offset = 0) {
    ConsumerRecord record;
    record.topic = "orders";
    record.offset = Offset{offset};
    record.key = key;
    record.value = value;
    return record;
}

/// A mapper and its buffer, for one record at a time.
class Mapping {
public:
    explicit Mapping(Route route, TableDefinition table = orders_table())
        : mapper_{std::move(route), std::move(table)} {}

    /// The one tuple that came of it.
    std::string tuple(std::optional<std::string_view> key, std::optional<std::string_view> value) {
        rows_.clear();
        const Result<Mapped> done = mapper_.map(record_of(key, value), rows_);
        EXPECT_TRUE(done) << done.error().message;
        EXPECT_EQ(rows_.changes().size(), done ? 1U : 0U);
        return done ? std::string{rows_.text().substr(0, rows_.changes()[0].size)} : "";
    }
    std::string tuple(std::string_view value) { return tuple(std::nullopt, value); }

    RecordError error(std::optional<std::string_view> key, std::optional<std::string_view> value) {
        rows_.clear();
        const Result<Mapped> done = mapper_.map(record_of(key, value), rows_);
        EXPECT_FALSE(done) << rows_.text();
        EXPECT_TRUE(rows_.changes().empty());
        EXPECT_EQ(rows_.text(), "");
        return done ? RecordError{} : done.error();
    }
    RecordError error(std::string_view value) { return error(std::nullopt, value); }

    [[nodiscard]] const RowShape* shape() const { return rows_.changes().at(0).shape; }
    RecordMapper& mapper() { return mapper_; }

private:
    RecordMapper mapper_;
    RowBuffer rows_;
};

TEST(RecordMapper, WritesColumnsInTableOrderWhateverTheFieldOrder) {
    Mapping mapping{route_for(Mode::upsert)};
    EXPECT_EQ(mapping.tuple(R"({"id":1,"name":"a","qty":2,"price":3.50})"), "(1,'a',2,3.5)");
    const RowShape* shape = mapping.shape();
    EXPECT_EQ(shape->kind, ChangeKind::upsert);
    EXPECT_EQ(shape->columns, (std::vector<std::size_t>{0, 1, 2, 3}));
    EXPECT_EQ(shape->table, &mapping.mapper().routes().front().table);
    EXPECT_EQ(mapping.tuple(R"({"price":"3.50","qty":2,"name":"a","id":1})"), "(1,'a',2,3.5)");
    EXPECT_EQ(mapping.shape(), shape);
}

TEST(RecordMapper, LeavesOutWhatTheRecordLeavesOut) {
    Mapping mapping{route_for(Mode::insert)};
    EXPECT_EQ(mapping.tuple(R"({"id":1,"name":"a"})"), "(1,'a')");
    const RowShape* two = mapping.shape();
    EXPECT_EQ(two->kind, ChangeKind::insert);
    EXPECT_EQ(two->columns, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(mapping.tuple(R"({"id":1,"name":"a","qty":null})"), "(1,'a',NULL)");
    EXPECT_NE(mapping.shape(), two);
    EXPECT_EQ(mapping.tuple(R"({"id":2,"name":"b"})"), "(2,'b')");
    EXPECT_EQ(mapping.shape(), two);
}

TEST(RecordMapper, KeepsShapesWhenItIsMoved) {
    RecordMapper first{route_for(Mode::insert), orders_table()};
    RowBuffer rows;
    ASSERT_TRUE(first.map(record_of({}, R"({"id":1,"name":"a"})", 5), rows));
    RecordMapper second{std::move(first)};
    ASSERT_TRUE(second.map(record_of({}, R"({"id":2,"name":"b"})", 6), rows));
    ASSERT_EQ(rows.changes().size(), 2U);
    EXPECT_EQ(rows.changes()[0].shape, rows.changes()[1].shape);
    EXPECT_EQ(rows.changes()[1].shape->table, &second.routes().front().table);
    EXPECT_EQ(rows.text(), "(1,'a'),(2,'b'),");
    EXPECT_EQ(rows.changes()[1].offset, Offset{6});
    EXPECT_EQ(second.routes().front().route.name, "orders");
}

TEST(RecordMapper, LeavesTheBufferAsItWasAfterAnError) {
    RecordMapper mapper{route_for(Mode::insert), orders_table()};
    RowBuffer rows;
    ASSERT_TRUE(mapper.map(record_of({}, R"({"id":1,"name":"a"})"), rows));
    EXPECT_FALSE(mapper.map(record_of({}, R"({"id":2,"name":"b","qty":"x"})"), rows));
    EXPECT_FALSE(mapper.map(record_of({}, "{"), rows));
    EXPECT_EQ(rows.text(), "(1,'a'),");
    ASSERT_TRUE(mapper.map(record_of({}, R"({"id":3,"name":"c"})"), rows));
    EXPECT_EQ(rows.text(), "(1,'a'),(3,'c'),");
}

TEST(RecordMapper, FindsColumnsByExactNameThenWithoutCase) {  // B62
    Mapping mapping{route_for(Mode::insert)};
    EXPECT_EQ(mapping.tuple(R"({"ID":1,"Name":"a"})"), "(1,'a')");
    EXPECT_EQ(mapping.tuple(R"({"iD":2,"nAME":"b"})"), "(2,'b')");
    const RecordError error = mapping.error(R"({"Id":1,"name":"a","id":2})");
    EXPECT_EQ(error.code, Code::duplicate_field);
    EXPECT_EQ(error.field, "id");
    EXPECT_EQ(error.message, "two fields for column \"id\" (names differ in case)");
    EXPECT_EQ(mapping.error(R"({"id":1,"name":"a","id":2})").code, Code::duplicate_field);
}

TEST(RecordMapper, SkipsGeneratedColumns) {  // B54
    Mapping mapping{route_for(Mode::upsert)};
    EXPECT_EQ(mapping.tuple(R"({"id":1,"total":"not even a number","name":"a"})"), "(1,'a')");
    EXPECT_EQ(mapping.shape()->columns, (std::vector<std::size_t>{0, 1}));
}

TEST(RecordMapper, IgnoresOrRefusesUnknownFields) {
    Route route = route_for(Mode::insert);
    Mapping lenient{route};
    EXPECT_EQ(lenient.tuple(R"({"id":1,"extra":{"id":5},"name":"a","":0})"), "(1,'a')");
    EXPECT_EQ(lenient.tuple(R"({"id":1,"name":"a","n\u0061me2":1})"), "(1,'a')");
    route.unknown_fields = UnknownFields::error;
    Mapping strict{route};
    const RecordError error = strict.error(R"({"id":1,"ext\nra":"s3cret","name":"a"})");
    EXPECT_EQ(error.code, Code::unknown_field);
    EXPECT_EQ(error.field, "ext?ra");
    EXPECT_EQ(error.message, "field \"ext?ra\" has no column in table shop.orders");
    EXPECT_EQ(strict.tuple(R"({"id":1,"name":"a","total":5})"), "(1,'a')");
}

TEST(RecordMapper, RefusesMissingAndNullValues) {
    Mapping mapping{route_for(Mode::upsert)};
    RecordError error = mapping.error(R"({"id":1})");
    EXPECT_EQ(error.code, Code::missing_value);
    EXPECT_EQ(error.field, "name");
    EXPECT_EQ(error.message,
              "column \"name\" (varchar(20)): no field for it, and it is NOT NULL without default");
    error = mapping.error(R"({"name":"a"})");
    EXPECT_EQ(error.code, Code::missing_key);
    EXPECT_EQ(error.message, "no value for primary key column \"id\"");
    EXPECT_EQ(mapping.error("{}").code, Code::missing_key);
    EXPECT_EQ(mapping.error(R"({"id":null,"name":"a"})").code, Code::null_value);
    error = mapping.error(R"({"id":1,"name":"a","price":null})");
    EXPECT_EQ(error.code, Code::null_value);
    EXPECT_EQ(error.message, "column \"price\" (decimal(10,2)): null, but the column is NOT NULL");
    // Also after the shape is known.
    EXPECT_EQ(mapping.tuple(R"({"id":1,"name":"a"})"), "(1,'a')");
    EXPECT_EQ(mapping.error(R"({"id":null,"name":"a"})").code, Code::null_value);
    EXPECT_EQ(mapping.error(R"({"id":1})").code, Code::missing_value);
}

TEST(RecordMapper, LetsTheServerNumberRowsOnlyInInsertMode) {  // B49
    TableDefinition table = orders_table();
    table.columns[0].is_auto_increment = true;
    table.columns[0].has_default = true;
    Mapping insert{route_for(Mode::insert), table};
    EXPECT_EQ(insert.tuple(R"({"name":"a"})"), "('a')");
    EXPECT_EQ(insert.error(R"({"id":null,"name":"a"})").code, Code::null_value);
    Mapping upsert{route_for(Mode::upsert), table};
    EXPECT_EQ(upsert.error(R"({"name":"a"})").code, Code::missing_key);
}

TEST(RecordMapper, WritesARowOfDefaults) {  // B86
    TableDefinition table;
    table.name = {"shop", "log"};
    table.columns = {named(integer_column(ColumnType::integer, "int"), "a")};
    Mapping mapping{route_for(Mode::insert), table};
    EXPECT_EQ(mapping.tuple("{}"), "()");
    EXPECT_TRUE(mapping.shape()->columns.empty());
    EXPECT_EQ(mapping.tuple(R"({"a":1})"), "(1)");
}

TEST(RecordMapper, RefusesValuesThatAreNoObject) {
    Mapping mapping{route_for(Mode::insert)};
    for (const char* value : {"[]", "1", "\"a\"", "true", "null", "[{\"id\":1}]"}) {
        EXPECT_EQ(mapping.error(value).code, Code::not_an_object) << value;
    }
    EXPECT_EQ(mapping.error("[]").message, "the value is a JSON array, not an object");
    EXPECT_EQ(mapping.error("").code, Code::not_json);
    EXPECT_EQ(mapping.error(std::string_view{"\0\0\0\0\1{}", 7}).code, Code::schema_registry);
}

TEST(RecordMapper, NamesColumnTypeLimitAndKindButNotTheValue) {
    TableDefinition table = orders_table();
    table.columns[2] = named(integer_column(ColumnType::tinyint, "tinyint unsigned"), "qty");
    Mapping mapping{route_for(Mode::insert), table};
    const RecordError error = mapping.error(R"({"id":1,"name":"a","qty":70777})");
    EXPECT_EQ(error.code, Code::out_of_range);
    EXPECT_EQ(error.field, "qty");
    EXPECT_EQ(error.message, "column \"qty\" (tinyint unsigned): number is outside 0..255");
}

TEST(RecordMapper, TakesTheKeyFromTheRecordsKey) {
    Mapping mapping{route_for(Mode::upsert, KeySource::record)};
    EXPECT_EQ(mapping.tuple("42", R"({"name":"a"})"), "(42,'a')");
    EXPECT_EQ(mapping.tuple("\"42\"", R"({"name":"a"})"), "(42,'a')");
    EXPECT_EQ(mapping.tuple(R"({"other":1,"ID":7})", R"({"name":"a"})"), "(7,'a')");
    EXPECT_EQ(mapping.tuple(R"({"id":7})", R"({"name":"a","id":"7"})"), "(7,'a')");
    EXPECT_EQ(mapping.tuple("7", R"({"name":"a","id":7.0})"), "(7,'a')");

    const RecordError differs = mapping.error("7", R"({"name":"a","id":8})");
    EXPECT_EQ(differs.code, Code::duplicate_field);
    EXPECT_EQ(differs.message, "column \"id\": the record's key and its value differ");
    EXPECT_EQ(mapping.error("7", R"({"name":"a","id":null})").code, Code::null_value);
    EXPECT_EQ(mapping.error("null", R"({"name":"a","id":7})").code, Code::null_value);
    EXPECT_EQ(mapping.error("null", R"({"name":"a"})").code, Code::null_value);
    EXPECT_EQ(mapping.error(std::nullopt, R"({"name":"a","id":1})").code, Code::missing_key);
    EXPECT_EQ(mapping.error("{}", R"({"name":"a","id":1})").code, Code::missing_key);
    EXPECT_EQ(mapping.error(R"({"id":1,"ID":1})", R"({"name":"a"})").code, Code::duplicate_field);
    EXPECT_EQ(mapping.error("[1]", R"({"name":"a"})").code, Code::not_an_object);
    EXPECT_EQ(mapping.error("1.5", R"({"name":"a"})").code, Code::would_lose_digits);
    const RecordError bare = mapping.error("abc", R"({"name":"a"})");
    EXPECT_EQ(bare.code, Code::not_json);
    EXPECT_EQ(bare.message,
              "record key: not JSON: neither a value nor a number in JSON syntax at byte 0 "
              "(a string must stand in double quotes, or key-format = string)");
    EXPECT_EQ(mapping.error("", R"({"name":"a"})").code, Code::not_json);
    EXPECT_EQ(mapping.error(std::string_view{"\0\0\0\0\1x", 6}, R"({"name":"a"})").code,
              Code::schema_registry);
}

TEST(RecordMapper, TakesAKeyOfSeveralColumns) {
    Mapping mapping{route_for(Mode::upsert, KeySource::record), two_key_table()};
    EXPECT_EQ(mapping.tuple(R"({"id":1,"region":"eu"})", R"({"note":"n"})"), "('n',1,'eu')");
    EXPECT_EQ(mapping.shape()->columns, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(mapping.tuple(R"({"id":1,"region":"eu"})", "{}"), "(1,'eu')");
    EXPECT_EQ(mapping.error(R"({"id":1})", "{}").field, "region");
    const RecordError bare = mapping.error("1", "{}");
    EXPECT_EQ(bare.code, Code::not_an_object);
    EXPECT_EQ(bare.message, "record key: a bare number, but the primary key has 2 columns");
}

TEST(RecordMapper, RemovesTheRowOfATombstone) {  // B52
    for (const Mode mode : {Mode::upsert, Mode::insert}) {
        for (const KeySource source : {KeySource::value, KeySource::record}) {
            Mapping mapping{route_for(mode, source), two_key_table()};
            EXPECT_EQ(mapping.tuple(R"({"note":[],"Id":5,"region":"us"})", std::nullopt),
                      "('us',5)");
            const RowShape* shape = mapping.shape();
            EXPECT_EQ(shape->kind, ChangeKind::remove);
            EXPECT_EQ(shape->columns, (std::vector<std::size_t>{2, 1}));
            EXPECT_EQ(mapping.tuple(R"({"region":"eu","id":"6"})", std::nullopt), "('eu',6)");
            EXPECT_EQ(mapping.shape(), shape);
            EXPECT_EQ(mapping.error(std::nullopt, std::nullopt).code, Code::tombstone);
            EXPECT_EQ(mapping.error("", std::nullopt).code, Code::not_json);
            EXPECT_EQ(mapping.error("{}", std::nullopt).code, Code::missing_key);
            EXPECT_EQ(mapping.error(R"({"id":5})", std::nullopt).code, Code::missing_key);
            EXPECT_EQ(mapping.error(R"({"id":5,"region":null})", std::nullopt).code,
                      Code::null_value);
            EXPECT_EQ(mapping.error("5", std::nullopt).code, Code::not_an_object);
        }
    }
    Mapping bare{route_for(Mode::upsert)};
    EXPECT_EQ(bare.tuple("5", std::nullopt), "(5)");
    EXPECT_EQ(bare.tuple("\"5\"", std::nullopt), "(5)");
    EXPECT_EQ(bare.error("null", std::nullopt).code, Code::null_value);
}

TEST(RecordMapper, RefusesATombstoneThatCanNameNoRow) {
    TableDefinition table = orders_table();
    table.primary_key.clear();
    Mapping without_key{route_for(Mode::insert), table};
    EXPECT_EQ(without_key.error("5", std::nullopt).code, Code::tombstone);
    table = orders_table();
    table.columns[0] = required(named(make_column(ColumnType::float_single, "float"), "id"));
    Mapping by_float{route_for(Mode::insert), table};
    EXPECT_EQ(by_float.tuple(R"({"id":1.5,"name":"a"})"), "(1.5e+00,'a')");
    EXPECT_EQ(by_float.error("1.5", std::nullopt).code, Code::tombstone);
}

/// The message of the error that keeps `table` from being written by `route`.
std::string refusal(const Route& route, const TableDefinition& table) {
    try {
        const RecordMapper mapper{route, table};
        return "none";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_FALSE(error.hint.empty());
        return error.what();
    }
}

TEST(RecordMapper, RefusesTablesThatTheRouteCannotWrite) {
    TableDefinition table = orders_table();
    table.primary_key.clear();
    EXPECT_EQ(refusal(route_for(Mode::insert), table), "none");
    EXPECT_EQ(refusal(route_for(Mode::upsert), table),
              "route orders cannot write to table shop.orders: it has no primary key");
    EXPECT_EQ(refusal(route_for(Mode::insert, KeySource::record), table),
              "route orders cannot write to table shop.orders: it has no primary key");

    table = orders_table();
    table.columns[0].is_generated = true;
    EXPECT_EQ(refusal(route_for(Mode::upsert), table),
              "route orders cannot write to table shop.orders: primary key column \"id\" (bigint) "
              "is generated");
    table = orders_table();
    table.columns[0] = named(make_column(ColumnType::unsupported, "uuid"), "id");
    table.columns[0].is_nullable = false;
    EXPECT_EQ(refusal(route_for(Mode::insert), table), "none");
    EXPECT_EQ(refusal(route_for(Mode::upsert), table),
              "route orders cannot write to table shop.orders: primary key column \"id\" (uuid) "
              "has a type that cannot name a row");

    table = orders_table();
    table.columns.push_back(
        required(named(make_column(ColumnType::unsupported, "geometry"), "place")));
    EXPECT_EQ(refusal(route_for(Mode::insert), table),
              "route orders cannot write to table shop.orders: column \"place\" needs a value, "
              "and its type geometry is not supported");
}

TEST(RecordMapper, StoresEmptyAndOddStringsAsTheyAre) {
    Mapping mapping{route_for(Mode::insert)};
    EXPECT_EQ(mapping.tuple(R"({"id":1,"name":""})"), "(1,'')");
    EXPECT_EQ(mapping.tuple(R"({"id":1,"name":"');DROP TABLE t;-- "})"),
              "(1,'\\');DROP TABLE t;-- ')");
    EXPECT_EQ(mapping.tuple(R"({"id":1,"name":"\\' OR 1=1"})"), "(1,'\\\\\\' OR 1=1')");
}

/// Records with fields at random: the shapes are forgotten when told, and made again.
TEST(RecordMapper, ForgetsShapesAndMakesThemAgain) {
    TableDefinition table = two_key_table();
    for (int i = 0; i < 13; ++i) {
        table.columns.push_back(
            named(integer_column(ColumnType::integer, "int"), "f" + std::to_string(i)));
    }
    RecordMapper mapper{route_for(Mode::insert), table};
    RowBuffer rows;
    const auto map_set = [&](unsigned set) {
        std::string value = R"({"region":"eu","Id":1)";
        for (unsigned i = 0; i < 13; ++i) {
            if ((set >> i & 1U) != 0) {
                value += ",\"f" + std::to_string(i) + "\":" + std::to_string(i);
            }
        }
        value += '}';
        ASSERT_TRUE(mapper.map(record_of({}, value), rows).has_value());
    };
    for (unsigned set = 0; set < 5'000; ++set) {
        map_set(set);
    }
    rows.clear();
    mapper.forget_shapes();
    map_set(5);
    map_set(5);
    map_set(6);
    EXPECT_EQ(rows.text(), "(1,'eu',0,2),(1,'eu',0,2),(1,'eu',1,2),");
    ASSERT_EQ(rows.changes().size(), 3U);
    EXPECT_EQ(rows.changes()[0].shape, rows.changes()[1].shape);
    EXPECT_NE(rows.changes()[0].shape, rows.changes()[2].shape);
    EXPECT_EQ(rows.changes()[2].shape->columns, (std::vector<std::size_t>{1, 2, 4, 5}));
}

}  // namespace
}  // namespace txsink::mapping
