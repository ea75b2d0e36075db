/// @file
/// RowValues: one record's values by column, out of its fields, the route's sources and its key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mapping/column_encoder.hpp"
#include "mapping/field_lookup.hpp"
#include "mapping/shape_set.hpp"
#include "mapping/source_reader.hpp"
#include "txsink/core/result.hpp"
#include "txsink/mapping/route.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

/// Index of the column of that name: exact first, then with A-Z as a-z; nothing: no such column.
[[nodiscard]] std::optional<std::size_t> find_column(const TableDefinition& table,
                                                     std::string_view name);

/// A value that is null, as a document.
[[nodiscard]] decode::Document null_document() noexcept;

/// Gathers the values of one row at a time. A column's value is what its source says, or the
/// field of its name; the values of the primary key may come from the record's key.
/// Threading: one thread.
class RowValues {
public:
    /// Both must outlive it. Errors: SinkError configuration: a rule names a column that the table
    /// lacks, or that is generated.
    RowValues(const Route& route, const TableDefinition& table);
    // Its parts look into one another.
    RowValues(const RowValues&) = delete;
    RowValues& operator=(const RowValues&) = delete;
    ~RowValues() = default;

    /// Gathers a whole row; `fields` is the object whose members go by name.
    [[nodiscard]] Result<Done> gather(const RecordView& view, decode::Document fields);
    /// Gathers the primary key alone; all of it, or an error. `fields` may be empty.
    [[nodiscard]] Result<Done> gather_key(const RecordView& view, decode::Document fields);
    /// Whether members of `fields` go by name.
    [[nodiscard]] bool takes_fields() const noexcept { return takes_fields_; }
    void clear();
    /// Reads the source of one column, which has one.
    [[nodiscard]] decode::Document read_source(std::size_t column, const RecordView& view);

    /// Columns that have a value, generated ones left out.
    [[nodiscard]] const ColumnSet& present() const noexcept { return present_; }
    [[nodiscard]] bool has(std::size_t column) const { return !values_[column].empty(); }
    /// Whether the source did not send the column's value.
    [[nodiscard]] bool is_unavailable(std::size_t column) const noexcept;
    [[nodiscard]] bool has_unavailable() const noexcept { return !unavailable_.empty(); }
    [[nodiscard]] bool is_null(std::size_t column) const {
        return values_[column].front().kind == decode::ValueKind::null;
    }
    /// Gives a column that has no value this one.
    void set(std::size_t column, decode::Document value) {
        values_[column] = value;
        if (is_written_[column] != 0) {
            present_.add(column);
        }
    }

    /// Appends the column's value as a literal. Precondition: it has one. Errors: the encoder's.
    [[nodiscard]] Result<Done> append(std::size_t column, std::string& sql) const {
        return encoders_[column].append(values_[column], sql);
    }

    [[nodiscard]] bool has_source(std::size_t column) const noexcept {
        return readers_[column].has_value();
    }
    /// Whether the source of `column` reads the element of for-each.
    [[nodiscard]] bool reads_item(std::size_t column) const noexcept;
    [[nodiscard]] bool needs_key() const noexcept { return needs_key_; }

    [[nodiscard]] RecordError missing_key(std::size_t column) const;

private:
    [[nodiscard]] Result<Done> bind_fields(decode::Document object, std::size_t& position);
    [[nodiscard]] RecordError unknown_field(std::string_view name) const;
    /// False: it has a value already, and so two_fields().
    [[nodiscard]] bool bind_field(std::size_t column, decode::Document value) {
        if (has(column)) {
            return false;
        }
        if (value.front().meaning == decode::Meaning::unavailable) {
            unavailable_.push_back(column);
        } else {
            set(column, value);
        }
        return true;
    }
    [[nodiscard]] RecordError two_fields(std::size_t column) const;
    [[nodiscard]] Result<Done> bind_sources(const RecordView& view);
    [[nodiscard]] Result<Done> bind_record_key(decode::Document key);
    [[nodiscard]] Result<Done> bind_record_key_members(decode::Document key);
    [[nodiscard]] Result<Done> prefer_record_key();
    [[nodiscard]] Result<Done> settle_missing();

    const Route& route_;
    const TableDefinition& table_;
    bool takes_fields_ = true;
    bool needs_key_ = false;
    std::vector<ColumnEncoder> encoders_;
    /// By column.
    std::vector<std::optional<SourceReader>> readers_;
    std::vector<std::size_t> sourced_;
    std::vector<bool> is_key_column_;
    /// Not generated. Bytes, as it is asked for each field of each record.
    std::vector<std::uint8_t> is_written_;
    /// By column; empty where there is none.
    std::vector<decode::Document> values_;
    std::vector<decode::Document> key_values_;
    std::vector<decode::Document> source_values_;
    ColumnSet present_;
    FieldLookup fields_;
    FieldLookup key_fields_;
    /// Columns whose rule for a missing value is not the default's.
    struct Missing {
        std::size_t column;
        OnMissing rule;
    };
    std::vector<Missing> strict_;
    /// Columns whose field the source did not send.
    std::vector<std::size_t> unavailable_;
    std::string flat_name_;
    bool is_below_used_ = false;
    std::string key_literal_;
    std::string field_literal_;
};

}  // namespace txsink::mapping
