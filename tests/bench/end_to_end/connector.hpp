/// @file
/// Runs of the real binary: from its start to its end, and what it used meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "support/process.hpp"
#include "workload.hpp"

namespace txsink::bench {

/// What one run of txsink took.
struct ConnectorRun {
    double seconds = 0;
    /// From the start of the process to the first commit that could be seen.
    double first_commit_seconds = 0;
    /// Records that were committed by then.
    std::uint64_t first_records = 0;
    double user_seconds = 0;
    double system_seconds = 0;
    /// Of both, the part of librdkafka's own threads; short by what they did at the very end.
    double kafka_seconds = 0;
    /// Peak of the resident memory, in bytes.
    std::uint64_t peak_bytes = 0;
    /// Waiting for the server, over all pipelines; where the connector's log tells it.
    std::optional<double> statement_seconds;
    std::optional<double> commit_seconds;

    [[nodiscard]] double cpu_seconds() const noexcept { return user_seconds + system_seconds; }
};

/// A running `txsink run`. Its log goes to a file, which an error quotes.
/// Errors: std::runtime_error. Threading: one thread, the main one.
class Connector {
public:
    /// `folder`: for the log.
    Connector(const std::string& binary,
              const SinkOptions& options,
              bool until_end,
              const std::string& folder);

    /// Until it has ended by itself, with exit code 0. `committed` is asked, every few
    /// milliseconds, how many records are, until there are some.
    [[nodiscard]] ConnectorRun await_end(const std::function<std::uint64_t()>& committed);
    /// SIGTERM, and the same.
    [[nodiscard]] ConnectorRun stop();
    [[nodiscard]] bool is_running() { return process_.is_running(); }
    /// Throws, with the end of its log.
    [[noreturn]] void fail(const std::string& what) const;

private:
    void look_at_memory();
    void look_at_threads();
    [[nodiscard]] ConnectorRun finish(ConnectorRun run);

    std::chrono::steady_clock::time_point started_;
    std::uint64_t peak_bytes_ = 0;
    double kafka_seconds_ = 0;
    test::Process process_;
};

/// From the last lines of its log: `8.1 s in statements` and `2.3 s in COMMIT`.
void take_waits(const std::string& log, ConnectorRun& run);

}  // namespace txsink::bench
