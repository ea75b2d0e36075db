/// @file
/// txsink_bench: how fast txsink is, and how fast the server would be without it.
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "chart.hpp"
#include "json.hpp"
#include "options.hpp"
#include "reading.hpp"
#include "report.hpp"
#include "stages.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/observe/log.hpp"

namespace txsink::bench {
namespace {

/// A folder for logs, gone at the end.
class Folder {
public:
    Folder()
        : path_{std::filesystem::temp_directory_path() /
                fmt::format("txsink-bench-{}", ::getpid())} {
        std::filesystem::create_directories(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

std::string machine() {
    std::string model = "unknown processor";
    std::ifstream info{"/proc/cpuinfo"};
    for (std::string line; std::getline(info, line);) {
        if (line.starts_with("model name")) {
            model = line.substr(line.find(':') + 2);
            break;
        }
    }
    utsname system{};
    ::uname(&system);
    return fmt::format(
        "{} x {}, Linux {}", std::thread::hardware_concurrency(), model, system.release);
}

void write_text(const std::string& file, const std::string& text) {
    if (file.empty()) {
        fmt::print("{}", text);
        return;
    }
    std::ofstream out{file};
    out << text;
    if (!out.flush()) {
        throw std::runtime_error{file + ": cannot be written"};
    }
}

/// `stage NAME TOPIC PARTITIONS OPTION=VALUE...`: one pass of Campaign, in this process.
int run_pass(const std::vector<std::string>& words) {
    SinkOptions options;
    for (std::size_t i = 4; i < words.size(); ++i) {
        const auto equals = words[i].find('=');
        options.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
    }
    const auto found = std::find(kStageNames.begin(), kStageNames.end(), words.at(1));
    const auto done = run_stage(static_cast<Stage>(found - kStageNames.begin()),
                                settings_of(options),
                                words.at(2),
                                std::stoi(words.at(3)));
    fmt::print("{} {}\n", done.records, done.cpu_seconds);
    return 0;
}

int measure(const std::vector<std::string>& words) {
    const auto options = parse_options(words);
    if (options.wants_help) {
        fmt::print("{}", help());
        return 0;
    }
    for (const auto& [name, value] : {std::pair{"kafka", options.kafka},
                                      std::pair{"mysql", options.mysql},
                                      std::pair{"txsink", options.txsink}}) {
        if (value.empty()) {
            throw std::invalid_argument{fmt::format("--{} is missing", name)};
        }
    }
    const Folder folder;
    BenchServer server{options.mysql, std::getenv("TXSINK_TEST_SERVICES") != nullptr};
    Results results;
    results.command = "tools/bench";
    for (const auto& word : words) {
        results.command += word.starts_with("--kafka") || word.starts_with("--mysql") ||
                                   word.starts_with("--txsink")
                               ? ""
                               : " " + word;
    }
    results.machine = machine();
    results.server = server.name();
    results.variables = server.variables();
    results.kafka_client = fmt::format("librdkafka {}", rd_kafka_version_str());
    results.rounds = options.rounds;
    Campaign campaign{
        options, server, std::filesystem::read_symlink("/proc/self/exe"), folder.path()};
    if (options.parts != std::set{Part::latency}) {
        results.measurements = campaign.measure_all();
    }
    if (options.parts.contains(Part::latency)) {
        results.latencies = campaign.measure_latencies();
    }
    write_text(options.output_file, options.is_json ? as_json(results) : as_table(results));
    if (!options.chart_file.empty()) {
        write_text(options.chart_file, as_chart(results));
    }
    return 0;
}

}  // namespace
}  // namespace txsink::bench

int main(int argc, char** argv) {
    const std::vector<std::string> words{argv + 1, argv + argc};
    try {
        txsink::observe::set_up_log({.level = txsink::observe::LogLevel::warn});
        return !words.empty() && words.front() == "stage" ? txsink::bench::run_pass(words)
                                                          : txsink::bench::measure(words);
    } catch (const std::invalid_argument& error) {
        fmt::print(stderr, "error: {}\nhint: tools/bench --help\n", error.what());
        return 64;
    } catch (const txsink::SinkError& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        if (!error.detail.empty()) {
            fmt::print(stderr, "detail: {}\n", error.detail);
        }
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
    }
    return 1;
}
