#include "mapping/row_mapper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mapping/route_checks.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Operation;
using decode::Value;
using decode::ValueKind;

const Value kZero{.kind = ValueKind::number, .text = "0"};

bool is_about_row(const Source& source, bool value_too) {
    return std::any_of(source.terms.begin(), source.terms.end(), [&](const SourceTerm& term) {
        return term.origin == Origin::row || term.origin == Origin::before ||
               (value_too && term.origin == Origin::value);
    });
}

/// The conditions that can be told of a record without a row (a TRUNCATE), or without a value
/// (a tombstone).
Filter without_row(const Filter& filter, bool value_too) {
    Filter rest;
    for (const Condition& condition : filter.conditions) {
        if (!is_about_row(condition.source, value_too) &&
            std::none_of(condition.operands.begin(),
                         condition.operands.end(),
                         [&](const auto& each) { return is_about_row(each, value_too); })) {
            rest.conditions.push_back(condition);
        }
    }
    return rest;
}

RowShape model_of(const Route& route, const TableDefinition& table, const ConflictRules& conflict) {
    RowShape model;
    model.table = &table;
    model.route = &route;
    model.kind = route.mode == Mode::upsert ? ChangeKind::upsert : ChangeKind::insert;
    const bool is_plain =
        !conflict.newer && std::all_of(conflict.by_column.begin(),
                                       conflict.by_column.end(),
                                       [](OnConflict rule) { return rule == OnConflict::replace; });
    model.conflict = is_plain ? nullptr : &conflict;
    return model;
}

/// Of statements that may find as many rows as they like.
RowShape statement_shape(const Route& route, const TableDefinition* table) {
    RowShape shape;
    shape.table = table;
    shape.route = &route;
    shape.kind = ChangeKind::statement;
    return shape;
}

}  // namespace

RecordError too_many_bytes() {
    return {RecordErrorCode::too_large,
            {},
            fmt::format("the rows of the record are larger than {} MiB together",
                        kMostBytesPerRecord / 1024 / 1024)};
}

RowMapper::RowMapper(const BoundRoute& bound)
    : route_{bound.route},
      table_{bound.table},
      conflict_{conflict_rules(bound.route, bound.table)},
      values_{route_, table_},
      others_{route_, table_},
      statement_{table_, conflict_},
      when_{route_.when},
      when_of_truncate_{without_row(route_.when, false)},
      when_of_tombstone_{without_row(route_.when, true)},
      shapes_{model_of(route_, table_, conflict_)},
      remove_shape_{shapes_.model()},
      update_shape_{statement_shape(route_, &table_)},
      present_shape_{statement_shape(route_, &table_)},
      side_shape_{statement_shape(route_, &table_)},
      sql_shape_{statement_shape(route_, nullptr)} {
    remove_shape_.kind = ChangeKind::remove;
    remove_shape_.columns = table_.primary_key;
    remove_shape_.conflict = nullptr;
    update_shape_.required_rows = 1;
    update_shape_.may_miss = route_.missing_row == OnMissingRow::count;
    present_shape_.required_rows = 1;
    sql_shape_.required_rows = route_.require_rows;
    needs_key_ = values_.needs_key();
    if (route_.delete_when) {
        delete_when_.emplace(*route_.delete_when);
        needs_key_ = needs_key_ || delete_when_->needs_key();
    }
    if (route_.mode == Mode::sql) {
        statements_.emplace(route_);
        needs_key_ = needs_key_ || statements_->needs_key();
        return;
    }
    check_route(route_, table_);
    can_remove_ = !table_.primary_key.empty() &&
                  std::all_of(table_.primary_key.begin(),
                              table_.primary_key.end(),
                              [this](std::size_t at) { return can_identify(table_.columns[at]); });
    if (route_.for_each) {
        elements_.emplace(*route_.for_each);
        needs_key_ = needs_key_ || elements_->needs_key();
        parent_columns_ = parent_columns(route_, table_, values_);
        for (std::size_t column = 0; column < table_.columns.size(); ++column) {
            items_may_be_bare_ = items_may_be_bare_ || values_.reads_item(column);
        }
    }
    if (route_.tombstone == OnTombstone::soft) {
        soft_column_ = soft_column(route_, table_);
    }
}

Takes RowMapper::takes(const RecordView& view) {
    const Operation operation = view.decoded->operation;
    if (operation != Operation::tombstone && operation != Operation::truncate) {
        return when_.matches(view) ? Takes::yes : Takes::no;
    }
    FilterReader& rest = operation == Operation::truncate ? when_of_truncate_ : when_of_tombstone_;
    if (!rest.matches(view)) {
        return Takes::no;
    }
    return rest.size() == when_.size() ? Takes::yes : Takes::perhaps;
}

bool RowMapper::is_left_by(const RecordView& view) {
    const bool is_change = view.decoded->operation == Operation::write &&
                           !view.decoded->before.empty() &&
                           (route_.mode == Mode::upsert || route_.mode == Mode::update);
    if (!is_change) {
        return false;
    }
    decode::DecodedRecord before{*view.decoded};
    before.row = before.before;
    RecordView of_before{view};
    of_before.decoded = &before;
    return when_.matches(of_before);
}

bool RowMapper::passes_over(const RecordView& view) const noexcept {
    const Operation operation = view.decoded->operation;
    const bool removes = operation == Operation::tombstone || operation == Operation::remove ||
                         operation == Operation::truncate;
    if (!removes || (statements_ && operation != Operation::tombstone)) {
        return false;
    }
    // Of a change event's delete the statements have been told already.
    const bool is_told = statements_ && route_.format == Format::debezium;
    return route_.tombstone == OnTombstone::ignore || is_told;
}

void RowMapper::forget_shapes() noexcept {
    // More sets of columns than the records of a sane topic have.
    constexpr std::size_t kManyShapes = 4'096;
    shapes_.forget_retired();
    if (shapes_.size() > kManyShapes) {
        shapes_.retire();
    }
}

Result<Done> RowMapper::map(const RecordView& view, RowBuffer& rows) {
    switch (view.decoded->operation) {
        case Operation::none:
            return Done{};
        case Operation::truncate:
            return statements_ ? map_statements(view, rows) : map_truncate(view, rows);
        case Operation::tombstone:
            return map_removal(view, rows);
        case Operation::remove:
            return statements_ ? map_statements(view, rows) : map_removal(view, rows);
        case Operation::write:
            break;
    }
    if (statements_) {
        return map_statements(view, rows);
    }
    if (delete_when_ && delete_when_->matches(view)) {
        return map_removal(view, rows);
    }
    return elements_ ? map_elements(view, rows) : map_row(view, rows);
}

Result<Done> RowMapper::map_row(const RecordView& view, RowBuffer& rows) {
    const Document row = view.decoded->row;
    if (values_.takes_fields() && (row.empty() || row.front().kind != ValueKind::object)) {
        return RecordError{RecordErrorCode::not_an_object,
                           {},
                           fmt::format("the value is a JSON {}, not an object",
                                       row.empty() ? "nothing" : name_of(row.front().kind))};
    }
    if (auto done = values_.gather(view, row); !done) {
        return done;
    }
    const bool may_change_key = !view.decoded->before.empty() && route_.key == KeySource::value &&
                                route_.mode != Mode::insert;
    return may_change_key ? map_changed_key(view, rows)
                          : append_gathered(values_, view.record->offset, rows);
}

/// A change event that has the state before: where its key was another, the row of that key goes.
Result<Done> RowMapper::map_changed_key(const RecordView& view, RowBuffer& rows) {
    decode::DecodedRecord before{*view.decoded};
    before.row = view.decoded->before;
    RecordView of_before{view};
    of_before.decoded = &before;
    if (auto done = others_.gather_key(of_before, before.row); !done) {
        return done;
    }
    const auto changed = key_has_changed();
    if (!changed) {
        return changed.error();
    }
    const Offset offset = view.record->offset;
    if (!changed.value()) {
        return append_gathered(values_, offset, rows);
    }
    if (route_.mode == Mode::update) {
        return append_gathered(others_, offset, rows);
    }
    if (auto done = leave_old_key(view, rows); !done) {
        return done;
    }
    return append_gathered(values_, offset, rows);
}

/// The row with the key of others_ goes, or, where something of it has to outlive the change,
/// takes the key of values_.
Result<Done> RowMapper::leave_old_key(const RecordView& view, RowBuffer& rows) {
    const Offset offset = view.record->offset;
    if (route_.tombstone == OnTombstone::ignore) {
        return Done{};
    }
    if (route_.tombstone == OnTombstone::bad_record) {
        return RecordError{RecordErrorCode::tombstone,
                           {},
                           "the record gives its row another key, and tombstone = bad-record"};
    }
    const bool keeps_some = values_.has_unavailable() || shapes_.model().conflict != nullptr;
    if (keeps_some) {
        return append_statement(side_shape_, offset, rows, [&](std::string& sql) {
            return statement_.append_move(values_, others_, sql);
        });
    }
    if (soft_column_) {
        return append_statement(side_shape_, offset, rows, [&](std::string& sql) {
            return statement_.append_mark(others_, *soft_column_, mark_of(view), false, sql);
        });
    }
    return append_tuple(&remove_shape_, others_, offset, rows);
}

/// Whether values_ and others_ name two rows.
Result<bool> RowMapper::key_has_changed() {
    for (const std::size_t column : table_.primary_key) {
        if (!values_.has(column)) {
            return values_.missing_key(column);
        }
        literal_.clear();
        other_literal_.clear();
        if (auto done = values_.append(column, literal_); !done) {
            return done.error();
        }
        if (auto done = others_.append(column, other_literal_); !done) {
            return done.error();
        }
        if (literal_ != other_literal_) {
            return true;
        }
    }
    return false;
}

/// Appends what values_ has gathered; mode = update changes the row with the key of `key`.
Result<Done> RowMapper::append_gathered(const RowValues& key, Offset offset, RowBuffer& rows) {
    if (soft_column_ && !values_.has(*soft_column_)) {
        // A row that is written is there again.
        values_.set(
            *soft_column_,
            is_moment(table_.columns[*soft_column_]) ? null_document() : Document{&kZero, 1});
    }
    if (auto done = check_version(); !done) {
        return done;
    }
    const bool only_updates = route_.mode == Mode::update || lacks_unavailable();
    if (only_updates) {
        for (const std::size_t column : table_.primary_key) {
            if (!values_.has(column)) {
                return values_.missing_key(column);
            }
        }
        const RowShape& shape = route_.mode == Mode::update ? update_shape_ : present_shape_;
        return append_statement(shape, offset, rows, [&](std::string& sql) {
            return statement_.append_update(values_, key, sql);
        });
    }
    const Result<const RowShape*> shape = shape_of_row();
    if (!shape) {
        return shape.error();
    }
    return append_tuple(shape.value(), values_, offset, rows);
}

/// Whether a column that the source did not send cannot be left out of a new row: then the row
/// has to be there already.
bool RowMapper::lacks_unavailable() const {
    if (route_.mode != Mode::upsert || !values_.has_unavailable()) {
        return false;
    }
    for (std::size_t column = 0; column < table_.columns.size(); ++column) {
        if (values_.is_unavailable(column) && is_required(table_.columns[column])) {
            return true;
        }
    }
    return false;
}

Result<Done> RowMapper::check_version() const {
    if (!conflict_.newer) {
        return Done{};
    }
    const ColumnDefinition& column = table_.columns[*conflict_.newer];
    if (!values_.has(*conflict_.newer) || values_.is_null(*conflict_.newer)) {
        return RecordError{
            RecordErrorCode::missing_value,
            column.name,
            fmt::format("column \"{}\" ({}): no value for it, and if-newer compares it",
                        column.name,
                        column.type_text)};
    }
    return Done{};
}

Result<const RowShape*> RowMapper::shape_of_row() {
    if (const RowShape* known = shapes_.find(values_.present())) {
        return known;
    }
    // A shape is only added when nothing is missing from it, so this is asked once a shape.
    if (auto complete = check_complete(); !complete) {
        return complete.error();
    }
    return shapes_.add(values_.present());
}

Result<Done> RowMapper::check_complete() const {
    const ColumnSet& present = values_.present();
    for (const std::size_t at : table_.primary_key) {
        const bool can_be_left_out =
            route_.mode == Mode::insert && !is_required(table_.columns[at]);
        if (!present.has(at) && !can_be_left_out) {
            return values_.missing_key(at);
        }
    }
    for (std::size_t at = 0; at < table_.columns.size(); ++at) {
        const ColumnDefinition& column = table_.columns[at];
        if (!present.has(at) && is_required(column)) {
            return RecordError{
                RecordErrorCode::missing_value,
                column.name,
                fmt::format("column \"{}\" ({}): no field for it, and it is NOT NULL without "
                            "default",
                            column.name,
                            column.type_text)};
        }
    }
    return Done{};
}

Result<Done> RowMapper::append_tuple(const RowShape* shape,
                                     const RowValues& values,
                                     Offset offset,
                                     RowBuffer& rows) const {
    std::string& sql = rows.open();
    char before = '(';
    for (const std::size_t column : shape->columns) {
        sql += before;
        before = ',';
        if (auto done = values.append(column, sql); !done) {
            rows.abandon();
            return done;
        }
    }
    if (shape->columns.empty()) {
        sql += '(';
    }
    sql += ')';
    rows.close(shape, offset);
    return Done{};
}

Result<Done> RowMapper::map_elements(const RecordView& view, RowBuffer& rows) {
    const Document elements = elements_->read(view);
    if (!elements.empty() && elements.front().meaning == decode::Meaning::unavailable) {
        return Done{};  // its rows are as they were
    }
    const bool is_there = !elements.empty() && elements.front().kind != ValueKind::null;
    if (is_there && elements.front().kind != ValueKind::array) {
        return RecordError{RecordErrorCode::not_an_array,
                           {},
                           fmt::format("for-each needs an array, and finds a JSON {}",
                                       name_of(elements.front().kind))};
    }
    if (!parent_columns_.empty()) {
        if (auto done = remove_children(view, rows); !done) {
            return done;
        }
    }
    const std::size_t bytes = rows.bytes();
    RecordView of_element{view};
    for (std::size_t at = 1; is_there && at < elements.size(); at += elements[at].size) {
        of_element.item = decode::subtree(elements, at);
        if (auto done = map_element(of_element, rows); !done) {
            return done;
        }
        ++of_element.index;
        if (rows.bytes() - bytes > kMostBytesPerRecord) {
            return too_many_bytes();
        }
    }
    return Done{};
}

Result<Done> RowMapper::map_element(const RecordView& view, RowBuffer& rows) {
    const bool is_object = view.item.front().kind == ValueKind::object;
    if (!is_object && values_.takes_fields() && !items_may_be_bare_) {
        return RecordError{RecordErrorCode::not_an_object,
                           {},
                           fmt::format("element {} is a JSON {}, not an object",
                                       view.index,
                                       name_of(view.item.front().kind))};
    }
    if (auto done = values_.gather(view, is_object ? view.item : Document{}); !done) {
        return done;
    }
    return append_gathered(values_, view.record->offset, rows);
}

Result<Done> RowMapper::map_statements(const RecordView& view, RowBuffer& rows) {
    if (auto done = statements_->bind(view); !done) {
        return done;
    }
    for (std::size_t i = 0; i < statements_->size(); ++i) {
        statements_->append(i, rows.open());
        rows.close(&sql_shape_, view.record->offset);
    }
    return Done{};
}

}  // namespace txsink::mapping
