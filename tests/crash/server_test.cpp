/// @file
/// Servers killed and started again, rows locked, deadlocks, a database that goes back in time:
/// the connector goes on by itself, and each record counts once.
#include <csignal>
#include <thread>

#include "support/ledger_world.hpp"

namespace txsink::test {
namespace {

class Servers : public LedgerWorld {
protected:
    /// A running connector that has committed something, and has more to do.
    Process& running_under_load(std::int64_t records) {
        Process& process = run();
        producer->produce(records);
        EXPECT_TRUE(wait_for_committed(1, seconds{30}));
        return process;
    }
    void finish(Process& process, milliseconds deadline) {
        ASSERT_TRUE(wait_for_all(deadline)) << committed() << " of " << producer->total();
        EXPECT_TRUE(process.is_running());
        process.signal(SIGTERM);
        expect_exit(process, {0, 0}, seconds{30});
        expect_exactly_once();
    }
    /// A session that sees and locks as a careless application does.
    std::unique_ptr<SqlClient> rival() {
        auto client = std::make_unique<SqlClient>(mysql);
        client->execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        client->execute("SET SESSION innodb_lock_wait_timeout = 30");
        return client;
    }
    /// Locks the gaps where partition 1's next rows of the ledger would go.
    void lock_ledger(SqlClient& client) {
        client.execute("START TRANSACTION");
        (void)client.rows("SELECT COUNT(*) FROM " + sql_name("ledger") +
                          " WHERE part = 1 AND seq >= 0 FOR UPDATE");
    }
    [[nodiscard]] bool wait_for_lock_wait() {
        // The server renews this view only when nobody has asked for 100 ms.
        constexpr milliseconds kBetweenLooks{150};
        return eventually(
            seconds{20},
            [&] {
                return sql->number(
                           "SELECT COUNT(*) FROM information_schema.innodb_trx t JOIN "
                           "information_schema.processlist p ON p.id = t.trx_mysql_thread_id "
                           "WHERE t.trx_state = 'LOCK WAIT' AND p.db = '" +
                           database + "'") > 0;
            },
            kBetweenLooks);
    }
};

TEST_F(Servers, MysqlKilledAndStarted) {  // B25
    open();
    options["batch.rows"] = "100";
    Process& process = running_under_load(30'000);
    services({"kill", "mysql"});
    services({"start", "mysql"});
    producer->produce(1'000);
    finish(process, seconds{60});
}

TEST_F(Servers, KafkaKilledAndStarted) {
    open();
    options["batch.rows"] = "100";
    Process& process = running_under_load(30'000);
    services({"kill", "kafka"});
    services({"start", "kafka"});
    producer->produce(1'000);
    finish(process, seconds{60});
}

/// 1205 leaves the transaction open with the offsets already moved: only a ROLLBACK is safe.
TEST_F(Servers, LockWaitTimeout) {
    open();
    use_fixed_partitions();
    options["mysql.lock-wait-timeout"] = "1s";
    Process& process = run();
    producer->produce(3'000);
    ASSERT_TRUE(wait_for_all(seconds{30}));
    const auto locker = rival();
    lock_ledger(*locker);
    producer->produce(3'000);
    ASSERT_TRUE(wait_for_lock_wait());
    ASSERT_TRUE(eventually(seconds{20}, [&] { return process.has_said("attempt 3"); }));
    locker->execute("ROLLBACK");
    finish(process, seconds{30});
}

/// 1213 has rolled everything back, the offsets too: all of it again, not only the statement.
TEST_F(Servers, Deadlock) {  // B28, B29
    open();
    use_fixed_partitions();
    options["mysql.lock-wait-timeout"] = "4s";
    Process& process = run();
    producer->produce(3'000);
    ASSERT_TRUE(wait_for_all(seconds{30}));
    // The server ends the lighter of the two: the rival has changed more rows.
    sql->execute("CREATE TABLE " + sql_name("heavy") + " AS SELECT * FROM " + sql_name("ledger"));
    for (int i = 0; i < 3; ++i) {
        const auto client = rival();
        lock_ledger(*client);
        client->execute("UPDATE " + sql_name("heavy") + " SET id = id + 1");
        producer->produce(900);
        ASSERT_TRUE(wait_for_lock_wait());
        (void)client->rows("SELECT next_offset FROM " + sql_name("txsink_offsets") + " FOR UPDATE");
        client->execute("ROLLBACK");
        ASSERT_TRUE(wait_for_all(seconds{30}));
    }
    EXPECT_TRUE(process.has_said("deadlock")) << "no deadlock came about";
    finish(process, seconds{30});
}

/// As after a fail-over to a replica that lacked the newest transactions: targets and offsets go
/// back together, under a live connector that has read ahead. Where batches fill up it has paused
/// what it reads by then, where they do not it is still reading.
class DatabaseGoesBackInTime : public Servers, public ::testing::WithParamInterface<const char*> {
protected:
    void go_back(int records) {
        sql->execute("START TRANSACTION");
        const auto back =
            sql->rows("SELECT partition_id, GREATEST(0, next_offset - " + std::to_string(records) +
                      ") FROM " + sql_name("txsink_offsets") + " FOR UPDATE");
        for (const auto& row : back) {
            sql->execute("DELETE FROM " + sql_name("ledger") + " WHERE part = " + row[0] +
                         " AND seq >= " + row[1]);
            sql->execute("UPDATE " + sql_name("txsink_offsets") + " SET next_offset = " + row[1] +
                         ", records = " + row[1] + " WHERE partition_id = " + row[0]);
        }
        sql->execute("COMMIT");
    }
};

TEST_P(DatabaseGoesBackInTime, EachRecordOnce) {
    open();
    use_fixed_partitions();
    options["batch.rows"] = GetParam();
    options["batch.linger"] = "1ms";
    options["retry.initial"] = "1ms";
    constexpr int kTimes = 10;
    constexpr int kRecords = 6'000;
    Process& process = run();
    for (int i = 0; i < kTimes; ++i) {
        std::jthread producing{[this] { producer->produce(kRecords); }};
        ASSERT_TRUE(wait_for_committed(std::int64_t{i} * kRecords + 500, seconds{30}));
        go_back(130);
        producing.join();
        ASSERT_TRUE(wait_for_all(seconds{30}));
    }
    EXPECT_TRUE(process.has_said("went back in time"));
    finish(process, seconds{30});
}

INSTANTIATE_TEST_SUITE_P(BatchRows,
                         DatabaseGoesBackInTime,
                         ::testing::Values("100", "100000"),
                         [](const auto& param_info) { return std::string{param_info.param}; });

}  // namespace
}  // namespace txsink::test
