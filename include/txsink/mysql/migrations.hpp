/// @file
/// Migrations: the versioned SQL files that make txsink's tables, and a user's own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace txsink::mysql {

class Session;

/// Whose files: each has versions and a history of its own.
enum class MigrationSource : std::uint8_t {
    txsink,  ///< built in (sql/V*.sql)
    user,    ///< --schema-dir
};

/// `txsink` or `user`: the value of txsink_schema_history.source.
[[nodiscard]] const char* name_of(MigrationSource source) noexcept;

/// One file `V<version>__<description>.sql`, named as Flyway names them.
struct Migration {
    /// Numbers joined by dots, without leading or trailing zeros: V001_10__x.sql is "1.10".
    std::string version;
    /// As in the file's name, with spaces for underscores.
    std::string description;
    std::string file_name;
    std::string sql;
    /// FNV-1a, 64 bits, as 16 hexadecimal digits, of the text with line ends as LF and without a
    /// byte order mark. It notices edits; it is no protection against an attacker.
    std::string checksum;
};

/// Files in the order of their versions.
struct MigrationSet {
    MigrationSource source = MigrationSource::txsink;
    std::vector<Migration> migrations;
};

[[nodiscard]] MigrationSet built_in_migrations();

/// The migrations in `directory`; files that do not end in .sql are ignored.
/// Errors: configuration: unreadable, none there, a file that is not named so, a version twice.
[[nodiscard]] MigrationSet load_migrations(const std::filesystem::path& directory);

/// A migration from a file's name and text. Errors: configuration: the name.
[[nodiscard]] Migration make_migration(std::string_view file_name, std::string_view text);

/// One statement of a migration and the line, from 1, that it begins on.
struct SqlStatement {
    std::string text;
    std::size_t line = 1;
};

/// Splits at semicolons outside of strings, quoted names and comments.
/// Errors: configuration: no statement; something is not closed; DELIMITER, which is a command of
/// the mysql client; a BEGIN ... END body, which cannot be split without it.
[[nodiscard]] std::vector<SqlStatement> split_statements(const Migration& migration);

/// A row of txsink_schema_history.
struct AppliedMigration {
    std::string version;
    std::string description;
    std::string checksum;
    std::string installed_by;  ///< user@host
    std::string installed_at;  ///< UTC, 2024-01-31 23:59:59
    std::chrono::milliseconds execution_time{0};
    /// False: it failed half-way, or was interrupted, or is running right now.
    bool is_complete = false;
};

/// The history of `source`, by version; empty when there is no history table yet.
[[nodiscard]] std::vector<AppliedMigration> applied_migrations(Session& session,
                                                               MigrationSource source);

/// What migrate() would apply. Errors: configuration: what migrate() would refuse.
[[nodiscard]] std::vector<Migration> pending_migrations(Session& session, const MigrationSet& set);

/// Called before each migration (`took` absent) and after it.
using MigrationListener =
    std::function<void(const Migration& migration, const std::chrono::milliseconds* took)>;

struct MigrateOptions {
    /// How long to wait for another process that migrates the same database.
    std::chrono::seconds lock_timeout{60};
    MigrationListener listener;
};

/// Applies what is pending to the session's database, in order, and returns it.
///
/// DDL commits by itself, so a migration is no transaction: it is marked in the history before its
/// first statement and completed after its last. What a file leaves open is committed.
/// The session's read timeout must be longer than the slowest statement.
/// Errors: configuration: an applied file was edited or is missing; a new version is below the
/// newest applied one; one failed half-way before; a statement fails (the message names file, line
/// and statement); another process holds the lock past lock_timeout; no default database.
[[nodiscard]] std::vector<Migration> migrate(Session& session,
                                             const MigrationSet& set,
                                             const MigrateOptions& options = {});

/// The files one after another, each under a comment with its name: for --print.
[[nodiscard]] std::string to_text(const MigrationSet& set);

/// Something about txsink's own tables that `run` would fail on.
struct OwnTableFault {
    std::string what;
    std::string hint;
};

/// Looks at txsink's own tables in the session's database: are they there, with their engine, their
/// primary key and their columns? Empty: they are as `run` needs them.
[[nodiscard]] std::vector<OwnTableFault> check_own_tables(Session& session);

}  // namespace txsink::mysql
