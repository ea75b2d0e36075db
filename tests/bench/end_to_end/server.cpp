#include "server.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "mysql/offsets_sql.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/sql_literal.hpp"
#include "txsink/mysql/migrations.hpp"

namespace txsink::bench {
namespace {

/// Rows that one statement of fill() makes.
constexpr std::uint64_t kFilledAtOnce = 100'000;

std::uint64_t number(const std::optional<std::string>& text) {
    return std::stoull(text.value_or("0"));
}

/// `uri` with `database` in place of its own.
std::string with_database(const std::string& uri, const std::string& database) {
    const auto host = uri.find("://");
    const auto slash = uri.find('/', host == std::string::npos ? 0 : host + 3);
    return uri.substr(0, slash) + '/' + database;
}

}  // namespace

BenchServer::BenchServer(const std::string& uri, bool is_private)
    : is_private_{is_private},
      database_{fmt::format("txsink_bench_{}", ::getpid())},
      uri_{with_database(uri, database_)},
      settings_{mysql::parse_mysql_uri(uri_)} {
    auto patient = settings_;
    // Filling and counting a large table take a while, and then it is silent for long.
    patient.read_timeout = std::chrono::minutes{30};
    patient.wait_timeout = std::chrono::hours{8};
    patient.database.clear();
    session_ = std::make_unique<mysql::Session>(patient, patient.hosts.front());
    session_->execute("DROP DATABASE IF EXISTS " + database_);
    session_->execute("CREATE DATABASE " + database_ + " CHARACTER SET utf8mb4");
    session_->execute("USE " + database_);
    static_cast<void>(mysql::migrate(*session_, mysql::built_in_migrations(), {}));
    make_numbers();
}

BenchServer::~BenchServer() {
    try {
        session_->execute("DROP DATABASE " + database_);
    } catch (const SinkError& error) {
        fmt::print(stderr, "warning: dropping {}: {}\n", database_, error.what());
    }
}

std::string BenchServer::name() const {
    const auto& version = session_->version();
    return session_->is_mariadb() ? "MariaDB " + version.substr(0, version.find('-'))
                                  : "MySQL " + version;
}

std::map<std::string, std::string> BenchServer::variables() {
    std::map<std::string, std::string> found;
    for (const auto& row :
         session_->query("SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_buffer_pool_size', "
                         "'innodb_flush_log_at_trx_commit', 'innodb_redo_log_capacity', "
                         "'innodb_log_file_size', 'sync_binlog', 'log_bin', 'binlog_format', "
                         "'innodb_doublewrite', 'max_allowed_packet')")) {
        found[row.at(0).value_or("")] = row.at(1).value_or("");
    }
    return found;
}

void BenchServer::make_numbers() {
    session_->execute("CREATE TABLE bench_digits (d INT PRIMARY KEY)");
    session_->execute("INSERT INTO bench_digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
}

void BenchServer::make_table(const Workload& workload, std::uint64_t keys) {
    session_->execute(fmt::format("DROP TABLE IF EXISTS {}", kTable));
    if (is_private_) {
        session_->execute("FLUSH BINARY LOGS");
        session_->execute("PURGE BINARY LOGS BEFORE NOW()");
    }
    session_->execute(fmt::format("CREATE TABLE {} ({}) ENGINE=InnoDB", kTable, workload.columns));
    if (workload.filling != Filling::none) {
        fill(workload, keys);
    }
}

void BenchServer::fill(const Workload& workload, std::uint64_t keys) {
    const bool is_orders = workload.filling == Filling::same_keys;
    const auto last = is_orders ? keys : static_cast<std::uint64_t>(kCustomers) - 1;
    for (std::uint64_t from = is_orders ? 1 : 0; from <= last; from += kFilledAtOnce) {
        session_->execute(fmt::format(
            "INSERT INTO {} SELECT n{} FROM (SELECT {} + a.d + 10 * b.d + 100 * c.d + 1000 * e.d "
            "+ 10000 * f.d AS n FROM bench_digits a, bench_digits b, bench_digits c, "
            "bench_digits e, bench_digits f) numbers WHERE n <= {} ORDER BY n",
            kTable,
            is_orders ? ", n % 100000, 'before@example.com', 0, 'none', '2026-01-01 00:00:00.000', "
                        "'what stood here before the run', FALSE"
                      : ", 0",
            from,
            last));
    }
}

Content BenchServer::content() {
    const auto row =
        session_
            ->query(fmt::format(
                "SELECT COUNT(*), CAST(COALESCE(SUM(amount), 0) * 100 AS SIGNED) FROM {}", kTable))
            .at(0);
    return {number(row.at(0)), std::stoll(row.at(1).value_or("0"))};
}

ServerCounters BenchServer::counters() {
    ServerCounters counters;
    for (const auto& row : session_->query(
             "SHOW GLOBAL STATUS WHERE Variable_name IN ('Bytes_received', 'Com_commit')")) {
        auto& counter = row.at(0) == "Com_commit" ? counters.commits : counters.bytes_received;
        counter = number(row.at(1));
    }
    return counters;
}

std::uint64_t BenchServer::committed(const std::string& connector) {
    return number(
        session_
            ->query("SELECT COALESCE(SUM(next_offset), 0) FROM txsink_offsets WHERE connector = " +
                    mysql::key_literal(connector))
            .at(0)
            .at(0));
}

std::vector<std::int64_t> BenchServer::positions(const std::string& connector, int partitions) {
    std::vector<std::int64_t> next(static_cast<std::size_t>(partitions), 0);
    for (const auto& row :
         session_->query("SELECT partition_id, next_offset FROM txsink_offsets WHERE connector = " +
                         mysql::key_literal(connector))) {
        next.at(number(row.at(0))) = static_cast<std::int64_t>(number(row.at(1)));
    }
    return next;
}

}  // namespace txsink::bench
