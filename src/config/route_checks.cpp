#include "config/route_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/option_values.hpp"
#include "txsink/core/ascii.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::config {
namespace {

using mapping::Format;
using mapping::Mode;
using mapping::OnConflict;
using mapping::Route;

/// One route, and how its options are called.
class RouteChecks {
public:
    explicit RouteChecks(const Route& route) : route_{route} {}

    void run(const Needs& needs) const {
        if (route_.topics.empty()) {
            refuse(name("topic") + " is missing", "say which topics go there");
        }
        if (route_.mode == Mode::sql) {
            check_sql();
        } else {
            check_row_mode(needs);
        }
        check_columns(needs);
        check_fields();
        check_sources();
    }

private:
    [[nodiscard]] std::string name(const std::string& option) const {
        return route_.name == "default" ? option : fmt::format("route.{}.{}", route_.name, option);
    }

    [[noreturn]] static void refuse(const std::string& what,
                                    std::string hint,
                                    std::string detail = {}) {
        throw SinkError{ErrorKind::configuration, what, std::move(detail), std::move(hint)};
    }

    /// `option` was given, and only goes with what `needed` says.
    void require(bool is_fine, const std::string& option, const std::string& needed) const {
        if (!is_fine) {
            refuse(fmt::format("{} needs {}", name(option), needed),
                   fmt::format("take {} out, or give that", name(option)));
        }
    }

    void check_sql() const {
        if (route_.sql.empty()) {
            refuse(fmt::format("{} = sql needs sql or sql-file", name("mode")),
                   fmt::format("give {} = UPDATE ... WHERE id = :id", name("sql")));
        }
        if (!route_.table.table.empty()) {
            refuse(fmt::format("{} cannot be given with mode = sql", name("table")),
                   "the statements name their tables themselves");
        }
        const std::string rows = "mode = upsert, insert or update";
        require(route_.columns.empty(), "column.C", rows + " (see parameter.P)");
        require(!route_.for_each, "for-each", rows);
        require(route_.fields.empty(), "fields", rows);
        require(route_.exclude_fields.empty(), "exclude-fields", rows);
        require(route_.flatten.empty(), "flatten", rows);
        require(route_.on_conflict == OnConflict::replace, "on-conflict", rows);
        require(route_.if_newer.empty(), "if-newer", rows);
        require(!route_.delete_when, "delete-when", rows + " (see when)");
        require(route_.tombstone != mapping::OnTombstone::soft, "tombstone = soft", rows);
        require(route_.replace_children.empty(), "replace-children", rows);
        const mapping::ValueRules rules;
        require(route_.values.missing == rules.missing, "missing", rows);
        require(route_.values.null == rules.null, "null", rows);
        require(route_.values.excess_fraction == rules.excess_fraction, "excess-fraction", rows);
        require(route_.values.unit == rules.unit, "time-unit", rows);
        require(route_.values.binary == rules.binary, "binary", rows);
        require(route_.unknown_fields == mapping::UnknownFields::ignore, "unknown-fields", rows);
        require(route_.key == mapping::KeySource::value, "key = record", rows + " (see $key)");
        require(route_.missing_row == mapping::OnMissingRow::count, "missing-row", rows);
    }

    void check_row_mode(const Needs& needs) const {
        if (needs.routes && route_.table.table.empty()) {
            refuse(name("table") + " is missing", "say which table the records go into");
        }
        require(route_.sql.empty(), "sql", "mode = sql");
        require(route_.parameters.empty(), "parameter.P", "mode = sql");
        require(route_.require_rows == 0, "require-rows", "mode = sql");
        require(route_.missing_row == mapping::OnMissingRow::count || route_.mode == Mode::update,
                "missing-row",
                "mode = update");
        require(route_.replace_children.empty() || route_.for_each, "replace-children", "for-each");
        require(route_.replace_children.empty() || route_.mode != Mode::update,
                "replace-children",
                "mode = upsert or insert");
        if (route_.mode == Mode::insert) {
            const std::string existing = "mode = upsert or update";
            require(route_.if_newer.empty(), "if-newer", existing);
            require(route_.on_conflict == OnConflict::replace, "on-conflict", existing);
            require(route_.tombstone != mapping::OnTombstone::soft, "tombstone = soft", existing);
            for (const auto& rule : route_.columns) {
                require(rule.on_conflict.value_or(OnConflict::replace) == OnConflict::replace,
                        fmt::format("column.{}.on-conflict", rule.column),
                        existing);
            }
        }
        check_tables();
    }

    /// What the topics make of the table's name, as far as they are known.
    void check_tables() const {
        if (route_.table.table.empty()) {
            return;
        }
        try {
            route_.check_placeholders();
            for (const auto& topic : route_.topics) {
                if (!route_.is_regex()) {
                    static_cast<void>(route_.table_for(topic));
                }
            }
        } catch (const SinkError& error) {
            constexpr std::string_view kSubject = "table";
            std::string_view what = error.what();
            what.remove_prefix(what.starts_with(kSubject) ? kSubject.size() : 0);
            refuse(name("table") + std::string{what}, error.hint, error.detail);
        }
    }

    void check_columns(const Needs& needs) const {
        const auto& columns = route_.columns;
        for (auto one = columns.begin(); one != columns.end(); ++one) {
            const auto other = std::find_if(one + 1, columns.end(), [&](const auto& rule) {
                return equals_without_case(rule.column, one->column);
            });
            if (other != columns.end()) {
                refuse(fmt::format("{} and {} are one column",
                                   name("column." + one->column),
                                   name("column." + other->column)),
                       "write it in one way: MySQL does not tell upper from lower case there");
            }
            if (equals_without_case(one->column, route_.if_newer)) {
                require(one->on_conflict.value_or(OnConflict::replace) == OnConflict::replace,
                        fmt::format("column.{}.on-conflict", one->column),
                        "to be replace, as if-newer compares the column");
            }
        }
        const bool has_source = std::any_of(
            columns.begin(), columns.end(), [](const auto& rule) { return rule.source; });
        if (needs.routes && route_.format == Format::raw && route_.mode != Mode::sql &&
            !has_source) {
            refuse(fmt::format("{} = raw needs {}", name("format"), name("column.C")),
                   "a raw value has no fields; say which column takes it: column.C = $");
        }
    }

    void check_fields() const {
        if (!route_.fields.empty() && !route_.exclude_fields.empty()) {
            refuse(
                fmt::format("{} and {} do not go together", name("fields"), name("exclude-fields")),
                "fields alone says which fields go to the table");
        }
    }

    void check_sources() const {
        check_filter("when", route_.when);
        if (route_.delete_when) {
            check_filter("delete-when", *route_.delete_when);
        }
        if (route_.for_each) {
            for (const auto& term : route_.for_each->terms) {
                if (term.origin > mapping::Origin::key) {
                    refuse(fmt::format("{} is no source of arrays", name("for-each")),
                           "it is a part of the record: $.items, $key.items, ...");
                }
            }
            check_source("for-each", *route_.for_each, false);
        }
        for (const auto& rule : route_.columns) {
            if (rule.source) {
                check_source("column." + rule.column, *rule.source, route_.for_each.has_value());
            }
        }
        for (const auto& [parameter, source] : route_.parameters) {
            check_source("parameter." + parameter, source, false);
        }
        if (route_.key == mapping::KeySource::record &&
            route_.key_format == mapping::KeyFormat::none) {
            refuse(fmt::format(
                       "{} = record needs the key, and {} = none", name("key"), name("key-format")),
                   "say which format the keys have");
        }
    }

    void check_filter(const char* option, const mapping::Filter& filter) const {
        for (const auto& condition : filter.conditions) {
            check_source(option, condition.source, false);
            for (const auto& operand : condition.operands) {
                check_source(option, operand, false);
            }
        }
    }

    void check_source(const std::string& option,
                      const mapping::Source& source,
                      bool has_items) const {
        const auto uses = [&](mapping::Origin origin) {
            return std::any_of(source.terms.begin(), source.terms.end(), [=](const auto& term) {
                return term.origin == origin;
            });
        };
        if (!has_items && (uses(mapping::Origin::item) || uses(mapping::Origin::index))) {
            refuse(fmt::format("{}: there is no $item or $index here", name(option)),
                   "only columns have them, in a route with for-each");
        }
        if (uses(mapping::Origin::key) && route_.key_format == mapping::KeyFormat::none) {
            refuse(fmt::format("{} uses $key, and {} = none", name(option), name("key-format")),
                   "say which format the keys have");
        }
        if (uses(mapping::Origin::before) && route_.format != Format::debezium) {
            refuse(fmt::format(
                       "{} uses $before, and {} is not debezium", name(option), name("format")),
                   "only change events have a state before");
        }
    }

    const Route& route_;
};

/// A topic has one route for what the others leave.
void check_otherwise(const std::vector<Route>& routes) {
    for (auto one = routes.begin(); one != routes.end(); ++one) {
        const auto clash = std::find_if(one + 1, routes.end(), [&](const Route& other) {
            const auto takes_one_of = [](const Route& by, const Route& from) {
                return std::any_of(from.topics.begin(), from.topics.end(), [&](const auto& topic) {
                    return from.is_regex() ? by.topics.front() == topic : by.takes(topic);
                });
            };
            return one->is_otherwise && other.is_otherwise &&
                   (takes_one_of(*one, other) || takes_one_of(other, *one));
        });
        if (clash != routes.end()) {
            throw SinkError{
                ErrorKind::configuration,
                "two routes of one topic have when = otherwise",
                fmt::format("route.{} and route.{}", one->name, clash->name),
                "give one of them a filter; a record that no other route takes goes to one route"};
        }
    }
}

void check_dead_letters(const Settings& settings, const Needs& needs) {
    const auto& topic = settings.dead_letter_topic;
    const auto& routes = settings.pipeline.routes;
    if (topic.empty() || !needs.routes) {
        return;
    }
    if (std::none_of(routes.begin(), routes.end(), [](const Route& route) {
            return route.on_bad_record == mapping::OnBadRecord::dead_letter;
        })) {
        throw SinkError{ErrorKind::configuration,
                        "dead-letter.topic needs a route with on-bad-record = dead-letter",
                        {},
                        "without one there are no dead letters to copy"};
    }
    const auto taker = std::find_if(
        routes.begin(), routes.end(), [&](const Route& route) { return route.takes(topic); });
    if (taker != routes.end()) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("dead-letter.topic: a route takes the topic {}", topic),
                        fmt::format("route.{}", taker->name),
                        "dead letters would come back as records: give another topic"};
    }
}

}  // namespace

void check_routes(const Settings& settings, const Needs& needs) {
    for (const auto& route : settings.pipeline.routes) {
        RouteChecks{route}.run(needs);
    }
    check_otherwise(settings.pipeline.routes);
    check_dead_letters(settings, needs);
}

}  // namespace txsink::config
