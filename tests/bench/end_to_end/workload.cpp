#include "workload.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace txsink::bench {
namespace {

constexpr const char* kOrder =
    "id BIGINT NOT NULL, customer INT NOT NULL, email VARCHAR(80) NOT NULL, "
    "amount DECIMAL(12,2) NOT NULL, status VARCHAR(12) NOT NULL, created_at DATETIME(3) NOT NULL, "
    "note VARCHAR(200) NOT NULL, paid BOOLEAN NOT NULL, PRIMARY KEY (id)";
constexpr const char* kTotal =
    "customer INT NOT NULL, amount DECIMAL(16,2) NOT NULL, PRIMARY KEY (customer)";

/// As RecordMaker's: id, amount, n2, t3, n4, ...
std::string hundred_columns() {
    std::string columns = "id BIGINT NOT NULL, amount DECIMAL(12,2) NOT NULL";
    for (int column = 2; column < 100; ++column) {
        columns += column % 2 == 0 ? fmt::format(", n{} INT NOT NULL", column)
                                   : fmt::format(", t{} VARCHAR(20) NOT NULL", column);
    }
    return columns + ", PRIMARY KEY (id)";
}

std::vector<Workload> make_workloads() {
    const RecordPlan orders;
    const RecordPlan by_customer{RecordForm::order, KeyOrder::customers, 0};
    const SinkOptions upsert{{"mode", "upsert"}};
    return {
        {"insert", "new rows", orders, 1, kOrder, {}, {}, {{"mode", "insert"}}},
        {"upsert", "new keys", orders, 1, kOrder, {}, {}, upsert},
        {"upsert-existing",
         "every key has a row",
         orders,
         1,
         kOrder,
         Filling::same_keys,
         {},
         upsert},
        {"hot-keys",
         "a tenth as many keys, by Zipf's law",
         {RecordForm::order, KeyOrder::hot, 0},
         1,
         kOrder,
         {},
         {},
         upsert},
        {"deletes",
         "one record in ten is a tombstone",
         {RecordForm::order, KeyOrder::each_once, 10},
         1,
         kOrder,
         {},
         {},
         upsert},
        {"wide",
         "100 columns",
         {RecordForm::wide, KeyOrder::each_once, 0},
         0.1,
         hundred_columns(),
         {},
         {},
         upsert},
        {"debezium",
         "change events without schema",
         {RecordForm::change_event, KeyOrder::each_once, 0},
         1,
         kOrder,
         {},
         {},
         {{"mode", "upsert"}, {"format", "debezium"}}},
        {"add",
         "amounts are added to 10,000 counters",
         by_customer,
         1,
         kTotal,
         {},
         Outcome::sums,
         {{"mode", "upsert"}, {"column.amount.on-conflict", "add"}}},
        {"sql",
         "one UPDATE a record, on 10,000 rows",
         by_customer,
         0.1,
         kTotal,
         Filling::customers,
         Outcome::sums,
         {{"mode", "sql"},
          {"sql", "UPDATE bench SET amount = amount + :amount WHERE customer = :customer"}}},
    };
}

const std::vector<Workload>& all() {
    static const auto made = make_workloads();
    return made;
}

}  // namespace

std::span<const Workload> workloads() {
    return all();
}

const Workload* find_workload(std::string_view name) {
    const auto found = std::find_if(
        all().begin(), all().end(), [&](const auto& each) { return each.name == name; });
    return found == all().end() ? nullptr : &*found;
}

}  // namespace txsink::bench
