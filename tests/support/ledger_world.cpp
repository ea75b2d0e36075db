/// @file
/// LedgerWorld on the servers of tools/with-services.
#include "support/ledger_world.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <utility>

#include "support/skip.hpp"
#include "support/test_topics.hpp"

namespace txsink::test {
namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string binary() {
    const auto given = environment("TXSINK_BIN");
    return given.empty() ? TXSINK_BIN_BUILT : given;
}

/// Many commits, and waits that are short for a test and long for a busy machine.
Options fast_options() {
    return {{"batch.rows", "500"},
            {"batch.linger", "20ms"},
            {"kafka.session.timeout.ms", "3000"},
            {"kafka.heartbeat.interval.ms", "500"},
            {"mysql.tls", "disabled"},
            {"mysql.lock-wait-timeout", "2s"},
            {"mysql.read-timeout", "5s"},
            {"mysql.write-timeout", "5s"},
            {"mysql.connect-timeout", "2s"},
            {"mysql.wait-timeout", "6s"},
            {"idle.check", "2s"},
            {"retry.initial", "20ms"},
            {"retry.maximum", "500ms"}};
}

}  // namespace

std::uint32_t test_seed() {
    const auto given = environment("TXSINK_TEST_SEED");
    const auto seed =
        given.empty() ? std::random_device{}() : static_cast<std::uint32_t>(std::stoul(given));
    std::cout << "TXSINK_TEST_SEED=" << seed << std::endl;
    return seed;
}

LedgerProducer::LedgerProducer(const std::string& bootstrap, std::string topic, int partitions)
    : producer_{bootstrap},
      topic_{std::move(topic)},
      ends_(static_cast<std::size_t>(partitions), 0) {}

void LedgerProducer::produce(std::int64_t count, std::size_t pad) {
    const std::string padding(pad, 'x');
    for (std::int64_t i = 0; i < count; ++i) {
        const auto partition = static_cast<std::size_t>(total_) % ends_.size();
        value_.clear();
        fmt::format_to(std::back_inserter(value_),
                       R"({{"id":{},"part":{},"seq":{},"pad":"{}"}})",
                       total_,
                       partition,
                       ends_[partition],
                       padding);
        producer_.produce(topic_, static_cast<std::int32_t>(partition), std::nullopt, value_);
        ++ends_[partition];
        ++total_;
    }
    producer_.flush();
}

void LedgerProducer::produce_raw(int partition, const std::string& value) {
    producer_.produce(topic_, partition, std::nullopt, value);
    producer_.flush();
    ++ends_.at(static_cast<std::size_t>(partition));
    ++total_;
}

LedgerWorld::LedgerWorld() : options{fast_options()} {}

void LedgerWorld::SetUp() {
    kafka = environment("TXSINK_TEST_KAFKA");
    const auto uri = environment("TXSINK_TEST_MYSQL");
    if (kafka.empty() || uri.empty()) {
        TXSINK_SKIP(
            "needs real servers: TXSINK_TEST_KAFKA and TXSINK_TEST_MYSQL are not both set; run it "
            "by "
            "tools/with-services");
    }
    mysql = ServerAddress::parse(uri);
    mysql_port = mysql.port;
    std::string pattern = std::filesystem::temp_directory_path() / "txsink-crash.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
}

void LedgerWorld::TearDown() {
    if (HasFailure()) {
        constexpr std::size_t kShown = 4;
        const auto first = processes.size() > kShown ? processes.size() - kShown : 0;
        for (auto i = first; i < processes.size(); ++i) {
            std::cout << "--- process " << i + 1 << " of " << processes.size()
                      << " said, at last:\n"
                      << processes[i]->last_lines(25) << std::endl;
        }
    }
    processes.clear();
    observer.reset();
    if (!database.empty()) {
        SqlClient{mysql}.execute("DROP DATABASE IF EXISTS `" + database + "`");
        delete_topic(kafka, topic);
    }
    if (!folder_.empty()) {
        std::filesystem::remove_all(folder_);
    }
}

void LedgerWorld::open(int partitions) {
    topic = unique_name("crash");
    database = topic;
    create_topic(kafka, topic, partitions);
    producer = std::make_unique<LedgerProducer>(kafka, topic, partitions);
    sql = std::make_unique<SqlClient>(mysql);
    make_ledger();
    observer = std::make_unique<LedgerObserver>(mysql, database, partitions);
}

void LedgerWorld::make_ledger() {
    sql->execute("CREATE DATABASE `" + database + "` DEFAULT CHARACTER SET utf8mb4");
    // No unique key: a second application shows. The index is for the oracle.
    sql->execute("CREATE TABLE " + sql_name("ledger") +
                 " (id BIGINT NOT NULL, part INT NOT NULL, seq BIGINT NOT NULL,"
                 " pad VARCHAR(4000) NOT NULL DEFAULT '', KEY by_position (part, seq))");
    if (command({"migrate"}) != ExitStatus{0, 0}) {
        throw std::runtime_error{"txsink migrate failed: " + last().output()};
    }
}

std::vector<std::string> LedgerWorld::with_options(std::vector<std::string> words,
                                                   const Options& more) const {
    Options all = more;
    all.merge(Options{options});
    all.merge(Options{
        {"kafka.bootstrap.servers", kafka},
        {"mysql.uri", fmt::format("mysql://{}@127.0.0.1:{}/{}", mysql.user, mysql_port, database)},
        {"connector", "ledger"},
        {"kafka.group.id", topic},
        {"topic", topic},
        {"table", "ledger"},
        {"format", "json"},
        {"mode", "insert"},
        {"log.level", "debug"}});
    words.insert(words.begin(), binary());
    for (const auto& [name, value] : all) {
        words.push_back("--" + name + "=" + value);
    }
    return words;
}

Process& LedgerWorld::start(std::vector<std::string> words, const Options& variables) {
    const auto file = fmt::format("{}/process-{}", folder_, processes.size() + 1);
    processes.push_back(std::make_unique<Process>(std::move(words), variables, file));
    return *processes.back();
}

Process& LedgerWorld::run(const Options& more, const Options& environment) {
    return start(with_options({"run"}, more), environment);
}

Process& LedgerWorld::run_until_end(const Options& more, const Options& environment) {
    return start(with_options({"run", "--until-end"}, more), environment);
}

ExitStatus LedgerWorld::command(std::vector<std::string> words, const Options& more) {
    const auto status = start(with_options(std::move(words), more), {}).wait_for(seconds{30});
    return status ? *status : last().kill();
}

void LedgerWorld::services(std::vector<std::string> words) {
    words.insert(words.begin(), "services");
    Process& process = start(std::move(words), {});
    const auto status = process.wait_for(seconds{60});
    if (!status || *status != ExitStatus{0, 0}) {
        throw std::runtime_error{"services failed: " + process.output()};
    }
}

void LedgerWorld::use_fixed_partitions() {
    options["assign"] = fmt::format("{}:0-{}", topic, producer->ends().size() - 1);
}

std::int64_t LedgerWorld::committed() {
    try {
        if (!sql) {
            sql = std::make_unique<SqlClient>(mysql);
        }
        return sql->number("SELECT COALESCE(SUM(next_offset), 0) FROM " +
                           sql_name("txsink_offsets"));
    } catch (const SqlError&) {
        sql.reset();
        return -1;
    }
}

bool LedgerWorld::wait_for_committed(std::int64_t count, milliseconds deadline) {
    return eventually(
        deadline, [&] { return committed() >= count; }, milliseconds{20});
}

void LedgerWorld::expect_exit(Process& process, ExitStatus wanted, milliseconds deadline) {
    const auto status = process.wait_for(deadline);
    ASSERT_TRUE(status.has_value()) << "still runs after " << deadline.count() << " ms";
    EXPECT_EQ(*status, wanted) << process.last_lines(10);
}

void LedgerWorld::expect_exactly_once() {
    observer->stop();
    for (const auto& violation : observer->violations()) {
        ADD_FAILURE() << "seen while it ran: " << violation;
    }
    EXPECT_GT(observer->samples(), 0);
    const auto ledger = sql_name("ledger");
    EXPECT_EQ(sql->number("SELECT COUNT(*) FROM " + ledger), producer->total()) << "rows";
    EXPECT_EQ(sql->number("SELECT COUNT(*) FROM (SELECT DISTINCT part, seq FROM " + ledger + ") d"),
              producer->total())
        << "different records";
    const auto rows = sql->rows(
        "SELECT o.next_offset, o.records, COALESCE(l.first, 0), COALESCE(l.last + 1, 0) FROM " +
        sql_name("txsink_offsets") +
        " o LEFT JOIN (SELECT part, MIN(seq) AS first, MAX(seq) AS last FROM " + ledger +
        " GROUP BY part) l ON l.part = o.partition_id ORDER BY o.partition_id");
    ASSERT_EQ(rows.size(), producer->ends().size()) << "offset rows";
    for (std::size_t partition = 0; partition < rows.size(); ++partition) {
        const auto end = std::to_string(producer->ends()[partition]);
        EXPECT_EQ(rows[partition], (SqlClient::Row{end, end, "0", end}))
            << "partition " << partition << ": next_offset, records, first and end of the ledger";
    }
}

}  // namespace txsink::test
