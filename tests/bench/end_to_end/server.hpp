/// @file
/// The benchmark's database: its tables, fresh for each run, and what the server counts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mysql/session.hpp"
#include "txsink/mysql/mysql_settings.hpp"
#include "workload.hpp"

namespace txsink::bench {

/// SHOW GLOBAL STATUS, of what the report needs.
struct ServerCounters {
    std::uint64_t bytes_received = 0;
    std::uint64_t commits = 0;
};

/// A database that it makes and drops, with txsink's own tables in it.
/// Errors: SinkError. Threading: one thread.
class BenchServer {
public:
    /// `uri`: mysql://user@host:port/; a database in it is not used. `is_private`: nobody else
    /// needs its binary logs, so they are deleted from time to time.
    BenchServer(const std::string& uri, bool is_private);
    BenchServer(const BenchServer&) = delete;
    BenchServer& operator=(const BenchServer&) = delete;
    ~BenchServer();

    /// For sessions in the database.
    [[nodiscard]] const mysql::MysqlSettings& settings() const noexcept { return settings_; }
    /// The same as an option of txsink.
    [[nodiscard]] const std::string& uri() const noexcept { return uri_; }
    [[nodiscard]] mysql::Session& session() noexcept { return *session_; }
    /// `MySQL 9.7.4`.
    [[nodiscard]] std::string name() const;
    /// Variables that decide how fast it can be.
    [[nodiscard]] std::map<std::string, std::string> variables();

    /// The workload's table as it has to be before a run; `keys`: how many each_once has.
    void make_table(const Workload& workload, std::uint64_t keys);
    [[nodiscard]] Content content();
    [[nodiscard]] ServerCounters counters();
    /// The sum of the connector's next offsets.
    [[nodiscard]] std::uint64_t committed(const std::string& connector);
    /// The next offset of each partition of the connector's one topic; 0: it has no row.
    [[nodiscard]] std::vector<std::int64_t> positions(const std::string& connector, int partitions);

private:
    void fill(const Workload& workload, std::uint64_t keys);
    void make_numbers();

    bool is_private_ = false;
    std::string database_;
    std::string uri_;
    mysql::MysqlSettings settings_;
    std::unique_ptr<mysql::Session> session_;
};

}  // namespace txsink::bench
