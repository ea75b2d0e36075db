/// @file
/// `txsink preview`: what the next records would become; writes nothing.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/partition_reader.hpp"
#include "cli/preview_rows.hpp"
#include "cli/topic_mappers.hpp"
#include "txsink/batch/write_plan.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/kafka_admin.hpp"
#include "txsink/mapping/topic_routes.hpp"
#include "txsink/mysql/database.hpp"
#include "txsink/mysql/offsets_reader.hpp"

namespace txsink::cli {
namespace {

using mapping::Mapped;

constexpr std::int64_t kLimit = 10;
constexpr std::int64_t kLargestLimit = 10'000;
/// Of what is shown: it is held until the last record has been read. No bound on one record.
constexpr std::size_t kMostBytes = 16U << 20U;
constexpr std::string_view kPlaces[] = {"stored", "earliest", "latest"};

constexpr config::Flag kFlags[] = {
    {"limit", "N", "Records to read, of all partitions alike (default 10)"},
    {"from", "WHERE", "stored (default): where run would go on; earliest; latest: the newest N"},
    {"partition", "P", "Only this partition of each topic"},
    {"sql", "", "Shows the statements, too, that one batch of these records would be"},
    kOutputFlag,
};

/// One record and what would become of it.
struct Verdict {
    TopicPartition partition;
    Offset offset{0};
    /// rows, refused, filtered, no event.
    std::string result;
    std::vector<ShownChange> changes;
    /// refused: by which route (empty: by none), and what becomes of it there.
    std::string route;
    std::string policy;
    RecordError error;

    [[nodiscard]] std::string name() const {
        return record_name(partition.topic, partition.partition, offset);
    }
};

const char* name_of(mapping::OnBadRecord policy) {
    switch (policy) {
        case mapping::OnBadRecord::fail:
            return "fail";
        case mapping::OnBadRecord::dead_letter:
            return "dead-letter";
        case mapping::OnBadRecord::skip:
            return "skip";
    }
    return "";
}

// --- where to begin ---

std::vector<mysql::OffsetRow> stored_rows(mysql::Database& database, const std::string& connector) {
    try {
        return mysql::read_offset_rows(database.session(), connector);
    } catch (const SinkError& error) {
        if (error.kind != ErrorKind::configuration) {
            throw;
        }
        return {};  // the table is yet to be made
    }
}

/// Where `run` would begin to read `range`, whose beginning is that of the log.
Offset begin_of_run(const ReadRange& range,
                    const std::vector<mysql::OffsetRow>& rows,
                    const std::map<TopicPartition, Offset>& starts) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& each) {
        return each.partition == range.partition;
    });
    if (row == rows.end()) {
        const auto start = starts.find(range.partition);
        return start == starts.end() ? range.from : start->second;
    }
    if (row->next < range.from || row->next > range.to) {
        throw SinkError{
            ErrorKind::configuration,
            fmt::format("{}: the stored offset is not in the log", to_string(range.partition)),
            fmt::format("stored {}, the log has {} to {}",
                        to_int(row->next),
                        to_int(range.from),
                        to_int(range.to)),
            "--from earliest shows what there is"};
    }
    return row->next;
}

void begin_as_run(const config::Settings& settings,
                  kafka::KafkaAdmin& admin,
                  mysql::Database& database,
                  std::vector<ReadRange>& ranges) {
    const auto rows = stored_rows(database, settings.pipeline.connector);
    std::map<TopicPartition, Offset> starts;
    for (const auto& range : ranges) {
        const auto& topic = range.partition.topic;
        // A partition that was added to a topic with rows is read from its beginning.
        const bool has_rows = std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
            return row.partition.topic == topic;
        });
        // And so is a topic that a pattern finds once there are rows of others.
        const bool is_added = has_rows || (!rows.empty() && mapping::is_found_by_pattern(
                                                                settings.pipeline.routes, topic));
        if (!is_added && !starts.contains(range.partition)) {
            for (const auto& start : admin.start_offsets(topic, settings.pipeline.start)) {
                starts.emplace(start.partition, start.offset);
            }
        }
    }
    for (auto& range : ranges) {
        range.from = begin_of_run(range, rows, starts);
    }
}

// --- what becomes of the records ---

/// Maps records as they come. Threading: one thread.
class Preview {
public:
    /// `with_statements`: they will be asked for, so the rows are kept, too.
    Preview(const config::Settings& settings, mysql::Database& database, bool with_statements)
        : settings_{settings}, mappers_{settings, database}, with_statements_{with_statements} {}

    /// Returns whether there is room for more.
    bool add(const ConsumerRecord& record) {
        Verdict verdict;
        verdict.partition = {std::string{record.topic}, record.partition};
        verdict.offset = record.offset;
        auto& rows = part_of(verdict.partition).rows;
        const auto before = rows.changes().size();
        auto* mapper = mappers_.find(verdict.partition.topic);
        if (mapper == nullptr) {
            refuse_unrouted(verdict);
        } else if (const auto mapped = mapper->map(record, rows); !mapped) {
            verdict.result = "refused";
            verdict.error = mapped.error();
            if (const auto* route = mapper->refusing_route(); route != nullptr) {
                verdict.route = route->name;
                verdict.policy = name_of(route->on_bad_record);
            }
        } else {
            verdict.result = mapped.value() == Mapped::filtered   ? "filtered"
                             : mapped.value() == Mapped::no_event ? "no event"
                                                                  : "rows";
        }
        for (auto i = before; i < rows.changes().size(); ++i) {
            verdict.changes.push_back(show_change(rows.changes()[i], rows.text()));
            bytes_ += rows.changes()[i].size;
        }
        verdicts_.push_back(std::move(verdict));
        if (!with_statements_) {
            batch_.partitions.clear();
            mappers_.forget_shapes();
        }
        return !is_full();
    }

    [[nodiscard]] bool is_full() const noexcept { return bytes_ >= kMostBytes; }

    /// By topic, partition and offset.
    [[nodiscard]] std::vector<Verdict> verdicts() const {
        auto sorted = verdicts_;
        std::sort(sorted.begin(), sorted.end(), [](const Verdict& a, const Verdict& b) {
            return std::tie(a.partition, a.offset) < std::tie(b.partition, b.offset);
        });
        return sorted;
    }

    /// The statements of all records as one batch.
    [[nodiscard]] std::vector<std::string> statements(batch::Dialect dialect) {
        std::sort(batch_.partitions.begin(),
                  batch_.partitions.end(),
                  [](const auto& a, const auto& b) { return a.partition < b.partition; });
        batch::WritePlan plan{dialect, batch::StatementLimits{}};
        if (plan.build(batch_)) {
            // One change is longer than a statement usually is: then by themselves.
            constexpr std::size_t kLongest = std::numeric_limits<std::size_t>::max() / 2;
            plan.set_limits({kLongest, 1});
            if (plan.build(batch_)) {
                return {};
            }
        }
        std::vector<std::string> statements;
        for (std::size_t i = 0; i < plan.size(); ++i) {
            statements.push_back(plan[i].sql);
        }
        return statements;
    }

private:
    void refuse_unrouted(Verdict& verdict) const {
        const bool is_error = settings_.pipeline.on_unrouted == mapping::OnUnrouted::error;
        verdict.result = is_error ? "refused" : "filtered";
        verdict.error = {RecordErrorCode::no_route, {}, "no route takes the topic"};
    }

    batch::PartitionBatch& part_of(const TopicPartition& partition) {
        if (auto* part = batch_.find(partition)) {
            return *part;
        }
        batch_.partitions.emplace_back();
        batch_.partitions.back().partition = partition;
        return batch_.partitions.back();
    }

    const config::Settings& settings_;
    TopicMappers mappers_;
    bool with_statements_;
    std::size_t bytes_ = 0;
    batch::Batch batch_;
    std::vector<Verdict> verdicts_;
};

// --- output ---

std::string cause_of(const Verdict& verdict) {
    return fmt::format("{}: {}{}",
                       name_of(verdict.error.code),
                       verdict.error.field.empty() ? "" : verdict.error.field + ": ",
                       verdict.error.message);
}

std::string as_text(const std::vector<Verdict>& verdicts, bool is_full) {
    TextTable table{{{"RECORD"}, {"RESULT"}, {"ROUTE"}, {"TABLE"}, {"ROW"}}};
    std::map<std::string, std::size_t> counts;
    for (const auto& verdict : verdicts) {
        ++counts[verdict.result];
        if (verdict.result == "refused") {
            const auto result = verdict.policy.empty() ? verdict.result
                                                       : fmt::format("refused, {}", verdict.policy);
            table.add({printable(verdict.name()),
                       result,
                       printable(verdict.route),
                       "",
                       printable(cause_of(verdict))});
        } else if (verdict.changes.empty()) {
            table.add({printable(verdict.name()),
                       verdict.result == "rows" ? "no rows" : verdict.result,
                       "",
                       "",
                       ""});
        }
        for (const auto& change : verdict.changes) {
            table.add({printable(verdict.name()),
                       change.act,
                       printable(change.route),
                       printable(change.table),
                       printable(change.text())});
        }
    }
    std::string text = verdicts.empty() ? "" : table.text() + "\n";
    text += fmt::format("{} record{}", verdicts.size(), verdicts.size() == 1 ? "" : "s");
    for (const auto& [result, count] : counts) {
        text += fmt::format(", {} {}", count, result == "rows" ? "applied" : result);
    }
    text += "; nothing was written\n";
    if (is_full) {
        text += fmt::format("ended after {} MiB of rows: a smaller --limit, or --partition\n",
                            kMostBytes >> 20U);
    }
    return text;
}

JsonObject to_json(const ShownChange& change) {
    std::vector<JsonObject> columns;
    for (const auto& [name, literal] : change.values) {
        JsonObject column;
        column.add("column", name).add("literal", literal);
        columns.push_back(std::move(column));
    }
    JsonObject object;
    object.add("route", change.route).add("table", change.table).add("act", change.act);
    if (change.statement.empty()) {
        object.add("values", columns);
    } else {
        object.add("statement", change.statement);
    }
    return object;
}

JsonObject to_json(const Verdict& verdict) {
    JsonObject object;
    object.add("topic", verdict.partition.topic)
        .add("partition", std::int64_t{verdict.partition.partition})
        .add("offset", to_int(verdict.offset))
        .add("result", verdict.result);
    if (verdict.result == "refused") {
        object.add("route", verdict.route)
            .add("policy", verdict.policy)
            .add("code", txsink::name_of(verdict.error.code))
            .add("field", verdict.error.field)
            .add("text", verdict.error.message);
    }
    std::vector<JsonObject> changes;
    for (const auto& change : verdict.changes) {
        changes.push_back(to_json(change));
    }
    object.add("changes", changes);
    return object;
}

void print(Preview& preview, batch::Dialect dialect, bool with_sql, bool is_json) {
    const auto verdicts = preview.verdicts();
    const auto statements = with_sql ? preview.statements(dialect) : std::vector<std::string>{};
    if (!is_json) {
        auto text = as_text(verdicts, preview.is_full());
        for (const auto& statement : statements) {
            text += fmt::format("\n{};\n", printable(statement));
        }
        print_out(text);
        return;
    }
    std::vector<JsonObject> records;
    for (const auto& verdict : verdicts) {
        records.push_back(to_json(verdict));
    }
    JsonObject all;
    all.add("records", records).add("is_cut_short", std::int64_t{preview.is_full() ? 1 : 0});
    if (with_sql) {
        std::vector<JsonObject> objects;
        for (const auto& statement : statements) {
            JsonObject object;
            object.add("sql", statement);
            objects.push_back(std::move(object));
        }
        all.add("statements", objects);
    }
    print_out(all.text() + "\n");
}

int run(const Invocation& invocation) {
    const bool is_json = wants_json(invocation);
    const auto place = choice_of(invocation, "from", kPlaces);
    const auto limit =
        static_cast<std::size_t>(number_of(invocation, "limit", 1, kLargestLimit).value_or(kLimit));
    const auto partition =
        number_of(invocation, "partition", 0, std::numeric_limits<std::int32_t>::max());
    const auto settings = invocation.load_settings({});
    observe::set_up_log(settings.log);

    mysql::Database database{settings.mysql};
    kafka::KafkaAdmin admin{settings.kafka};
    auto ranges = whole_logs(admin, admin.topics(), partition);
    if (place == "stored") {
        begin_as_run(settings, admin, database, ranges);
    } else if (place == "latest") {
        keep_newest(ranges, limit);
    }
    std::vector<TopicPartition> partitions;
    for (const auto& range : ranges) {
        partitions.push_back(range.partition);
    }
    const bool with_sql = invocation.line.has("sql");
    Preview preview{settings, database, with_sql};
    {
        PartitionReader reader{settings.kafka, partitions};
        read_evenly(reader, ranges, limit, [&](const ConsumerRecord& record) {
            return preview.add(record);
        });
    }
    print(preview, database.dialect(), with_sql, is_json);
    return 0;
}

}  // namespace

const Command& preview_command() {
    static constexpr Command kCommand{
        "preview",
        "",
        "shows which rows the next records would become, and which are refused",
        "Reads records, joins no group, and shows for each the rows of every route, or why it is\n"
        "refused, by the tables as they are. Writes nothing, neither to MySQL nor to Kafka; what\n"
        "only the server can refuse (a foreign key, a CHECK) is not seen. The values of the\n"
        "records are what it shows: in the text, control characters become '?'.",
        kFlags,
        true,
        run};
    return kCommand;
}

}  // namespace txsink::cli
