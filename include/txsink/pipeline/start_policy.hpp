/// @file
/// StartPolicy: where a topic without offset rows is read from.
#pragma once

#include <cstdint>
#include <string>

namespace txsink::pipeline {

enum class StartKind : std::uint8_t { earliest, latest, timestamp, group, fail };

struct StartPolicy {
    StartKind kind = StartKind::earliest;
    /// timestamp: milliseconds since 1970-01-01 UTC; past the end means the end.
    std::int64_t timestamp_ms = 0;
    /// group: whose committed offsets are adopted.
    std::string group;
};

}  // namespace txsink::pipeline
