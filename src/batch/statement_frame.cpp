#include "batch/statement_frame.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string_view>

#include "txsink/core/ascii.hpp"
#include "txsink/mapping/route.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::batch {

namespace {

using mapping::append_identifier;
using mapping::ChangeKind;
using mapping::OnConflict;
using mapping::RowShape;
using mapping::TableDefinition;

/// What the incoming row is called where the server wants a name (Dialect::row_alias).
constexpr std::string_view kAlias = "txsink_new";
constexpr std::string_view kOtherAlias = "txsink_row";

/// An alias with the table's own name would be error 1066.
std::string_view alias_for(const TableDefinition& table) {
    return equals_without_case(table.name.table, kAlias) ? kOtherAlias : kAlias;
}

void append_table(std::string& sql, const TableDefinition& table) {
    append_identifier(sql, table.name.database);
    sql += '.';
    append_identifier(sql, table.name.table);
}

void append_columns(std::string& sql, const RowShape& shape) {
    std::string_view separator = "(";
    for (const auto column : shape.columns) {
        sql += separator;
        append_identifier(sql, shape.table->columns[column].name);
        separator = ",";
    }
    sql += shape.columns.empty() ? "()" : ")";
}

/// The column's value in the row that is there.
void append_stored(std::string& sql, const TableDefinition& table, std::size_t column) {
    append_table(sql, table);
    sql += '.';
    append_identifier(sql, table.columns[column].name);
}

/// The column's value in the row that comes in.
void append_incoming(std::string& sql,
                     const TableDefinition& table,
                     std::size_t column,
                     Dialect dialect) {
    if (dialect == Dialect::row_alias) {
        sql += alias_for(table);
        sql += '.';
        append_identifier(sql, table.columns[column].name);
    } else {
        sql += "VALUES(";
        append_identifier(sql, table.columns[column].name);
        sql += ')';
    }
}

/// `k` = IF(IF(stored keys = incoming keys, 1, <error>), stored k, NULL)
///
/// ON DUPLICATE KEY UPDATE fires on any unique key. This first assignment leaves the row that has
/// the same primary key as it is, and fails for another row, before anything has changed.
/// The error is a scalar subquery with two rows: both servers run it only when it is reached.
/// A plain NULL would not do: for an AUTO_INCREMENT key both servers store 0 instead of failing.
/// The outer IF, so that the assigned value has the key's own type, converted to nothing else.
void append_guard(std::string& sql, const TableDefinition& table, Dialect dialect) {
    const std::size_t first = table.primary_key.front();
    append_identifier(sql, table.columns[first].name);
    sql += " = IF(IF(";
    std::string_view separator;
    for (const auto column : table.primary_key) {
        sql += separator;
        append_stored(sql, table, column);
        sql += " = ";
        append_incoming(sql, table, column, dialect);
        separator = " AND ";
    }
    sql += ", 1, (SELECT 1 UNION ALL SELECT 2)), ";
    append_stored(sql, table, first);
    sql += ", NULL)";
}

bool is_key(const TableDefinition& table, std::size_t column) {
    return std::find(table.primary_key.begin(), table.primary_key.end(), column) !=
           table.primary_key.end();
}

/// Whether the incoming row is newer than the one that is there: greater in `column`, where the
/// stored one is not NULL.
void append_is_newer(std::string& sql, const RowShape& shape, std::size_t column, Dialect dialect) {
    append_stored(sql, *shape.table, column);
    sql += " IS NULL";
    if (std::find(shape.columns.begin(), shape.columns.end(), column) != shape.columns.end()) {
        sql += " OR ";
        append_stored(sql, *shape.table, column);
        sql += " < ";
        append_incoming(sql, *shape.table, column, dialect);
    }
}

/// What the column of the row that is there becomes. A NULL counts as nothing in a sum, and loses
/// against any value.
void append_merged(std::string& sql,
                   const TableDefinition& table,
                   std::size_t column,
                   OnConflict rule,
                   Dialect dialect) {
    const auto stored = [&](std::string_view before) {
        sql += before;
        append_stored(sql, table, column);
    };
    const auto incoming = [&](std::string_view before) {
        sql += before;
        append_incoming(sql, table, column, dialect);
    };
    switch (rule) {
        case OnConflict::replace:
            incoming("");
            break;
        case OnConflict::keep:
            stored("");
            break;
        case OnConflict::add:
            stored("COALESCE(");
            incoming(" + ");
            stored(", ");
            incoming(", ");
            sql += ')';
            break;
        case OnConflict::max:
        case OnConflict::min:
            stored("IF(");
            stored(" IS NULL OR ");
            incoming(rule == OnConflict::max ? " < " : " > ");
            incoming(", ");
            stored(", ");
            sql += ')';
            break;
    }
}

/// Calls `visit(column)` for each column that a conflict changes, in the order of their
/// assignment: the one that decides about the others comes last, as an assignment sees those
/// before it.
template <typename Visit>
void for_each_assigned(const RowShape& shape, Visit visit) {
    const auto* rules = shape.conflict;
    bool has_newer = false;
    for (const auto column : shape.columns) {
        const bool is_kept = rules != nullptr && rules->by_column[column] == OnConflict::keep;
        const bool is_newer = rules != nullptr && rules->newer == column;
        has_newer = has_newer || is_newer;
        if (!is_key(*shape.table, column) && !is_newer && !is_kept) {
            visit(column);
        }
    }
    if (has_newer && !is_key(*shape.table, *rules->newer)) {
        visit(*rules->newer);
    }
}

void append_assignment(std::string& sql,
                       const RowShape& shape,
                       std::size_t column,
                       Dialect dialect) {
    const TableDefinition& table = *shape.table;
    const auto* rules = shape.conflict;
    append_identifier(sql, table.columns[column].name);
    sql += " = ";
    const bool is_conditional = rules != nullptr && rules->newer.has_value();
    if (is_conditional) {
        sql += "IF(";
        append_is_newer(sql, shape, *rules->newer, dialect);
        sql += ", ";
    }
    const bool is_ruled = rules != nullptr && rules->newer != column;
    append_merged(
        sql, table, column, is_ruled ? rules->by_column[column] : OnConflict::replace, dialect);
    if (is_conditional) {
        sql += ", ";
        append_stored(sql, table, column);
        sql += ')';
    }
}

void append_update_list(std::string& sql, const RowShape& shape, Dialect dialect) {
    const TableDefinition& table = *shape.table;
    assert(!table.primary_key.empty());
    std::string_view separator;
    if (!table.unique_keys.empty()) {
        append_guard(sql, table, dialect);
        separator = ", ";
    }
    for_each_assigned(shape, [&](std::size_t column) {
        sql += separator;
        append_assignment(sql, shape, column, dialect);
        separator = ", ";
    });
    if (separator.empty()) {
        // Nothing to change: the row is to exist, and stays as it is.
        const std::size_t first = table.primary_key.front();
        append_identifier(sql, table.columns[first].name);
        sql += " = ";
        append_stored(sql, table, first);
    }
}

}  // namespace

bool is_composite_remove(const RowShape& shape) {
    return shape.kind == ChangeKind::remove && shape.columns.size() > 1;
}

void append_head(std::string& sql, const RowShape& shape) {
    sql += shape.kind == ChangeKind::remove ? "DELETE FROM " : "INSERT INTO ";
    append_table(sql, *shape.table);
    if (shape.kind == ChangeKind::remove) {
        sql += " WHERE ";
        if (!is_composite_remove(shape)) {
            append_columns(sql, shape);
            sql += " IN (";
        }
    } else {
        sql += ' ';
        append_columns(sql, shape);
        sql += " VALUES ";
    }
}

void append_tail(std::string& sql, const RowShape& shape, Dialect dialect) {
    switch (shape.kind) {
        case ChangeKind::remove:
            sql += is_composite_remove(shape) ? "" : ")";
            break;
        case ChangeKind::upsert:
            if (dialect == Dialect::row_alias) {
                sql += " AS ";
                sql += alias_for(*shape.table);
            }
            sql += " ON DUPLICATE KEY UPDATE ";
            append_update_list(sql, shape, dialect);
            break;
        case ChangeKind::insert:
        case ChangeKind::statement:
            break;
    }
}

}  // namespace txsink::batch
