#include "cli/target_checks.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <set>

#include "txsink/mapping/record_mapper.hpp"

namespace txsink::cli {
namespace {

using mapping::Mode;
using mapping::Route;
using mapping::TableName;

/// A table name with ${topic} or ${1} in it: which tables that means, the topics say.
bool is_named_by_topic(const TableName& table) {
    return table.table.find("${") != std::string::npos ||
           table.database.find("${") != std::string::npos;
}

/// What the route cannot do without; an inserting one may never meet a tombstone.
std::vector<std::string_view> privileges_of(const Route& route) {
    const bool removes =
        route.delete_when || !route.replace_children.empty() ||
        (route.mode != Mode::insert && route.tombstone == mapping::OnTombstone::remove);
    const bool changes =
        route.mode != Mode::insert || route.tombstone == mapping::OnTombstone::soft;
    std::vector<std::string_view> needed;
    if (changes || removes) {
        needed.push_back("SELECT");
    }
    if (route.mode != Mode::update) {
        needed.push_back("INSERT");
    }
    if (changes) {
        needed.push_back("UPDATE");
    }
    if (removes) {
        needed.push_back("DELETE");
    }
    return needed;
}

const char* name_of_mode(Mode mode) noexcept {
    switch (mode) {
        case Mode::upsert:
            return "upsert";
        case Mode::insert:
            return "insert";
        case Mode::update:
            return "update";
        case Mode::sql:
            return "sql";
    }
    return "";
}

std::string describe(const Route& route, const mapping::TableDefinition& table) {
    std::vector<std::string> key;
    for (const auto column : table.primary_key) {
        key.push_back(table.columns[column].name);
    }
    return fmt::format("{} of {} columns, {}",
                       name_of_mode(route.mode),
                       table.columns.size(),
                       key.empty() ? "no primary key" : fmt::format("primary key ({})", join(key)));
}

}  // namespace

SinkError denied(const std::string& user,
                 const TableName& table,
                 const std::vector<std::string>& missing) {
    return SinkError{
        ErrorKind::access_denied,
        fmt::format("{} has no {} privilege on {}", user, join(missing), to_string(table)),
        {},
        fmt::format("GRANT {} ON {} TO {}", join(missing), to_string(table), user)};
}

void TargetChecks::check_known() {
    for (const auto& route : settings_.pipeline.routes) {
        if (route.mode == Mode::sql) {
            check_statements(route);
        } else if (!is_named_by_topic(route.table)) {
            check_table(route, route.table);
        }
    }
}

void TargetChecks::check_named_by_topics(const std::vector<kafka::TopicSize>* topics) {
    for (const auto& route : settings_.pipeline.routes) {
        if (route.mode == Mode::sql || !is_named_by_topic(route.table)) {
            continue;
        }
        if (topics == nullptr) {
            findings_.skip(fmt::format("target {}", to_string(route.table)), "needs the topics");
            continue;
        }
        std::set<TableName> checked;
        for (const auto& [topic, partitions] : *topics) {
            if (route.takes(topic)) {
                const auto table = route.table_for(topic);
                if (checked.insert(table).second) {
                    check_table(route, table);
                }
            }
        }
    }
}

void TargetChecks::check_table(const Route& route, const TableName& name) {
    const auto subject = fmt::format("target {}", to_string(name));
    if (!database_) {
        findings_.skip(subject, "needs the mysql server");
        return;
    }
    findings_.attempt(subject, [&] {
        const auto table = database_->load_table(name);
        // Refuses a table that does not fit the route.
        const mapping::RecordMapper mapper{route, table};
        if (check_privileges(subject, route, table)) {
            findings_.good(subject, describe(route, table));
        }
        warn_of_unique_keys(subject, route, table);
    });
}

bool TargetChecks::check_privileges(const std::string& subject,
                                    const Route& route,
                                    const mapping::TableDefinition& table) {
    const auto missing = database_->missing_privileges(table.name, privileges_of(route));
    if (!missing.empty()) {
        findings_.fail(subject, denied(settings_.mysql.user, table.name, missing));
        return false;
    }
    if (route.tombstone == mapping::OnTombstone::remove && !table.primary_key.empty()) {
        constexpr std::array<std::string_view, 2> kRemoval{"DELETE", "SELECT"};
        const auto for_removal = database_->missing_privileges(table.name, kRemoval);
        if (!for_removal.empty()) {
            findings_.warn(subject,
                           fmt::format("a tombstone would be refused: no {} privilege",
                                       join(for_removal, " and ")),
                           denied(settings_.mysql.user, table.name, for_removal).hint);
        }
    }
    return true;
}

void TargetChecks::warn_of_unique_keys(const std::string& subject,
                                       const Route& route,
                                       const mapping::TableDefinition& table) {
    if (table.unique_keys.empty() || route.mode != Mode::upsert) {
        return;
    }
    std::vector<std::string> names;
    for (const auto& key : table.unique_keys) {
        names.push_back(key.name);
    }
    findings_.warn(
        subject,
        fmt::format("has further unique keys ({}): a record that meets another row there is "
                    "refused, that row is never changed",
                    join(names)),
        "drop them if the records may break them");
}

void TargetChecks::check_statements(const Route& route) {
    const auto subject = fmt::format("statements of route.{}", route.name);
    findings_.attempt(subject, [&] {
        const auto statements = mapping::statements_to_prepare(route);
        if (!database_) {
            findings_.skip(subject, "needs the mysql server");
            return;
        }
        for (std::size_t i = 0; i < statements.size(); ++i) {
            if (const auto complaint = database_->complaint_about(statements[i]);
                !complaint.empty()) {
                throw SinkError{ErrorKind::configuration,
                                fmt::format("statement {} is refused: {}", i + 1, complaint),
                                statements[i],
                                fmt::format("mend route.{}.sql", route.name)};
            }
        }
        findings_.good(subject,
                       fmt::format("{} statement{}, all taken by the server",
                                   statements.size(),
                                   statements.size() == 1 ? "" : "s"));
    });
}

}  // namespace txsink::cli
