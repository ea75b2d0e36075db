/// @file
/// What the benchmark has measured, for the reports.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "figures.hpp"

namespace txsink::bench {

/// One run of txsink. Times of the processor and of waiting are microseconds a row.
struct RunFigures {
    double rows_per_second = 0;
    /// From the first commit on: without the start.
    double steady_rows_per_second = 0;
    double first_commit_seconds = 0;
    double cpu = 0;
    double kafka_cpu = 0;  ///< of that, librdkafka's threads
    double user = 0;
    double system = 0;
    double peak_mib = 0;
    double bytes_per_row = 0;
    double commits_per_second = 0;
    std::optional<double> statement_wait;
    std::optional<double> commit_wait;
};

/// CPU before the server, microseconds a row each; median of the passes' differences.
struct StageFigures {
    double poll = 0;
    double decode = 0;
    double map = 0;
    double plan = 0;

    [[nodiscard]] double sum() const noexcept { return poll + decode + map + plan; }
};

/// One line of the report: a workload under one set of options.
struct Measurement {
    std::string workload;
    std::string what;
    int partitions = 0;
    int pipelines = 0;
    std::uint64_t batch_rows = 0;
    std::uint64_t records = 0;
    /// Of a record's value, on average.
    double record_bytes = 0;
    /// Rows a second of each round.
    std::vector<double> text;
    std::vector<double> prepared;
    std::vector<RunFigures> runs;
    std::optional<StageFigures> stages;

    /// The better of the two medians; 0 where none was measured.
    [[nodiscard]] double limit() const;
    [[nodiscard]] std::vector<double> speeds() const;
    /// txsink to limit; 0 where one is missing.
    [[nodiscard]] double ratio() const;
    /// The median of a figure over the runs.
    [[nodiscard]] double median_of(double RunFigures::*figure) const;
    /// Nothing where no run had it.
    [[nodiscard]] std::optional<double> median_of(std::optional<double> RunFigures::*figure) const;
};

/// From produce to visible row, in milliseconds, at a steady pace.
struct LatencyFigures {
    std::string workload;
    int partitions = 0;
    double records_per_second = 0;  ///< as it came to be
    std::uint64_t records = 0;
    double p50 = 0;
    double p99 = 0;
    double maximum = 0;
    double cpu = 0;  ///< microseconds a row
    double peak_mib = 0;
};

struct Results {
    std::string command;
    std::string machine;
    std::string server;
    std::map<std::string, std::string> variables;
    std::string kafka_client;
    int rounds = 0;
    std::vector<Measurement> measurements;
    std::vector<LatencyFigures> latencies;
};

}  // namespace txsink::bench
