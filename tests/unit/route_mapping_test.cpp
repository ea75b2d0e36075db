// What routes make of records: sources, conditions, elements, modes, conflict rules, removals.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "unit/columns.hpp"

namespace txsink::mapping {
namespace {

using namespace testing;

using Code = RecordErrorCode;
using Lines = std::vector<std::string>;

/// id bigint PK, name varchar(20) NULL, qty int NULL, total decimal(12,2) NULL, ver bigint NULL,
/// gone tinyint NULL, at datetime(3) NULL, doc json NULL.
TableDefinition items_table(const std::string& name = "items") {
    TableDefinition table;
    table.name = {"shop", name};
    table.columns = {
        required(named(integer_column(ColumnType::bigint, "bigint"), "id")),
        named(varchar_column(20), "name"),
        named(integer_column(ColumnType::integer, "int"), "qty"),
        named(decimal_column(12, 2), "total"),
        named(integer_column(ColumnType::bigint, "bigint"), "ver"),
        named(integer_column(ColumnType::tinyint, "tinyint"), "gone"),
        named(temporal_column(ColumnType::datetime, "datetime(3)", 3), "at"),
        named(json_column(false), "doc"),
    };
    table.primary_key = {0};
    return table;
}

Route route_named(const std::string& name, Mode mode = Mode::upsert) {
    Route route;
    route.name = name;
    route.mode = mode;
    return route;
}

ColumnRule rule(const std::string& column, const std::string& source) {
    ColumnRule made;
    made.column = column;
    made.source = parse_source(source);
    return made;
}

ColumnRule conflict(const std::string& column, OnConflict on_conflict) {
    ColumnRule made;
    made.column = column;
    made.on_conflict = on_conflict;
    return made;
}

class Mapping {
public:
    explicit Mapping(Route route, TableDefinition table = items_table())
        : mapper_{std::move(route), std::move(table)} {
        start();
    }
    Mapping(std::vector<BoundRoute> routes, MapperSettings settings)
        : mapper_{std::move(routes), std::move(settings)} {
        start();
    }

    Mapping& key(std::optional<std::string_view> key) {
        record_.key = key;
        return *this;
    }
    Mapping& headers(std::span<const RecordHeader> headers) {
        record_.headers = headers;
        return *this;
    }
    Mapping& timestamp(std::int64_t ms) {
        record_.timestamp_ms = ms;
        return *this;
    }

    /// `TABLE KIND TEXT` of each change.
    Lines lines(std::optional<std::string_view> value) {
        rows_.clear();
        record_.value = value;
        const auto mapped = mapper_.map(record_, rows_);
        EXPECT_TRUE(mapped) << mapped.error().message;
        last_ = mapped ? std::optional{mapped.value()} : std::nullopt;
        Lines found;
        for (const RowChange& change : rows_.changes()) {
            static constexpr const char* kKinds[] = {"insert", "upsert", "remove", "statement"};
            found.push_back(
                (change.shape->table != nullptr ? change.shape->table->name.table : "-") + ' ' +
                kKinds[static_cast<int>(change.shape->kind)] + ' ' +
                std::string{rows_.text().substr(change.begin, change.size)});
        }
        return found;
    }
    RecordError error(std::optional<std::string_view> value) {
        rows_.clear();
        record_.value = value;
        const auto mapped = mapper_.map(record_, rows_);
        EXPECT_FALSE(mapped) << rows_.text();
        EXPECT_EQ(rows_.text(), "");
        return mapped ? RecordError{} : mapped.error();
    }

    [[nodiscard]] std::optional<Mapped> last() const { return last_; }
    [[nodiscard]] const RowShape& shape(std::size_t i = 0) const {
        return *rows_.changes().at(i).shape;
    }
    RecordMapper& mapper() { return mapper_; }

private:
    void start() {
        record_.topic = "orders";
        record_.partition = 3;
        record_.offset = Offset{17};
        record_.timestamp_ms = 1'700'000'000'123;
    }

    RecordMapper mapper_;
    RowBuffer rows_;
    ConsumerRecord record_;
    std::optional<Mapped> last_;
};

std::string refusal(const Route& route, const TableDefinition& table = items_table()) {
    try {
        const RecordMapper mapper{route, table};
        return "none";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_FALSE(error.hint.empty());
        return error.what();
    }
}

// --- sources ---

TEST(RouteSources, TakeValuesFromAnywhere) {
    Route route = route_named("r", Mode::insert);
    route.columns = {rule("id", "$offset"),
                     rule("name", "$header.who | $topic"),
                     rule("qty", "$partition"),
                     rule("total", "$.price.net | $.price.gross | '0'"),
                     rule("ver", "$key.v"),
                     rule("at", "$timestamp"),
                     rule("doc", "$")};
    Mapping mapping{route};
    mapping.key(R"({"v":5})");
    EXPECT_EQ(mapping.lines(R"({"price":{"gross":2.5}})"),
              (Lines{"items insert (17,'orders',3,2.5,5,'2023-11-14 22:13:20.123',"
                     "'{\"price\":{\"gross\":2.5}}')"}));
    const RecordHeader headers[] = {{"who", "a"}, {"who", "me"}, {"x", std::nullopt}};
    mapping.headers(headers);
    EXPECT_EQ(mapping.lines(R"({"price":{"net":null}})").front().substr(0, 27),
              "items insert (17,'me',3,0,5");
}

TEST(RouteSources, ReplaceTheFieldOfTheColumnsName) {
    Route route = route_named("r");
    route.unknown_fields = UnknownFields::error;
    route.columns = {rule("name", "$.customer")};
    Mapping mapping{route};
    EXPECT_EQ(mapping.lines(R"({"id":1,"name":"field","customer":"source"})"),
              (Lines{"items upsert (1,'source')"}));
    EXPECT_EQ(mapping.lines(R"({"id":1,"name":"field"})"), (Lines{"items upsert (1)"}));
    EXPECT_EQ(mapping.error(R"({"id":1,"other":2})").code, Code::unknown_field);
}

TEST(RouteSources, ChooseFields) {
    Route only = route_named("r");
    only.fields = {"id", "qty"};
    only.unknown_fields = UnknownFields::error;
    Mapping chosen{only};
    EXPECT_EQ(chosen.lines(R"({"id":1,"name":"a","qty":2,"odd":3})"),
              (Lines{"items upsert (1,2)"}));
    Route but = route_named("r");
    but.exclude_fields = {"name"};
    Mapping rest{but};
    EXPECT_EQ(rest.lines(R"({"id":1,"name":"a","qty":2})"), (Lines{"items upsert (1,2)"}));
    Route none = route_named("r");
    none.exclude_fields = {"*"};
    none.columns = {rule("id", "$[1]")};
    Mapping bare{none};
    EXPECT_EQ(bare.lines("[5,6]"), (Lines{"items upsert (6)"}));
    only.fields = {"id", "nothing"};
    EXPECT_EQ(refusal(only),
              "route r cannot write to table shop.items: it has no column \"nothing\", which "
              "fields names");
}

TEST(RouteSources, FlattenNestedObjects) {
    TableDefinition table = items_table();
    table.columns[1].name = "buyer_name";
    table.columns[2].name = "buyer_address_zip";
    Route route = route_named("r");
    route.flatten = "_";
    route.unknown_fields = UnknownFields::error;
    Mapping mapping{route, table};
    EXPECT_EQ(
        mapping.lines(
            R"({"buyer":{"address":{"zip":12},"name":"a"},"doc":{"x":1},"id":1,"total":"3"})"),
        (Lines{"items upsert (1,'a',12,3,'{\"x\":1}')"}));
    EXPECT_EQ(mapping.error(R"({"id":1,"buyer":{"address":{"city":"x"}}})").field,
              "buyer_address_city");
    const RecordError twice = mapping.error(R"({"id":1,"buyer_name":"a","buyer":{"name":"b"}})");
    EXPECT_EQ(twice.code, Code::duplicate_field);
    EXPECT_EQ(twice.message, "two fields for column \"buyer_name\" (one of them nested)");
}

TEST(RouteSources, AreRefusedForColumnsThatCannotTakeThem) {
    Route route = route_named("r");
    route.columns = {rule("nothing", "$.a")};
    EXPECT_EQ(refusal(route),
              "route r cannot write to table shop.items: it has no column \"nothing\"");
    TableDefinition table = items_table();
    table.columns[2].is_generated = true;
    route.columns = {rule("QTY", "$.a")};
    EXPECT_EQ(refusal(route, table),
              "route r cannot write to table shop.items: column \"QTY\" is generated");
}

// --- missing and null ---

TEST(RouteValues, AreMissingNullOrDefaultAsToldTo) {
    Route route = route_named("r");
    route.values.missing = OnMissing::error;
    for (const char* column : {"qty", "total", "ver", "gone", "at", "doc"}) {
        ColumnRule lax;
        lax.column = column;
        lax.missing = column == std::string{"qty"} ? OnMissing::null : OnMissing::fallback;
        route.columns.push_back(lax);
    }
    Mapping mapping{route};
    EXPECT_EQ(mapping.lines(R"({"id":1,"name":"a"})"), (Lines{"items upsert (1,'a',NULL)"}));
    const RecordError missing = mapping.error(R"({"id":1})");
    EXPECT_EQ(missing.code, Code::missing_value);
    EXPECT_EQ(missing.message, "column \"name\" (varchar(20)): no value for it (missing = error)");

    Route defaults = route_named("r");
    defaults.values.null = OnNull::fallback;
    Mapping filled{defaults};
    EXPECT_EQ(filled.lines(R"({"id":1,"name":null})"), (Lines{"items upsert (1,DEFAULT)"}));
    EXPECT_EQ(filled.error(R"({"id":null,"name":"a"})").code, Code::null_value);
}

// --- routing ---

TEST(Routing, GivesARecordToEachRouteThatTakesIt) {
    Route first = route_named("first");
    first.when = parse_filter("$.kind in ('a', 'b')");
    Route second = route_named("second", Mode::insert);
    second.when = parse_filter("$.kind = 'b' and $.qty");
    Mapping mapping{{{first, items_table("one")}, {second, items_table("two")}}, {}};
    EXPECT_EQ(mapping.lines(R"({"id":1,"kind":"a"})"), (Lines{"one upsert (1)"}));
    EXPECT_EQ(mapping.lines(R"({"id":1,"kind":"b","qty":2})"),
              (Lines{"one upsert (1,2)", "two insert (1,2)"}));
    EXPECT_EQ(mapping.last(), Mapped::rows);
    EXPECT_EQ(mapping.error(R"({"id":1,"kind":"c"})").code, Code::no_route);
    EXPECT_EQ(mapping.mapper().refusing_route(), nullptr);
    // One row refused: none of the record's rows is left.
    EXPECT_EQ(mapping.error(R"({"id":1,"kind":"b","qty":"x"})").field, "qty");
    EXPECT_EQ(mapping.mapper().refusing_route()->name, "first");
}

TEST(Routing, LeavesTheRestToOtherwiseOrToNobody) {
    Route first = route_named("first");
    first.when = parse_filter("$.kind = 'a'");
    Route rest = route_named("rest");
    rest.is_otherwise = true;
    Mapping mapping{{{rest, items_table("two")}, {first, items_table("one")}}, {}};
    EXPECT_EQ(mapping.lines(R"({"id":1,"kind":"a"})"), (Lines{"one upsert (1)"}));
    EXPECT_EQ(mapping.lines(R"({"id":1})"), (Lines{"two upsert (1)"}));
    Mapping ignoring{{{first, items_table()}}, {"c", OnUnrouted::ignore}};
    EXPECT_EQ(ignoring.lines(R"({"id":1})"), Lines{});
    EXPECT_EQ(ignoring.last(), Mapped::filtered);
}

TEST(Routing, AsksOfATombstoneOnlyWhatItsKeyTells) {
    Route first = route_named("first");
    first.when = parse_filter("$.kind = 'a' and $key != '7'");
    Mapping mapping{{{first, items_table()}}, {"c", OnUnrouted::ignore}};
    mapping.key("5");
    EXPECT_EQ(mapping.lines(std::nullopt), (Lines{"items remove (5)"}));
    mapping.key("7");
    EXPECT_EQ(mapping.lines(std::nullopt), Lines{});
}

TEST(Routing, TakesThePolicyOfTheStrictestRouteBeforeAnyIsChosen) {
    Route first = route_named("first");
    first.on_bad_record = OnBadRecord::skip;
    Route second = route_named("second");
    second.on_bad_record = OnBadRecord::dead_letter;
    Mapping mapping{{{first, items_table()}, {second, items_table()}}, {}};
    EXPECT_TRUE(mapping.mapper().has_dead_letters());
    EXPECT_EQ(mapping.error("{").code, Code::not_json);
    EXPECT_EQ(mapping.mapper().refusing_route()->name, "second");
    EXPECT_EQ(mapping.error(R"({"id":"x"})").field, "id");
    EXPECT_EQ(mapping.mapper().refusing_route()->name, "first");
}

TEST(Routing, CanTellTheConnector) {
    Route route = route_named("r");
    route.columns = {rule("name", "$connector")};
    Mapping mapping{{{route, items_table()}}, {"shop-sink", OnUnrouted::error}};
    EXPECT_EQ(mapping.lines(R"({"id":1})"), (Lines{"items upsert (1,'shop-sink')"}));
}

// --- elements ---

/// order_id bigint, line int, sku varchar(20) NULL; PRIMARY KEY (order_id, line).
TableDefinition lines_table() {
    TableDefinition table;
    table.name = {"shop", "lines"};
    table.columns = {
        required(named(integer_column(ColumnType::bigint, "bigint"), "order_id")),
        required(named(integer_column(ColumnType::integer, "int"), "line")),
        named(varchar_column(20), "sku"),
    };
    table.primary_key = {0, 1};
    return table;
}

Route lines_route() {
    Route route = route_named("lines");
    route.for_each = parse_source("$.items");
    route.columns = {rule("order_id", "$.id | $key"), rule("line", "$index")};
    return route;
}

TEST(Elements, MakeARowEach) {
    Mapping mapping{lines_route(), lines_table()};
    EXPECT_EQ(mapping.lines(R"({"id":7,"sku":"no","items":[{"sku":"a"},{"sku":"b","x":1}]})"),
              (Lines{"lines upsert (7,0,'a')", "lines upsert (7,1,'b')"}));
    EXPECT_EQ(mapping.lines(R"({"id":7,"items":[]})"), Lines{});
    EXPECT_EQ(mapping.lines(R"({"id":7,"items":null})"), Lines{});
    EXPECT_EQ(mapping.lines(R"({"id":7})"), Lines{});
    EXPECT_EQ(mapping.last(), Mapped::rows);
    EXPECT_EQ(mapping.error(R"({"id":7,"items":{"a":1}})").code, Code::not_an_array);
    EXPECT_EQ(
        mapping.error(R"({"id":7,"items":[{"sku":"a"},{"sku":[1,2,3,4,5,6,7,8,9,10,11]}]})").field,
        "sku");
    EXPECT_EQ(mapping.error(R"({"items":[{"sku":"a"}]})").code, Code::missing_key);
    mapping.key("7");
    EXPECT_EQ(mapping.error(std::nullopt).code, Code::tombstone);
}

TEST(Elements, MayBeBareValues) {
    Route route = lines_route();
    route.columns.push_back(rule("sku", "$item"));
    Mapping mapping{route, lines_table()};
    EXPECT_EQ(mapping.lines(R"({"id":7,"items":["a",{"b":1}]})"),
              (Lines{"lines upsert (7,0,'a')", "lines upsert (7,1,'{\"b\":1}')"}));
    Route by_name = lines_route();
    by_name.columns[1] = rule("line", "'1'");
    Mapping named_only{by_name, lines_table()};
    EXPECT_EQ(named_only.error(R"({"id":7,"items":["a"]})").message,
              "element 0 is a JSON string, not an object");
}

TEST(Elements, ReplaceTheChildrenOfTheirParent) {
    Route route = lines_route();
    route.replace_children = {"order_id"};
    Mapping mapping{route, lines_table()};
    EXPECT_EQ(mapping.lines(R"({"id":7,"items":[{"sku":"a"}]})"),
              (Lines{"lines statement DELETE FROM `shop`.`lines` WHERE `order_id` = 7",
                     "lines upsert (7,0,'a')"}));
    EXPECT_EQ(mapping.shape().required_rows, 0U);
    EXPECT_EQ(mapping.lines(R"({"id":7})"),
              (Lines{"lines statement DELETE FROM `shop`.`lines` WHERE `order_id` = 7"}));
    mapping.key("8");
    EXPECT_EQ(mapping.lines(std::nullopt),
              (Lines{"lines statement DELETE FROM `shop`.`lines` WHERE `order_id` = 8"}));
    mapping.key(std::nullopt);
    EXPECT_EQ(mapping.error(R"({"items":[]})").code, Code::missing_value);
    route.replace_children = {"sku"};
    EXPECT_EQ(refusal(route, lines_table()),
              "route lines cannot write to table shop.lines: replace-children needs the parent's "
              "value of column \"sku\"");
    route.replace_children = {"line"};
    EXPECT_NE(refusal(route, lines_table()), "none");
}

// --- modes ---

TEST(UpdateMode, ChangesTheRowOfTheKeyAndMakesNone) {
    Route route = route_named("r", Mode::update);
    route.on_conflict = OnConflict::replace;
    route.columns = {conflict("qty", OnConflict::add),
                     conflict("total", OnConflict::max),
                     conflict("name", OnConflict::keep)};
    Mapping mapping{route};
    EXPECT_EQ(mapping.lines(R"({"id":1,"qty":2,"total":3,"name":"a","ver":4})"),
              (Lines{"items statement UPDATE `shop`.`items` SET `name` = `name`, `qty` = "
                     "COALESCE(`qty`, 0) + 2, `total` = IF(`total` IS NULL OR `total` < 3, 3, "
                     "`total`), `ver` = 4 WHERE `id` = 1"}));
    EXPECT_EQ(mapping.shape().required_rows, 1U);
    EXPECT_TRUE(mapping.shape().may_miss);
    EXPECT_EQ(mapping.lines(R"({"id":1})"),
              (Lines{"items statement UPDATE `shop`.`items` SET `id` = `id` WHERE `id` = 1"}));
    EXPECT_EQ(mapping.lines(R"({"id":1,"qty":null,"total":null})"),
              (Lines{"items statement UPDATE `shop`.`items` SET `qty` = `qty`, `total` = `total` "
                     "WHERE `id` = 1"}));
    EXPECT_EQ(mapping.error(R"({"qty":1})").code, Code::missing_key);
    route.missing_row = OnMissingRow::bad_record;
    Mapping strict{route};
    ASSERT_EQ(strict.lines(R"({"id":1,"ver":1})").size(), 1U);
    EXPECT_FALSE(strict.shape().may_miss);
}

TEST(UpdateMode, ComparesVersionsAndAssignsThemLast) {
    Route route = route_named("r", Mode::update);
    route.if_newer = "ver";
    Mapping mapping{route};
    EXPECT_EQ(
        mapping.lines(R"({"id":1,"ver":9,"at":null,"qty":2})"),
        (Lines{"items statement UPDATE `shop`.`items` SET `qty` = IF((`ver` IS NULL OR `ver` "
               "< 9), 2, `qty`), `at` = IF((`ver` IS NULL OR `ver` < 9), NULL, `at`), `ver` = "
               "IF((`ver` IS NULL OR `ver` < 9), 9, `ver`) WHERE `id` = 1"}));
    EXPECT_EQ(mapping.error(R"({"id":1,"qty":2})").code, Code::missing_value);
    EXPECT_EQ(mapping.error(R"({"id":1,"ver":null})").code, Code::missing_value);
}

TEST(UpsertMode, CarriesItsConflictRules) {
    Route route = route_named("r");
    route.columns = {conflict("qty", OnConflict::add)};
    route.if_newer = "VER";
    Mapping mapping{route};
    EXPECT_EQ(mapping.lines(R"({"id":1,"qty":2,"ver":3})"), (Lines{"items upsert (1,2,3)"}));
    ASSERT_NE(mapping.shape().conflict, nullptr);
    EXPECT_EQ(mapping.shape().conflict->by_column[2], OnConflict::add);
    EXPECT_EQ(mapping.shape().conflict->by_column[0], OnConflict::replace);
    EXPECT_EQ(mapping.shape().conflict->newer, 4U);
    Mapping plain{route_named("r")};
    ASSERT_EQ(plain.lines(R"({"id":1})").size(), 1U);
    EXPECT_EQ(plain.shape().conflict, nullptr);
}

TEST(UpsertMode, RefusesRulesThatDoNotFitTheirColumns) {
    Route route = route_named("r");
    route.columns = {conflict("name", OnConflict::add)};
    EXPECT_EQ(refusal(route),
              "route r cannot write to table shop.items: column \"name\" (varchar(20)) cannot take "
              "on-conflict = add");
    route.columns = {conflict("id", OnConflict::keep)};
    EXPECT_EQ(refusal(route),
              "route r cannot write to table shop.items: column \"id\" is in the primary key");
    route.columns.clear();
    route.if_newer = "nothing";
    EXPECT_EQ(refusal(route),
              "route r cannot write to table shop.items: it has no column \"nothing\"");
    route.if_newer = "doc";
    EXPECT_EQ(refusal(route),
              "route r cannot write to table shop.items: if-newer cannot compare column \"doc\" "
              "(json)");
}

TEST(SqlMode, RendersParametersAsValues) {
    Route route = route_named("r", Mode::sql);
    route.sql =
        "UPDATE account SET balance = balance + :delta -- running\n WHERE id = :id AND ':no' <> "
        ":note; INSERT INTO log VALUES (:id, :o, :missing)";
    route.parameters = {{"o", parse_source("$offset")}, {"missing", parse_source("$.x | 'none'")}};
    route.require_rows = 1;
    Mapping mapping{route, {}};
    EXPECT_EQ(
        mapping.lines(R"({"id":5,"delta":-12.50,"note":"it's"})"),
        (Lines{"- statement UPDATE account SET balance = balance + (-12.50)   WHERE id = 5 AND "
               "':no' <> 'it\\'s'",
               "- statement INSERT INTO log VALUES (5, 17, 'none')"}));
    EXPECT_EQ(mapping.shape(1).required_rows, 1U);
    EXPECT_FALSE(mapping.shape(1).may_miss);
    EXPECT_EQ(mapping.lines(R"({"id":null,"delta":true,"note":{"a":1}})").front(),
              "- statement UPDATE account SET balance = balance + TRUE   WHERE id = NULL AND ':no' "
              "<> '{\"a\":1}'");
    EXPECT_EQ(mapping.error(R"({"id":5,"delta":1})").message, "parameter :note: no value for it");
    EXPECT_EQ(mapping.error(R"({"id":5,"delta":1e999,"note":""})").code, Code::out_of_range);
    EXPECT_EQ(mapping.error(std::nullopt).code, Code::tombstone);
    EXPECT_EQ(statements_to_prepare(route),
              (Lines{"UPDATE account SET balance = balance + ?   WHERE id = ? AND ':no' <> ?",
                     "INSERT INTO log VALUES (?, ?, ?)"}));
}

TEST(SqlMode, RefusesWhatCouldEndTheTransaction) {
    Route route = route_named("r", Mode::sql);
    for (const char* sql : {"COMMIT",
                            "DELETE FROM t; ROLLBACK",
                            "CREATE TABLE t (a INT)",
                            "TRUNCATE t",
                            "CALL p()",
                            "SET @a = 1",
                            "LOCK TABLES t WRITE",
                            "",
                            " ; /* nothing */ ",
                            "/*! COMMIT */",
                            "/*!50000 COMMIT */ UPDATE t SET a = 1",
                            "UPDATE t SET a = 'x",
                            "UPDATE t SET a = ?"}) {
        route.sql = sql;
        EXPECT_NE(refusal(route, {}), "none") << sql;
    }
    route.sql = "with x as (select 1) update t set a = 1";
    EXPECT_EQ(refusal(route, {}), "none");
    route.parameters = {{"a", parse_source("$.a")}};
    EXPECT_EQ(refusal(route, {}), "sql: no statement of route r has the parameter :a");
}

// --- removals ---

TEST(Removals, FollowTheTombstonePolicy) {
    Route route = route_named("r");
    route.tombstone = OnTombstone::ignore;
    Mapping ignoring{route};
    ignoring.key("1");
    EXPECT_EQ(ignoring.lines(std::nullopt), Lines{});
    EXPECT_EQ(ignoring.last(), Mapped::rows);
    route.tombstone = OnTombstone::bad_record;
    Mapping refusing{route};
    refusing.key("1");
    EXPECT_EQ(refusing.error(std::nullopt).code, Code::tombstone);
}

TEST(Removals, MarkRowsAndBringThemBack) {
    Route route = route_named("r");
    route.tombstone = OnTombstone::soft;
    route.soft_delete_column = "gone";
    Mapping flag{route};
    flag.key("1");
    EXPECT_EQ(flag.lines(std::nullopt),
              (Lines{"items statement UPDATE `shop`.`items` SET `gone` = 1 WHERE `id` = 1"}));
    EXPECT_EQ(flag.shape().required_rows, 0U);
    EXPECT_EQ(flag.lines(R"({"id":1,"qty":2})"), (Lines{"items upsert (1,2,0)"}));
    EXPECT_EQ(flag.lines(R"({"id":1,"gone":1})"), (Lines{"items upsert (1,1)"}));
    route.soft_delete_column = "at";
    Mapping moment{route};
    moment.key("1");
    EXPECT_EQ(moment.lines(std::nullopt),
              (Lines{"items statement UPDATE `shop`.`items` SET `at` = COALESCE(`at`, "
                     "'2023-11-14 22:13:20.123') WHERE `id` = 1"}));
    EXPECT_EQ(moment.lines(R"({"id":1})"), (Lines{"items upsert (1,NULL)"}));
    route.soft_delete_column = "name";
    EXPECT_EQ(refusal(route),
              "route r cannot write to table shop.items: column \"name\" (varchar(20)) cannot mark "
              "a deleted row");
}

TEST(Removals, ComeOfRecordsThatSaySo) {
    Route route = route_named("r");
    route.delete_when = parse_filter("$.__deleted = 'true'");
    Mapping mapping{route};
    EXPECT_EQ(mapping.lines(R"({"id":1,"__deleted":"true"})"), (Lines{"items remove (1)"}));
    EXPECT_EQ(mapping.lines(R"({"id":1,"__deleted":true})"), (Lines{"items remove (1)"}));
    EXPECT_EQ(mapping.lines(R"({"id":1,"__deleted":"false"})"), (Lines{"items upsert (1)"}));
    route.if_newer = "ver";
    Mapping versioned{route};
    EXPECT_EQ(versioned.lines(R"({"id":1,"ver":5,"__deleted":true})"),
              (Lines{"items statement DELETE FROM `shop`.`items` WHERE `id` = 1 AND (`ver` IS NULL "
                     "OR `ver` < 5)"}));
    versioned.key("1");
    EXPECT_EQ(versioned.lines(std::nullopt), (Lines{"items remove (1)"}));
}

TEST(Removals, CanBeNamedBySources) {
    Route route = route_named("r");
    route.columns = {rule("id", "$.key.id | $key.id")};
    Mapping mapping{route};
    mapping.key(R"({"id":9,"other":1})");
    EXPECT_EQ(mapping.lines(std::nullopt), (Lines{"items remove (9)"}));
    EXPECT_EQ(mapping.lines(R"({"key":{"id":4}})"), (Lines{"items upsert (4)"}));
}

TEST(Removals, OfRecordsWithPlainKeys) {
    Route route = route_named("r");
    route.key_format = KeyFormat::int64;
    Mapping mapping{route};
    mapping.key(std::string_view{"\0\0\0\0\0\0\1\2", 8});
    EXPECT_EQ(mapping.lines(std::nullopt), (Lines{"items remove (258)"}));
    EXPECT_EQ(mapping.lines(R"({"id":3})"), (Lines{"items upsert (3)"}));
    mapping.key("short");
    EXPECT_EQ(mapping.lines(R"({"id":3})"), (Lines{"items upsert (3)"}));  // not looked at
    EXPECT_EQ(mapping.error(std::nullopt).code, Code::bad_key);
}

// --- change events ---

Route debezium_route(Mode mode = Mode::upsert) {
    Route route = route_named("r", mode);
    route.format = Format::debezium;
    return route;
}

TEST(ChangeEvents, AreRows) {
    Mapping mapping{debezium_route()};
    mapping.key(R"({"id":1})");
    EXPECT_EQ(mapping.lines(R"({"op":"c","before":null,"after":{"id":1,"qty":2},"source":{}})"),
              (Lines{"items upsert (1,2)"}));
    EXPECT_EQ(mapping.lines(R"({"op":"r","after":{"id":1,"qty":2},"source":{}})"),  // B85
              (Lines{"items upsert (1,2)"}));
    EXPECT_EQ(mapping.lines(R"({"op":"d","before":{"id":1,"qty":2},"after":null,"source":{}})"),
              (Lines{"items remove (1)"}));
    EXPECT_EQ(mapping.lines(R"({"op":"d","before":null,"after":null,"source":{}})"),
              (Lines{"items remove (1)"}));
    EXPECT_EQ(mapping.lines(std::nullopt), (Lines{"items remove (1)"}));
    EXPECT_EQ(mapping.lines(R"({"op":"t","before":null,"after":null,"source":{}})"),  // B85
              (Lines{"items statement DELETE FROM `shop`.`items`"}));
    EXPECT_EQ(mapping.lines(R"({"ts_ms":1})"), Lines{});  // B84
    EXPECT_EQ(mapping.last(), Mapped::no_event);
}

TEST(ChangeEvents, ThatChangeTheKeyMoveTheRow) {  // B53
    const char* const event =
        R"({"op":"u","before":{"id":1,"qty":2},"after":{"id":5,"qty":3},"source":{}})";
    Mapping upsert{debezium_route()};
    EXPECT_EQ(upsert.lines(event), (Lines{"items remove (1)", "items upsert (5,3)"}));
    EXPECT_EQ(upsert.lines(R"({"op":"u","before":{"id":5},"after":{"id":5,"qty":3},"source":{}})"),
              (Lines{"items upsert (5,3)"}));
    Mapping update{debezium_route(Mode::update)};
    EXPECT_EQ(
        update.lines(event),
        (Lines{"items statement UPDATE `shop`.`items` SET `id` = 5, `qty` = 3 WHERE `id` = 1"}));
    Mapping insert{debezium_route(Mode::insert)};
    EXPECT_EQ(insert.lines(event), (Lines{"items insert (5,3)"}));
}

TEST(ChangeEvents, LeaveAloneWhatTheSourceDidNotSend) {  // B79
    Mapping mapping{debezium_route()};
    EXPECT_EQ(
        mapping.lines(
            R"({"op":"u","after":{"id":1,"name":"__debezium_unavailable_value","qty":3},"source":{}})"),
        (Lines{"items upsert (1,3)"}));
}

TEST(ChangeEvents, AreReadThroughSources) {
    Route route = debezium_route();
    route.columns = {rule("name", "$value.op"),
                     rule("ver", "$value.source.pos"),
                     rule("total", "$before.total")};
    Mapping mapping{route};
    EXPECT_EQ(
        mapping.lines(
            R"({"op":"u","before":{"id":1,"total":9},"after":{"id":1,"qty":3},"source":{"pos":8}})"),
        (Lines{"items upsert (1,'u',3,9,8)"}));
}

// --- what came of reading the rules again ---

TEST(RouteSources, OfNestedFieldsLeaveTheirNeighboursToFlatten) {
    TableDefinition table = items_table();
    table.columns[2].name = "address_zip";
    Route route = route_named("r");
    route.flatten = "_";
    route.unknown_fields = UnknownFields::error;
    route.columns = {rule("name", "$.address.town")};
    Mapping mapping{route, table};
    EXPECT_EQ(mapping.lines(R"({"id":1,"address":{"town":"x","zip":9}})"),
              (Lines{"items upsert (1,'x',9)"}));
}

TEST(Routing, OffersATombstoneToOtherwiseTooWhereNobodyCanTell) {
    Route first = route_named("first");
    first.when = parse_filter("$.kind = 'a'");
    Route rest = route_named("rest");
    rest.is_otherwise = true;
    Mapping mapping{{{first, items_table("one")}, {rest, items_table("two")}}, {}};
    mapping.key("1");
    EXPECT_EQ(mapping.lines(std::nullopt), (Lines{"one remove (1)", "two remove (1)"}));
    first.when = parse_filter("$key = '1'");
    Mapping certain{{{first, items_table("one")}, {rest, items_table("two")}}, {}};
    certain.key("1");
    EXPECT_EQ(certain.lines(std::nullopt), (Lines{"one remove (1)"}));
}

TEST(Routing, RemovesFromTheLastRouteFirst) {
    Mapping mapping{
        {{route_named("parent"), items_table("one")}, {route_named("child"), items_table("two")}},
        {}};
    EXPECT_EQ(mapping.lines(R"({"id":1})"), (Lines{"one upsert (1)", "two upsert (1)"}));
    mapping.key("1");
    EXPECT_EQ(mapping.lines(std::nullopt), (Lines{"two remove (1)", "one remove (1)"}));
}

TEST(Routing, DecodesTheKeyOnlyForRoutesThatTakeTheRecord) {
    Route first = route_named("first");
    first.when = parse_filter("$.t = 'a'");
    first.key = KeySource::record;
    Route second = route_named("second");
    second.when = parse_filter("$.t = 'b'");
    Mapping mapping{{{first, items_table("one")}, {second, items_table("two")}}, {}};
    mapping.key("abc");
    EXPECT_EQ(mapping.lines(R"({"id":1,"t":"b"})"), (Lines{"two upsert (1)"}));
    EXPECT_EQ(mapping.error(R"({"t":"a"})").code, Code::not_json);
    Route ignoring = route_named("ignoring");
    ignoring.tombstone = OnTombstone::ignore;
    Mapping ignored{ignoring};
    ignored.key("abc");
    EXPECT_EQ(ignored.lines(std::nullopt), Lines{});
}

TEST(Removals, ByDeleteWhenHappenWhateverTombstonesDo) {
    Route route = route_named("r");
    route.delete_when = parse_filter("$.dead");
    route.tombstone = OnTombstone::ignore;
    Mapping mapping{route};
    EXPECT_EQ(mapping.lines(R"({"id":1,"dead":1})"), (Lines{"items remove (1)"}));
    route.tombstone = OnTombstone::bad_record;
    Mapping strict{route};
    EXPECT_EQ(strict.lines(R"({"id":1,"dead":1})"), (Lines{"items remove (1)"}));
}

TEST(Removals, BringMarkedRowsBackWhateverTheConflictRule) {
    Route route = route_named("r");
    route.on_conflict = OnConflict::keep;
    route.tombstone = OnTombstone::soft;
    route.soft_delete_column = "gone";
    Mapping mapping{route};
    ASSERT_EQ(mapping.lines(R"({"id":1})"), (Lines{"items upsert (1,0)"}));
    EXPECT_EQ(mapping.shape().conflict->by_column[5], OnConflict::replace);
}

TEST(Elements, DoNotReplaceChildrenThatRulesWouldKeep) {
    Route route = lines_route();
    route.replace_children = {"order_id"};
    route.columns.push_back(conflict("sku", OnConflict::keep));
    EXPECT_NE(refusal(route, lines_table()), "none");
    route.columns.pop_back();
    EXPECT_EQ(refusal(route, lines_table()), "none");
    route.tombstone = OnTombstone::soft;
    route.soft_delete_column = "sku";
    EXPECT_NE(refusal(route, lines_table()), "none");
}

TEST(SqlMode, TakesBytesAndRefusesWhatTheServerWouldRound) {
    Route route = route_named("r", Mode::sql);
    route.sql = "UPDATE t SET a = :a, k = :k";
    route.parameters = {{"k", parse_source("$header.h")}};
    Mapping mapping{route, {}};
    const RecordHeader header[] = {{"h", "\xff\x01"}};
    mapping.headers(header);
    EXPECT_EQ(mapping.lines(R"({"a":0.5})"),
              (Lines{"- statement UPDATE t SET a = 0.5, k = x'ff01'"}));
    EXPECT_EQ(mapping.error(R"({"a":0.00000000000000000000000000000012})").code,
              Code::out_of_range);
}

TEST(ChangeEvents, TombstonesNameTheirRowByTheNamesOfTheKey) {
    Route route = debezium_route();
    route.columns = {rule("id", "$.number")};
    Mapping renamed{route};
    renamed.key(R"({"number":4})");
    EXPECT_EQ(renamed.lines(R"({"op":"d","before":{"number":4},"after":null,"source":{}})"),
              (Lines{"items remove (4)"}));
    EXPECT_EQ(renamed.lines(std::nullopt), (Lines{"items remove (4)"}));

    Route children = lines_route();
    children.format = Format::debezium;
    children.replace_children = {"order_id"};
    children.columns[0] = rule("order_id", "$.id");
    Mapping parent{children, lines_table()};
    parent.key(R"({"id":4})");
    EXPECT_EQ(parent.lines(std::nullopt),
              (Lines{"lines statement DELETE FROM `shop`.`lines` WHERE `order_id` = 4"}));

    Route sql = debezium_route(Mode::sql);
    sql.sql = "DELETE FROM t WHERE id = :id";
    Mapping statements{sql, {}};
    statements.key(R"({"id":4})");
    EXPECT_EQ(statements.lines(R"({"op":"d","before":{"id":4},"after":null,"source":{}})"),
              (Lines{"- statement DELETE FROM t WHERE id = 4"}));
    EXPECT_EQ(statements.lines(std::nullopt), Lines{});
}

TEST(ChangeEvents, ThatLeaveTheRoutesConditionRemoveTheRow) {
    Route route = debezium_route();
    route.when = parse_filter("$.name = 'eu'");
    Mapping mapping{{{route, items_table()}}, {"c", OnUnrouted::ignore}};
    const auto event = [](const char* before, const char* after) {
        return std::string{R"({"op":"u","before":{"id":1,"name":")"} + before +
               R"("},"after":{"id":1,"name":")" + after + R"("},"source":{}})";
    };
    EXPECT_EQ(mapping.lines(event("eu", "us")), (Lines{"items remove (1)"}));
    EXPECT_EQ(mapping.lines(event("us", "eu")), (Lines{"items upsert (1,'eu')"}));
    EXPECT_EQ(mapping.lines(event("us", "us")), Lines{});
    EXPECT_EQ(mapping.lines(R"({"op":"t","before":null,"after":null,"source":{}})"),
              (Lines{"items statement DELETE FROM `shop`.`items`"}));
}

TEST(ChangeEvents, KeepWhatOutlivesAChangeOfTheKey) {
    const char* const event =
        R"({"op":"u","before":{"id":1},"after":{"id":2,"name":"__debezium_unavailable_value"},"source":{}})";
    Mapping unsent{debezium_route()};
    EXPECT_EQ(unsent.lines(event),
              (Lines{"items statement UPDATE `shop`.`items` SET `id` = 2 WHERE `id` = 1",
                     "items upsert (2)"}));
    Route versioned = debezium_route();
    versioned.if_newer = "ver";
    Mapping newer{versioned};
    EXPECT_EQ(
        newer.lines(R"({"op":"u","before":{"id":1},"after":{"id":2,"ver":7},"source":{}})"),
        (Lines{
            "items statement UPDATE `shop`.`items` SET `id` = 2 WHERE `id` = 1 AND (`ver` IS NULL "
            "OR `ver` < 7)",
            "items upsert (2,7)"}));
    Route ignoring = debezium_route();
    ignoring.tombstone = OnTombstone::ignore;
    Mapping kept{ignoring};
    EXPECT_EQ(kept.lines(event), (Lines{"items upsert (2)"}));
}

TEST(ChangeEvents, UpdateARowWhoseRequiredColumnsWereNotSent) {
    TableDefinition table = items_table();
    table.columns[1] = required(table.columns[1]);
    Mapping mapping{debezium_route(), table};
    EXPECT_EQ(
        mapping.lines(
            R"({"op":"u","after":{"id":1,"name":"__debezium_unavailable_value","qty":3},"source":{}})"),
        (Lines{"items statement UPDATE `shop`.`items` SET `qty` = 3 WHERE `id` = 1"}));
    EXPECT_EQ(mapping.shape().required_rows, 1U);
    EXPECT_FALSE(mapping.shape().may_miss);
}

TEST(ChangeEvents, LeaveTheChildrenOfAnArrayThatWasNotSent) {
    Route route = lines_route();
    route.format = Format::debezium;
    route.replace_children = {"order_id"};
    Mapping mapping{route, lines_table()};
    EXPECT_EQ(
        mapping.lines(
            R"({"op":"u","after":{"id":1,"items":["__debezium_unavailable_value"]},"source":{}})"),
        Lines{});
}

TEST(ChangeEvents, WithoutSchemaMeanWhatTheirColumnsSay) {
    TableDefinition table = items_table();
    table.columns[2] = named(make_column(ColumnType::bit, "bit(12)"), "flags");
    table.columns[2].precision = 12;
    table.columns[3] = named(make_column(ColumnType::geometry, "point"), "place");
    Mapping mapping{debezium_route(), table};
    EXPECT_EQ(
        mapping.lines(
            R"({"op":"c","after":{"id":1,"doc":"{\"k\": [1, null]}","flags":"AQI="},"source":{}})"),
        (Lines{"items upsert (1,513,'{\"k\": [1, null]}')"}));
    EXPECT_EQ(
        mapping
            .lines(
                R"({"op":"c","after":{"id":1,"place":{"wkb":"AQEAAAAAAAAAAABZQAAAAAAAACRA","srid":0}},"source":{}})")
            .size(),
        1U);
    EXPECT_EQ(mapping.error(R"({"op":"c","after":{"id":1,"doc":"{"},"source":{}})").field, "doc");
    Mapping plain{route_named("r")};
    EXPECT_EQ(plain.lines(R"({"id":1,"doc":"{}"})"), (Lines{"items upsert (1,'\"{}\"')"}));
}

TEST(RouteRules, AreRefusedForColumnsThatHaveNoUseForThem) {
    Route route = route_named("r");
    route.columns.resize(1);
    route.columns[0].column = "name";
    route.columns[0].unit = TimeUnit::milliseconds;
    EXPECT_EQ(refusal(route),
              "route r cannot write to table shop.items: column \"name\" (varchar(20)) has no "
              "use for unit");
    route.columns[0].unit.reset();
    route.columns[0].binary = BinaryEncoding::hex;
    EXPECT_NE(refusal(route), "none");
    route.columns[0].binary.reset();
    route.columns[0].excess_fraction = OnExcessFraction::round;
    EXPECT_NE(refusal(route), "none");
    route.columns[0].column = "at";
    EXPECT_EQ(refusal(route), "none");
}

TEST(ChangeEvents, ChangeBetweenARouteAndOtherwise) {
    Route open = debezium_route();
    open.name = "open";
    open.when = parse_filter("$.name = 'open'");
    Route rest = debezium_route();
    rest.name = "rest";
    rest.is_otherwise = true;
    Mapping mapping{{{open, items_table("one")}, {rest, items_table("two")}}, {}};
    const auto event = [](const char* before, const char* after) {
        return std::string{R"({"op":"u","before":{"id":1,"name":")"} + before +
               R"("},"after":{"id":1,"name":")" + after + R"("},"source":{}})";
    };
    EXPECT_EQ(mapping.lines(event("open", "shut")),
              (Lines{"one remove (1)", "two upsert (1,'shut')"}));
    EXPECT_EQ(mapping.lines(event("shut", "open")),
              (Lines{"one upsert (1,'open')", "two remove (1)"}));
    EXPECT_EQ(mapping.lines(event("open", "open")), (Lines{"one upsert (1,'open')"}));
    EXPECT_EQ(mapping.lines(event("shut", "gone")), (Lines{"two upsert (1,'gone')"}));
}

TEST(ChangeEvents, AreFilteredByTheStateBeforeWhereAValueWasNotSent) {
    Route route = debezium_route();
    route.when = parse_filter("$.name = 'keep'");
    Mapping mapping{{{route, items_table()}}, {"c", OnUnrouted::ignore}};
    EXPECT_EQ(
        mapping.lines(
            R"({"op":"u","before":{"id":1,"name":"keep"},"after":{"id":1,"name":"__debezium_unavailable_value","qty":2},"source":{}})"),
        (Lines{"items upsert (1,2)"}));
}

TEST(ChangeEvents, MarkTheRowOfAnOldKey) {
    Route route = debezium_route();
    route.tombstone = OnTombstone::soft;
    route.soft_delete_column = "gone";
    Mapping mapping{route};
    EXPECT_EQ(mapping.lines(R"({"op":"u","before":{"id":4},"after":{"id":3},"source":{}})"),
              (Lines{"items statement UPDATE `shop`.`items` SET `gone` = 1 WHERE `id` = 4",
                     "items upsert (3,0)"}));
}

TEST(RecordKeys, ThatAreNotJsonAreNamedByWhatTheyMayBe) {
    Route route = route_named("r");
    route.key = KeySource::record;
    Mapping mapping{route};
    mapping.key(std::string_view{"\0\0\0\0\0\0\0\x2a", 8});
    EXPECT_NE(mapping.error("{}").message.find("; a number of 8 bytes is key-format = int64"),
              std::string::npos);
    mapping.key(std::string_view{"\0\0\0\x2a", 4});
    EXPECT_NE(mapping.error("{}").message.find("; a number of 4 bytes is key-format = int32"),
              std::string::npos);
}

TEST(RawValues, GoWhereTheRouteSays) {
    Route route = route_named("r", Mode::insert);
    route.format = Format::raw;
    route.columns = {rule("id", "$offset"), rule("name", "$")};
    Mapping mapping{route};
    EXPECT_EQ(mapping.lines("{not json"), (Lines{"items insert (17,'{not json')"}));
    EXPECT_EQ(mapping.error("\xff").field, "name");
}

}  // namespace
}  // namespace txsink::mapping
