/// @file
/// What can be told of an SQL statement by its text.
#pragma once

#include <string_view>

namespace txsink::mysql {

/// What separates the words of a statement.
[[nodiscard]] constexpr bool is_space(char c) noexcept {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Whether `sql` is one statement: no semicolon outside of strings, quoted names and comments but
/// one at the very end (a comment behind it would be an empty statement for the server). The body
/// of a stored program is more than one by this.
[[nodiscard]] bool is_one_statement(std::string_view sql) noexcept;

/// Whether `sql` can be run in the middle of a batch's transaction: it changes rows, and neither
/// ends the transaction nor changes the session.
[[nodiscard]] bool is_row_statement(std::string_view sql) noexcept;

/// Whether `sql` is of the statements that make up the packets of a batch; each has one result.
[[nodiscard]] bool has_one_result(std::string_view sql) noexcept;

}  // namespace txsink::mysql
