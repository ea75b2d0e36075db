/// @file
/// Checks that txsink's own tables are as `run` needs them.
#include <fmt/format.h>

#include <algorithm>

#include "mysql/session.hpp"
#include "mysql/table_reader.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/migrations.hpp"

namespace txsink::mysql {
namespace {

using Names = std::vector<std::string>;

struct OwnTable {
    const char* name;
    Names key;
    Names columns;
};

/// What the newest of the files sql/V*.sql leaves.
const std::vector<OwnTable>& own_tables() {
    static const std::vector<OwnTable> tables{
        {"txsink_offsets",
         {"connector", "topic", "partition_id"},
         {"next_offset",
          "start_offset",
          "fence",
          "owner",
          "cluster_id",
          "records",
          "dead_letters",
          "last_timestamp_ms",
          "created_at",
          "updated_at"}},
        {"txsink_dead_letters",
         {"connector", "topic", "partition_id", "record_offset"},
         {"record_key",
          "record_value",
          "record_headers",
          "record_timestamp_ms",
          "error_code",
          "error_number",
          "error_text",
          "target_table",
          "created_at"}},
        {"txsink_gaps",
         {"id"},
         {"connector",
          "topic",
          "partition_id",
          "from_offset",
          "to_offset",
          "reason",
          "created_by",
          "created_at"}}};
    return tables;
}

// A table on which the account has no privilege looks the same.
constexpr const char* kMakeIt =
    "run txsink migrate, or grant the account privileges on it: without any it stays invisible";
constexpr const char* kOther =
    "something else made it, or changed it: compare it with txsink migrate --print";

void check(const OwnTable& own,
           const mapping::TableDefinition& found,
           std::vector<OwnTableFault>& faults) {
    Names key;
    for (const auto column : found.primary_key) {
        key.push_back(found.columns[column].name);
    }
    if (key != own.key) {
        faults.push_back(
            {fmt::format("the primary key of {} is not ({})", own.name, fmt::join(own.key, ", ")),
             kOther});
    }
    for (const auto& wanted : own.columns) {
        const bool is_there =
            std::any_of(found.columns.begin(), found.columns.end(), [&](const auto& column) {
                return column.name == wanted;
            });
        if (!is_there) {
            faults.push_back({fmt::format("{} has no column {}", own.name, wanted), kOther});
        }
    }
}

}  // namespace

std::vector<OwnTableFault> check_own_tables(Session& session) {
    std::vector<OwnTableFault> faults;
    for (const auto& own : own_tables()) {
        try {
            check(own, read_table(session, {"", own.name}), faults);
        } catch (const SinkError& error) {
            if (error.kind != ErrorKind::configuration) {
                throw;
            }
            // Any hint but to migrate would be about somebody else's table.
            const bool is_missing = std::string_view{error.what()}.find("there is no table") == 0;
            faults.push_back({error.what(), is_missing ? kMakeIt : error.hint});
        }
    }
    return faults;
}

}  // namespace txsink::mysql
