/// @file
/// Applies migrations under a lock, and keeps their history.
#include "txsink/mysql/migrations.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "mysql/migration_history.hpp"
#include "mysql/server_error.hpp"
#include "mysql/session.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mysql {
namespace {

using mapping::identifier;
using mapping::string_literal;

SinkError refused(std::string what, std::string detail, std::string hint) {
    return SinkError{ErrorKind::configuration, what, std::move(detail), std::move(hint)};
}

std::string database_of(Session& session) {
    auto name = session.query("SELECT DATABASE()").at(0).at(0);
    if (!name) {
        throw refused("no database is chosen",
                      "txsink's tables live in the database that mysql.uri names",
                      "write it behind the host: mysql://user@host/database");
    }
    return std::move(*name);
}

/// Qualified, because a migration may change the session's database.
std::string history_table(const std::string& database) {
    return identifier(database) + ".txsink_schema_history";
}

void create_history(Session& session, const std::string& database) {
    session.execute(
        fmt::format("CREATE TABLE IF NOT EXISTS {} ("
                    "source VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, "
                    "version VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, "
                    "description VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, "
                    "checksum CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, "
                    "installed_by VARCHAR(320) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, "
                    "installed_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6), "
                    "execution_ms BIGINT UNSIGNED NULL DEFAULT NULL, "
                    "success BOOLEAN NOT NULL DEFAULT FALSE, "
                    "PRIMARY KEY (source, version)) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4",
                    history_table(database)));
}

std::vector<AppliedMigration> read_history(Session& session,
                                           const std::string& database,
                                           MigrationSource source) {
    const auto tables = session.query(
        "SELECT TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_NAME = "
        "'txsink_schema_history' AND TABLE_SCHEMA = " +
        string_literal(database));
    const bool exists = std::any_of(
        tables.begin(), tables.end(), [&](const Row& row) { return row.at(0) == database; });
    std::vector<AppliedMigration> history;
    if (!exists) {
        return history;
    }
    const auto rows = session.query(fmt::format(
        "SELECT version, description, checksum, installed_by, "
        "DATE_FORMAT(installed_at, '%Y-%m-%d %H:%i:%s'), COALESCE(execution_ms, 0), success "
        "FROM {} WHERE source = '{}'",
        history_table(database),
        name_of(source)));
    for (const auto& row : rows) {
        history.push_back({row.at(0).value_or(""),
                           row.at(1).value_or(""),
                           row.at(2).value_or(""),
                           row.at(3).value_or(""),
                           row.at(4).value_or(""),
                           std::chrono::milliseconds{std::stoll(row.at(5).value_or("0"))},
                           row.at(6) == "1"});
    }
    std::sort(history.begin(), history.end(), [](const auto& left, const auto& right) {
        return is_older(left.version, right.version);
    });
    return history;
}

/// Held while one process migrates a database. The server drops it with the session.
class MigrationLock {
public:
    MigrationLock(Session& session, const std::string& database, std::chrono::seconds timeout)
        : session_{session} {
        // A name is at most 64 characters long, like that of a database: so its checksum.
        name_ = string_literal("txsink.migrate." + checksum_of(database));
        // In slices, so that the session's read timeout does not end the wait.
        constexpr std::chrono::seconds kSlice{5};
        for (auto left = timeout; !take(std::min(left, kSlice)); left -= kSlice) {
            if (left <= kSlice) {
                throw refused(fmt::format("another process migrates the database {}", database),
                              fmt::format("waited {}s for the lock {}", timeout.count(), name_),
                              "wait until it is done; SELECT IS_USED_LOCK(...) names its session");
            }
            spdlog::info("waiting for another process that migrates {}", database);
        }
    }
    MigrationLock(const MigrationLock&) = delete;
    MigrationLock& operator=(const MigrationLock&) = delete;
    ~MigrationLock() {
        try {
            static_cast<void>(session_.query("SELECT RELEASE_LOCK(" + name_ + ")"));
        } catch (const std::exception&) {
            spdlog::debug("the lock {} goes with its session", name_);
        }
    }

private:
    bool take(std::chrono::seconds wait) {
        const auto seconds = std::max<std::int64_t>(wait.count(), 0);
        return session_.query(fmt::format("SELECT GET_LOCK({}, {})", name_, seconds)).at(0).at(0) ==
               "1";
    }

    Session& session_;
    std::string name_;
};

/// What the server said about the statement that just failed. It is the text of a file, not of a
/// record, so it may be shown as it is.
std::string last_error(Session& session, const SinkError& error) {
    if (!error.reconnect) {
        try {
            const auto rows = session.query("SHOW ERRORS");
            if (!rows.empty()) {
                return fmt::format("MySQL error {} ({}): {}",
                                   error.native_code,
                                   error.sqlstate,
                                   rows.back().at(2).value_or(""));
            }
        } catch (const SinkError&) {
            // What we have is enough.
        }
    }
    return fmt::format("{}: {}", error.what(), error.detail);
}

SinkError failed(Session& session,
                 const Migration& migration,
                 const std::string& where,
                 bool is_marked,
                 const SinkError& error) {
    SinkError result{
        error.kind,
        fmt::format("the migration {} failed at {}", migration.file_name, where),
        last_error(session, error),
        is_marked ? "statements before this one are applied, and DDL cannot be taken back: the "
                    "migration is marked in txsink_schema_history, and the next run says what to do"
                  : "mend it and run txsink migrate again"};
    switch (error.kind) {
        case ErrorKind::bad_record:
        case ErrorKind::schema_drift:
        case ErrorKind::too_big:
        case ErrorKind::internal:
            result.kind = ErrorKind::configuration;
            break;
        default:
            break;
    }
    result.native_code = error.native_code;
    result.sqlstate = error.sqlstate;
    result.reconnect = error.reconnect;
    return result;
}

class Migrator {
public:
    Migrator(Session& session, std::string database, MigrationSource source)
        : session_{session}, database_{std::move(database)}, source_{name_of(source)} {}

    std::chrono::milliseconds apply(const Migration& migration) {
        const auto statements = split_statements(migration);
        session_.execute("USE " + identifier(database_));
        mark(migration);
        const auto begin = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < statements.size(); ++i) {
            run(migration, statements, i);
        }
        session_.execute_commit();
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - begin);
        write(fmt::format("UPDATE {} SET success = TRUE, execution_ms = {}",
                          history_table(database_),
                          took.count()),
              migration);
        return took;
    }

private:
    void run(const Migration& migration,
             const std::vector<SqlStatement>& statements,
             std::size_t index) {
        const auto& statement = statements[index];
        try {
            session_.execute(statement.text);
        } catch (const SinkError& error) {
            const bool is_untouched = index == 0 && !error.reconnect;
            const auto result = failed(
                session_,
                migration,
                fmt::format(
                    "statement {} of {} (line {})", index + 1, statements.size(), statement.line),
                !is_untouched,
                error);
            if (is_untouched) {
                write("DELETE FROM " + history_table(database_), migration);
            }
            throw result;
        }
    }

    void mark(const Migration& migration) {
        session_.execute(
            fmt::format("INSERT INTO {} (source, version, description, checksum, installed_by) "
                        "VALUES ('{}', {}, {}, '{}', CURRENT_USER())",
                        history_table(database_),
                        source_,
                        string_literal(migration.version),
                        string_literal(migration.description),
                        migration.checksum));
        session_.execute_commit();
    }

    void write(const std::string& sql, const Migration& migration) {
        session_.execute(fmt::format("{} WHERE source = '{}' AND version = {}",
                                     sql,
                                     source_,
                                     string_literal(migration.version)));
        // A migration may have turned autocommit off.
        session_.execute_commit();
    }

    Session& session_;
    std::string database_;
    std::string source_;
};

}  // namespace

std::vector<Migration> pending_after(std::span<const AppliedMigration> applied,
                                     const MigrationSet& set) {
    const std::string_view source = name_of(set.source);
    for (const auto& done : applied) {
        const auto file = std::find_if(
            set.migrations.begin(), set.migrations.end(), [&](const Migration& migration) {
                return migration.version == done.version;
            });
        const auto name = fmt::format("V{} ({})", done.version, done.description);
        const auto row =
            fmt::format("WHERE source = '{}' AND version = '{}'", source, done.version);
        if (!done.is_complete) {
            throw refused(
                fmt::format("the migration {} did not complete", name),
                "it failed half-way or was interrupted: some of its statements may be "
                "applied",
                fmt::format("see what it did; then, to run it again, undo that and DELETE "
                            "FROM txsink_schema_history {}; or finish it by hand and "
                            "UPDATE txsink_schema_history SET success = TRUE {}",
                            row,
                            row));
        }
        if (file == set.migrations.end()) {
            throw refused(
                fmt::format("the applied migration {} is missing", name),
                fmt::format("it was applied at {} by {}", done.installed_at, done.installed_by),
                set.source == MigrationSource::txsink
                    ? "a newer txsink migrated this database: use that one"
                    : "put the file back into --schema-dir; what is applied is undone by a "
                      "new migration");
        }
        if (file->checksum != done.checksum) {
            throw refused(fmt::format("the applied migration {} was edited", file->file_name),
                          fmt::format("its checksum is {}, and was {} when it was applied at {}",
                                      file->checksum,
                                      done.checksum,
                                      done.installed_at),
                          "put the file back as it was, and change the tables by a new migration");
        }
    }
    std::vector<Migration> pending;
    for (const auto& migration : set.migrations) {
        const bool is_done = std::any_of(applied.begin(), applied.end(), [&](const auto& done) {
            return done.version == migration.version;
        });
        if (is_done) {
            continue;
        }
        if (!applied.empty() && is_older(migration.version, applied.back().version)) {
            throw refused(fmt::format("the migration {} comes too late", migration.file_name),
                          fmt::format("version {} is applied already", applied.back().version),
                          fmt::format("give it a version above {}", applied.back().version));
        }
        pending.push_back(migration);
    }
    return pending;
}

std::vector<AppliedMigration> applied_migrations(Session& session, MigrationSource source) {
    return read_history(session, database_of(session), source);
}

std::vector<Migration> pending_migrations(Session& session, const MigrationSet& set) {
    return pending_after(applied_migrations(session, set.source), set);
}

std::vector<Migration> migrate(Session& session,
                               const MigrationSet& set,
                               const MigrateOptions& options) {
    const auto database = database_of(session);
    // All files are read before the first one runs: a mistake in the last one stops them all.
    for (const auto& migration : set.migrations) {
        static_cast<void>(split_statements(migration));
    }
    const MigrationLock lock{session, database, options.lock_timeout};
    create_history(session, database);
    auto pending = pending_after(read_history(session, database, set.source), set);
    Migrator migrator{session, database, set.source};
    for (const auto& migration : pending) {
        if (options.listener) {
            options.listener(migration, nullptr);
        }
        const auto took = migrator.apply(migration);
        if (options.listener) {
            options.listener(migration, &took);
        }
    }
    return pending;
}

}  // namespace txsink::mysql
