/// @file
/// The Sink contract on a real server.
#include "support/sink_contract.hpp"

#include <fmt/format.h>

#include "support/test_database.hpp"
#include "txsink/mysql/mysql_sink.hpp"

namespace txsink::test {
namespace {

class MysqlWorld final : public SinkWorld {
public:
    MysqlWorld() {
        // Without a unique key: a second application shows.
        database_.execute(
            "CREATE TABLE log (topic VARCHAR(249) NOT NULL, partition_id INT NOT NULL, "
            "record_offset BIGINT NOT NULL, mark INT NOT NULL) ENGINE = InnoDB");
        table_ = make_sink()->load_table({"", "log"});
        shape_ = {&table_, mapping::ChangeKind::insert, {0, 1, 2, 3}};
        strict_.required_rows = lax_.required_rows = 1;
        lax_.may_miss = true;
    }

    std::unique_ptr<pipeline::Sink> make_sink() override {
        return std::make_unique<mysql::MysqlSink>(database_.settings(), "contract", "tests");
    }
    const mapping::RowShape* shape() override { return &shape_; }
    std::string good_tuple(const TopicPartition& partition, Offset offset) override {
        return tuple(partition, offset, "1");
    }
    std::string refused_tuple(const TopicPartition& partition, Offset offset) override {
        return tuple(partition, offset, "NULL");
    }
    const mapping::RowShape* statement_shape(bool may_miss) override {
        return may_miss ? &lax_ : &strict_;
    }
    std::string good_statement(const TopicPartition& partition, Offset offset) override {
        return "INSERT INTO log VALUES " + tuple(partition, offset, "1");
    }
    std::string missing_statement() override { return "UPDATE log SET mark = 2 WHERE mark = -1"; }
    std::vector<std::pair<std::int64_t, std::string>> dead_letters(
        const TopicPartition& partition) override {
        std::vector<std::pair<std::int64_t, std::string>> found;
        for (const auto& row : database_.query(
                 fmt::format("SELECT record_offset, error_code FROM txsink_dead_letters WHERE "
                             "connector = 'contract' AND topic = '{}' AND partition_id = {} "
                             "ORDER BY record_offset",
                             partition.topic,
                             partition.partition))) {
            found.emplace_back(std::stoll(row[0].value()), row[1].value());
        }
        return found;
    }
    std::vector<std::int64_t> applied(const TopicPartition& partition) override {
        std::vector<std::int64_t> offsets;
        for (const auto& row : database_.query(
                 fmt::format("SELECT record_offset FROM log WHERE topic = '{}' AND partition_id = "
                             "{} ORDER BY record_offset",
                             partition.topic,
                             partition.partition))) {
            offsets.push_back(std::stoll(row.front().value()));
        }
        return offsets;
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> gaps(
        const TopicPartition& partition) override {
        std::vector<std::pair<std::int64_t, std::int64_t>> found;
        for (const auto& row : database_.query(
                 fmt::format("SELECT from_offset, to_offset FROM txsink_gaps WHERE connector = "
                             "'contract' AND topic = '{}' AND partition_id = {} AND reason <> '' "
                             "AND created_by = 'tests' ORDER BY id",
                             partition.topic,
                             partition.partition))) {
            found.emplace_back(std::stoll(row[0].value()), std::stoll(row[1].value()));
        }
        return found;
    }

private:
    static std::string tuple(const TopicPartition& partition, Offset offset, const char* mark) {
        return fmt::format(
            "('{}',{},{},{})", partition.topic, partition.partition, to_int(offset), mark);
    }

    TestDatabase database_;
    mapping::TableDefinition table_;
    mapping::RowShape shape_;
    mapping::RowShape strict_{nullptr, mapping::ChangeKind::statement, {}};
    mapping::RowShape lax_{nullptr, mapping::ChangeKind::statement, {}};
};

std::unique_ptr<SinkWorld> make_mysql_world() {
    if (!test_server()) {
        return nullptr;
    }
    return std::make_unique<MysqlWorld>();
}

INSTANTIATE_TEST_SUITE_P(Mysql, SinkContract, ::testing::Values(&make_mysql_world));

}  // namespace
}  // namespace txsink::test
