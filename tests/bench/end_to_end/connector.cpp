#include "connector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace txsink::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Longest run: an hour of a server that takes 1,000 rows a second.
constexpr std::chrono::hours kLongestRun{1};
constexpr milliseconds kTurn{10};

std::vector<std::string> words_of(const std::string& binary,
                                  const SinkOptions& options,
                                  bool until_end) {
    std::vector<std::string> words{binary, "run"};
    if (until_end) {
        words.emplace_back("--until-end");
    }
    for (const auto& [name, value] : options) {
        words.push_back("--" + name + "=" + value);
    }
    return words;
}

std::string fresh_log(const std::string& folder) {
    static int runs = 0;
    return fmt::format("{}/connector-{}.log", folder, ++runs);
}

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double since(steady_clock::time_point then) {
    return std::chrono::duration<double>(steady_clock::now() - then).count();
}

}  // namespace

Connector::Connector(const std::string& binary,
                     const SinkOptions& options,
                     bool until_end,
                     const std::string& folder)
    : started_{steady_clock::now()},
      process_{words_of(binary, options, until_end), {}, fresh_log(folder)} {}

ConnectorRun Connector::await_end(const std::function<std::uint64_t()>& committed) {
    constexpr int kTurnsBetweenLooks = 10;
    ConnectorRun run;
    for (int turn = 0; !process_.wait_for(kTurn); ++turn) {
        if (turn % kTurnsBetweenLooks == 0) {
            look_at_memory();
            look_at_threads();
        }
        if (run.first_records == 0) {
            run.first_records = committed();
            run.first_commit_seconds = since(started_);
        }
        if (steady_clock::now() - started_ > kLongestRun) {
            fail("does not end");
        }
    }
    return finish(run);
}

ConnectorRun Connector::stop() {
    look_at_memory();
    process_.signal(SIGTERM);
    if (!process_.wait_for(std::chrono::minutes{1})) {
        fail("does not stop");
    }
    return finish({});
}

void Connector::fail(const std::string& what) const {
    constexpr int kLines = 10;
    throw std::runtime_error{
        fmt::format("txsink run {}; its log ends with\n{}", what, process_.last_lines(kLines))};
}

/// The kernel's own high-water mark of the process; it is gone when the process has ended.
void Connector::look_at_memory() {
    std::ifstream status{fmt::format("/proc/{}/status", process_.pid())};
    for (std::string line; std::getline(status, line);) {
        constexpr std::string_view kPeak = "VmHWM:";
        if (line.starts_with(kPeak)) {
            peak_bytes_ =
                std::max<std::uint64_t>(peak_bytes_, std::stoull(line.substr(kPeak.size())) * 1024);
        }
    }
}

/// By the names that librdkafka gives its threads.
void Connector::look_at_threads() {
    double seconds = 0;
    std::error_code gone;
    for (const auto& task :
         std::filesystem::directory_iterator{fmt::format("/proc/{}/task", process_.pid()), gone}) {
        std::string name;
        std::ifstream{task.path() / "comm"} >> name;
        double nanoseconds = 0;
        if (name.starts_with("rdk:") && std::ifstream{task.path() / "schedstat"} >> nanoseconds) {
            seconds += nanoseconds * 1e-9;
        }
    }
    kafka_seconds_ = std::max(kafka_seconds_, seconds);
}

ConnectorRun Connector::finish(ConnectorRun run) {
    run.seconds = since(started_);
    if (const auto status = process_.wait_for(milliseconds{0}); status != test::ExitStatus{0, 0}) {
        fail("failed");
    }
    run.user_seconds = seconds_of(process_.usage().ru_utime);
    run.system_seconds = seconds_of(process_.usage().ru_stime);
    run.peak_bytes = peak_bytes_;
    run.kafka_seconds = kafka_seconds_;
    take_waits(process_.last_lines(3), run);
    return run;
}

}  // namespace txsink::bench
