#include "mapping/shape_set.hpp"

namespace txsink::mapping {

const RowShape* ShapeSet::find(const ColumnSet& columns) noexcept {
    if (last_ != shapes_.cend() && last_->first == columns) {
        return &last_->second;
    }
    const auto found = shapes_.find(columns);
    if (found == shapes_.end()) {
        return nullptr;
    }
    last_ = found;
    return &found->second;
}

const RowShape* ShapeSet::add(const ColumnSet& columns) {
    RowShape shape{model_};
    for (std::size_t i = 0; i < model_.table->columns.size(); ++i) {
        if (columns.has(i)) {
            shape.columns.push_back(i);
        }
    }
    last_ = shapes_.emplace(columns, std::move(shape)).first;
    return &last_->second;
}

}  // namespace txsink::mapping
