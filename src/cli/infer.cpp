/// @file
/// `txsink infer`: proposes a table and a route from a sample of a topic.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/infer_table.hpp"
#include "cli/output.hpp"
#include "cli/partition_reader.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/kafka_admin.hpp"

namespace txsink::cli {
namespace {

constexpr std::int64_t kSample = 1'000;
constexpr std::int64_t kLargestSample = 1'000'000;

constexpr config::Flag kFlags[] = {
    {"sample", "N", "Records to read, of all partitions alike (default 1000)"},
    {"from", "WHERE", "earliest (default) or latest: the newest N records"},
    {"only", "PART", "both (default), table or route: for pipes"},
    {"examples", "", "Shows values of the records, up to three for each field"},
};

constexpr std::string_view kOptionsShown[] = {"Kafka", "Logging"};

/// The one topic that the sample is taken of.
const mapping::Route& the_route(const config::Settings& settings) {
    const auto& routes = settings.pipeline.routes;
    if (routes.size() != 1 || routes.front().topics.size() != 1 || routes.front().is_regex()) {
        throw SinkError{ErrorKind::configuration,
                        "infer takes one topic",
                        {},
                        "give --topic TOPIC, and no file with routes"};
    }
    return routes.front();
}

Sample take_sample(const config::Settings& settings,
                   const mapping::Route& route,
                   std::size_t limit,
                   bool newest) {
    auto kafka = settings.kafka;
    kafka.assign.clear();
    kafka::KafkaAdmin admin{kafka};
    auto ranges = whole_logs(admin, admin.topics());
    if (newest) {
        keep_newest(ranges, limit);
    }
    std::vector<TopicPartition> partitions;
    for (const auto& range : ranges) {
        partitions.push_back(range.partition);
    }
    PartitionReader reader{kafka, partitions};
    Sample sample{route.format};
    read_evenly(reader, ranges, limit, [&](const ConsumerRecord& record) {
        sample.add(record);
        return true;
    });
    return sample;
}

const char* hint_for_unreadable(const Sample& sample) {
    if (sample.framed() > 0) {
        return "the values are binary, framed by a schema registry's serializer: txsink reads no "
               "Avro and no Protobuf; --format raw takes them as they are";
    }
    if (sample.binaries() > 0) {
        return "the values are binary: --format raw takes them as they are";
    }
    return "try another --format, or a larger --sample";
}

void refuse_empty(const Sample& sample, const std::string& topic) {
    if (sample.records() == 0) {
        throw SinkError{ErrorKind::configuration, fmt::format("the topic {} is empty", topic)};
    }
    if (sample.rows() == 0) {
        if (sample.removals() == sample.records()) {
            throw SinkError{ErrorKind::configuration,
                            fmt::format("all {} records of {} are tombstones or deletes: they have "
                                        "no fields",
                                        sample.records(),
                                        topic),
                            {},
                            "a larger --sample, or --from latest"};
        }
        std::string reasons;
        if (sample.removals() > 0) {
            reasons = fmt::format("{} tombstones or deletes", sample.removals());
        }
        for (const auto& [code, count] : sample.refused()) {
            reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, code);
        }
        throw SinkError{
            ErrorKind::configuration,
            fmt::format(
                "none of {} records of {} has a row in this format", sample.records(), topic),
            reasons,
            hint_for_unreadable(sample)};
    }
}

int run(const Invocation& invocation) {
    constexpr std::string_view kPlaces[] = {"earliest", "latest"};
    constexpr std::string_view kParts[] = {"both", "table", "route"};
    const auto part = choice_of(invocation, "only", kParts);
    const bool newest = choice_of(invocation, "from", kPlaces) == "latest";
    const auto limit = number_of(invocation, "sample", 1, kLargestSample).value_or(kSample);
    const auto settings = invocation.load_settings(
        {.mysql = false, .kafka = true, .connector = false, .routes = false});
    observe::set_up_log(settings.log);
    const auto& route = the_route(settings);
    const auto& topic = route.topics.front();
    const auto sample = take_sample(settings, route, static_cast<std::size_t>(limit), newest);
    refuse_empty(sample, topic);
    const auto proposal = propose(sample, {topic, route.table, invocation.line.has("examples")});
    std::string text = part == "route" ? "" : table_text(proposal);
    text += part == "both" ? "\n" : "";
    text += part == "table" ? "" : route_text(proposal);
    print_out(text);
    return 0;
}

}  // namespace

const Command& infer_command() {
    static constexpr Command kCommand{
        "infer",
        "",
        "proposes a table and a route from a sample of a topic",
        "Reads a sample of a topic and prints a CREATE TABLE, with what it saw of each field as\n"
        "comments, and the section of the route. Shows no value of a record, but for the least\n"
        "and the greatest number and date. Needs no MySQL; joins no group and writes nothing.\n"
        "--topic TOPIC, --format FORMAT and --table NAME are those of a route (txsink help run).\n"
        "A proposal to read and to change: the next record may be unlike the sample.",
        kFlags,
        true,
        run,
        kOptionsShown};
    return kCommand;
}

}  // namespace txsink::cli
