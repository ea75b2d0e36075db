#include "txsink/mapping/topic_routes.hpp"

#include <algorithm>

namespace txsink::mapping {

std::vector<BoundRoute> bind_routes(std::span<const Route> routes,
                                    std::string_view topic,
                                    const TableLoader& load_table) {
    std::vector<BoundRoute> bound;
    for (const auto& route : routes) {
        if (route.takes(topic)) {
            const bool has_table = route.mode != Mode::sql;
            bound.push_back(
                {route, has_table ? load_table(route.table_for(topic)) : TableDefinition{}});
        }
    }
    return bound;
}

bool is_found_by_pattern(std::span<const Route> routes, std::string_view topic) {
    return std::any_of(routes.begin(), routes.end(), [&](const auto& route) {
        return route.is_regex() && route.takes(topic);
    });
}

}  // namespace txsink::mapping
