/// @file
/// LedgerWorld: a topic, a table that shows each second application, txsink processes, and the
/// oracle that judges them.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/ledger_observer.hpp"
#include "support/process.hpp"
#include "support/sql_client.hpp"
#include "support/test_producer.hpp"
#include "support/waiting.hpp"

namespace txsink::test {

/// Options of txsink by name, without the dashes.
using Options = std::map<std::string, std::string>;

/// Writes records that say where they are: {"id", "part", "seq", "pad"}, where `seq` counts the
/// records of the partition and so is the offset.
/// Threading: one thread at a time.
class LedgerProducer {
public:
    LedgerProducer(const std::string& bootstrap, std::string topic, int partitions);
    /// `count` more records, spread evenly; all are in Kafka when it returns. `pad`: bytes.
    void produce(std::int64_t count, std::size_t pad = 0);
    /// One record as it is, which counts as one of its partition.
    void produce_raw(int partition, const std::string& value);

    [[nodiscard]] std::int64_t total() const noexcept { return total_; }
    /// Records by partition.
    [[nodiscard]] const std::vector<std::int64_t>& ends() const noexcept { return ends_; }

private:
    TestProducer producer_;
    std::string topic_;
    std::vector<std::int64_t> ends_;
    std::int64_t total_ = 0;
    std::string value_;
};

/// A test's own topic, database, connector and group on the real servers.
///
/// The table `ledger` has no unique key. While the test runs, an observer asserts at each commit
/// that it sees that the offsets table says exactly how far the ledger is.
class LedgerWorld : public ::testing::Test {
protected:
    LedgerWorld();
    void SetUp() override;
    void TearDown() override;

    /// Makes topic, database, tables and producer, and starts the observer.
    void open(int partitions = 3);

    /// Starts `txsink run` with `options` over those of the world. It belongs to the world.
    Process& run(const Options& more = {}, const Options& environment = {});
    /// `txsink run --until-end`.
    Process& run_until_end(const Options& more = {}, const Options& environment = {});
    /// Any other command of txsink that takes the servers' options, to its end.
    ExitStatus command(std::vector<std::string> words, const Options& more = {});
    /// The process of the last run() or command().
    [[nodiscard]] Process& last() { return *processes.back(); }
    /// `services WORDS...`, to its end.
    void services(std::vector<std::string> words);

    /// Fixed partitions, without a group: restarts do not wait.
    void use_fixed_partitions();

    /// The sum of next_offset over the partitions: how many records are committed. -1: the server
    /// is away.
    [[nodiscard]] std::int64_t committed();
    /// Waits until `count` records (all that were produced) are committed.
    [[nodiscard]] bool wait_for_committed(std::int64_t count, milliseconds deadline);
    [[nodiscard]] bool wait_for_all(milliseconds deadline) {
        return wait_for_committed(producer->total(), deadline);
    }

    /// Each produced record is in the ledger once, and the offsets say so; ends the observer.
    void expect_exactly_once();
    /// Waits for its end by itself; on another end adds a failure.
    void expect_exit(Process& process, ExitStatus wanted, milliseconds deadline);

    [[nodiscard]] std::string sql_name(const std::string& table) const {
        return "`" + database + "`." + table;
    }

    std::string kafka;
    ServerAddress mysql;
    std::string topic;
    std::string database;
    std::uint16_t mysql_port = 0;  ///< where txsink connects to: the server, or a proxy
    Options options;
    std::unique_ptr<LedgerProducer> producer;
    std::unique_ptr<SqlClient> sql;
    std::unique_ptr<LedgerObserver> observer;
    std::vector<std::unique_ptr<Process>> processes;

private:
    [[nodiscard]] std::vector<std::string> with_options(std::vector<std::string> words,
                                                        const Options& more) const;
    Process& start(std::vector<std::string> words, const Options& environment);
    void make_ledger();

    std::string folder_;
};

/// The seed of everything random, printed: TXSINK_TEST_SEED, or a new one.
[[nodiscard]] std::uint32_t test_seed();

}  // namespace txsink::test
