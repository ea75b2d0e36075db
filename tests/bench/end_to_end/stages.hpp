/// @file
/// CPU time of the stages before the server: passes over a topic that go further each time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "txsink/config/settings.hpp"

namespace txsink::bench {

/// Each does what stands before it too.
enum class Stage : std::uint8_t { poll, decode, map, plan };
inline constexpr std::array<std::string_view, 4> kStageNames{"poll", "decode", "map", "plan"};

/// User and system time of a pass, of all threads, in seconds.
struct StagePass {
    std::uint64_t records = 0;
    double cpu_seconds = 0;
};

/// One pass in this process: call it in a process of its own, as librdkafka's threads count.
/// Errors: SinkError.
[[nodiscard]] StagePass run_stage(Stage stage,
                                  const config::Settings& settings,
                                  const std::string& topic,
                                  int partitions);

}  // namespace txsink::bench
