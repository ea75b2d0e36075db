/// @file
/// Renders a batch as SQL statements; no values are made here, only copied.
#include "txsink/batch/write_plan.hpp"

#include <algorithm>

#include "batch/statement_frame.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::batch {

namespace {

using mapping::ChangeKind;
using mapping::RowShape;
using mapping::TableDefinition;

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
        mapping::append_identifier(sql, shape.table->columns[column].name);
        sql += " = ";
        sql += tuple.substr(at, end - at);
        separator = " AND ";
        at = end + 1;
    }
    sql += ')';
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
        const auto& changes = batch.partitions[p].rows.changes();
        const std::size_t end =
            p == last.partition ? std::min(last.change, changes.size()) : changes.size();
        std::size_t at = p == first.partition ? first.change : 0;
        while (at < end) {
            const std::size_t begin = at;
            while (at < end && changes[at].shape == changes[begin].shape) {
                ++at;
            }
            if (const auto too_large = place(batch, {p, begin, at})) {
                forget_groups();
                return too_large;
            }
        }
    }
    auto too_large = emit_groups(batch);
    finish();
    return too_large;
}

std::optional<ChangePosition> WritePlan::place(const Batch& batch, Run run) {
    const RowShape& shape = *batch.partitions[run.partition].rows.changes()[run.begin].shape;
    if (merging_ == Merging::allowed && shape.table != nullptr && shape.table->is_independent) {
        group_of(*shape.table).runs.push_back(run);
        return std::nullopt;
    }
    if (const auto too_large = emit_groups(batch)) {
        return too_large;
    }
    return emit(batch, run);
}

WritePlan::Group& WritePlan::group_of(const TableDefinition& table) {
    for (const auto& [definition, group] : known_) {
        if (definition == &table) {
            return groups_[group];
        }
    }
    std::size_t group = 0;
    while (group < used_groups_ && groups_[group].table->name != table.name) {
        ++group;
    }
    if (group == groups_.size()) {
        groups_.emplace_back();
    }
    if (group == used_groups_) {
        groups_[used_groups_++].table = &table;
    }
    known_.emplace_back(&table, group);
    return groups_[group];
}

std::optional<ChangePosition> WritePlan::emit_groups(const Batch& batch) {
    std::optional<ChangePosition> too_large;
    for (std::size_t group = 0; group < used_groups_ && !too_large; ++group) {
        for (const auto& run : groups_[group].runs) {
            too_large = emit(batch, run);
            if (too_large) {
                break;
            }
        }
    }
    forget_groups();
    return too_large;
}

void WritePlan::forget_groups() {
    for (std::size_t group = 0; group < used_groups_; ++group) {
        groups_[group].runs.clear();
    }
    used_groups_ = 0;
    known_.clear();
}

std::optional<ChangePosition> WritePlan::emit(const Batch& batch, Run run) {
    const auto& rows = batch.partitions[run.partition].rows;
    const RowShape& shape = *rows.changes()[run.begin].shape;
    if (shape.kind == ChangeKind::statement) {
        return emit_statements(batch, run);
    }
    for (std::size_t at = run.begin; at < run.end;) {
        const bool is_alone = stands_alone(shape);
        const std::size_t end = is_alone ? at + 1 : run.end;
        std::size_t taken = open_shape_ == &shape && !is_alone ? extend(rows, at, end) : 0;
        if (taken == 0) {
            finish();
            start(shape, {run.partition, at});
            taken = extend(rows, at, end);
        }
        if (taken == 0) {
            give_room_for_one();
            taken = extend(rows, at, at + 1);
            bytes_left_ = 0;
        }
        if (taken == 0) {
            return ChangePosition{run.partition, at};
        }
        at += taken;
    }
    return std::nullopt;
}

bool WritePlan::stands_alone(const RowShape& shape) const {
    return merging_ == Merging::none ||
           (shape.kind == ChangeKind::remove && !shape.table->is_independent);
}

std::optional<ChangePosition> WritePlan::emit_statements(const Batch& batch, Run run) {
    finish();
    const auto& rows = batch.partitions[run.partition].rows;
    for (std::size_t at = run.begin; at < run.end; ++at) {
        const auto& change = rows.changes()[at];
        if (change.size > std::max(limits_.bytes, limits_.bytes_alone)) {
            return ChangePosition{run.partition, at};
        }
        Statement& statement = add_statement(*change.shape, {run.partition, at});
        statement.sql = rows.text().substr(change.begin, change.size);
        statement.changes = 1;
    }
    return std::nullopt;
}

Statement& WritePlan::add_statement(const RowShape& shape, ChangePosition first) {
    if (used_ == statements_.size()) {
        statements_.emplace_back();
    }
    Statement& statement = statements_[used_++];
    statement.sql.clear();
    statement.shape = &shape;
    statement.first = first;
    statement.changes = 0;
    return statement;
}

void WritePlan::start(const RowShape& shape, ChangePosition first) {
    Statement& statement = add_statement(shape, first);
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

void WritePlan::give_room_for_one() {
    const std::size_t frame = statements_[used_ - 1].sql.size() + tail_.size();
    bytes_left_ = limits_.bytes_alone > frame ? limits_.bytes_alone - frame : 0;
}

std::size_t WritePlan::extend(const mapping::RowBuffer& rows, std::size_t begin, std::size_t end) {
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
    while (at < end && bytes_upto(at) <= bytes_left_) {
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
    for (; at < end && rows_left_ > 0; ++at) {
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
