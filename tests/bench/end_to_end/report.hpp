/// @file
/// The results as tables for people.
#pragma once

#include <string>

#include "results.hpp"

namespace txsink::bench {

/// Ends with a line end.
[[nodiscard]] std::string as_table(const Results& results);

}  // namespace txsink::bench
