/// @file
/// The results as a bar chart: limit against txsink.
#pragma once

#include <string>

#include "results.hpp"

namespace txsink::bench {

/// An SVG of its own, which takes light or dark colours as its reader's screen does. One pair of
/// bars a measurement, in rows a second; what was not measured has no bar.
[[nodiscard]] std::string as_chart(const Results& results);

}  // namespace txsink::bench
