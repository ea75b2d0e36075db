/// @file
/// The options of a route's columns and parameters, whose names hold those of the columns.
#include <fmt/format.h>

#include <algorithm>

#include "config/option_table.hpp"
#include "config/option_values.hpp"
#include "config/route_values.hpp"

namespace txsink::config {
namespace {

using mapping::ColumnRule;
using mapping::Route;
using ColumnOption = OptionOf<ColumnRule>;

/// By what follows `column.C`: nothing, or `.unit` and so on.
const std::vector<ColumnOption>& column_options() {
    using namespace mapping;
    const std::string as_route = "For this column, instead of ";
    static const std::vector<ColumnOption> options{
        {.name = "",
         .value_name = "SOURCE",
         .allowed = "a source, such as $.customer.id | $key or 'text'",
         .help = "Where the column C gets its value from, instead of the field of its name. A C "
                 "with dots stands in backticks.",
         .set = [](ColumnRule& c,
                   const std::string& value) { return set_source(c.source, value); }},
        choice<ColumnRule, OnConflict, std::optional<OnConflict>>(
            ".on-conflict",
            as_route + "on-conflict.",
            on_conflict_names(),
            [](ColumnRule& c) -> std::optional<OnConflict>& { return c.on_conflict; }),
        choice<ColumnRule, OnMissing, std::optional<OnMissing>>(
            ".missing",
            as_route + "missing.",
            missing_names(),
            [](ColumnRule& c) -> std::optional<OnMissing>& { return c.missing; }),
        choice<ColumnRule, OnNull, std::optional<OnNull>>(
            ".null",
            as_route + "null.",
            null_names(),
            [](ColumnRule& c) -> std::optional<OnNull>& { return c.null; }),
        choice<ColumnRule, OnExcessFraction, std::optional<OnExcessFraction>>(
            ".excess-fraction",
            as_route + "excess-fraction.",
            excess_fraction_names(),
            [](ColumnRule& c) -> std::optional<OnExcessFraction>& { return c.excess_fraction; }),
        choice<ColumnRule, TimeUnit, std::optional<TimeUnit>>(
            ".unit",
            as_route + "time-unit.",
            unit_names(),
            [](ColumnRule& c) -> std::optional<TimeUnit>& { return c.unit; }),
        choice<ColumnRule, BinaryEncoding, std::optional<BinaryEncoding>>(
            ".binary",
            as_route + "binary.",
            binary_names(),
            [](ColumnRule& c) -> std::optional<BinaryEncoding>& { return c.binary; }),
    };
    return options;
}

ColumnRule& rule_of(Route& route, const std::string& column) {
    const auto at = std::find_if(route.columns.begin(),
                                 route.columns.end(),
                                 [&](const ColumnRule& rule) { return rule.column == column; });
    if (at != route.columns.end()) {
        return *at;
    }
    auto& rule = route.columns.emplace_back();
    rule.column = column;
    return rule;
}

RouteOption option_of_column(const ColumnOption& option, std::string name, std::string column) {
    return {.name = std::move(name),
            .value_name = option.value_name,
            .allowed = option.allowed,
            .fallback = {},
            .help = option.help,
            .set = [set = option.set, column = std::move(column)](Route& route,
                                                                  const std::string& value) {
                return set(rule_of(route, column), value);
            }};
}

RouteOption option_of_parameter(std::string name, std::string parameter) {
    return {.name = std::move(name),
            .value_name = "SOURCE",
            .allowed = "a source, such as $.customer.id | $key or 'text'",
            .fallback = {},
            .help = "mode = sql: what :P stands for, instead of the field $.P.",
            .set = [parameter = std::move(parameter)](Route& route, const std::string& value) {
                auto& [key, source] = route.parameters.emplace_back(parameter, mapping::Source{});
                return parse_into(source, value, &mapping::parse_source);
            }};
}

bool is_parameter_name(std::string_view name) {
    constexpr std::string_view kCharacters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return !name.empty() && name.find_first_not_of(kCharacters) == name.npos &&
           (name.front() < '0' || name.front() > '9');
}

}  // namespace

const std::vector<RouteOption>& route_option_patterns() {
    static const std::vector<RouteOption> patterns = [] {
        std::vector<RouteOption> all;
        for (const auto& option : column_options()) {
            all.push_back(option_of_column(option, "column.C" + option.name, "C"));
        }
        all.push_back(option_of_parameter("parameter.P", "P"));
        return all;
    }();
    return patterns;
}

std::optional<RouteOption> find_route_option(std::string_view name) {
    for (const auto& option : route_options()) {
        if (option.name == name) {
            return option;
        }
    }
    auto rest = name;
    if (name.starts_with(kColumnPrefix)) {
        rest.remove_prefix(kColumnPrefix.size());
        auto column = take_identifier(rest);
        for (const auto& option : column_options()) {
            if (option.name == rest && complaint_about_column(column).empty()) {
                return option_of_column(option, std::string{name}, std::move(column));
            }
        }
    } else if (name.starts_with(kParameterPrefix)) {
        rest.remove_prefix(kParameterPrefix.size());
        if (is_parameter_name(rest)) {
            return option_of_parameter(std::string{name}, std::string{rest});
        }
    }
    return std::nullopt;
}

}  // namespace txsink::config
