#include "mapping/route_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "mapping/row_values.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::mapping {

namespace {

bool is_key(const TableDefinition& table, std::size_t column) {
    return std::find(table.primary_key.begin(), table.primary_key.end(), column) !=
           table.primary_key.end();
}

bool is_numeric(ColumnType type) noexcept {
    switch (type) {
        case ColumnType::tinyint:
        case ColumnType::smallint:
        case ColumnType::mediumint:
        case ColumnType::integer:
        case ColumnType::bigint:
        case ColumnType::decimal:
        case ColumnType::float_single:
        case ColumnType::float_double:
            return true;
        default:
            return false;
    }
}

/// Whether values of the type have an order that the server's < and > follow.
bool is_ordered(ColumnType type) noexcept {
    switch (type) {
        case ColumnType::json:
        case ColumnType::bit:
        case ColumnType::set:
        case ColumnType::enumeration:
        case ColumnType::geometry:
        case ColumnType::vector:
        case ColumnType::unsupported:
            return false;
        default:
            return true;
    }
}

std::size_t column_named(const Route& route,
                         const TableDefinition& table,
                         const std::string& name,
                         const char* option) {
    const auto column = find_column(table, name);
    if (!column) {
        refuse_table(route,
                     table,
                     fmt::format("it has no column \"{}\"", name),
                     fmt::format("{} names a column of the table", option));
    }
    return *column;
}

void check_rule(const Route& route,
                const TableDefinition& table,
                std::size_t column,
                OnConflict rule) {
    const ColumnDefinition& definition = table.columns[column];
    const bool fits = rule == OnConflict::add ? is_numeric(definition.type)
                      : rule == OnConflict::max || rule == OnConflict::min
                          ? is_ordered(definition.type)
                          : true;
    if (!fits) {
        refuse_table(route,
                     table,
                     fmt::format("column \"{}\" ({}) cannot take on-conflict = {}",
                                 definition.name,
                                 definition.type_text,
                                 rule == OnConflict::add   ? "add"
                                 : rule == OnConflict::max ? "max"
                                                           : "min"),
                     fmt::format("give it a rule of its own: column.{}.on-conflict = replace",
                                 definition.name));
    }
}

}  // namespace

void refuse_table(const Route& route,
                  const TableDefinition& table,
                  const std::string& why,
                  const std::string& hint) {
    throw SinkError{
        ErrorKind::configuration,
        fmt::format(
            "route {} cannot write to table {}: {}", route.name, to_string(table.name), why),
        {},
        hint};
}

bool is_required(const ColumnDefinition& column) noexcept {
    return !column.is_nullable && !column.has_default && !column.is_auto_increment &&
           !column.is_generated;
}

bool can_identify(const ColumnDefinition& column) noexcept {
    return !column.is_generated && column.type != ColumnType::unsupported &&
           column.type != ColumnType::float_single;
}

bool is_moment(const ColumnDefinition& column) noexcept {
    return column.type == ColumnType::datetime || column.type == ColumnType::timestamp;
}

void check_route(const Route& route, const TableDefinition& table) {
    const bool needs_key = route.mode != Mode::insert || route.key == KeySource::record;
    if (needs_key && table.primary_key.empty()) {
        refuse_table(route,
                     table,
                     "it has no primary key",
                     "add a primary key, or use mode = insert with key = value");
    }
    for (const std::size_t at : table.primary_key) {
        const ColumnDefinition& column = table.columns[at];
        if (needs_key && !can_identify(column)) {
            refuse_table(route,
                         table,
                         fmt::format("primary key column \"{}\" ({}) {}",
                                     column.name,
                                     column.type_text,
                                     column.is_generated ? "is generated"
                                                         : "has a type that cannot name a row"),
                         "choose another primary key, or use mode = insert with key = value");
        }
    }
    for (const ColumnDefinition& column : table.columns) {
        if (is_required(column) && column.type == ColumnType::unsupported) {
            refuse_table(
                route,
                table,
                fmt::format("column \"{}\" needs a value, and its type {} is not supported",
                            column.name,
                            column.type_text),
                "give the column a default, or let it be NULL");
        }
    }
}

ConflictRules conflict_rules(const Route& route, const TableDefinition& table) {
    ConflictRules rules;
    rules.by_column.assign(table.columns.size(), OnConflict::replace);
    if (!route.if_newer.empty()) {
        rules.newer = column_named(route, table, route.if_newer, "if-newer");
        const ColumnDefinition& column = table.columns[*rules.newer];
        if (is_key(table, *rules.newer) || !is_ordered(column.type)) {
            refuse_table(
                route,
                table,
                fmt::format(
                    "if-newer cannot compare column \"{}\" ({})", column.name, column.type_text),
                "choose a number or a time that is not in the primary key");
        }
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (!is_key(table, i) && rules.newer != i && !table.columns[i].is_generated) {
            rules.by_column[i] = route.on_conflict;
        }
    }
    if (const auto mark = find_column(table, route.soft_delete_column);
        mark && route.tombstone == OnTombstone::soft) {
        rules.by_column[*mark] = OnConflict::replace;  // or a row would never come back
    }
    for (const ColumnRule& rule : route.columns) {
        const auto column = find_column(table, rule.column);
        if (!column || !rule.on_conflict) {
            continue;
        }
        if ((is_key(table, *column) || rules.newer == *column) &&
            *rule.on_conflict != OnConflict::replace) {
            refuse_table(route,
                         table,
                         fmt::format("column \"{}\" is {}",
                                     rule.column,
                                     is_key(table, *column) ? "in the primary key"
                                                            : "what if-newer compares"),
                         fmt::format("take column.{}.on-conflict out of the route", rule.column));
        }
        rules.by_column[*column] = *rule.on_conflict;
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        check_rule(route, table, i, rules.by_column[i]);
    }
    return rules;
}

std::vector<std::size_t> parent_columns(const Route& route,
                                        const TableDefinition& table,
                                        const RowValues& values) {
    std::vector<std::size_t> columns;
    const bool has_rules =
        std::any_of(route.columns.begin(), route.columns.end(), [](const ColumnRule& rule) {
            return rule.on_conflict.value_or(OnConflict::replace) != OnConflict::replace;
        });
    if (!route.replace_children.empty() &&
        (has_rules || route.on_conflict != OnConflict::replace || !route.if_newer.empty() ||
         route.tombstone == OnTombstone::soft)) {
        refuse_table(route,
                     table,
                     "replace-children deletes the old rows, which on-conflict, if-newer and "
                     "tombstone = soft would keep",
                     "take either out of the route");
    }
    for (const std::string& name : route.replace_children) {
        const std::size_t column = column_named(route, table, name, "replace-children");
        if (!values.has_source(column) || values.reads_item(column)) {
            refuse_table(
                route,
                table,
                fmt::format("replace-children needs the parent's value of column \"{}\"", name),
                fmt::format("say where it stands, outside the elements: column.{} = $.id", name));
        }
        columns.push_back(column);
    }
    return columns;
}

std::size_t soft_column(const Route& route, const TableDefinition& table) {
    const std::size_t at =
        column_named(route, table, route.soft_delete_column, "tombstone = soft:");
    const ColumnDefinition& column = table.columns[at];
    const bool is_flag = is_numeric(column.type) || column.type == ColumnType::bit;
    if (is_key(table, at) || column.is_generated || (!is_moment(column) && !is_flag) ||
        (is_moment(column) && !column.is_nullable)) {
        refuse_table(
            route,
            table,
            fmt::format(
                "column \"{}\" ({}) cannot mark a deleted row", column.name, column.type_text),
            "choose a BOOL, or a DATETIME or TIMESTAMP that may be NULL");
    }
    return at;
}

}  // namespace txsink::mapping
