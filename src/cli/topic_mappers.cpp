#include "cli/topic_mappers.hpp"

#include <utility>

#include "txsink/mapping/topic_routes.hpp"

namespace txsink::cli {

mapping::RecordMapper* TopicMappers::find(const std::string& topic) {
    if (const auto known = mappers_.find(topic); known != mappers_.end()) {
        return &known->second;
    }
    const auto& pipeline = settings_.pipeline;
    auto bound = mapping::bind_routes(
        pipeline.routes, topic, [&](const auto& table) { return database_.load_table(table); });
    if (bound.empty()) {
        return nullptr;
    }
    mapping::RecordMapper mapper{std::move(bound), {pipeline.connector, pipeline.on_unrouted}};
    return &mappers_.emplace(topic, std::move(mapper)).first->second;
}

void TopicMappers::forget_shapes() noexcept {
    for (auto& [topic, mapper] : mappers_) {
        mapper.forget_shapes();
    }
}

}  // namespace txsink::cli
