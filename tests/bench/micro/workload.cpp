#include "workload.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "unit/columns.hpp"

namespace txsink::bench {

namespace {

using mapping::ColumnDefinition;
using mapping::ColumnType;
using mapping::TableDefinition;
using namespace mapping::testing;

constexpr std::array<std::string_view, 4> kStatus{"new", "paid", "shipped", "returned"};

/// Columns of one order; `suffix` tells those of a wide table apart.
std::vector<ColumnDefinition> order_columns(const std::string& suffix = {}) {
    return {
        named(integer_column(ColumnType::integer, "int"), "customer" + suffix),
        named(varchar_column(80), "email" + suffix),
        named(decimal_column(12, 2), "amount" + suffix),
        named(varchar_column(12), "status" + suffix),
        named(temporal_column(ColumnType::datetime, "datetime(3)", 3), "created_at" + suffix),
        named(varchar_column(200), "note" + suffix),
        named(integer_column(ColumnType::tinyint, "tinyint(1)"), "paid" + suffix),
    };
}

TableDefinition table_of(std::string name, std::vector<ColumnDefinition> columns) {
    TableDefinition table;
    table.name = {"shop", std::move(name)};
    table.columns = std::move(columns);
    table.columns.insert(table.columns.begin(),
                         required(named(integer_column(ColumnType::bigint, "bigint"), "id")));
    table.primary_key = {0};
    table.is_independent = true;
    return table;
}

std::string digits(std::uint64_t number, std::size_t width) {
    std::string text = std::to_string(number);
    return std::string(width > text.size() ? width - text.size() : 0, '0') + text;
}

/// Numbers that look like nothing, and are the same in each run.
class Dice {
public:
    std::uint64_t below(std::uint64_t limit) {
        state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        return (state_ >> 33U) % limit;
    }

private:
    std::uint64_t state_ = 4;
};

std::string moment(Dice& dice) {
    return "2026-" + digits(1 + dice.below(12), 2) + '-' + digits(1 + dice.below(28), 2) + 'T' +
           digits(dice.below(24), 2) + ':' + digits(dice.below(60), 2) + ':' +
           digits(dice.below(60), 2) + '.' + digits(dice.below(1'000), 3) + 'Z';
}

/// The members of order_columns(), each after a comma.
std::string order_members(Dice& dice, const std::string& suffix, const std::string& created_at) {
    const auto name = [&](const char* field) { return ",\"" + (field + suffix) + "\":"; };
    return name("customer") + std::to_string(dice.below(100'000)) +  //
           name("email") + "\"customer" + std::to_string(dice.below(100'000)) + "@example.com\"" +
           name("amount") + '"' + std::to_string(dice.below(10'000)) + '.' +
           digits(dice.below(100), 2) + '"' +  //
           name("status") + '"' + std::string{kStatus[dice.below(kStatus.size())]} + '"' +
           name("created_at") + created_at +  //
           name("note") + "\"line one\\nna\\u00efve caf\xC3\xA9 " + std::to_string(dice.below(10)) +
           '"' +  //
           name("paid") + (dice.below(2) == 0 ? "true" : "false");
}

std::string quoted(const std::string& text) {
    return '"' + text + '"';
}

Workload workload(TableDefinition table, std::string (*make)(std::uint64_t id, Dice& dice)) {
    Workload workload;
    workload.table = std::move(table);
    Dice dice;
    for (std::size_t i = 0; i < kRecords; ++i) {
        workload.texts.push_back(make(1'000'000'000'000 + i, dice));
        workload.bytes += workload.texts.back().size();
    }
    return workload;
}

std::string order(std::uint64_t id, Dice& dice) {
    return "{\"id\":" + std::to_string(id) + order_members(dice, {}, quoted(moment(dice))) + '}';
}

std::string wide_record(std::uint64_t id, Dice& dice) {
    std::string text = "{\"id\":" + std::to_string(id);
    for (int group = 0; group < 14; ++group) {
        text += order_members(dice, '_' + std::to_string(group), quoted(moment(dice)));
    }
    return text + ",\"last\":" + std::to_string(dice.below(100)) + '}';
}

std::string event(std::uint64_t id, Dice& dice) {
    const std::string at = std::to_string(1'785'000'000'000 + dice.below(10'000'000'000));
    return "{\"before\":null,\"after\":{\"id\":" + std::to_string(id) +
           order_members(dice, {}, at) +
           "},\"source\":{\"version\":\"3.1.0.Final\",\"connector\":\"mysql\",\"name\":\"shop\","
           "\"ts_ms\":" +
           at + ",\"snapshot\":\"false\",\"db\":\"shop\",\"table\":\"orders\",\"server_id\":1," +
           "\"gtid\":null,\"file\":\"binlog.000007\",\"pos\":" + std::to_string(id % 100'000'000) +
           ",\"row\":0,\"thread\":12,\"query\":null},\"transaction\":null,\"op\":\"c\","
           "\"ts_ms\":" +
           at + '}';
}

std::string schema_field(const char* type, const char* name, const char* meaning = nullptr) {
    return std::string{"{\"type\":\""} + type + "\",\"optional\":true," +
           (meaning == nullptr ? "" : std::string{"\"name\":\""} + meaning + "\",\"version\":1,") +
           "\"field\":\"" + name + "\"}";
}

std::string schema_struct(const char* name, const std::string& fields) {
    return std::string{"{\"type\":\"struct\",\"fields\":["} + fields +
           "],\"optional\":true,\"field\":\"" + name + "\"}";
}

std::string event_schema() {
    const std::string row =
        schema_field("int64", "id") + ',' + schema_field("int32", "customer") + ',' +
        schema_field("string", "email") + ',' + schema_field("string", "amount") + ',' +
        schema_field("string", "status") + ',' +
        schema_field("int64", "created_at", "io.debezium.time.Timestamp") + ',' +
        schema_field("string", "note") + ',' + schema_field("boolean", "paid");
    std::string source;
    for (const auto& [type, name] : {std::pair{"string", "version"},
                                     {"string", "connector"},
                                     {"string", "name"},
                                     {"int64", "ts_ms"},
                                     {"string", "snapshot"},
                                     {"string", "db"},
                                     {"string", "table"},
                                     {"int64", "server_id"},
                                     {"string", "gtid"},
                                     {"string", "file"},
                                     {"int64", "pos"},
                                     {"int32", "row"},
                                     {"int64", "thread"},
                                     {"string", "query"}}) {
        source += (source.empty() ? "" : ",") + schema_field(type, name);
    }
    return "{\"type\":\"struct\",\"fields\":[" + schema_struct("before", row) + ',' +
           schema_struct("after", row) + ',' + schema_struct("source", source) + ',' +
           schema_struct("transaction", schema_field("string", "id")) + ',' +
           schema_field("string", "op") + ',' + schema_field("int64", "ts_ms") +
           "],\"optional\":false,\"name\":\"shop.orders.Envelope\"}";
}

std::string event_with_schema(std::uint64_t id, Dice& dice) {
    static const std::string schema = event_schema();
    return "{\"schema\":" + schema + ",\"payload\":" + event(id, dice) + '}';
}

TableDefinition wide_table() {
    std::vector<ColumnDefinition> columns;
    for (int group = 0; group < 14; ++group) {
        for (ColumnDefinition& column : order_columns('_' + std::to_string(group))) {
            columns.push_back(std::move(column));
        }
    }
    columns.push_back(named(integer_column(ColumnType::integer, "int"), "last"));
    return table_of("wide", std::move(columns));
}

}  // namespace

const Workload& orders() {
    static const Workload made = workload(table_of("orders", order_columns()), order);
    return made;
}

const Workload& wide() {
    static const Workload made = workload(wide_table(), wide_record);
    return made;
}

const Workload& events() {
    static const Workload made = workload(table_of("orders", order_columns()), event);
    return made;
}

const Workload& events_with_schema() {
    static const Workload made = workload(table_of("orders", order_columns()), event_with_schema);
    return made;
}

ConsumerRecord record_of(std::string_view text, std::size_t offset) {
    ConsumerRecord record;
    record.topic = "orders";
    record.offset = Offset{static_cast<std::int64_t>(offset)};
    record.value = text;
    return record;
}

}  // namespace txsink::bench
