/// @file
/// The results as JSON, for programs and for docs/performance.md.
#pragma once

#include <string>

#include "results.hpp"

namespace txsink::bench {

/// One object; ends with a line end. Figures that were not measured are null.
[[nodiscard]] std::string as_json(const Results& results);

}  // namespace txsink::bench
