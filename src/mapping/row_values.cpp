#include "mapping/row_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mapping/route_checks.hpp"
#include "txsink/core/ascii.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Value;
using decode::ValueKind;

constexpr std::string_view kAllFields = "*";

const ColumnRule* rule_of(const Route& route, const TableDefinition& table, std::size_t column) {
    for (const ColumnRule& rule : route.columns) {
        if (find_column(table, rule.column) == column) {
            return &rule;
        }
    }
    return nullptr;
}

ValueRules values_of(const Route& route, const ColumnRule* rule, bool is_key) {
    ValueRules rules = route.values;
    if (rule != nullptr) {
        rules.null = rule->null.value_or(rules.null);
        rules.excess_fraction = rule->excess_fraction.value_or(rules.excess_fraction);
        rules.unit = rule->unit.value_or(rules.unit);
        rules.binary = rule->binary.value_or(rules.binary);
    }
    rules.is_change_event = route.format == Format::debezium;
    if (is_key) {
        // A default names no row.
        rules.null = OnNull::keep;
    }
    return rules;
}

/// Rules for values have to be of use to the column's type.
void check_rule(const Route& route,
                const TableDefinition& table,
                std::size_t column,
                const ColumnRule& rule) {
    const ColumnDefinition& definition = table.columns[column];
    const ColumnType type = definition.type;
    const bool has_time = is_moment(definition) || type == ColumnType::time;
    const bool is_temporal = has_time || type == ColumnType::date || type == ColumnType::year;
    const bool is_binary =
        type == ColumnType::binary || type == ColumnType::varbinary || type == ColumnType::blob;
    const char* idle = rule.unit && !is_temporal           ? "unit"
                       : rule.excess_fraction && !has_time ? "excess-fraction"
                       : rule.binary && !is_binary         ? "binary"
                                                           : nullptr;
    if (idle != nullptr) {
        refuse_table(route,
                     table,
                     fmt::format("column \"{}\" ({}) has no use for {}",
                                 definition.name,
                                 definition.type_text,
                                 idle),
                     fmt::format("take column.{}.{} out of the route", rule.column, idle));
    }
}

/// Names of top-level fields that sources read: they are known, whether or not a column has them.
std::vector<std::string> fields_used(const Route& route) {
    std::vector<std::string> names;
    const auto add = [&](const Source& source) {
        for (const SourceTerm& term : source.terms) {
            const bool is_field =
                route.for_each ? term.origin == Origin::item
                               : term.origin == Origin::row || (term.origin == Origin::value &&
                                                                route.format != Format::debezium);
            if (is_field && !term.path.empty()) {
                if (const auto* name = std::get_if<std::string>(&term.path.front())) {
                    names.push_back(*name);
                }
            }
        }
    };
    for (const ColumnRule& rule : route.columns) {
        if (rule.source) {
            add(*rule.source);
        }
    }
    for (const Filter* filter : {&route.when, route.delete_when ? &*route.delete_when : nullptr}) {
        for (std::size_t i = 0; filter != nullptr && i < filter->conditions.size(); ++i) {
            add(filter->conditions[i].source);
            std::for_each(
                filter->conditions[i].operands.begin(), filter->conditions[i].operands.end(), add);
        }
    }
    return names;
}

FieldChoice choice_of(const Route& route, const TableDefinition& table) {
    FieldChoice choice;
    choice.only = route.fields;
    choice.except = route.exclude_fields;
    choice.used = fields_used(route);
    choice.taken.resize(table.columns.size());
    for (const ColumnRule& rule : route.columns) {
        if (const auto column = find_column(table, rule.column); column && rule.source) {
            choice.taken[*column] = true;
        }
    }
    return choice;
}

}  // namespace

Document null_document() noexcept {
    static constexpr Value kNull{.kind = ValueKind::null, .text = "null"};
    return {&kNull, 1};
}

std::optional<std::size_t> find_column(const TableDefinition& table, std::string_view name) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].name == name) {
            return i;
        }
        if (!found && equals_without_case(table.columns[i].name, name)) {
            found = i;
        }
    }
    return found;
}

RowValues::RowValues(const Route& route, const TableDefinition& table)
    : route_{route},
      table_{table},
      takes_fields_{route.format != Format::raw &&
                    std::find(route.exclude_fields.begin(),
                              route.exclude_fields.end(),
                              kAllFields) == route.exclude_fields.end()},
      readers_(table.columns.size()),
      is_key_column_(table.columns.size()),
      is_written_(table.columns.size()),
      values_(table.columns.size()),
      key_values_(table.columns.size()),
      source_values_(table.columns.size()),
      present_{table.columns.size()},
      fields_{table.columns, choice_of(route, table)},
      key_fields_{table.columns} {
    for (const std::size_t column : table.primary_key) {
        is_key_column_[column] = true;
    }
    for (const ColumnRule& rule : route.columns) {
        const auto column = find_column(table, rule.column);
        if (!column) {
            refuse_table(
                route,
                table,
                fmt::format("it has no column \"{}\"", rule.column),
                fmt::format("column.{} of the route names a column of the table", rule.column));
        }
        if (table.columns[*column].is_generated) {
            refuse_table(route,
                         table,
                         fmt::format("column \"{}\" is generated", rule.column),
                         fmt::format("take column.{} out of the route", rule.column));
        }
        check_rule(route, table, *column, rule);
        if (rule.source) {
            readers_[*column].emplace(*rule.source);
            needs_key_ = needs_key_ || readers_[*column]->needs_key();
            sourced_.push_back(*column);
        }
    }
    for (const std::string& name : route.fields) {
        if (!find_column(table, name)) {
            refuse_table(route,
                         table,
                         fmt::format("it has no column \"{}\", which fields names", name),
                         "fields lists columns; rename by column.C = $.field");
        }
    }
    needs_key_ = needs_key_ || route.key == KeySource::record;
    encoders_.reserve(table.columns.size());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const ColumnRule* rule = rule_of(route, table, i);
        is_written_[i] = table.columns[i].is_generated ? 0 : 1;
        encoders_.emplace_back(table.columns[i], values_of(route, rule, is_key_column_[i]));
        const OnMissing missing =
            rule != nullptr && rule->missing ? *rule->missing : route.values.missing;
        if (missing != OnMissing::fallback && !table.columns[i].is_generated) {
            strict_.push_back({i, missing});
        }
    }
}

bool RowValues::is_unavailable(std::size_t column) const noexcept {
    return std::find(unavailable_.begin(), unavailable_.end(), column) != unavailable_.end();
}

bool RowValues::reads_item(std::size_t column) const noexcept {
    return readers_[column] &&
           (readers_[column]->uses(Origin::item) || readers_[column]->uses(Origin::index));
}

void RowValues::clear() {
    std::fill(values_.begin(), values_.end(), Document{});
    present_.clear();
    unavailable_.clear();
    flat_name_.clear();
    is_below_used_ = false;
}

Result<Done> RowValues::gather(const RecordView& view, Document fields) {
    clear();
    if (takes_fields_ && !fields.empty()) {
        std::size_t position = 0;
        if (auto done = bind_fields(fields, position); !done) {
            return done;
        }
    }
    if (auto done = bind_sources(view); !done) {
        return done;
    }
    if (route_.key == KeySource::record) {
        if (!view.record->key) {
            return RecordError{
                RecordErrorCode::missing_key, {}, "the record has no key (key = record needs one)"};
        }
        if (auto done = bind_record_key(view.key); !done) {
            return done;
        }
        if (auto done = prefer_record_key(); !done) {
            return done;
        }
    }
    return settle_missing();
}

Document RowValues::read_source(std::size_t column, const RecordView& view) {
    return readers_[column]->read(view);
}

/// Notes which field of `object` belongs to which column.
Result<Done> RowValues::bind_fields(Document object, std::size_t& position) {
    const std::size_t prefix = flat_name_.size();
    for (std::size_t at = 1; at < object.size(); at += object[at].size) {
        std::string_view name = object[at].name;
        if (prefix != 0) {
            flat_name_.resize(prefix);
            flat_name_ += name;
            name = flat_name_;
        }
        const std::size_t column = fields_.find(position++, name);
        if (column < values_.size()) {
            if (!bind_field(column, decode::subtree(object, at))) {
                return two_fields(column);
            }
        } else if (column != FieldLookup::kLeftOut && !route_.flatten.empty() &&
                   object[at].kind == ValueKind::object) {
            const bool was_used =
                std::exchange(is_below_used_, is_below_used_ || column == FieldLookup::kUsed);
            flat_name_.resize(prefix);
            flat_name_ += object[at].name;
            flat_name_ += route_.flatten;
            auto done = bind_fields(decode::subtree(object, at), position);
            flat_name_.resize(prefix);
            is_below_used_ = was_used;
            if (!done) {
                return done;
            }
        } else if (column == FieldLookup::kNoColumn && !is_below_used_ && route_.fields.empty() &&
                   route_.unknown_fields == UnknownFields::error) {
            return unknown_field(name);
        }
    }
    return Done{};
}

RecordError RowValues::unknown_field(std::string_view name) const {
    const std::string shown = decode::printable_name(name);
    return {RecordErrorCode::unknown_field,
            shown,
            fmt::format("field \"{}\" has no column in table {}", shown, to_string(table_.name))};
}

RecordError RowValues::two_fields(std::size_t column) const {
    return {RecordErrorCode::duplicate_field,
            table_.columns[column].name,
            fmt::format("two fields for column \"{}\" ({})",
                        table_.columns[column].name,
                        route_.flatten.empty() ? "names differ in case" : "one of them nested")};
}

Result<Done> RowValues::bind_sources(const RecordView& view) {
    for (const std::size_t column : sourced_) {
        // What is not the element's own is read once for all elements.
        if (view.item.empty() || view.index == 0 || reads_item(column)) {
            source_values_[column] = readers_[column]->read(view);
        }
        if (const Document value = source_values_[column]; !value.empty()) {
            if (!bind_field(column, value)) {
                return two_fields(column);
            }
        }
    }
    return Done{};
}

Result<Done> RowValues::settle_missing() {
    for (const Missing& strict : strict_) {
        if (has(strict.column) || is_unavailable(strict.column)) {
            continue;
        }
        if (strict.rule == OnMissing::error) {
            const ColumnDefinition& column = table_.columns[strict.column];
            return RecordError{RecordErrorCode::missing_value,
                               column.name,
                               fmt::format("column \"{}\" ({}): no value for it (missing = error)",
                                           column.name,
                                           column.type_text)};
        }
        set(strict.column, null_document());
    }
    return Done{};
}

}  // namespace txsink::mapping
