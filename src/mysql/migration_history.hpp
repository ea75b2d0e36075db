/// @file
/// Versions and checksums, and what the history of a database says about a set of migrations.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/mysql/migrations.hpp"

namespace txsink::mysql {

/// Migration::checksum of a text.
[[nodiscard]] std::string checksum_of(std::string_view text);

/// Whether version `left` comes before `right`: number by number, "1.9" before "1.10".
[[nodiscard]] bool is_older(std::string_view left, std::string_view right);

/// The migrations of `set` that are not in `applied`, its history.
/// Errors: configuration: see migrate().
[[nodiscard]] std::vector<Migration> pending_after(std::span<const AppliedMigration> applied,
                                                   const MigrationSet& set);

}  // namespace txsink::mysql
