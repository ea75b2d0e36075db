/// @file
/// `txsink dead-letters replay`: applies refused records again.
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/dead_letters_filter.hpp"
#include "cli/newer_records.hpp"
#include "cli/output.hpp"
#include "cli/replay.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/database.hpp"

namespace txsink::cli {
namespace {

constexpr config::Flag kFlags[] = {
    kTopicFlag,
    kPartitionFlag,
    kFromFlag,
    kToFlag,
    kCodeFlag,
    {"limit", "N", "At most N, the first by topic, partition and offset"},
    {"even-if-newer", "", "Applies also what newer records of the key may have overtaken"},
    kOutputFlag,
};

const char* name_of(ReplayResult result) {
    switch (result) {
        case ReplayResult::replayed:
            return "replayed";
        case ReplayResult::no_rows:
            return "removed without a row";
        case ReplayResult::refused:
            return "still refused";
        case ReplayResult::held:
            break;
    }
    return "held back";
}

/// Tells what becomes of each letter: as text at once, as JSON at the end.
class Report {
public:
    explicit Report(bool is_json) : is_json_{is_json} {}

    void add(const mysql::DeadLetterKey& key,
             ReplayResult result,
             const std::string& code,
             const std::string& text) {
        const auto& partition = key.partition;
        if (is_json_) {
            JsonObject object;
            object.add("topic", partition.topic)
                .add("partition", std::int64_t{partition.partition})
                .add("offset", to_int(key.offset))
                .add("result", name_of(result))
                .add("code", code)
                .add("text", text);
            objects_.push_back(std::move(object));
        } else if (result != ReplayResult::replayed) {
            print_out(fmt::format(
                "{}: {}: {}{}\n",
                printable(record_name(partition.topic, partition.partition, key.offset)),
                name_of(result),
                code.empty() ? "" : code + ": ",
                printable(text)));
        }
    }

    void end(const ReplayCounts& counts) const {
        if (is_json_) {
            JsonObject all;
            all.add("replayed", static_cast<std::int64_t>(counts.replayed))
                .add("removed_without_row", static_cast<std::int64_t>(counts.no_rows))
                .add("still_refused", static_cast<std::int64_t>(counts.refused))
                .add("held_back", static_cast<std::int64_t>(counts.held))
                .add("missed_rows", static_cast<std::int64_t>(counts.missed_rows))
                .add("dead_letters", objects_);
            print_out(all.text() + "\n");
            return;
        }
        const auto missed = counts.missed_rows == 0
                                ? ""
                                : fmt::format("; {} updates found no row", counts.missed_rows);
        const auto no_rows =
            counts.no_rows == 0 ? "" : fmt::format("removed without a row {}, ", counts.no_rows);
        print_out(fmt::format("replayed {}, {}still refused {}, held back {}{}\n",
                              counts.replayed,
                              no_rows,
                              counts.refused,
                              counts.held,
                              missed));
    }

private:
    bool is_json_;
    std::vector<JsonObject> objects_;
};

int run(const Invocation& invocation) {
    const bool is_json = wants_json(invocation);
    const auto filter = filter_of(invocation);
    constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
    const auto most = number_of(invocation, "limit", 1, kAll).value_or(kAll);
    const bool even_if_newer = invocation.line.has("even-if-newer");
    const auto settings = load_with_topic(
        invocation, {.mysql = true, .kafka = !even_if_newer, .connector = true, .routes = true});
    observe::set_up_log(settings.log);
    mysql::Database database{settings.mysql};
    std::optional<NewerRecords> newer;
    if (!even_if_newer) {
        newer.emplace(settings.kafka, database, settings.pipeline.connector);
    }
    Report report{is_json};
    Replayer replayer{settings,
                      database,
                      newer ? &*newer : nullptr,
                      [&](const auto& key, auto result, const auto& code, const auto& text) {
                          report.add(key, result, code, text);
                      }};
    try {
        replayer.replay(filter, static_cast<std::uint64_t>(most));
    } catch (const SinkError&) {
        report.end(replayer.counts());
        throw;
    }
    report.end(replayer.counts());
    const auto& counts = replayer.counts();
    return counts.refused + counts.held == 0 ? 0 : exit_code(ErrorKind::bad_record);
}

}  // namespace

const Command& dead_letters_replay_command() {
    static constexpr Command kCommand{
        "dead-letters replay",
        "",
        "applies refused records again, through the routes as they are now",
        "Applies dead letters in the order of topic, partition and offset; the rows and the "
        "removal\n"
        "of the dead letter are one transaction, so each counts once. One that is refused again\n"
        "stays, with its new reason. One is held back when newer records of its key were applied\n"
        "since, or when that cannot be told: without a key (unless its route inserts only), or "
        "when\n"
        "Kafka no longer has the records behind it. One that the routes take no more is removed\n"
        "without a row, and said. The connector may run meanwhile, a second replay may not. Ends\n"
        "with 65 when any dead letter stays.",
        kFlags,
        true,
        run};
    return kCommand;
}

}  // namespace txsink::cli
