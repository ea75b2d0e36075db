#include "txsink/core/topic_partition.hpp"

#include <fmt/format.h>

namespace txsink {

std::string to_string(const TopicPartition& partition) {
    return fmt::format("{}[{}]", partition.topic, partition.partition);
}

std::string record_name(std::string_view topic, std::int32_t partition, Offset offset) {
    return fmt::format("{}[{}]@{}", topic, partition, to_int(offset));
}

}  // namespace txsink

std::size_t std::hash<txsink::TopicPartition>::operator()(
    const txsink::TopicPartition& value) const noexcept {
    return std::hash<std::string>{}(value.topic) * 31 + static_cast<std::size_t>(value.partition);
}
