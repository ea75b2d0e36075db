/// @file
/// Database: a session for commands and checks, and the questions that they ask the server.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/batch/write_plan.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/topic_partition.hpp"
#include "txsink/mapping/table_definition.hpp"
#include "txsink/mysql/mysql_settings.hpp"

namespace txsink::mysql {

class Session;

/// A session on the first writable server of the settings, beside those of the pipelines.
///
/// Errors: every call throws SinkError.
/// Threading: one thread.
class Database {
public:
    /// Tries the hosts in order. Errors: connection, fail_over: none is there, or writable;
    /// access_denied; configuration: no such database, or a setting did not take.
    explicit Database(const MysqlSettings& settings);
    Database(Database&&) noexcept;
    Database& operator=(Database&&) noexcept;
    ~Database();

    /// For migrations.hpp and offsets_reader.hpp.
    [[nodiscard]] Session& session() noexcept;

    /// `MySQL 9.7.4 at 127.0.0.1:3306`.
    [[nodiscard]] std::string server_name() const;
    /// How the server wants its statements, for those who show them.
    [[nodiscard]] batch::Dialect dialect() const noexcept;
    /// The oldest version that is supported, when this one is older; else empty.
    [[nodiscard]] std::string_view version_needed() const;

    /// The definition of a target table.
    /// Errors: configuration: no such table, a view, or an engine without transactions.
    [[nodiscard]] mapping::TableDefinition load_table(const mapping::TableName& name);

    /// Those of `privileges` (SELECT, INSERT, UPDATE, DELETE) that the account does not have on
    /// every column of the table that could be written. The server is asked to explain a
    /// statement of each kind, which checks its privileges and does nothing.
    [[nodiscard]] std::vector<std::string> missing_privileges(
        const mapping::TableName& name, std::span<const std::string_view> privileges);

    /// What speaks against running `statement` in a batch's transaction, `?` standing for values:
    /// the server's own words, or ours where it would end the transaction; empty: nothing.
    [[nodiscard]] std::string complaint_about(std::string_view statement);

    /// Global privileges of the account that let it write to a read-only server.
    [[nodiscard]] std::vector<std::string> privileges_over_read_only();

private:
    std::unique_ptr<Session> session_;
};

}  // namespace txsink::mysql
