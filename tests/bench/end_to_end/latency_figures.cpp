/// @file
/// The pure part of latency.hpp: from what was seen to milliseconds.
#include <algorithm>
#include <cstddef>

#include "latency.hpp"

namespace txsink::bench {

std::vector<double> latencies_of(const ProducedAt& produced,
                                 const std::vector<Seen>& seen,
                                 std::int64_t first) {
    std::vector<double> all;
    std::vector<std::int64_t> reached(produced.size(), first);
    for (const auto& [partition, next, at] : seen) {
        const auto index = static_cast<std::size_t>(partition);
        auto& from = reached[index];
        const auto& times = produced[index];
        const auto to = std::min(next, static_cast<std::int64_t>(times.size()));
        for (; from < to; ++from) {
            const std::chrono::duration<double, std::milli> took =
                at - times[static_cast<std::size_t>(from)];
            all.push_back(took.count());
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace txsink::bench
