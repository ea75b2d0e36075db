/// @file
/// CommitWatch: how long each partition goes without a commit, and in whose hands it is.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "support/sql_client.hpp"

namespace txsink::test {

/// Looks at the offsets table every few milliseconds, in a session of its own.
///
/// Meant for a time in which every partition has something to commit all the time.
/// Threading: a thread of its own; calls from any.
class CommitWatch {
public:
    /// By partition. `owner` is as the offsets table names it.
    struct Partition {
        std::string owner;
        std::string next;
        std::chrono::steady_clock::time_point changed_at;
        std::chrono::milliseconds longest_pause{0};
        bool has_changed_hands = false;
    };
    using Partitions = std::map<int, Partition>;

    CommitWatch(ServerAddress server, std::string database);
    ~CommitWatch();
    CommitWatch(const CommitWatch&) = delete;
    CommitWatch& operator=(const CommitWatch&) = delete;

    /// What was seen since the last call, or since the start, up to what is there now. A pause that
    /// lasts counts as long as it has lasted, one that began before from its beginning.
    /// Errors: std::runtime_error: the server is away.
    [[nodiscard]] Partitions take();

private:
    void watch(const std::stop_token& stop);

    ServerAddress server_;
    std::string database_;
    std::atomic<int> looks_{0};
    std::mutex mutex_;
    Partitions partitions_;
    std::string failure_;
    std::jthread thread_;
};

}  // namespace txsink::test
