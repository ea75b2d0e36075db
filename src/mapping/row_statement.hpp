/// @file
/// Changes that are no multi-row statement: updates, marks, conditional and wholesale deletes.
#pragma once

#include <span>
#include <string>

#include "mapping/row_values.hpp"
#include "txsink/core/result.hpp"
#include "txsink/mapping/row_buffer.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

/// Renders one statement at a time. On an error a part may have been appended.
/// Errors: those of the values' encoders.
/// Threading: one thread.
class RowStatement {
public:
    /// All must outlive it.
    RowStatement(const TableDefinition& table, const ConflictRules& conflict)
        : table_{table}, conflict_{conflict} {}

    /// UPDATE of the row with the key of `key` to what `row` has, by the conflict rules. Matches
    /// the row also where it changes nothing of it.
    [[nodiscard]] Result<Done> append_update(const RowValues& row,
                                             const RowValues& key,
                                             std::string& sql);
    /// UPDATE that gives the row with the key of `key` the key of `row`, and nothing else; by
    /// if-newer only where the version of `row` is greater.
    [[nodiscard]] Result<Done> append_move(const RowValues& row,
                                           const RowValues& key,
                                           std::string& sql);
    /// UPDATE that puts `mark`, a literal, into `column`; `newer` tells whether `key` has a value
    /// of the version column, which then has to be greater than the stored one.
    [[nodiscard]] Result<Done> append_mark(const RowValues& key,
                                           std::size_t column,
                                           std::string_view mark,
                                           bool newer,
                                           std::string& sql);
    /// DELETE of the row with the key of `key`, unless its version is not less than that of `key`.
    [[nodiscard]] Result<Done> append_remove_if_newer(const RowValues& key, std::string& sql);
    /// DELETE of all rows with the values that `row` has for `columns`.
    [[nodiscard]] Result<Done> append_remove_where(const RowValues& row,
                                                   std::span<const std::size_t> columns,
                                                   std::string& sql);
    /// DELETE of every row. Not TRUNCATE, which is DDL and would commit.
    void append_remove_all(std::string& sql) const;
    /// UPDATE that puts `mark` into `column` of every row.
    void append_mark_all(std::size_t column, std::string_view mark, std::string& sql) const;

private:
    void append_table(std::string& sql) const;
    void append_name(std::size_t column, std::string& sql) const;
    [[nodiscard]] Result<Done> append_where(const RowValues& row,
                                            std::span<const std::size_t> columns,
                                            std::string& sql) const;
    [[nodiscard]] Result<Done> append_assignment(const RowValues& row,
                                                 std::size_t column,
                                                 std::string_view version,
                                                 std::string& sql);
    [[nodiscard]] Result<Done> read_version(const RowValues& row);
    void append_marked(std::size_t column, std::string_view mark, std::string& sql) const;
    void append_is_newer(std::string_view version, std::string& sql) const;

    const TableDefinition& table_;
    const ConflictRules& conflict_;
    std::string literal_;
    std::string version_;
};

}  // namespace txsink::mapping
