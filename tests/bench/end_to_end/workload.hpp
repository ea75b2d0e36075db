/// @file
/// The workloads: which records, into which table, by which route.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "records.hpp"

namespace txsink::bench {

/// Options of txsink: name and value.
using SinkOptions = std::vector<std::pair<std::string, std::string>>;

/// What stands in the table before a run.
enum class Filling : std::uint8_t {
    none,
    same_keys,  ///< a row for each key that will come, with another amount
    customers,  ///< the customers' rows, with the amount 0
};

/// What the table holds afterwards.
enum class Outcome : std::uint8_t { last_states, sums };

struct Workload {
    std::string_view name;
    std::string_view what;
    RecordPlan records;
    /// Of the records asked for, this share: heavier ones are fewer.
    double share = 1;
    /// The columns and the key, as CREATE TABLE takes them in parentheses.
    std::string columns;
    Filling filling = Filling::none;
    Outcome outcome = Outcome::last_states;
    /// The route, but for its topic and table.
    SinkOptions route;
};

/// All, in the order of the report.
[[nodiscard]] std::span<const Workload> workloads();
/// nullptr: there is none of that name.
[[nodiscard]] const Workload* find_workload(std::string_view name);

/// The table's name in the benchmark's database.
inline constexpr std::string_view kTable = "bench";

}  // namespace txsink::bench
