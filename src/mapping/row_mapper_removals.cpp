/// @file
/// The removals of a RowMapper: tombstones, deletes, marks, and the old children of a parent.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "mapping/route_checks.hpp"
#include "mapping/row_mapper.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Meaning;
using decode::Operation;
using decode::Value;
using decode::ValueKind;

}  // namespace

Result<Done> RowMapper::map_removal(const RecordView& view, RowBuffer& rows) {
    const bool is_tombstone = view.decoded->operation == Operation::tombstone;
    // What delete-when takes is a removal whatever the policy for tombstones is.
    const bool is_refused =
        route_.tombstone == OnTombstone::bad_record && view.decoded->operation != Operation::write;
    if (is_refused || (statements_ && is_tombstone)) {
        return RecordError{RecordErrorCode::tombstone,
                           {},
                           statements_ ? "the record is a tombstone, for which the route has no "
                                         "statement (tombstone = ignore passes over it)"
                                       : "the record removes a row, and tombstone = bad-record"};
    }
    const Offset offset = view.record->offset;
    if (elements_) {
        if (parent_columns_.empty()) {
            return RecordError{RecordErrorCode::tombstone,
                               {},
                               "the record removes rows, and without replace-children nothing "
                               "tells which"};
        }
        return remove_children(view, rows);
    }
    if (!can_remove_) {
        return RecordError{
            RecordErrorCode::tombstone,
            {},
            is_tombstone
                ? "the record is a tombstone, and the table has no primary key that can name its "
                  "row"
                : "the record removes a row, and the table has no primary key that can name it"};
    }
    if (auto done = gather_removal(view); !done) {
        return done;
    }
    const bool is_versioned = conflict_.newer && view.decoded->operation == Operation::write;
    if (is_versioned) {
        if (auto done = check_version(); !done) {
            return done;
        }
    }
    if (soft_column_) {
        return append_statement(side_shape_, offset, rows, [&](std::string& sql) {
            return statement_.append_mark(values_, *soft_column_, mark_of(view), is_versioned, sql);
        });
    }
    if (is_versioned) {
        return append_statement(side_shape_, offset, rows, [&](std::string& sql) {
            return statement_.append_remove_if_newer(values_, sql);
        });
    }
    return append_tuple(&remove_shape_, values_, offset, rows);
}

/// The key of the row to remove; of a record by delete-when, its whole row.
Result<Done> RowMapper::gather_removal(const RecordView& view) {
    if (view.decoded->operation == Operation::write) {
        if (auto done = values_.gather(view, view.decoded->row); !done) {
            return done;
        }
        for (const std::size_t column : table_.primary_key) {
            if (!values_.has(column)) {
                return values_.missing_key(column);
            }
        }
        return Done{};
    }
    const bool is_named_by_sources =
        std::all_of(table_.primary_key.begin(), table_.primary_key.end(), [this](std::size_t at) {
            return values_.has_source(at);
        });
    if (view.decoded->operation == Operation::tombstone && !view.record->key &&
        !is_named_by_sources) {
        return RecordError{RecordErrorCode::tombstone,
                           {},
                           "the record is a tombstone without a key: it names no row"};
    }
    return values_.gather_key(view, view.decoded->row);
}

/// What a soft delete writes: 1, or when the record was made.
std::string_view RowMapper::mark_of(const RecordView& view) {
    const ColumnDefinition& column = table_.columns[*soft_column_];
    if (!is_moment(column)) {
        return "1";
    }
    if (view.record->timestamp_ms < 0) {
        return "UTC_TIMESTAMP(6)";
    }
    mark_.clear();
    const std::string digits = std::to_string(view.record->timestamp_ms);
    const Value moment{.kind = ValueKind::number, .text = digits, .meaning = Meaning::epoch_ms};
    ValueRules rules;
    rules.excess_fraction = OnExcessFraction::truncate;
    if (!ColumnEncoder{column, rules}.append(Document{&moment, 1}, mark_)) {
        return "UTC_TIMESTAMP(6)";
    }
    return mark_;
}

Result<Done> RowMapper::map_truncate(const RecordView& view, RowBuffer& rows) {
    if (route_.tombstone == OnTombstone::bad_record) {
        return RecordError{RecordErrorCode::tombstone,
                           {},
                           "the record empties the table, and tombstone = bad-record"};
    }
    return append_statement(
        side_shape_, view.record->offset, rows, [&](std::string& sql) -> Result<Done> {
            if (soft_column_) {
                statement_.append_mark_all(*soft_column_, mark_of(view), sql);
            } else {
                statement_.append_remove_all(sql);
            }
            return Done{};
        });
}

/// The parent's old rows go; also those of the parent that it was before.
Result<Done> RowMapper::remove_children(const RecordView& view, RowBuffer& rows) {
    const auto render = [&](std::string& sql) {
        return statement_.append_remove_where(others_, parent_columns_, sql);
    };
    if (auto done = gather_parent(view); !done) {
        return done;
    }
    literal_.clear();
    if (auto done = render(literal_); !done) {
        return done;
    }
    const Offset offset = view.record->offset;
    if (!view.decoded->before.empty()) {
        decode::DecodedRecord before{*view.decoded};
        before.row = view.decoded->before;
        RecordView of_before{view};
        of_before.decoded = &before;
        if (auto done = gather_parent(of_before); !done) {
            return done;
        }
        other_literal_.clear();
        if (auto done = render(other_literal_); !done) {
            return done;
        }
        if (other_literal_ != literal_) {
            rows.open() += other_literal_;
            rows.close(&side_shape_, offset);
        }
    }
    rows.open() += literal_;
    rows.close(&side_shape_, offset);
    return Done{};
}

Result<Done> RowMapper::gather_parent(const RecordView& view) {
    others_.clear();
    for (const std::size_t column : parent_columns_) {
        const Document value = others_.read_source(column, view);
        if (value.empty() || value.front().kind == ValueKind::null) {
            return RecordError{
                RecordErrorCode::missing_value,
                table_.columns[column].name,
                fmt::format("column \"{}\": no value for it, and replace-children needs one",
                            table_.columns[column].name)};
        }
        others_.set(column, value);
    }
    return Done{};
}

}  // namespace txsink::mapping
