/// @file
/// What stands before and behind the tuples of a multi-row statement.
#pragma once

#include <string>

#include "txsink/batch/write_plan.hpp"
#include "txsink/mapping/row_buffer.hpp"

namespace txsink::batch {

/// Whether the rows are removed by keys of several columns: their tuples become conditions.
[[nodiscard]] bool is_composite_remove(const mapping::RowShape& shape);

/// `INSERT INTO ... VALUES `, `DELETE ... WHERE `. Precondition: the shape is of no statement.
void append_head(std::string& sql, const mapping::RowShape& shape);

/// The end of the list, or what an upsert does to a row that exists.
void append_tail(std::string& sql, const mapping::RowShape& shape, Dialect dialect);

}  // namespace txsink::batch
