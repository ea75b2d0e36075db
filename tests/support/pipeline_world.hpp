/// @file
/// PipelineWorld: a broker, a database and workers over fakes, for tests of the pipeline.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "support/fake_broker.hpp"
#include "support/fake_sink.hpp"
#include "support/manual_clock.hpp"
#include "txsink/pipeline/pipeline.hpp"

namespace txsink::test {

/// ledger(id BIGINT NOT NULL): no unique key, so that a second application shows.
[[nodiscard]] inline mapping::TableDefinition ledger_table() {
    mapping::ColumnDefinition id;
    id.name = "id";
    id.type = mapping::ColumnType::bigint;
    id.type_text = "bigint";
    mapping::TableDefinition table;
    table.name = {"test", "ledger"};
    table.engine = "InnoDB";
    table.columns = {id};
    return table;
}

[[nodiscard]] inline pipeline::PipelineSettings settings_with_rows(std::size_t rows) {
    mapping::Route route;
    route.name = "ledger";
    route.topics = {"orders", "other"};
    route.table = {"test", "ledger"};
    route.mode = mapping::Mode::insert;
    pipeline::PipelineSettings settings;
    settings.connector = "test";
    settings.routes = {route};
    settings.batch.rows = rows;
    return settings;
}

[[nodiscard]] inline pipeline::PipelineSettings settings_with_policy(std::size_t rows,
                                                                     mapping::OnBadRecord policy) {
    auto settings = settings_with_rows(rows);
    settings.routes.front().on_bad_record = policy;
    return settings;
}

/// One pipeline with its consumer and its session.
struct Worker {
    Worker(FakeBroker& broker,
           FakeDatabase& database,
           ManualClock& the_clock,
           pipeline::PipelineSettings settings)
        : clock{the_clock},
          source{broker, the_clock},
          sink{database, ledger_table()},
          pipeline{std::move(settings), source, sink, the_clock, statistics} {}

    /// Turns the loop until `condition` holds; fails the test when it never does.
    void run_until(const std::function<bool()>& condition, int turns = 2'000) {
        for (int i = 0; i < turns; ++i) {
            if (condition()) {
                return;
            }
            pipeline.turn(std::chrono::milliseconds{50});
        }
        ADD_FAILURE() << "the condition did not come to hold";
    }
    void run_turns(int turns) {
        for (int i = 0; i < turns; ++i) {
            pipeline.turn(std::chrono::milliseconds{50});
        }
    }

    ManualClock& clock;
    pipeline::Statistics statistics;
    FakeSource source;
    FakeSink sink;
    pipeline::Pipeline pipeline;
};

class PipelineWorld : public ::testing::Test {
protected:
    const TopicPartition p0{"orders", 0};
    const TopicPartition p1{"orders", 1};

    [[nodiscard]] std::unique_ptr<Worker> worker(pipeline::PipelineSettings settings) {
        return std::make_unique<Worker>(broker, database, clock, std::move(settings));
    }
    [[nodiscard]] std::unique_ptr<Worker> worker(std::size_t rows = 3) {
        return worker(settings_with_rows(rows));
    }
    /// True when the stored offset is the end of the log.
    [[nodiscard]] bool is_done(const TopicPartition& partition) const {
        const auto row = database.offsets.find(partition);
        return row != database.offsets.end() && row->second.next == broker.logs.at(partition).end;
    }
    /// Every record of the log from `from` on, once, in order; offsets at the end; no commit was
    /// ever wrong.
    void expect_exactly_once(const TopicPartition& partition, std::int64_t from = 0) const {
        EXPECT_EQ(database.applied_of(partition), owed_of(partition, from)) << to_string(partition);
        EXPECT_EQ(database.next_of(partition), to_int(broker.logs.at(partition).end));
        EXPECT_EQ(database.violations, std::vector<std::string>{});
    }

    /// The same, where the records at `dead` are dead letters, each once, instead of rows.
    void expect_exactly_once_but(const std::vector<std::int64_t>& dead,
                                 const TopicPartition& partition) const {
        auto owed = owed_of(partition);
        std::erase_if(owed, [&](std::int64_t offset) {
            return std::find(dead.begin(), dead.end(), offset) != dead.end();
        });
        EXPECT_EQ(database.applied_of(partition), owed) << to_string(partition);
        EXPECT_EQ(database.dead_of(partition), dead) << to_string(partition);
        EXPECT_EQ(database.next_of(partition), to_int(broker.logs.at(partition).end));
        EXPECT_EQ(database.violations, std::vector<std::string>{});
    }
    [[nodiscard]] std::vector<std::int64_t> owed_of(const TopicPartition& partition,
                                                    std::int64_t from = 0) const {
        const auto& log = broker.logs.at(partition);
        std::vector<std::int64_t> owed;
        for (const auto offset : log.offsets(Offset{from}, log.end)) {
            owed.push_back(to_int(offset));
        }
        return owed;
    }

    FakeBroker broker;
    ManualClock clock;
    FakeDatabase database{broker};
};

}  // namespace txsink::test
