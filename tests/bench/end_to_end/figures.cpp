#include "figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace txsink::bench {

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double spread(const std::vector<double>& values) {
    const double centre = median(values);
    if (values.size() < 2 || centre == 0) {
        return 0;
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return (*high - *low) / centre;
}

double percentile(const std::vector<double>& sorted, double percent) {
    if (sorted.empty()) {
        return 0;
    }
    const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace txsink::bench
