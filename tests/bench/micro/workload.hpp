/// @file
/// The records that the micro-benchmarks read, and the tables that they go to.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/core/consumer_record.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::bench {

/// Enough that no branch predictor learns them by heart, and few enough for the caches.
inline constexpr std::size_t kRecords = 1'000;

/// Texts of one kind and the table of their rows. The names of all are for --benchmark_filter.
struct Workload {
    mapping::TableDefinition table;
    std::vector<std::string> texts;
    std::size_t bytes = 0;
};

/// Eight fields of about 212 bytes: a decimal, a timestamp, an escape, letters beyond ASCII.
[[nodiscard]] const Workload& orders();
/// A hundred fields of the same kinds.
[[nodiscard]] const Workload& wide();
/// Debezium's change events of the orders, without their schema part and with it.
[[nodiscard]] const Workload& events();
[[nodiscard]] const Workload& events_with_schema();

/// A record without a key.
[[nodiscard]] ConsumerRecord record_of(std::string_view text, std::size_t offset);

}  // namespace txsink::bench
