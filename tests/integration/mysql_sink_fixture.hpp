/// @file
/// MysqlSinkTest: a sink in a database of its own, with a log and a keyed table to write to.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "support/first_refused.hpp"
#include "support/test_database.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/mysql_sink.hpp"

namespace txsink::test {

/// How a call ended: its outcome, or its error.
struct Ended {
    std::optional<pipeline::WriteOutcome> outcome;
    std::optional<SinkError> error;

    [[nodiscard]] bool is_committed() const { return outcome == pipeline::WriteOutcome::committed; }
    [[nodiscard]] std::string text() const {
        return error ? fmt::format("{}: {}", error->what(), error->detail) : "no error";
    }
};

class MysqlSinkTest : public MysqlTest {
protected:
    static constexpr const char* kCluster = "cluster-1";
    const TopicPartition p0{"orders", 0};
    const TopicPartition p1{"orders", 1};
    const Fence fence{0xf000'0000'0000'0001};
    const Fence other{7};

    void SetUp() override {
        MysqlTest::SetUp();
        if (!is_ready()) {
            return;
        }
        db().execute("CREATE TABLE log (id BIGINT NOT NULL, note TEXT) ENGINE = InnoDB");
        db().execute(
            "CREATE TABLE items (id BIGINT PRIMARY KEY, v BIGINT NOT NULL, CONSTRAINT "
            "small CHECK (v < 1000)) ENGINE = InnoDB");
        sink = make_sink();
        log_table = sink->load_table({"", "log"});
        items_table = sink->load_table({"", "items"});
        log_shape = {&log_table, mapping::ChangeKind::insert, {0, 1}};
        items_shape = {&items_table, mapping::ChangeKind::upsert, {0, 1}};
    }

    [[nodiscard]] std::unique_ptr<mysql::MysqlSink> make_sink(const std::string& connector = "c") {
        return std::make_unique<mysql::MysqlSink>(db().settings(), connector, "tests");
    }
    [[nodiscard]] std::unique_ptr<mysql::MysqlSink> make_sink(mysql::MysqlSettings settings) {
        return std::make_unique<mysql::MysqlSink>(std::move(settings), "c", "tests");
    }

    pipeline::ClaimedOffset claim(pipeline::Sink& by,
                                  const TopicPartition& partition,
                                  Fence token) {
        return by.claim(partition, token, Offset{0}, kCluster, false);
    }

    /// An empty part [begin, begin): log() and item() append one record each.
    [[nodiscard]] batch::PartitionBatch part(const TopicPartition& partition,
                                             std::int64_t begin = 0) const {
        batch::PartitionBatch made;
        made.partition = partition;
        made.fence = fence;
        made.begin = Offset{begin};
        made.end = made.begin;
        return made;
    }
    void log(batch::PartitionBatch& to, const std::string& note = "x") {
        append(to, &log_shape, fmt::format("({},'{}')", to_int(to.end), note));
    }
    void item(batch::PartitionBatch& to, std::int64_t id, std::int64_t v) {
        append(to, &items_shape, fmt::format("({},{})", id, v));
    }
    template <typename... Parts>
    [[nodiscard]] static batch::Batch batch(Parts... parts) {
        batch::Batch made;
        (made.partitions.push_back(std::move(parts)), ...);
        return made;
    }

    [[nodiscard]] static Ended write(pipeline::Sink& by, const batch::Batch& what) {
        try {
            return {by.write(what), std::nullopt};
        } catch (const SinkError& error) {
            return {std::nullopt, error};
        }
    }
    [[nodiscard]] static std::future<Ended> write_async(pipeline::Sink& by,
                                                        const batch::Batch& what) {
        return std::async(std::launch::async, [&] { return write(by, what); });
    }
    [[nodiscard]] std::int64_t next_of(const TopicPartition& partition) {
        return db().number(
            fmt::format("SELECT next_offset FROM txsink_offsets WHERE connector = "
                        "'c' AND topic = '{}' AND partition_id = {}",
                        partition.topic,
                        partition.partition));
    }
    [[nodiscard]] std::int64_t logged() { return db().number("SELECT COUNT(*) FROM log"); }

    std::unique_ptr<mysql::MysqlSink> sink;
    mapping::TableDefinition log_table;
    mapping::TableDefinition items_table;
    mapping::RowShape log_shape;
    mapping::RowShape items_shape;

private:
    static void append(batch::PartitionBatch& to,
                       const mapping::RowShape* shape,
                       const std::string& tuple) {
        to.rows.open() += tuple;
        to.rows.close(shape, to.end);
        to.end = next(to.end);
        ++to.records;
    }
};

}  // namespace txsink::test
