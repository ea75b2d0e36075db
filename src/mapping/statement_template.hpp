/// @file
/// StatementTemplates: the statements of mode = sql, and their parameters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/column_encoder.hpp"
#include "mapping/source_reader.hpp"
#include "txsink/core/result.hpp"
#include "txsink/mapping/route.hpp"

namespace txsink::mapping {

/// One statement taken apart at its parameters: text[0] p[0] text[1] p[1] ... text[n].
struct StatementTemplate {
    std::vector<std::string> texts;
    /// Indexes into the parameters of all statements.
    std::vector<std::size_t> parameters;
};

struct ParsedStatements {
    std::vector<StatementTemplate> statements;
    /// Each name once, in order of appearance.
    std::vector<std::string> parameters;
};

/// Throws SinkError configuration: `sql: WHY`.
[[noreturn]] void refuse_statements(const std::string& why, const std::string& hint);

/// Takes SQL apart: statements at ';', parameters `:name` outside strings, names and comments.
/// Comments are dropped. Only INSERT, REPLACE, UPDATE, DELETE and WITH may begin a statement: all
/// else could end the batch's transaction, or not be undone with it.
/// Errors: SinkError configuration.
[[nodiscard]] ParsedStatements parse_statements(std::string_view sql);

/// The statements of one route. A parameter is a value, never a piece of SQL: a number as
/// written, a string literal, TRUE, FALSE, NULL; dates and times by their schema; objects and
/// arrays as JSON text.
/// Threading: one thread.
class StatementTemplates {
public:
    /// Errors: SinkError configuration: parse_statements'; a parameter of the route that no
    /// statement has.
    explicit StatementTemplates(const Route& route);

    [[nodiscard]] std::size_t size() const noexcept { return parsed_.statements.size(); }
    [[nodiscard]] bool needs_key() const noexcept { return needs_key_; }

    /// Renders the parameters of a record. Errors: missing_value; malformed_value; out_of_range.
    [[nodiscard]] Result<Done> bind(const RecordView& view);
    /// Appends statement `index` with the parameters last bound.
    void append(std::size_t index, std::string& sql) const;

private:
    [[nodiscard]] Result<Done> append_value(decode::Document value, std::string& sql);
    [[nodiscard]] Result<Done> append_exact(decode::Document value, std::string& sql);

    ParsedStatements parsed_;
    std::vector<SourceReader> readers_;
    std::vector<std::string> literals_;
    bool needs_key_ = false;
    /// Stand for the columns that nobody knows: a type for each meaning.
    std::vector<ColumnDefinition> columns_;
    std::vector<ColumnEncoder> encoders_;
    std::string digits_;
};

}  // namespace txsink::mapping
