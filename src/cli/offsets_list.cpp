/// @file
/// `txsink offsets list`: where each partition stands, beside its log.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/kafka_admin.hpp"
#include "txsink/mysql/database.hpp"
#include "txsink/mysql/offsets_reader.hpp"

namespace txsink::cli {
namespace {

constexpr config::Flag kFlags[] = {kOutputFlag};

using Logs = std::map<TopicPartition, pipeline::Watermarks>;

/// Where the logs of the rows' partitions begin and end; a topic that is gone is left out.
/// `trouble` tells why Kafka could not be asked.
Logs read_logs(const config::Settings& settings,
               const std::vector<mysql::OffsetRow>& rows,
               std::optional<SinkError>& trouble) {
    std::map<std::string, std::vector<TopicPartition>> by_topic;
    for (const auto& row : rows) {
        by_topic[row.partition.topic].push_back(row.partition);
    }
    Logs logs;
    kafka::KafkaAdmin admin{settings.kafka};
    for (const auto& [topic, partitions] : by_topic) {
        try {
            logs.merge(admin.watermarks(partitions));
        } catch (const SinkError& error) {
            if (error.kind != ErrorKind::configuration) {
                trouble = error;
                return logs;
            }
        }
    }
    return logs;
}

struct Line {
    std::optional<std::int64_t> log_start;
    std::optional<std::int64_t> log_end;
    /// Absent, too, where NEXT lies beyond the end: the log is not the one that it is about.
    std::optional<std::int64_t> lag;
};

Line line_of(const mysql::OffsetRow& row, const Logs& logs) {
    const auto log = logs.find(row.partition);
    if (log == logs.end()) {
        return {};
    }
    Line line{to_int(log->second.low), to_int(log->second.high), {}};
    if (row.next <= log->second.high) {
        line.lag = to_int(log->second.high) - to_int(row.next);
    }
    return line;
}

std::string cell(const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "-";
}

std::string as_text(const std::vector<mysql::OffsetRow>& rows, const Logs& logs) {
    TextTable table{{{"TOPIC"},
                     {"PARTITION", true},
                     {"NEXT", true},
                     {"LOG START", true},
                     {"LOG END", true},
                     {"LAG", true},
                     {"AGE", true},
                     {"OWNER"}}};
    for (const auto& row : rows) {
        const auto line = line_of(row, logs);
        table.add({printable(row.partition.topic),
                   std::to_string(row.partition.partition),
                   std::to_string(to_int(row.next)),
                   cell(line.log_start),
                   cell(line.log_end),
                   cell(line.lag),
                   brief_age(row.age.count()),
                   row.fence == Fence{} ? "-" : printable(row.owner)});
    }
    return table.text();
}

std::string as_json(const std::string& connector,
                    const std::vector<mysql::OffsetRow>& rows,
                    const Logs& logs) {
    std::vector<JsonObject> objects;
    for (const auto& row : rows) {
        const auto line = line_of(row, logs);
        JsonObject object;
        object.add("topic", row.partition.topic)
            .add("partition", std::int64_t{row.partition.partition})
            .add("next_offset", to_int(row.next))
            .add("start_offset", to_int(row.start))
            .add("log_start", line.log_start)
            .add("log_end", line.log_end)
            .add("lag", line.lag)
            .add("owner", row.owner)
            .add("cluster_id", row.cluster_id)
            .add("records", static_cast<std::int64_t>(row.records))
            .add("dead_letters", static_cast<std::int64_t>(row.dead_letters))
            .add("last_timestamp_ms", row.last_timestamp_ms)
            .add("age_ms", std::int64_t{row.age.count()});
        objects.push_back(std::move(object));
    }
    JsonObject all;
    all.add("connector", connector).add("partitions", objects);
    return all.text() + "\n";
}

int run(const Invocation& invocation) {
    const bool is_json = wants_json(invocation);
    const auto settings = invocation.load_settings(
        {.mysql = true, .kafka = false, .connector = true, .routes = false});
    observe::set_up_log(settings.log);
    const auto& connector = settings.pipeline.connector;
    mysql::Database database{settings.mysql};
    const auto rows = mysql::read_offset_rows(database.session(), connector);

    std::optional<SinkError> trouble;
    Logs logs;
    if (settings.kafka.properties.contains("bootstrap.servers")) {
        logs = read_logs(settings, rows, trouble);
    }
    if (is_json) {
        print_out(as_json(connector, rows, logs));
    } else if (rows.empty()) {
        print_out(fmt::format("connector {} has no stored offsets\n", connector));
    } else {
        print_out(as_text(rows, logs));
    }
    if (trouble) {
        throw SinkError{*trouble};
    }
    return 0;
}

}  // namespace

const Command& offsets_list_command() {
    static constexpr Command kCommand{
        "offsets list",
        "",
        "shows where each partition stands, and how far behind",
        "Shows the connector's stored offsets. NEXT is the next offset to read; LAG counts what "
        "is\n"
        "between it and LOG END, the last stable offset; AGE is since NEXT or the owner changed.\n"
        "Without kafka.bootstrap.servers the log's columns stay empty.",
        kFlags,
        true,
        run,
        kOptionsOfOffsets};
    return kCommand;
}

}  // namespace txsink::cli
