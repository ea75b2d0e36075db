/// @file
/// `txsink run`: the connector, until it is told to stop.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/patience.hpp"
#include "cli/process_name.hpp"
#include "cli/signals.hpp"
#include "txsink/core/clock.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/dead_letter_producer.hpp"
#include "txsink/kafka/kafka_admin.hpp"
#include "txsink/kafka/kafka_source.hpp"
#include "txsink/mysql/database.hpp"
#include "txsink/mysql/mysql_sink.hpp"
#include "txsink/mysql/offsets_reader.hpp"
#include "txsink/observe/progress.hpp"
#include "txsink/pipeline/pipeline.hpp"
#include "txsink/pipeline/supervisor.hpp"

namespace txsink::cli {
namespace {

constexpr config::Flag kFlags[] = {
    {"until-end", "", "Stops once every partition has reached the end that it had at start"},
};

using Positions = std::map<TopicPartition, Offset>;

/// What stops a run at once; throws the first that fails.
void check_first(const config::Settings& settings, bool until_end, const std::stop_token& stop) {
    CheckPlan plan;
    // A run that ends by itself must not take an offset beyond the end for one that got there.
    plan.only_for_start = !until_end;
    plan.patience = settings.pipeline.connect_deadline;
    plan.stop = stop;
    make_checks(settings, plan, [](const Finding& finding) {
        if (finding.status == Status::failed) {
            throw SinkError{finding.kind, finding.what, finding.detail, finding.hint};
        }
        if (finding.status == Status::warning) {
            spdlog::warn("{}: {}", finding.subject, finding.what);
        } else {
            spdlog::debug("{}: {}", finding.subject, finding.what);
        }
    });
}

/// Reads the connector's offset rows, over one session while it lasts.
/// Threading: one thread.
class StoredPositions {
public:
    StoredPositions(mysql::MysqlSettings mysql, std::string connector)
        : mysql_{std::move(mysql)}, connector_{std::move(connector)} {}

    Positions read() {
        if (!database_) {
            database_ = std::make_unique<mysql::Database>(mysql_);
        }
        try {
            Positions positions;
            for (const auto& row : mysql::read_offset_rows(database_->session(), connector_)) {
                positions.emplace(row.partition, row.next);
            }
            return positions;
        } catch (const SinkError&) {
            database_.reset();
            throw;
        }
    }

private:
    mysql::MysqlSettings mysql_;
    std::string connector_;
    std::unique_ptr<mysql::Database> database_;
};

/// The ends of all partitions that this run is about.
Positions ends_now(const config::Settings& settings) {
    kafka::KafkaAdmin admin{settings.kafka};
    auto partitions = settings.kafka.assign;
    if (partitions.empty()) {
        for (const auto& [topic, count] : admin.topics()) {
            for (std::int32_t i = 0; i < count; ++i) {
                partitions.push_back({topic, i});
            }
        }
    }
    return admin.ends(partitions);
}

/// As patient as the checks: the outage may come right after them.
void add_ends(const config::Settings& settings,
              pipeline::SupervisorSettings& supervisor,
              const std::stop_token& stop) {
    const auto patiently = [&](const auto& ask) {
        return ask_patiently(
            ask, settings.pipeline.retry, settings.pipeline.connect_deadline, stop);
    };
    auto stored = std::make_shared<StoredPositions>(settings.mysql, settings.pipeline.connector);
    const auto ends = patiently([&] { return ends_now(settings); });
    // Of a topic that was recreated the old offset lies beyond the new end: the table says nothing
    // about these, only the pipeline that starts them over does.
    std::set<TopicPartition> beyond;
    for (const auto& [partition, next] : patiently([&] { return stored->read(); })) {
        const auto end = ends.find(partition);
        if (end != ends.end() && next > end->second) {
            beyond.insert(partition);
        }
    }
    supervisor.until = ends;
    supervisor.stored_positions = [stored, beyond] {
        auto positions = stored->read();
        std::erase_if(positions, [&](const auto& each) { return beyond.contains(each.first); });
        return positions;
    };
}

int run(const Invocation& invocation) {
    const auto settings = invocation.load_settings({});
    observe::set_up_log(settings.log);
    std::stop_source stop;
    const StopOnSignal on_signal{stop};
    const bool until_end = invocation.line.has("until-end");
    pipeline::SupervisorSettings supervisor;
    try {
        check_first(settings, until_end, stop.get_token());
        if (until_end) {
            add_ends(settings, supervisor, stop.get_token());
        }
    } catch (const SinkError&) {
        if (stop.stop_requested()) {
            return 0;  // told to stop while it waited for a server
        }
        throw;
    }

    supervisor.pipelines = settings.pipelines;
    supervisor.shutdown_timeout = settings.shutdown_timeout;
    supervisor.on_shutdown_timeout = [&] {
        spdlog::error(
            "not stopped within shutdown.timeout: ending; what was not committed is read "
            "again at the next start");
        std::_Exit(exit_code(ErrorKind::unavailable));
    };
    pipeline::Statistics statistics;
    const observe::ProgressReporter progress{statistics, settings.progress_interval};
    spdlog::info("connector {} runs with {} pipeline{}",
                 settings.pipeline.connector,
                 settings.pipelines,
                 settings.pipelines == 1 ? "" : "s");
    pipeline::supervise(
        supervisor,
        [&](int index, std::stop_token token, const pipeline::ProgressListener& on_progress) {
            kafka::KafkaSource source{config::kafka_settings_of(settings, index)};
            mysql::MysqlSink sink{settings.mysql,
                                  settings.pipeline.connector,
                                  fmt::format("{}:{}", process_name(), index)};
            const SteadyClock clock;
            auto mine = settings.pipeline;
            std::optional<kafka::DeadLetterProducer> copies;
            if (!settings.dead_letter_topic.empty()) {
                copies.emplace(config::kafka_settings_of(settings, index),
                               settings.dead_letter_topic);
                mine.copy_dead_letters = [&copies](const auto& partition, auto letters) {
                    copies->produce(partition, letters);
                };
            }
            pipeline::Pipeline pipeline{
                std::move(mine), source, sink, clock, statistics, on_progress};
            pipeline.run(std::move(token));
        },
        stop);
    return 0;
}

}  // namespace

const Command& run_command() {
    static constexpr Command kCommand{
        "run",
        "",
        "runs the connector until SIGINT or SIGTERM",
        "Reads the topics of the routes and writes them to their tables, each batch in one\n"
        "transaction with the offsets that it moves. Checks first what check checks, as far as it\n"
        "would stop at once.",
        kFlags,
        true,
        run};
    return kCommand;
}

}  // namespace txsink::cli
