#include "txsink/mapping/record_mapper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mapping/column_encoder.hpp"
#include "mapping/field_lookup.hpp"
#include "mapping/shape_set.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::ValueKind;

bool is_required(const ColumnDefinition& column) noexcept {
    return !column.is_nullable && !column.has_default && !column.is_auto_increment &&
           !column.is_generated;
}

[[noreturn]] void refuse(const Route& route,
                         const TableDefinition& table,
                         const std::string& why,
                         const char* hint) {
    throw SinkError{
        ErrorKind::configuration,
        fmt::format(
            "route {} cannot write to table {}: {}", route.name, to_string(table.name), why),
        {},
        hint};
}

/// Whether rows can be found again by the literal of a value in this column.
bool can_identify(const ColumnDefinition& column) noexcept {
    return !column.is_generated && column.type != ColumnType::unsupported &&
           column.type != ColumnType::float_single;
}

/// Throws when no record could ever be written.
void check(const Route& route, const TableDefinition& table) {
    const bool needs_key = route.mode == Mode::upsert || route.key == KeySource::record;
    if (needs_key && table.primary_key.empty()) {
        refuse(route,
               table,
               "it has no primary key",
               "add a primary key, or use mode = insert with key = value");
    }
    if (needs_key) {
        for (const std::size_t at : table.primary_key) {
            const ColumnDefinition& column = table.columns[at];
            if (!can_identify(column)) {
                refuse(route,
                       table,
                       fmt::format("primary key column \"{}\" ({}) {}",
                                   column.name,
                                   column.type_text,
                                   column.is_generated ? "is generated"
                                                       : "has a type that cannot name a row"),
                       "choose another primary key, or use mode = insert with key = value");
            }
        }
    }
    for (const ColumnDefinition& column : table.columns) {
        if (is_required(column) && column.type == ColumnType::unsupported) {
            refuse(route,
                   table,
                   fmt::format("column \"{}\" needs a value, and its type {} is not supported",
                               column.name,
                               column.type_text),
                   "give the column a default, or let it be NULL");
        }
    }
}

/// More sets of columns than the records of a sane topic have.
constexpr std::size_t kManyShapes = 4'096;

RecordError about_key(RecordError error) {
    error.message = "record key: " + error.message;
    return error;
}

}  // namespace

struct RecordMapper::State {
    State(Route the_route, TableDefinition the_table);
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() = default;

    [[nodiscard]] Result<Done> map_value(const ConsumerRecord& record, RowBuffer& rows);
    [[nodiscard]] Result<Done> map_tombstone(const ConsumerRecord& record, RowBuffer& rows);
    void forget_shapes() noexcept {
        if (shapes_.size() > kManyShapes) {
            shapes_.clear();
        }
    }

    std::vector<BoundRoute> routes_bound;
    const Route& route;
    const TableDefinition& table;

private:
    using Values = std::vector<Document>;

    [[nodiscard]] Result<Done> bind_fields(Document document);
    [[nodiscard]] Result<Done> bind_key(const ConsumerRecord& record);
    [[nodiscard]] Result<Done> bind_key_members(Document document);
    [[nodiscard]] Result<Done> prefer_key();
    [[nodiscard]] Result<const RowShape*> shape_of_record();
    [[nodiscard]] Result<Done> check_missing() const;
    [[nodiscard]] RecordError missing_key(std::size_t column) const;
    [[nodiscard]] Result<Done> append_row(const RowShape* shape,
                                          const Values& from,
                                          Offset offset,
                                          RowBuffer& rows) const;

    std::vector<ColumnEncoder> encoders_;
    std::vector<bool> is_key_column_;
    bool can_remove_ = false;
    decode::JsonDecoder value_decoder_;
    decode::JsonDecoder key_decoder_;
    FieldLookup value_fields_;
    FieldLookup key_fields_;
    /// By column; empty where the record has nothing for it.
    Values values_;
    Values key_values_;
    ColumnSet present_;
    ShapeSet shapes_;
    RowShape remove_shape_;
    std::string key_literal_;
    std::string field_literal_;
};

RecordMapper::State::State(Route the_route, TableDefinition the_table)
    : routes_bound{{std::move(the_route), std::move(the_table)}},
      route{routes_bound.front().route},
      table{routes_bound.front().table},
      is_key_column_(table.columns.size()),
      value_fields_{table.columns},
      key_fields_{table.columns},
      values_(table.columns.size()),
      key_values_(table.columns.size()),
      present_{table.columns.size()},
      shapes_{RowShape{.table = &table,
                       .kind = route.mode == Mode::upsert ? ChangeKind::upsert : ChangeKind::insert,
                       .columns = {}}},
      remove_shape_{.table = &table, .kind = ChangeKind::remove, .columns = table.primary_key} {
    check(route, table);
    encoders_.reserve(table.columns.size());
    for (const ColumnDefinition& column : table.columns) {
        encoders_.emplace_back(column);
    }
    for (const std::size_t column : table.primary_key) {
        is_key_column_[column] = true;
    }
    can_remove_ = !table.primary_key.empty() &&
                  std::all_of(table.primary_key.begin(),
                              table.primary_key.end(),
                              [this](std::size_t at) { return can_identify(table.columns[at]); });
}

Result<Done> RecordMapper::State::map_value(const ConsumerRecord& record, RowBuffer& rows) {
    const Result<Document> decoded = value_decoder_.decode(*record.value);
    if (!decoded) {
        return decoded.error();
    }
    if (auto bound = bind_fields(decoded.value()); !bound) {
        return bound;
    }
    if (route.key == KeySource::record) {
        if (auto bound = bind_key(record); !bound) {
            return bound;
        }
        if (auto merged = prefer_key(); !merged) {
            return merged;
        }
    }
    const Result<const RowShape*> shape = shape_of_record();
    if (!shape) {
        return shape.error();
    }
    return append_row(shape.value(), values_, record.offset, rows);
}

Result<Done> RecordMapper::State::map_tombstone(const ConsumerRecord& record, RowBuffer& rows) {
    if (!can_remove_) {
        return RecordError{
            RecordErrorCode::tombstone,
            {},
            "the record is a tombstone, and the table has no primary key that can name its row"};
    }
    if (!record.key) {
        return RecordError{RecordErrorCode::tombstone,
                           {},
                           "the record is a tombstone without a key: it names no row"};
    }
    if (auto bound = bind_key(record); !bound) {
        return bound;
    }
    return append_row(&remove_shape_, key_values_, record.offset, rows);
}

/// Notes which field of the record's value belongs to which column.
Result<Done> RecordMapper::State::bind_fields(Document document) {
    if (document.front().kind != ValueKind::object) {
        return RecordError{
            RecordErrorCode::not_an_object,
            {},
            fmt::format("the value is a JSON {}, not an object", name_of(document.front().kind))};
    }
    std::fill(values_.begin(), values_.end(), Document{});
    present_.clear();
    std::size_t position = 0;
    for (std::size_t at = 1; at < document.size(); at += document[at].size) {
        const std::size_t column = value_fields_.find(position++, document[at].name);
        if (column == FieldLookup::kNoColumn) {
            if (route.unknown_fields == UnknownFields::error) {
                const std::string name = decode::printable_name(document[at].name);
                return RecordError{
                    RecordErrorCode::unknown_field,
                    name,
                    fmt::format(
                        "field \"{}\" has no column in table {}", name, to_string(table.name))};
            }
            continue;
        }
        if (!values_[column].empty()) {
            return RecordError{RecordErrorCode::duplicate_field,
                               table.columns[column].name,
                               fmt::format("two fields for column \"{}\" (names differ in case)",
                                           table.columns[column].name)};
        }
        values_[column] = decode::subtree(document, at);
        if (!table.columns[column].is_generated) {
            present_.add(column);
        }
    }
    return Done{};
}

/// Notes the primary key's values out of the record's key; all of them, or an error.
Result<Done> RecordMapper::State::bind_key(const ConsumerRecord& record) {
    if (!record.key) {
        return RecordError{
            RecordErrorCode::missing_key, {}, "the record has no key (key = record needs one)"};
    }
    const Result<Document> decoded = key_decoder_.decode(*record.key);
    if (!decoded) {
        RecordError error = about_key(decoded.error());
        if (error.code == RecordErrorCode::not_json) {
            error.message += " (a string must stand in double quotes)";
        }
        return error;
    }
    const Document document = decoded.value();
    std::fill(key_values_.begin(), key_values_.end(), Document{});
    if (document.front().kind == ValueKind::object) {
        return bind_key_members(document);
    }
    if (document.front().kind == ValueKind::array) {
        return RecordError{RecordErrorCode::not_an_object,
                           {},
                           "record key: an array; an object by column name is needed"};
    }
    if (table.primary_key.size() != 1) {
        return RecordError{RecordErrorCode::not_an_object,
                           {},
                           fmt::format("record key: a bare {}, but the primary key has {} columns",
                                       name_of(document.front().kind),
                                       table.primary_key.size())};
    }
    key_values_[table.primary_key.front()] = document;
    return Done{};
}

Result<Done> RecordMapper::State::bind_key_members(Document document) {
    std::size_t position = 0;
    for (std::size_t at = 1; at < document.size(); at += document[at].size) {
        const std::size_t column = key_fields_.find(position++, document[at].name);
        if (column == FieldLookup::kNoColumn || !is_key_column_[column]) {
            continue;
        }
        if (!key_values_[column].empty()) {
            return about_key({RecordErrorCode::duplicate_field,
                              table.columns[column].name,
                              fmt::format("two members for column \"{}\" (names differ in case)",
                                          table.columns[column].name)});
        }
        key_values_[column] = decode::subtree(document, at);
    }
    for (const std::size_t column : table.primary_key) {
        if (key_values_[column].empty()) {
            return about_key(missing_key(column));
        }
    }
    return Done{};
}

/// Takes the primary key from the record's key. Where the value has it too, both must mean the
/// same: which one to believe would be a guess.
Result<Done> RecordMapper::State::prefer_key() {
    for (const std::size_t column : table.primary_key) {
        if (!values_[column].empty()) {
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
                    table.columns[column].name,
                    fmt::format("column \"{}\": the record's key and its value differ",
                                table.columns[column].name)};
            }
        }
        values_[column] = key_values_[column];
        present_.add(column);
    }
    return Done{};
}

Result<const RowShape*> RecordMapper::State::shape_of_record() {
    if (const RowShape* known = shapes_.find(present_)) {
        return known;
    }
    // A shape is only added when nothing is missing from it, so this is asked once a shape.
    if (auto complete = check_missing(); !complete) {
        return complete.error();
    }
    return shapes_.add(present_);
}

Result<Done> RecordMapper::State::check_missing() const {
    for (const std::size_t at : table.primary_key) {
        const bool can_be_left_out = route.mode == Mode::insert && !is_required(table.columns[at]);
        if (!present_.has(at) && !can_be_left_out) {
            return missing_key(at);
        }
    }
    for (std::size_t at = 0; at < table.columns.size(); ++at) {
        const ColumnDefinition& column = table.columns[at];
        if (!present_.has(at) && is_required(column)) {
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

RecordError RecordMapper::State::missing_key(std::size_t column) const {
    return {RecordErrorCode::missing_key,
            table.columns[column].name,
            fmt::format("no value for primary key column \"{}\"", table.columns[column].name)};
}

Result<Done> RecordMapper::State::append_row(const RowShape* shape,
                                             const Values& from,
                                             Offset offset,
                                             RowBuffer& rows) const {
    std::string& sql = rows.open();
    char before = '(';
    for (const std::size_t column : shape->columns) {
        sql += before;
        before = ',';
        if (auto done = encoders_[column].append(from[column], sql); !done) {
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

RecordMapper::RecordMapper(std::vector<BoundRoute> routes, MapperSettings /*settings*/)
    : state_{std::make_unique<State>(std::move(routes.front().route),
                                     std::move(routes.front().table))} {}
RecordMapper::RecordMapper(Route route, TableDefinition table)
    : state_{std::make_unique<State>(std::move(route), std::move(table))} {}
RecordMapper::RecordMapper(RecordMapper&&) noexcept = default;
RecordMapper& RecordMapper::operator=(RecordMapper&&) noexcept = default;
RecordMapper::~RecordMapper() = default;

Result<Mapped> RecordMapper::map(const ConsumerRecord& record, RowBuffer& rows) {
    const auto done =
        record.value ? state_->map_value(record, rows) : state_->map_tombstone(record, rows);
    if (!done) {
        return done.error();
    }
    return Mapped::rows;
}

const Route* RecordMapper::refusing_route() const noexcept {
    return &state_->route;
}

void RecordMapper::forget_shapes() noexcept {
    state_->forget_shapes();
}

const std::vector<BoundRoute>& RecordMapper::routes() const noexcept {
    return state_->routes_bound;
}

bool RecordMapper::has_dead_letters() const noexcept {
    return state_->route.on_bad_record == OnBadRecord::dead_letter;
}

}  // namespace txsink::mapping
