/// @file
/// The primary key of a row: from fields, sources, or the record's key.
#include <fmt/format.h>

#include <algorithm>

#include "mapping/row_values.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::ValueKind;

RecordError about_key(RecordError error) {
    error.message = "record key: " + error.message;
    return error;
}

}  // namespace

Result<Done> RowValues::gather_key(const RecordView& view, Document fields) {
    clear();
    const bool from_record = route_.key == KeySource::record;
    if (takes_fields_ && !from_record && !fields.empty() &&
        fields.front().kind == ValueKind::object) {
        std::size_t position = 0;
        if (auto done = bind_fields(fields, position); !done) {
            return done;
        }
    }
    for (const std::size_t column : table_.primary_key) {
        if (readers_[column]) {
            if (const Document value = readers_[column]->read(view); !value.empty()) {
                set(column, value);
            }
        }
    }
    const auto missing = std::find_if(table_.primary_key.begin(),
                                      table_.primary_key.end(),
                                      [this](std::size_t column) { return !has(column); });
    if (missing == table_.primary_key.end()) {
        return Done{};
    }
    if (view.key.empty()) {
        return missing_key(*missing);
    }
    if (auto done = bind_record_key(view.key); !done) {
        return done;
    }
    for (const std::size_t column : table_.primary_key) {
        if (!has(column)) {
            set(column, key_values_[column]);
        }
    }
    return Done{};
}

/// Notes the record key's values for the primary key columns that have no value (or, with
/// key = record, no source); all of them, or an error.
Result<Done> RowValues::bind_record_key(Document key) {
    std::fill(key_values_.begin(), key_values_.end(), Document{});
    if (key.empty()) {
        return RecordError{RecordErrorCode::missing_key,
                           {},
                           "the record's key is not looked at (key-format = none)"};
    }
    if (key.front().kind == ValueKind::object) {
        return bind_record_key_members(key);
    }
    if (key.front().kind == ValueKind::array) {
        return RecordError{RecordErrorCode::not_an_object,
                           {},
                           "record key: an array; an object by column name is needed"};
    }
    if (table_.primary_key.size() != 1) {
        return RecordError{RecordErrorCode::not_an_object,
                           {},
                           fmt::format("record key: a bare {}, but the primary key has {} columns",
                                       name_of(key.front().kind),
                                       table_.primary_key.size())};
    }
    key_values_[table_.primary_key.front()] = key;
    return Done{};
}

Result<Done> RowValues::bind_record_key_members(Document key) {
    std::size_t position = 0;
    for (std::size_t at = 1; at < key.size(); at += key[at].size) {
        const std::size_t column = key_fields_.find(position++, key[at].name);
        if (column >= key_values_.size() || !is_key_column_[column]) {
            continue;
        }
        if (!key_values_[column].empty()) {
            return about_key({RecordErrorCode::duplicate_field,
                              table_.columns[column].name,
                              fmt::format("two members for column \"{}\" (names differ in case)",
                                          table_.columns[column].name)});
        }
        key_values_[column] = decode::subtree(key, at);
    }
    for (const std::size_t column : table_.primary_key) {
        const bool is_elsewhere = readers_[column] && has(column);
        if (key_values_[column].empty() && !is_elsewhere) {
            return about_key(missing_key(column));
        }
    }
    return Done{};
}

/// Takes the primary key from the record's key. Where the value has it too, both must mean the
/// same: which one to believe would be a guess.
Result<Done> RowValues::prefer_record_key() {
    for (const std::size_t column : table_.primary_key) {
        if (readers_[column] && has(column)) {
            continue;  // the route says where this one comes from
        }
        if (has(column)) {
            key_literal_.clear();
            field_literal_.clear();
            if (auto done = encoders_[column].append(key_values_[column], key_literal_); !done) {
                return about_key(done.error());
            }
            if (auto done = encoders_[column].append(values_[column], field_literal_); !done) {
                return done;
            }
            if (key_literal_ != field_literal_) {
                return RecordError{
                    RecordErrorCode::duplicate_field,
                    table_.columns[column].name,
                    fmt::format("column \"{}\": the record's key and its value differ",
                                table_.columns[column].name)};
            }
        }
        set(column, key_values_[column]);
    }
    return Done{};
}

RecordError RowValues::missing_key(std::size_t column) const {
    return {RecordErrorCode::missing_key,
            table_.columns[column].name,
            fmt::format("no value for primary key column \"{}\"", table_.columns[column].name)};
}

}  // namespace txsink::mapping
