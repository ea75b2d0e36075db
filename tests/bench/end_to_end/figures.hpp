/// @file
/// What a list of measured values comes down to: median, spread, percentiles.
#pragma once

#include <vector>

namespace txsink::bench {

/// The middle value, or the mean of the two in the middle; 0 of nothing.
[[nodiscard]] double median(std::vector<double> values);

/// How far the values lie apart: (largest - smallest) / median; 0 of less than two.
[[nodiscard]] double spread(const std::vector<double>& values);

/// The smallest value that at least `percent` of all do not exceed (nearest rank); 0 of nothing.
/// Precondition: sorted ascending, 0 < percent <= 100.
[[nodiscard]] double percentile(const std::vector<double>& sorted, double percent);

}  // namespace txsink::bench
