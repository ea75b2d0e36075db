/// @file
/// LedgerObserver: watches that the offsets and the ledger agree at every commit that it sees.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/sql_client.hpp"

namespace txsink::test {

/// Samples, in one snapshot each, every partition's next_offset and what the ledger has of it.
///
/// A server that is away is waited for. Only what came since the last sample is counted, so that
/// a long ledger does not make it slow: a record doubled further back is for the final oracle.
/// Threading: a thread of its own; calls from any.
class LedgerObserver {
public:
    LedgerObserver(ServerAddress server, std::string database, int partitions);
    ~LedgerObserver() { stop(); }
    LedgerObserver(const LedgerObserver&) = delete;
    LedgerObserver& operator=(const LedgerObserver&) = delete;

    void stop();
    [[nodiscard]] int samples() const noexcept { return samples_; }
    /// Samples that differed from the one before: commits that were seen.
    [[nodiscard]] int changes() const noexcept { return changes_; }
    /// What did not agree, in words; empty: all did.
    [[nodiscard]] std::vector<std::string> violations() const;

private:
    void watch(const std::stop_token& stop);
    void sample(SqlClient& client);

    ServerAddress server_;
    std::string database_;
    /// By partition: what is below was counted before.
    std::map<int, std::int64_t> floors_;
    std::atomic<int> samples_{0};
    std::atomic<int> changes_{0};
    mutable std::mutex mutex_;
    std::vector<std::string> violations_;
    std::jthread thread_;
};

}  // namespace txsink::test
