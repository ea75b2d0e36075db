#include "txsink/config/nearest.hpp"

#include <algorithm>
#include <vector>

namespace txsink::config {

std::size_t edit_distance(std::string_view one, std::string_view other) {
    // Three rows of the classic table: a swap looks two rows back.
    std::vector<std::size_t> before_last;
    std::vector<std::size_t> last(other.size() + 1);
    std::vector<std::size_t> row(other.size() + 1);
    for (std::size_t j = 0; j <= other.size(); ++j) {
        last[j] = j;
    }
    for (std::size_t i = 1; i <= one.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= other.size(); ++j) {
            const std::size_t replace = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
            row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last = last;
        last = row;
    }
    return last[other.size()];
}

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const auto& candidate : candidates) {
        const auto distance = edit_distance(name, candidate);
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    if (best.empty()) {
        const auto is_last_part = [&](const std::string& candidate) {
            return candidate.size() > name.size() && candidate.ends_with(name) &&
                   std::string_view{"._"}.find(candidate[candidate.size() - name.size() - 1]) !=
                       std::string_view::npos;
        };
        const auto at = std::find_if(candidates.begin(), candidates.end(), is_last_part);
        best = at == candidates.end() ? "" : *at;
    }
    return best;
}

}  // namespace txsink::config
