/// @file
/// The end of a process: on request, with a server silent, and at a bad record.
#include <csignal>

#include "support/ledger_world.hpp"

namespace txsink::test {
namespace {

constexpr int kBadRecord = 65;
constexpr int kUnavailable = 69;

class Stop : public LedgerWorld {
protected:
    void TearDown() override {
        if (!paused_.empty()) {
            services({"resume", paused_});
        }
        LedgerWorld::TearDown();
    }
    void pause(const std::string& server) {
        services({"pause", server});
        paused_ = server;
    }
    void resume() { services({"resume", std::exchange(paused_, {})}); }

private:
    std::string paused_;
};

TEST_F(Stop, OnRequestUnderLoad) {
    for (const int signal : {SIGTERM, SIGINT}) {
        SCOPED_TRACE(signal);
        if (!producer) {
            open();
        }
        producer->produce(20'000);
        Process& process = run({{"batch.rows", "50"}});
        ASSERT_TRUE(wait_for_committed(committed() + 1, seconds{30}));
        process.signal(signal);
        expect_exit(process, {0, 0}, seconds{30});
    }
    expect_exit(run_until_end(), {0, 0}, seconds{30});
    expect_exactly_once();
}

TEST_F(Stop, BeforeItHasBegun) {
    open();
    Process& process = run();
    process.signal(SIGSTOP);
    process.signal(SIGTERM);
    process.signal(SIGCONT);
    const auto status = process.wait_for(seconds{30});
    ASSERT_TRUE(status.has_value());
    // Before its handler stands, the signal itself ends the process.
    EXPECT_TRUE((*status == ExitStatus{0, 0}) || (*status == ExitStatus{-1, SIGTERM})) << *status;
}

TEST_F(Stop, WhileMysqlIsSilent) {
    open();
    options["batch.rows"] = "50";
    options["shutdown.timeout"] = "4s";
    producer->produce(50'000);
    Process& process = run();
    ASSERT_TRUE(wait_for_committed(1, seconds{30}));
    pause("mysql");
    process.signal(SIGTERM);
    const auto status = process.wait_for(seconds{6});
    resume();
    ASSERT_TRUE(status.has_value()) << "still runs long after shutdown.timeout";
    EXPECT_TRUE((*status == ExitStatus{0, 0}) || (*status == ExitStatus{kUnavailable, 0}))
        << *status;
    expect_exit(run_until_end({{"batch.rows", "2000"}}), {0, 0}, seconds{60});
    expect_exactly_once();
}

TEST_F(Stop, WhileKafkaIsSilent) {
    open();
    options["batch.rows"] = "50";
    options["shutdown.timeout"] = "8s";
    producer->produce(20'000);
    Process& process = run();
    ASSERT_TRUE(wait_for_committed(1, seconds{30}));
    pause("kafka");
    process.signal(SIGTERM);
    const auto status = process.wait_for(seconds{10});
    resume();
    ASSERT_TRUE(status.has_value()) << "still runs long after shutdown.timeout";
    EXPECT_TRUE((*status == ExitStatus{0, 0}) || (*status == ExitStatus{kUnavailable, 0}))
        << *status;
    expect_exit(run_until_end({{"batch.rows", "2000"}}), {0, 0}, seconds{60});
    expect_exactly_once();
}

/// What precedes a bad record is there; what follows comes once it has been stepped over.
TEST_F(Stop, AtABadRecord) {
    open();
    producer->produce(3'000);
    producer->produce_raw(1, R"({"id":"not a number","part":1,"seq":1000})");
    producer->produce(900);
    expect_exit(run_until_end(), {kBadRecord, 0}, seconds{30});
    EXPECT_TRUE(last().has_said(topic + "[1]@1000")) << last().output();
    const auto where =
        " WHERE connector = 'ledger' AND topic = '" + topic + "' AND partition_id = 1";
    EXPECT_EQ(sql->number("SELECT next_offset FROM " + sql_name("txsink_offsets") + where), 1'000);
    EXPECT_EQ(sql->number("SELECT COUNT(*) FROM " + sql_name("ledger") + " WHERE part = 1"), 1'000);

    observer->stop();  // the record that is stepped over has no row: from here they differ by one
    EXPECT_TRUE(observer->violations().empty());
    ASSERT_EQ(command({"offsets", "set", topic + ":1", "1001"}), (ExitStatus{0, 0}))
        << last().output();
    EXPECT_EQ(sql->rows("SELECT from_offset, to_offset FROM " + sql_name("txsink_gaps") + where),
              (std::vector<SqlClient::Row>{{"1000", "1001"}}));
    expect_exit(run_until_end(), {0, 0}, seconds{30});
    EXPECT_EQ(sql->number("SELECT COUNT(*) FROM " + sql_name("ledger")), 3'900);
    EXPECT_EQ(sql->number("SELECT COUNT(DISTINCT part, seq) FROM " + sql_name("ledger")), 3'900);
    EXPECT_EQ(committed(), producer->total());
}

}  // namespace
}  // namespace txsink::test
