/// @file
/// Renders a batch as SQL statements; no values are made here, only copied.
#include "txsink/batch/write_plan.hpp"

#include <algorithm>
#include <cassert>

#include "txsink/mapping/sql_literal.hpp"

namespace txsink::batch {

namespace {

using mapping::append_identifier;
using mapping::ChangeKind;
using mapping::RowShape;
using mapping::TableDefinition;

/// What the incoming row is called where the server wants a name (Dialect::row_alias).
constexpr std::string_view kAlias = "txsink_new";
constexpr std::string_view kOtherAlias = "txsink_row";

bool equals_without_case(std::string_view left, std::string_view right) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [&](char a, char b) {
        return lower(a) == lower(b);
    });
}

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

void append_update_list(std::string& sql, const RowShape& shape, Dialect dialect) {
    const TableDefinition& table = *shape.table;
    assert(!table.primary_key.empty());
    bool is_empty = true;
    if (!table.unique_keys.empty()) {
        append_guard(sql, table, dialect);
        is_empty = false;
    }
    for (const auto column : shape.columns) {
        if (std::find(table.primary_key.begin(), table.primary_key.end(), column) !=
            table.primary_key.end()) {
            continue;
        }
        if (!is_empty) {
            sql += ", ";
        }
        append_identifier(sql, table.columns[column].name);
        sql += " = ";
        append_incoming(sql, table, column, dialect);
        is_empty = false;
    }
    if (is_empty) {
        // Only key columns: the row is to exist, and stays as it is.
        const std::size_t first = table.primary_key.front();
        append_identifier(sql, table.columns[first].name);
        sql += " = ";
        append_stored(sql, table, first);
    }
}

bool is_composite_remove(const RowShape& shape) {
    return shape.kind == ChangeKind::remove && shape.columns.size() > 1;
}

/// Where the literal that begins at `at` ends: at a comma or the closing parenthesis of its tuple.
std::size_t end_of_literal(std::string_view tuple, std::size_t at) {
    int depth = 0;
    for (; at < tuple.size(); ++at) {
        const char c = tuple[at];
        if (c == '\'') {
            for (++at; at < tuple.size() && tuple[at] != '\''; ++at) {
                at += tuple[at] == '\\' ? 1 : 0;
            }
        } else if (depth == 0 && (c == ',' || c == ')')) {
            break;
        } else {
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
    }
    return at;
}

/// (1,'x') -> (`a` = 1 AND `b` = 'x')
///
/// Not `(a,b) IN ((1,'x'),...)`: where a column is not utf8mb4, MariaDB 10.11 misses rows with it.
/// Nor `(a,b) = (1,'x') OR ...`: MariaDB reads the whole table for it.
void append_condition(std::string& sql, const RowShape& shape, std::string_view tuple) {
    std::size_t at = 1;
    std::string_view separator = "(";
    for (const auto column : shape.columns) {
        const std::size_t end = end_of_literal(tuple, at);
        sql += separator;
        append_identifier(sql, shape.table->columns[column].name);
        sql += " = ";
        sql += tuple.substr(at, end - at);
        separator = " AND ";
        at = end + 1;
    }
    sql += ')';
}

/// What stands before the tuples.
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

/// What stands behind the tuples.
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

}  // namespace

std::optional<ChangePosition> WritePlan::build(const Batch& batch) {
    return build(batch, {0, 0}, {batch.partitions.size(), 0});
}

std::optional<ChangePosition> WritePlan::build(const Batch& batch,
                                               ChangePosition first,
                                               ChangePosition last) {
    used_ = 0;
    open_shape_ = nullptr;
    for (std::size_t p = first.partition; p < batch.partitions.size() && p <= last.partition; ++p) {
        const auto& rows = batch.partitions[p].rows;
        const std::size_t count = rows.changes().size();
        const std::size_t end = p == last.partition ? std::min(last.change, count) : count;
        std::size_t at = p == first.partition ? first.change : 0;
        while (at < end) {
            std::size_t taken = extend(rows, at, end);
            if (taken == 0) {
                finish();
                start(*rows.changes()[at].shape, {p, at});
                taken = extend(rows, at, end);
            }
            if (taken == 0) {
                return ChangePosition{p, at};
            }
            at += taken;
        }
    }
    finish();
    return std::nullopt;
}

void WritePlan::start(const RowShape& shape, ChangePosition first) {
    if (used_ == statements_.size()) {
        statements_.emplace_back();
    }
    Statement& statement = statements_[used_++];
    statement.sql.clear();
    statement.first = first;
    statement.changes = 0;
    append_head(statement.sql, shape);
    tail_.clear();
    append_tail(tail_, shape, dialect_);
    const std::size_t frame = statement.sql.size() + tail_.size();
    open_shape_ = &shape;
    bytes_left_ = limits_.bytes > frame ? limits_.bytes - frame : 0;
    rows_left_ = std::max<std::size_t>(limits_.rows, 1);
    if (shape.kind == ChangeKind::remove) {
        rows_left_ =
            std::min(rows_left_,
                     is_composite_remove(shape) ? kMaxCompositeKeysPerDelete : kMaxKeysPerDelete);
    }
}

std::size_t WritePlan::extend(const mapping::RowBuffer& rows, std::size_t begin, std::size_t end) {
    if (open_shape_ == nullptr) {
        return 0;
    }
    if (is_composite_remove(*open_shape_)) {
        return extend_by_conditions(rows, begin, end);
    }
    Statement& statement = statements_[used_ - 1];
    const std::size_t separator = statement.changes == 0 ? 0 : 1;
    const auto& changes = rows.changes();
    const std::size_t text_begin = changes[begin].begin;
    const auto bytes_upto = [&](std::size_t at) {
        return separator + changes[at].begin + changes[at].size - text_begin;
    };
    end = begin + std::min(end - begin, rows_left_);
    std::size_t at = begin;
    while (at < end && changes[at].shape == open_shape_ && bytes_upto(at) <= bytes_left_) {
        ++at;
    }
    if (at == begin) {
        return 0;
    }
    const std::size_t bytes = bytes_upto(at - 1);
    if (separator != 0) {
        statement.sql += ',';
    }
    statement.sql += rows.text().substr(text_begin, bytes - separator);
    statement.changes += at - begin;
    rows_left_ -= at - begin;
    bytes_left_ -= bytes;
    return at - begin;
}

std::size_t WritePlan::extend_by_conditions(const mapping::RowBuffer& rows,
                                            std::size_t begin,
                                            std::size_t end) {
    Statement& statement = statements_[used_ - 1];
    std::size_t at = begin;
    for (; at < end && rows_left_ > 0 && rows.changes()[at].shape == open_shape_; ++at) {
        const auto& change = rows.changes()[at];
        const std::size_t before = statement.sql.size();
        if (statement.changes > 0) {
            statement.sql += " OR ";
        }
        append_condition(
            statement.sql, *open_shape_, rows.text().substr(change.begin, change.size));
        const std::size_t bytes = statement.sql.size() - before;
        if (bytes > bytes_left_) {
            statement.sql.resize(before);
            break;
        }
        ++statement.changes;
        --rows_left_;
        bytes_left_ -= bytes;
    }
    return at - begin;
}

void WritePlan::finish() {
    if (open_shape_ != nullptr) {
        statements_[used_ - 1].sql += tail_;
        open_shape_ = nullptr;
    }
}

}  // namespace txsink::batch
