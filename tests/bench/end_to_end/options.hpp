/// @file
/// The command line of the benchmark.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "txsink/batch/batch.hpp"
#include "workload.hpp"

namespace txsink::bench {

/// What is measured.
enum class Part : std::uint8_t { limit, txsink, stages, latency };

struct Options {
    std::string kafka;
    std::string mysql;
    std::string txsink;
    std::uint64_t records = 1'000'000;
    int rounds = 3;
    std::vector<std::string> workloads{"insert", "upsert"};
    std::vector<int> partitions{6};
    std::vector<int> pipelines{1, 2};
    std::vector<int> batch_rows{static_cast<int>(batch::BatchPolicy{}.rows)};
    std::set<Part> parts{Part::limit, Part::txsink, Part::stages, Part::latency};
    /// Of the latency.
    int rate = 10'000;
    std::chrono::seconds duration{20};
    /// Fixed partitions without a group; one pipeline only.
    bool is_static = false;
    /// Further options of txsink.
    SinkOptions sink;
    bool is_json = false;
    /// Empty: standard output.
    std::string output_file;
    std::string chart_file;
    bool wants_help = false;
};

/// Errors: std::invalid_argument, naming the option.
[[nodiscard]] Options parse_options(std::span<const std::string> words);

[[nodiscard]] std::string help();

}  // namespace txsink::bench
