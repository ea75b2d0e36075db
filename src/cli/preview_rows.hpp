/// @file
/// Row changes as people read them: `id = 1, name = 'a'`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "txsink/mapping/row_buffer.hpp"

namespace txsink::cli {

/// One row change of a record, for people.
struct ShownChange {
    std::string route;
    /// database.table; empty: the statement says.
    std::string table;
    /// insert, upsert, delete, statement.
    std::string act;
    /// Columns and their SQL literals; empty for a statement.
    std::vector<std::pair<std::string, std::string>> values;
    std::string statement;

    /// On one line.
    [[nodiscard]] std::string text() const;
};

/// `(literal,literal,...)` taken apart.
[[nodiscard]] std::vector<std::string> split_tuple(std::string_view tuple);

/// `text` is RowBuffer::text().
[[nodiscard]] ShownChange show_change(const mapping::RowChange& change, std::string_view text);

}  // namespace txsink::cli
