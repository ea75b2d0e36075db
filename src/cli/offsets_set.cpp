/// @file
/// `txsink offsets set`: moves one stored offset, for example past a record that cannot be applied.
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/process_name.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/kafka_admin.hpp"
#include "txsink/mysql/database.hpp"
#include "txsink/mysql/offsets_editor.hpp"

namespace txsink::cli {
namespace {

constexpr config::Flag kFlags[] = {
    {"force", "", "Does not ask Kafka for live members of the group, nor for the log's range"},
};

SinkError wrong_words(const std::string& what) {
    return SinkError{ErrorKind::usage, what, {}, "for example: txsink offsets set orders:0 43"};
}

SinkError no_partition(std::string_view word) {
    return wrong_words(fmt::format("\"{}\" is not a partition, TOPIC:NUMBER", word));
}

/// Absent: not a whole number from 0 to the largest.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0) {
        return std::nullopt;
    }
    return value;
}

TopicPartition parse_partition(const std::string& text) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0) {
        throw no_partition(text);
    }
    const auto number = parse_number<std::int32_t>(std::string_view{text}.substr(colon + 1));
    if (!number) {
        throw no_partition(text);
    }
    return {text.substr(0, colon), *number};
}

Offset parse_offset(const std::string& text) {
    const auto number = parse_number<std::int64_t>(text);
    if (!number) {
        throw wrong_words(fmt::format("\"{}\" is not an offset: a whole number from 0 to {}",
                                      text,
                                      std::numeric_limits<std::int64_t>::max()));
    }
    return Offset{*number};
}

/// A worker in the middle of a batch would lose it, so nobody should be there.
void check_kafka(const config::Settings& settings, const TopicPartition& partition, Offset to) {
    kafka::KafkaAdmin admin{settings.kafka};
    const auto& group = settings.kafka.properties.at("group.id");
    if (const int members = admin.live_members(group); members > 0) {
        throw SinkError{
            ErrorKind::configuration,
            fmt::format(
                "the group {} has {} live member{}", group, members, members == 1 ? "" : "s"),
            "a running txsink follows the new offset, but not before its next look "
            "(idle.check)",
            "stop it first, or give --force"};
    }
    const std::vector<TopicPartition> one{partition};
    const auto log = admin.watermarks(one).at(partition);
    if (to < log.low || to > log.high) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("{} is not in the log of {}", to_int(to), to_string(partition)),
                        fmt::format("the log has {} to {}", to_int(log.low), to_int(log.high)),
                        "--force sets it all the same"};
    }
}

int run(const Invocation& invocation) {
    if (invocation.arguments.size() != 2) {
        throw wrong_words("offsets set needs a partition and an offset");
    }
    const auto partition = parse_partition(invocation.arguments[0]);
    const auto to = parse_offset(invocation.arguments[1]);
    const bool is_forced = invocation.line.has("force");
    const auto settings = invocation.load_settings(
        {.mysql = true, .kafka = !is_forced, .connector = true, .routes = false});
    observe::set_up_log(settings.log);
    if (!is_forced) {
        check_kafka(settings, partition, to);
    }
    mysql::Database database{settings.mysql};
    const auto edited = mysql::set_offset(database.session(),
                                          settings.pipeline.connector,
                                          partition,
                                          to,
                                          "txsink offsets set, " + process_name());
    print_out(fmt::format("{}: {} -> {}{}\n",
                          to_string(partition),
                          to_int(edited.before),
                          to_int(to),
                          edited.before < to ? "; the gap is recorded in txsink_gaps"
                          : to < edited.before
                              ? "; the records between are read again, and their dead letters "
                                "made again or removed"
                              : ""));
    return 0;
}

}  // namespace

const Command& offsets_set_command() {
    static constexpr Command kCommand{
        "offsets set",
        "TOPIC:PARTITION OFFSET",
        "moves the stored offset of one partition",
        "OFFSET is the next one to read: to leave out the record orders[0]@42 say orders:0 43.\n"
        "What is skipped is recorded in txsink_gaps; going back applies records again. Refused\n"
        "while the connector runs (processes with `assign` are not seen: stop them yourself).",
        kFlags,
        true,
        run,
        kOptionsOfOffsets};
    return kCommand;
}

}  // namespace txsink::cli
