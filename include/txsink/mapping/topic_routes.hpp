/// @file
/// Which of the configured routes a topic has.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "txsink/mapping/record_mapper.hpp"
#include "txsink/mapping/route.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

using TableLoader = std::function<TableDefinition(const TableName&)>;

/// The routes that take `topic`, in their order, each with its table; mode = sql has none. Empty:
/// no route takes the topic. Errors: those of `load_table`.
[[nodiscard]] std::vector<BoundRoute> bind_routes(std::span<const Route> routes,
                                                  std::string_view topic,
                                                  const TableLoader& load_table);

/// Whether a regular expression may have found the topic by itself: once the connector has offset
/// rows, such a topic is new, and is read from its beginning.
[[nodiscard]] bool is_found_by_pattern(std::span<const Route> routes, std::string_view topic);

}  // namespace txsink::mapping
