/// @file
/// `txsink migrate`: makes txsink's tables, and a user's own.
#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "txsink/mysql/database.hpp"
#include "txsink/mysql/migrations.hpp"

namespace txsink::cli {
namespace {

constexpr config::Flag kFlags[] = {
    {"print", "", "Prints the migrations instead of applying them; needs no server"},
    {"schema-dir", "DIR", "Also applies the files V<version>__<description>.sql of DIR, in order"},
};

constexpr std::string_view kOptions[] = {"MySQL", "Logging"};

std::vector<mysql::MigrationSet> sets_of(const Invocation& invocation) {
    std::vector<mysql::MigrationSet> sets{mysql::built_in_migrations()};
    if (const auto directory = invocation.line.value_of("schema-dir")) {
        sets.push_back(mysql::load_migrations(*directory));
    }
    return sets;
}

int apply(const Invocation& invocation, const std::vector<mysql::MigrationSet>& sets) {
    auto settings = invocation.load_settings(
        {.mysql = true, .kafka = false, .connector = false, .routes = false});
    observe::set_up_log(settings.log);
    // Changing a large table takes longer than any statement of `run` may.
    settings.mysql.read_timeout = std::chrono::hours{24};
    mysql::Database database{settings.mysql};
    std::size_t applied = 0;
    for (const auto& set : sets) {
        mysql::MigrateOptions options;
        options.listener = [](const auto& migration, const std::chrono::milliseconds* took) {
            if (took != nullptr) {
                print_out(fmt::format("applied {} ({} ms)\n", migration.file_name, took->count()));
            }
        };
        applied += mysql::migrate(database.session(), set, options).size();
    }
    if (applied == 0) {
        print_out(fmt::format("nothing to do: {} is up to date\n", settings.mysql.database));
    }
    return 0;
}

int run(const Invocation& invocation) {
    const auto sets = sets_of(invocation);
    if (!invocation.line.has("print")) {
        return apply(invocation, sets);
    }
    for (const auto& set : sets) {
        print_out(mysql::to_text(set));
    }
    return 0;
}

}  // namespace

const Command& migrate_command() {
    static constexpr Command kCommand{
        "migrate",
        "",
        "makes or updates txsink's tables in MySQL",
        "Applies the migrations that are built in, in the database of mysql.uri: the tables for\n"
        "offsets, dead letters and gaps. Each is applied once; txsink_schema_history keeps "
        "account.",
        kFlags,
        true,
        run,
        kOptions};
    return kCommand;
}

}  // namespace txsink::cli
