/// @file
/// Which dead letters a command is about: flags, names of records, and the settings they need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "txsink/mysql/dead_letters.hpp"

namespace txsink::cli {

inline constexpr config::Flag kTopicFlag{
    "topic", "TOPIC", "Only of this topic (without a file: also the topic of the one route)"};
inline constexpr config::Flag kPartitionFlag{"partition", "P", "Only of this partition"};
inline constexpr config::Flag kFromFlag{
    "from", "TIME", "Refused then or later: 2024-03-01T10:00, UTC"};
inline constexpr config::Flag kToFlag{"to", "TIME", "Refused before then"};
inline constexpr config::Flag kCodeFlag{"code", "CODE", "Only with this reason: out-of-range, ..."};

/// Errors: SinkError usage.
[[nodiscard]] mysql::DeadLetterFilter filter_of(const Invocation& invocation);

/// `TOPIC:PARTITION@OFFSET` or `topic[partition]@offset`. Errors: SinkError usage.
[[nodiscard]] mysql::DeadLetterKey parse_record_name(const std::string& text);

/// `2024-03-01`, `2024-03-01T10:00[:00][Z]`: ms since 1970; absent: it is not that.
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text);

/// As Invocation::load_settings, but --topic, a filter here, is also the option of its name where
/// no file has the routes.
[[nodiscard]] config::Settings load_with_topic(const Invocation& invocation,
                                               const config::Needs& needs);

/// What these commands show of the options.
inline constexpr std::string_view kOptionsOfDeadLetters[] = {"connector", "MySQL", "Logging"};

}  // namespace txsink::cli
