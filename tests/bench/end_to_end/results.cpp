#include "results.hpp"

#include <algorithm>

namespace txsink::bench {

double Measurement::limit() const {
    return std::max(median(text), median(prepared));
}

std::vector<double> Measurement::speeds() const {
    std::vector<double> all;
    for (const auto& run : runs) {
        all.push_back(run.rows_per_second);
    }
    return all;
}

double Measurement::ratio() const {
    return limit() > 0 ? median(speeds()) / limit() : 0;
}

double Measurement::median_of(double RunFigures::*figure) const {
    std::vector<double> all;
    for (const auto& run : runs) {
        all.push_back(run.*figure);
    }
    return median(all);
}

std::optional<double> Measurement::median_of(std::optional<double> RunFigures::*figure) const {
    std::vector<double> all;
    for (const auto& run : runs) {
        if (run.*figure) {
            all.push_back(*(run.*figure));
        }
    }
    return all.empty() ? std::nullopt : std::optional{median(all)};
}

}  // namespace txsink::bench
