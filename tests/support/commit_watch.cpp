/// @file
/// CommitWatch by polling.
#include "support/commit_watch.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "support/waiting.hpp"

namespace txsink::test {
namespace {

using std::chrono::steady_clock;

constexpr milliseconds kBetweenLooks{10};

milliseconds pause_of(const CommitWatch::Partition& partition, steady_clock::time_point now) {
    return std::chrono::duration_cast<milliseconds>(now - partition.changed_at);
}

}  // namespace

CommitWatch::CommitWatch(ServerAddress server, std::string database)
    : server_{std::move(server)}, database_{std::move(database)} {
    thread_ = std::jthread{[this](const std::stop_token& stop) { watch(stop); }};
}

CommitWatch::~CommitWatch() = default;

CommitWatch::Partitions CommitWatch::take() {
    const int wanted = looks_ + 2;  // the one under way may have begun before
    const bool has_looked = eventually(seconds{10}, [&] { return looks_ >= wanted; });
    const std::scoped_lock lock{mutex_};
    if (!has_looked) {
        throw std::runtime_error{"watching commits: " + failure_};
    }
    const auto now = steady_clock::now();
    for (auto& [number, partition] : partitions_) {
        partition.longest_pause = std::max(partition.longest_pause, pause_of(partition, now));
    }
    Partitions taken = partitions_;
    for (auto& [number, partition] : partitions_) {
        partition.longest_pause = milliseconds{0};
        partition.has_changed_hands = false;
    }
    return taken;
}

void CommitWatch::watch(const std::stop_token& stop) {
    try {
        SqlClient client{server_};
        const auto question =
            "SELECT partition_id, owner, next_offset FROM `" + database_ + "`.txsink_offsets";
        for (; !stop.stop_requested(); pause_briefly(kBetweenLooks)) {
            const auto rows = client.rows(question);
            const auto now = steady_clock::now();
            const std::scoped_lock lock{mutex_};
            for (const auto& row : rows) {
                const auto [at, is_new] = partitions_.try_emplace(
                    std::stoi(row[0]), Partition{row[1], row[2], now, milliseconds{0}, false});
                auto& partition = at->second;
                if (partition.owner != row[1]) {
                    partition.owner = row[1];
                    partition.has_changed_hands = true;
                }
                if (partition.next != row[2]) {
                    partition.longest_pause =
                        std::max(partition.longest_pause, pause_of(partition, now));
                    partition.next = row[2];
                    partition.changed_at = now;
                }
            }
            ++looks_;
        }
    } catch (const std::exception& error) {
        const std::scoped_lock lock{mutex_};
        failure_ = error.what();
    }
}

}  // namespace txsink::test
