#include "zipf.hpp"

#include <algorithm>
#include <cmath>

namespace txsink::bench {

Zipf::Zipf(std::size_t ranks, double exponent) {
    up_to_.reserve(ranks);
    double sum = 0;
    for (std::size_t rank = 1; rank <= ranks; ++rank) {
        sum += std::pow(static_cast<double>(rank), -exponent);
        up_to_.push_back(sum);
    }
    for (double& each : up_to_) {
        each /= sum;
    }
}

std::size_t Zipf::next(Random& random) const {
    const auto at = std::upper_bound(up_to_.begin(), up_to_.end(), random.fraction());
    return std::min(static_cast<std::size_t>(at - up_to_.begin()), up_to_.size() - 1);
}

}  // namespace txsink::bench
