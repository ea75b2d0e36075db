/// @file
/// What a route asks of its table, checked once: a table that could never be written is refused.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "txsink/mapping/route.hpp"
#include "txsink/mapping/row_buffer.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

class RowValues;

/// NOT NULL, and nothing fills it when it is left out.
[[nodiscard]] bool is_required(const ColumnDefinition& column) noexcept;
/// Whether rows can be found again by the literal of a value in this column.
[[nodiscard]] bool can_identify(const ColumnDefinition& column) noexcept;

/// DATETIME or TIMESTAMP.
[[nodiscard]] bool is_moment(const ColumnDefinition& column) noexcept;

// All of them throw SinkError configuration.

/// `route R cannot write to table D.T: WHY`.
[[noreturn]] void refuse_table(const Route& route,
                               const TableDefinition& table,
                               const std::string& why,
                               const std::string& hint);

/// The primary key that the mode needs; columns that no record could fill.
void check_route(const Route& route, const TableDefinition& table);
/// The rules for columns of rows that exist: key columns and types fit them.
[[nodiscard]] ConflictRules conflict_rules(const Route& route, const TableDefinition& table);
/// The columns of replace-children, each with a source that is the parent's.
[[nodiscard]] std::vector<std::size_t> parent_columns(const Route& route,
                                                      const TableDefinition& table,
                                                      const RowValues& values);
/// The column that a soft delete marks.
[[nodiscard]] std::size_t soft_column(const Route& route, const TableDefinition& table);

}  // namespace txsink::mapping
