#include "cli/topic_mappers.hpp"

#include <utility>
#include <vector>

namespace txsink::cli {

mapping::RecordMapper* TopicMappers::find(const std::string& topic) {
    if (const auto known = mappers_.find(topic); known != mappers_.end()) {
        return &known->second;
    }
    const auto& pipeline = settings_.pipeline;
    std::vector<mapping::BoundRoute> bound;
    for (const auto& route : pipeline.routes) {
        if (route.takes(topic)) {
            const bool has_table = route.mode != mapping::Mode::sql;
            bound.push_back({route,
                             has_table ? database_.load_table(route.table_for(topic))
                                       : mapping::TableDefinition{}});
        }
    }
    if (bound.empty()) {
        return nullptr;
    }
    mapping::RecordMapper mapper{std::move(bound), {pipeline.connector, pipeline.on_unrouted}};
    return &mappers_.emplace(topic, std::move(mapper)).first->second;
}

}  // namespace txsink::cli
