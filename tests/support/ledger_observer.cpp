/// @file
/// LedgerObserver: one SELECT, which sees one snapshot, over and over.
#include "support/ledger_observer.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "support/waiting.hpp"

namespace txsink::test {
namespace {

constexpr milliseconds kBetweenSamples{15};
constexpr std::size_t kMostViolations = 5;

}  // namespace

LedgerObserver::LedgerObserver(ServerAddress server, std::string database, int partitions)
    : server_{std::move(server)}, database_{std::move(database)} {
    for (int partition = 0; partition < partitions; ++partition) {
        floors_[partition] = 0;
    }
    thread_ = std::jthread{[this](const std::stop_token& stop) { watch(stop); }};
}

void LedgerObserver::stop() {
    if (thread_.joinable()) {
        thread_.request_stop();
        thread_.join();
    }
}

std::vector<std::string> LedgerObserver::violations() const {
    const std::scoped_lock lock{mutex_};
    return violations_;
}

void LedgerObserver::watch(const std::stop_token& stop) {
    std::optional<SqlClient> client;
    while (!stop.stop_requested()) {
        try {
            if (!client) {
                client.emplace(server_);
            }
            sample(*client);
        } catch (const SqlError&) {
            client.reset();
        }
        pause_briefly(kBetweenSamples);
    }
}

void LedgerObserver::sample(SqlClient& client) {
    std::string partitions;
    for (const auto& [partition, floor] : floors_) {
        partitions += fmt::format("{}SELECT {} AS part, {} AS floor",
                                  partitions.empty() ? "" : " UNION ALL ",
                                  partition,
                                  floor);
    }
    const auto rows = client.rows(fmt::format(
        "SELECT p.part, p.floor, "
        "COALESCE((SELECT o.next_offset FROM `{0}`.txsink_offsets o "
        "          WHERE o.partition_id = p.part), 0), "
        "(SELECT COUNT(*) FROM `{0}`.ledger l WHERE l.part = p.part AND l.seq >= p.floor), "
        "COALESCE((SELECT MAX(l.seq) + 1 FROM `{0}`.ledger l WHERE l.part = p.part), 0) "
        "FROM ({1}) p",
        database_,
        partitions));
    ++samples_;
    bool has_changed = false;
    for (const auto& row : rows) {
        const auto floor = std::stoll(row[1]);
        const auto next = std::stoll(row[2]);
        const auto count = std::stoll(row[3]);
        const auto end = std::stoll(row[4]);
        auto& seen = floors_.at(std::stoi(row[0]));
        has_changed = has_changed || next != seen;
        if (next < floor) {
            seen = 0;  // a test turned the database back: all is counted anew
            continue;
        }
        seen = next;
        if (floor + count != next || end != next) {
            const std::scoped_lock lock{mutex_};
            if (violations_.size() < kMostViolations) {
                violations_.push_back(fmt::format(
                    "partition {}: next_offset is {}, but the ledger has {} rows and ends at {}",
                    row[0],
                    next,
                    floor + count,
                    end));
            }
        }
    }
    changes_ += has_changed ? 1 : 0;
}

}  // namespace txsink::test
