/// @file
/// The name that was probably meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace txsink::config {

/// Letters to insert, remove, replace or swap with a neighbour to turn one text into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view one, std::string_view other);

/// The candidate nearest to `name`, or whose last part it is (`rows`: `batch.rows`); empty when
/// none is near enough to be worth a guess.
[[nodiscard]] std::string nearest(std::string_view name, std::span<const std::string> candidates);

}  // namespace txsink::config
