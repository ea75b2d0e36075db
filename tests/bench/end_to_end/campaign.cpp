#include "campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "latency.hpp"
#include "limit.hpp"
#include "load.hpp"
#include "mysql/offsets_sql.hpp"
#include "reading.hpp"
#include "support/test_topics.hpp"

namespace txsink::bench {
namespace {

constexpr double kMicro = 1e6;
constexpr double kMib = 1024.0 * 1024.0;

std::uint64_t records_of(const Workload& workload, std::uint64_t asked) {
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(static_cast<double>(asked) * workload.share));
}

void set_option(SinkOptions& options, const std::string& name, const std::string& value) {
    const auto found = std::find_if(
        options.begin(), options.end(), [&](const auto& each) { return each.first == name; });
    if (found == options.end()) {
        options.emplace_back(name, value);
    } else {
        found->second = value;
    }
}

/// Whether any statement can be a prepared one.
bool has_prepared(const std::vector<Script>& scripts) {
    for (const auto& script : scripts) {
        for (const auto& transaction : script) {
            for (const auto& statement : transaction.statements) {
                if (statement.prepared) {
                    return true;
                }
            }
        }
    }
    return false;
}

}  // namespace

void say(const std::string& text) {
    fmt::print(stderr, "bench: {}\n", text);
}

Campaign::Campaign(const Options& options,
                   BenchServer& server,
                   std::string self,
                   std::string folder)
    : options_{options}, server_{server}, self_{std::move(self)}, folder_{std::move(folder)} {}

Campaign::~Campaign() {
    for (const auto& [plan, topic] : topics_) {
        try {
            test::delete_topic(options_.kafka, topic.name);
        } catch (const std::exception& error) {
            say(fmt::format("warning: {}", error.what()));
        }
    }
}

std::vector<Measurement> Campaign::measure_all() {
    std::vector<Measurement> all;
    for (const auto& name : options_.workloads) {
        for (const int partitions : options_.partitions) {
            for (const int pipelines : options_.pipelines) {
                for (const int batch_rows : options_.batch_rows) {
                    all.push_back(measure(*find_workload(name), partitions, pipelines, batch_rows));
                }
            }
        }
    }
    return all;
}

const FilledTopic& Campaign::topic_for(const Workload& workload, int partitions) {
    const auto records = records_of(workload, options_.records);
    const auto known = std::find_if(topics_.begin(), topics_.end(), [&](const auto& each) {
        return each.first == workload.records && each.second.partitions == partitions &&
               each.second.records == records;
    });
    if (known != topics_.end()) {
        return known->second;
    }
    FilledTopic topic;
    topic.name = test::unique_name("bench");
    topic.partitions = partitions;
    topic.records = records;
    say(fmt::format("loading {} records into {} partitions", records, partitions));
    test::create_topic(options_.kafka, topic.name, partitions);
    RecordMaker maker{workload.records, records};
    topic.bytes = load_topic(options_.kafka, topic.name, maker, records);
    topic.last_states = maker.last_states();
    topic.sums = maker.sums();
    return topics_.emplace_back(workload.records, std::move(topic)).second;
}

SinkOptions Campaign::sink_options(const Workload& workload, const std::string& topic) const {
    SinkOptions options{{"kafka.bootstrap.servers", options_.kafka},
                        {"mysql.uri", server_.uri()},
                        {"connector", "bench"},
                        {"topic", topic}};
    options.insert(options.end(), workload.route.begin(), workload.route.end());
    // With statements of its own a route has no table.
    if (std::find(options.begin(), options.end(), SinkOptions::value_type{"mode", "sql"}) ==
        options.end()) {
        options.emplace_back("table", kTable);
    }
    for (const auto& [name, value] : options_.sink) {
        set_option(options, name, value);
    }
    return options;
}

SinkOptions Campaign::sink_options(const Workload& workload,
                                   const std::string& topic,
                                   const Measurement& of) const {
    auto options = sink_options(workload, topic);
    set_option(options, "pipelines", std::to_string(of.pipelines));
    set_option(options, "batch.rows", std::to_string(of.batch_rows));
    if (options_.is_static && of.pipelines == 1) {
        set_option(options, "assign", fmt::format("{}:0-{}", topic, of.partitions - 1));
    }
    return options;
}

Measurement Campaign::measure(const Workload& workload,
                              int partitions,
                              int pipelines,
                              int batch_rows) {
    Measurement of;
    of.workload = workload.name;
    of.what = workload.what;
    of.partitions = partitions;
    of.pipelines = pipelines;
    of.batch_rows = static_cast<std::uint64_t>(batch_rows);
    const auto& topic = topic_for(workload, partitions);
    of.records = topic.records;
    of.record_bytes = static_cast<double>(topic.bytes) / static_cast<double>(topic.records);
    const auto options = sink_options(workload, topic.name, of);
    server_.make_table(workload, topic.records);
    if (options_.parts.contains(Part::stages)) {
        of.stages = stages_of(of, options, topic);
    }
    std::vector<Script> scripts;
    if (options_.parts.contains(Part::limit)) {
        scripts = render(options, topic, pipelines);
    }
    const auto rows_per_second = [&](double seconds) {
        return static_cast<double>(topic.records) / seconds;
    };
    for (int round = 1; round <= options_.rounds; ++round) {
        auto line = fmt::format("{}, {} pipeline{}, round {}:",
                                of.workload,
                                pipelines,
                                pipelines == 1 ? "" : "s",
                                round);
        if (!scripts.empty()) {
            of.text.push_back(
                rows_per_second(play_limit(workload, topic, options, scripts, false)));
            line += fmt::format(" limit {:.0f} (text)", of.text.back());
        }
        if (has_prepared(scripts)) {
            of.prepared.push_back(
                rows_per_second(play_limit(workload, topic, options, scripts, true)));
            line += fmt::format(", {:.0f} (prepared)", of.prepared.back());
        }
        if (options_.parts.contains(Part::txsink)) {
            of.runs.push_back(run_connector(workload, topic, options));
            line += fmt::format(" txsink {:.0f}", of.runs.back().rows_per_second);
        }
        say(line + " rows/s");
    }
    return of;
}

std::string Campaign::fresh_connector() {
    return fmt::format("bench-{}", ++connectors_);
}

std::vector<Script> Campaign::render(const SinkOptions& options,
                                     const FilledTopic& topic,
                                     int pipelines) {
    say("rendering the statements of the limit");
    const auto settings = settings_of(options);
    std::vector<Script> scripts;
    for (int pipeline = 0; pipeline < pipelines; ++pipeline) {
        const auto partitions = every(topic.name, topic.partitions, pipeline, pipelines);
        if (!partitions.empty()) {
            scripts.push_back(
                render_script(settings, topic.name, partitions, server_.session().dialect()));
        }
    }
    return scripts;
}

double Campaign::play_limit(const Workload& workload,
                            const FilledTopic& topic,
                            const SinkOptions& options,
                            std::span<const Script> scripts,
                            bool is_prepared) {
    const auto settings = settings_of(options);
    const mysql::Identity who{settings.pipeline.connector, "bench"};
    server_.make_table(workload, topic.records);
    auto& session = server_.session();
    session.execute("DELETE FROM txsink_offsets WHERE connector = " +
                    mysql::key_literal(who.connector));
    std::vector<pipeline::PartitionStart> starts;
    for (const auto& partition : every(topic.name, topic.partitions)) {
        starts.push_back({partition, Offset{0}});
    }
    session.execute(mysql::create_offsets_sql(who, starts, "bench"));
    const auto played =
        play(scripts, settings.mysql, is_prepared ? Protocol::prepared : Protocol::text);
    verify(workload, topic, "the limit");
    if (played.repeated > 0) {
        say(fmt::format("{} transactions were repeated after deadlocks", played.repeated));
    }
    return played.seconds;
}

RunFigures Campaign::run_connector(const Workload& workload,
                                   const FilledTopic& topic,
                                   SinkOptions options) {
    server_.make_table(workload, topic.records);
    const auto connector = fresh_connector();
    set_option(options, "connector", connector);
    const auto before = server_.counters();
    Connector running{options_.txsink, options, true, folder_};
    const auto run = running.await_end([&] { return server_.committed(connector); });
    const auto after = server_.counters();
    verify(workload, topic, "txsink");
    const auto records = static_cast<double>(topic.records);
    const auto each = [&](double seconds) { return seconds * kMicro / records; };
    RunFigures figures;
    figures.rows_per_second = records / run.seconds;
    figures.steady_rows_per_second = (records - static_cast<double>(run.first_records)) /
                                     std::max(run.seconds - run.first_commit_seconds, 1e-3);
    figures.first_commit_seconds = run.first_commit_seconds;
    figures.kafka_cpu = each(run.kafka_seconds);
    figures.cpu = each(run.cpu_seconds());
    figures.user = each(run.user_seconds);
    figures.system = each(run.system_seconds);
    figures.peak_mib = static_cast<double>(run.peak_bytes) / kMib;
    figures.bytes_per_row =
        static_cast<double>(after.bytes_received - before.bytes_received) / records;
    figures.commits_per_second = static_cast<double>(after.commits - before.commits) / run.seconds;
    if (run.statement_seconds) {
        figures.statement_wait = each(*run.statement_seconds);
    }
    if (run.commit_seconds) {
        figures.commit_wait = each(*run.commit_seconds);
    }
    return figures;
}

/// The number of pipelines makes no difference to them.
StageFigures Campaign::stages_of(const Measurement& of,
                                 const SinkOptions& options,
                                 const FilledTopic& topic) {
    const auto name = fmt::format("{} {} {}", of.workload, of.partitions, of.batch_rows);
    auto known = stages_.find(name);
    if (known == stages_.end()) {
        say(fmt::format("{}: stages", of.workload));
        known = stages_.emplace(name, measure_stages(options, topic)).first;
    }
    return known->second;
}

StageFigures Campaign::measure_stages(const SinkOptions& options, const FilledTopic& topic) {
    std::array<std::vector<double>, kStageNames.size()> passes;
    // They are short, and a difference of two is far less steady than either.
    const int rounds = std::max(options_.rounds, 2);
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t stage = 0; stage < passes.size(); ++stage) {
            const auto done = pass(static_cast<Stage>(stage), options, topic);
            passes[stage].push_back(done.cpu_seconds * kMicro / static_cast<double>(done.records));
        }
    }
    const auto upto = [&](Stage stage) { return median(passes[static_cast<std::size_t>(stage)]); };
    return {upto(Stage::poll),
            upto(Stage::decode) - upto(Stage::poll),
            upto(Stage::map) - upto(Stage::decode),
            upto(Stage::plan) - upto(Stage::map)};
}

StagePass Campaign::pass(Stage stage, const SinkOptions& options, const FilledTopic& topic) {
    std::vector<std::string> words{self_,
                                   "stage",
                                   std::string{kStageNames[static_cast<std::size_t>(stage)]},
                                   topic.name,
                                   std::to_string(topic.partitions)};
    for (const auto& [name, value] : options) {
        words.push_back(name + "=" + value);
    }
    static int passes = 0;
    test::Process process{words, {}, fmt::format("{}/stage-{}.log", folder_, ++passes)};
    if (process.wait_for(std::chrono::minutes{10}) != test::ExitStatus{0, 0}) {
        throw std::runtime_error{"a pass of the stages failed: " + process.last_lines(5)};
    }
    StagePass done;
    std::istringstream{process.last_lines(1)} >> done.records >> done.cpu_seconds;
    if (done.records != topic.records) {
        throw std::runtime_error{
            fmt::format("a pass of the stages read {} records of {}", done.records, topic.records)};
    }
    return done;
}

std::vector<LatencyFigures> Campaign::measure_latencies() {
    std::vector<LatencyFigures> all;
    for (const int partitions : options_.partitions) {
        all.push_back(measure_latency(*find_workload(options_.workloads.front()), partitions));
    }
    return all;
}

LatencyFigures Campaign::measure_latency(const Workload& workload, int partitions) {
    say(fmt::format("{}: latency at {} records/s for {} s",
                    workload.name,
                    options_.rate,
                    options_.duration.count()));
    const auto records = static_cast<std::uint64_t>(options_.rate) *
                             static_cast<std::uint64_t>(options_.duration.count()) +
                         static_cast<std::uint64_t>(partitions);
    RecordMaker maker{workload.records, records};
    const auto topic = test::unique_name("bench-latency");
    test::create_topic(options_.kafka, topic, partitions);
    server_.make_table(workload, records);
    auto options = sink_options(workload, topic);
    const auto connector = fresh_connector();
    set_option(options, "connector", connector);
    Connector running{options_.txsink, options, false, folder_};
    const auto steady = run_steadily(
        options_.kafka,
        topic,
        partitions,
        options_.rate,
        options_.duration,
        maker,
        [&] { return server_.positions(connector, partitions); },
        [&] { return running.is_running(); });
    const auto run = running.stop();
    test::delete_topic(options_.kafka, topic);
    LatencyFigures figures;
    const auto milliseconds = latencies_of(steady.produced, steady.seen, 1);
    figures.workload = workload.name;
    figures.partitions = partitions;
    figures.records_per_second = steady.records_per_second;
    figures.records = milliseconds.size();
    figures.p50 = percentile(milliseconds, 50);
    figures.p99 = percentile(milliseconds, 99);
    figures.maximum = percentile(milliseconds, 100);
    figures.cpu = run.cpu_seconds() * kMicro / static_cast<double>(records);
    figures.peak_mib = static_cast<double>(run.peak_bytes) / kMib;
    return figures;
}

void Campaign::verify(const Workload& workload,
                      const FilledTopic& topic,
                      const std::string& after) {
    auto expected = workload.outcome == Outcome::sums ? topic.sums : topic.last_states;
    if (workload.filling == Filling::customers) {
        expected.rows = static_cast<std::uint64_t>(kCustomers);
    }
    const auto found = server_.content();
    if (found != expected) {
        throw std::runtime_error{
            fmt::format("{}: after {} the table holds {} rows and {} cents instead of {} and {}",
                        workload.name,
                        after,
                        found.rows,
                        found.cents,
                        expected.rows,
                        expected.cents)};
    }
}

}  // namespace txsink::bench
