/// @file
/// A multi-row statement in text, taken apart into what a server-prepared one takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace txsink::bench {

/// NULL, a whole number, or the text of a string or another number.
using Cell = std::variant<std::monostate, std::int64_t, std::string>;

/// `head` (..),(..),... `tail`, with the values of its rows one after another.
struct PreparedRows {
    std::string head;
    std::string tail;
    std::size_t columns = 0;
    std::vector<Cell> cells;

    [[nodiscard]] std::size_t rows() const noexcept { return cells.size() / columns; }
};

/// Takes `INSERT ... VALUES (..),(..) ...` apart; nothing where it is another kind of statement,
/// or has a literal other than numbers, strings and NULL.
[[nodiscard]] std::optional<PreparedRows> take_apart(std::string_view sql);

/// The statement for `rows` rows, with a `?` for each value.
[[nodiscard]] std::string with_placeholders(const PreparedRows& of, std::size_t rows);

/// Rows that a prepared statement takes: the largest of a few sizes that `left` has room for.
/// Precondition: 0 < left.
[[nodiscard]] std::size_t prepared_size(std::size_t left) noexcept;

}  // namespace txsink::bench
