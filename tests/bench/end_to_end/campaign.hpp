/// @file
/// Measures every combination that the options ask for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "connector.hpp"
#include "options.hpp"
#include "results.hpp"
#include "script.hpp"
#include "server.hpp"
#include "stages.hpp"

namespace txsink::bench {

/// A topic that was filled for a workload.
struct FilledTopic {
    std::string name;
    int partitions = 0;
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
    Content last_states;
    Content sums;
};

/// Limit and txsink take turns, so that a machine that is busy for a while slows both.
/// Errors: SinkError; std::runtime_error, also when a table does not hold what it should.
/// Threading: one thread, the main one.
class Campaign {
public:
    /// `self`: this program, for the passes of the stages; `folder`: for logs.
    Campaign(const Options& options, BenchServer& server, std::string self, std::string folder);
    ~Campaign();
    Campaign(const Campaign&) = delete;
    Campaign& operator=(const Campaign&) = delete;

    [[nodiscard]] std::vector<Measurement> measure_all();
    /// The latency of the first workload, for each number of partitions.
    [[nodiscard]] std::vector<LatencyFigures> measure_latencies();

private:
    const FilledTopic& topic_for(const Workload& workload, int partitions);
    [[nodiscard]] SinkOptions sink_options(const Workload& workload,
                                           const std::string& topic) const;
    [[nodiscard]] SinkOptions sink_options(const Workload& workload,
                                           const std::string& topic,
                                           const Measurement& of) const;
    [[nodiscard]] Measurement measure(const Workload& workload,
                                      int partitions,
                                      int pipelines,
                                      int batch_rows);
    [[nodiscard]] std::vector<Script> render(const SinkOptions& options,
                                             const FilledTopic& topic,
                                             int pipelines);
    [[nodiscard]] double play_limit(const Workload& workload,
                                    const FilledTopic& topic,
                                    const SinkOptions& options,
                                    std::span<const Script> scripts,
                                    bool is_prepared);
    [[nodiscard]] RunFigures run_connector(const Workload& workload,
                                           const FilledTopic& topic,
                                           SinkOptions options);
    [[nodiscard]] StageFigures stages_of(const Measurement& of,
                                         const SinkOptions& options,
                                         const FilledTopic& topic);
    [[nodiscard]] StageFigures measure_stages(const SinkOptions& options, const FilledTopic& topic);
    [[nodiscard]] StagePass pass(Stage stage, const SinkOptions& options, const FilledTopic& topic);
    [[nodiscard]] LatencyFigures measure_latency(const Workload& workload, int partitions);
    void verify(const Workload& workload, const FilledTopic& topic, const std::string& after);
    [[nodiscard]] std::string fresh_connector();

    const Options& options_;
    BenchServer& server_;
    std::string self_;
    std::string folder_;
    std::vector<std::pair<RecordPlan, FilledTopic>> topics_;
    std::map<std::string, StageFigures> stages_;
    int connectors_ = 0;
};

/// A line on standard error.
void say(const std::string& text);

}  // namespace txsink::bench
