/// @file
/// The sink against what the server does to a transaction: locks, deadlocks, killed sessions,
/// missing tables and privileges. Numbers like B30 refer to known failures of other sinks.
#include <thread>

#include "integration/mysql_sink_fixture.hpp"

namespace txsink::test {
namespace {

using pipeline::WriteOutcome;

TEST_F(MysqlSinkTest, CountsRecordsAndKeepsTheNewestTimestamp) {
    claim(*sink, p0, fence);
    auto first = part(p0);
    log(first);
    log(first);
    first.records = 3;
    first.last_timestamp_ms = 1'700'000'000'123;
    const auto second_begin = to_int(first.end);
    ASSERT_TRUE(write(*sink, batch(std::move(first))).is_committed());
    auto second = part(p0, second_begin);
    log(second);
    second.last_timestamp_ms = -1;
    ASSERT_TRUE(write(*sink, batch(std::move(second))).is_committed());
    const auto row = db().query(
        "SELECT records, last_timestamp_ms, owner, cluster_id, dead_letters, updated_at > "
        "created_at FROM txsink_offsets");
    const mysql::Row want{"4", "1700000000123", "tests", kCluster, "0", "1"};
    EXPECT_EQ(row.at(0), want);
}

TEST_F(MysqlSinkTest, ConnectorsDoNotSeeEachOther) {
    const auto neighbour = make_sink("d");
    claim(*sink, p0, fence);
    EXPECT_FALSE(neighbour->has_offsets("orders"));
    EXPECT_FALSE(neighbour->read_offset(p0).has_value());
    auto some = part(p0);
    log(some);
    EXPECT_EQ(neighbour->write(batch(std::move(some))), WriteOutcome::offsets_differ);
    EXPECT_EQ(logged(), 0);
}

TEST_F(MysqlSinkTest, B30DeadlockIsAReplayOfTheWholeTransaction) {
    claim(*sink, p0, fence);
    db().execute("INSERT INTO items VALUES (1, 0), (2, 0)");
    auto some = part(p0);
    log(some);
    item(some, 1, 10);
    log(some);
    item(some, 2, 20);
    const auto whole = batch(std::move(some));

    // The other transaction is the heavier one, so that ours is the victim.
    auto neighbour = db().connect();
    neighbour.execute("CREATE TABLE ballast (id INT PRIMARY KEY, t VARCHAR(100)) ENGINE = InnoDB");
    neighbour.execute("START TRANSACTION");
    std::string ballast = "INSERT INTO ballast VALUES (0, '')";
    for (int i = 1; i < 500; ++i) {
        ballast += fmt::format(",({}, 'ballast')", i);
    }
    neighbour.execute(ballast);
    neighbour.execute("UPDATE items SET v = 2 WHERE id = 2");
    auto written = write_async(*sink, whole);
    ASSERT_NE(db().wait_for_lock_wait(), 0U);
    neighbour.execute("UPDATE items SET v = 1 WHERE id = 1");
    const auto ended = written.get();
    neighbour.execute("COMMIT");

    // B29: nothing of the transaction stayed, and nothing was run outside of it.
    ASSERT_TRUE(ended.error) << "was not the victim";
    EXPECT_EQ(ended.error->kind, ErrorKind::replay) << ended.text();
    EXPECT_EQ(ended.error->native_code, 1213);
    EXPECT_FALSE(ended.error->reconnect);
    EXPECT_FALSE(ended.error->outcome_unknown);
    EXPECT_EQ(logged(), 0);
    EXPECT_EQ(next_of(p0), 0);
    EXPECT_TRUE(write(*sink, whole).is_committed());
    EXPECT_EQ(logged(), 2);
    EXPECT_EQ(next_of(p0), 4);
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(v ORDER BY id) FROM items"), "10,20");
}

TEST_F(MysqlSinkTest, LockWaitTimeoutRollsBackAndIsAReplay) {
    sink = make_sink(db().hasty_settings());
    claim(*sink, p0, fence);
    db().execute("INSERT INTO items VALUES (1, 0)");
    auto some = part(p0);
    log(some);
    item(some, 1, 10);
    log(some);
    const auto whole = batch(std::move(some));
    auto neighbour = db().connect();
    neighbour.execute("START TRANSACTION");
    neighbour.execute("UPDATE items SET v = 5 WHERE id = 1");
    const auto ended = write(*sink, whole);
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::replay) << ended.text();
    EXPECT_EQ(ended.error->native_code, 1205);
    EXPECT_FALSE(ended.error->reconnect);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE "
                          "trx_mysql_thread_id IN (SELECT id FROM information_schema.processlist "
                          "WHERE db = DATABASE())"),
              1);  // the neighbour's
    neighbour.execute("ROLLBACK");
    EXPECT_TRUE(write(*sink, whole).is_committed());
    EXPECT_EQ(logged(), 2);
    EXPECT_EQ(next_of(p0), 3);
}

TEST_F(MysqlSinkTest, B42MetadataLockEndsWithinLockWaitTimeout) {
    sink = make_sink(db().hasty_settings());
    claim(*sink, p0, fence);
    auto some = part(p0);
    log(some);
    const auto whole = batch(std::move(some));
    auto neighbour = db().connect();
    neighbour.execute("LOCK TABLES log WRITE");
    const auto ended = write(*sink, whole);
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::replay) << ended.text();
    EXPECT_EQ(ended.error->native_code, 1205);
    neighbour.execute("UNLOCK TABLES");
    EXPECT_TRUE(write(*sink, whole).is_committed());
    EXPECT_EQ(logged(), 1);
    EXPECT_EQ(next_of(p0), 1);
}

TEST_F(MysqlSinkTest, KilledMidTransactionAppliesNothingAndReconnects) {
    claim(*sink, p0, fence);
    db().execute("INSERT INTO items VALUES (1, 0)");
    auto some = part(p0);
    log(some);
    item(some, 1, 10);
    const auto whole = batch(std::move(some));
    auto neighbour = db().connect();
    neighbour.execute("START TRANSACTION");
    neighbour.execute("UPDATE items SET v = 5 WHERE id = 1");
    auto written = write_async(*sink, whole);
    const auto victim = db().wait_for_lock_wait();
    ASSERT_NE(victim, 0U);
    db().kill(victim);
    const auto ended = written.get();
    neighbour.execute("ROLLBACK");
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::connection) << ended.text();
    EXPECT_TRUE(ended.error->reconnect);
    EXPECT_FALSE(ended.error->outcome_unknown);
    EXPECT_EQ(sink->read_offset(p0), (pipeline::StoredOffset{Offset{0}, fence}));
    EXPECT_TRUE(write(*sink, whole).is_committed());
    EXPECT_EQ(logged(), 1);
}

TEST_F(MysqlSinkTest, B45IdleSessionThatIsGoneIsReplaced) {
    claim(*sink, p0, fence);
    for (const auto id : db().other_sessions()) {
        db().kill(id);
    }
    ASSERT_TRUE(eventually([&] { return db().other_sessions().empty(); }));
    auto some = part(p0);
    log(some);
    const auto whole = batch(std::move(some));
    const auto ended = write(*sink, whole);
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::connection) << ended.text();
    EXPECT_TRUE(ended.error->reconnect);
    EXPECT_FALSE(ended.error->outcome_unknown);
    EXPECT_TRUE(write(*sink, whole).is_committed());
    EXPECT_EQ(logged(), 1);
}

TEST_F(MysqlSinkTest, B36SessionClosedByWaitTimeoutIsReplaced) {
    auto settings = db().settings();
    settings.wait_timeout = std::chrono::seconds{1};
    const auto idle = make_sink(settings);
    claim(*idle, p0, fence);
    sink->close();
    ASSERT_TRUE(eventually([&] { return db().other_sessions().empty(); }));
    auto some = part(p0);
    log(some);
    const auto whole = batch(std::move(some));
    const auto ended = write(*idle, whole);
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::connection) << ended.text();
    EXPECT_TRUE(write(*idle, whole).is_committed());
    EXPECT_EQ(logged(), 1);
}

TEST_F(MysqlSinkTest, AZombieHoldsItsRowOnlyAsLongAsItsTransaction) {
    claim(*sink, p0, fence);
    db().execute("INSERT INTO items VALUES (1, 0)");
    auto some = part(p0);
    item(some, 1, 10);
    const auto whole = batch(std::move(some));
    auto neighbour = db().connect();
    neighbour.execute("START TRANSACTION");
    neighbour.execute("UPDATE items SET v = 5 WHERE id = 1");

    auto written = write_async(*sink, whole);
    ASSERT_NE(db().wait_for_lock_wait(), 0U);
    const auto hasty = make_sink(db().hasty_settings());
    // The row is held: neither a claim nor a reader gets an answer that is not final.
    try {
        claim(*hasty, p0, other);
        ADD_FAILURE() << "claimed a row that is held";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::replay) << error.what();
        EXPECT_FALSE(error.outcome_unknown);
    }
    EXPECT_THROW(static_cast<void>(hasty->read_offset(p0)), SinkError);
    neighbour.execute("ROLLBACK");
    EXPECT_TRUE(written.get().is_committed());
    EXPECT_EQ(claim(*hasty, p0, other).next, Offset{1});
}

TEST_F(MysqlSinkTest, AnOpenBatchLocksExactlyItsOwnOffsetRows) {
    std::vector<pipeline::PartitionStart> starts;
    for (std::int32_t i = 0; i < 200; ++i) {
        starts.push_back({{"orders", i}, Offset{0}});
    }
    sink->create_offsets(starts, kCluster);
    claim(*sink, p0, fence);
    claim(*sink, p1, fence);
    db().execute("INSERT INTO items VALUES (1, 0)");
    auto neighbour = db().connect();
    neighbour.execute("START TRANSACTION");
    neighbour.execute("UPDATE items SET v = 5 WHERE id = 1");
    auto held0 = part(p0);
    item(held0, 1, 10);
    auto held1 = part(p1);
    log(held1);
    const auto held = batch(std::move(held0), std::move(held1));
    auto written = write_async(*sink, held);
    ASSERT_NE(db().wait_for_lock_wait(), 0U);

    const auto second = make_sink();
    for (std::int32_t i = 2; i < 200; ++i) {
        const TopicPartition partition{"orders", i};
        ASSERT_TRUE(claim(*second, partition, fence).is_claimed) << i;
        auto some = part(partition);
        log(some);
        ASSERT_TRUE(write(*second, batch(std::move(some))).is_committed()) << i;
        if (i == 10) {
            i = 190;  // both ends of the index
        }
    }
    // A row added behind the locked ones needs no gap that they hold.
    EXPECT_TRUE(claim(*second, {"orders", 200}, fence).is_claimed);
    EXPECT_TRUE(claim(*second, {"a-topic-before", 0}, fence).is_claimed);
    neighbour.execute("ROLLBACK");
    EXPECT_TRUE(written.get().is_committed());
}

TEST_F(MysqlSinkTest, TheCompareAndSetReadsRowsByTheirPrimaryKey) {
    std::vector<pipeline::PartitionStart> starts;
    for (std::int32_t i = 0; i < 500; ++i) {
        starts.push_back({{"orders", i}, Offset{0}});
    }
    sink->create_offsets(starts, kCluster);
    claim(*sink, p0, fence);
    claim(*sink, p1, fence);
    db().execute("INSERT INTO items VALUES (1, 0)");
    auto neighbour = db().connect();
    neighbour.execute("START TRANSACTION");
    neighbour.execute("UPDATE items SET v = 5 WHERE id = 1");
    auto held0 = part(p0);
    item(held0, 1, 10);
    auto held1 = part(p1);
    log(held1);
    const auto held = batch(std::move(held0), std::move(held1));
    auto written = write_async(*sink, held);
    const auto id = db().wait_for_lock_wait();
    ASSERT_NE(id, 0U);
    // Two offset rows, and the row of items that it waits for.
    EXPECT_EQ(db().number(fmt::format("SELECT trx_rows_locked FROM information_schema.innodb_trx "
                                      "WHERE trx_mysql_thread_id = {}",
                                      id)),
              3);
    neighbour.execute("ROLLBACK");
    EXPECT_TRUE(written.get().is_committed());
}

TEST_F(MysqlSinkTest, ManyPartitionsInOneBatch) {
    std::vector<pipeline::PartitionStart> starts;
    batch::Batch big;
    for (std::int32_t i = 0; i < 1'500; ++i) {
        starts.push_back({{"orders", i}, Offset{0}});
        auto some = part({"orders", i});
        some.fence = Fence{};
        log(some);
        big.partitions.push_back(std::move(some));
    }
    sink->create_offsets(starts, kCluster);
    EXPECT_EQ(sink->write(big), WriteOutcome::committed);
    EXPECT_EQ(logged(), 1'500);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM txsink_offsets WHERE next_offset = 1"), 1'500);
}

TEST_F(MysqlSinkTest, RefusalNamesTheRecordAndHidesItsValues) {
    claim(*sink, p0, fence);
    db().execute("ALTER TABLE log ADD UNIQUE KEY one_note (note(50))");
    auto some = part(p0);
    log(some, "secret-1");
    log(some, "secret-2");
    log(some, "secret-1");
    const auto whole = batch(std::move(some));
    const auto ended = write(*sink, whole);
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::bad_record) << ended.text();
    EXPECT_EQ(ended.text().find("secret"), std::string::npos) << ended.text();
    const auto refused = first_refused(*sink, whole);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->offset, Offset{2});
    EXPECT_EQ(refused->error.native_code, 1062);
    EXPECT_NE(refused->error.message.find("one_note"), std::string::npos);
    EXPECT_EQ(refused->error.message.find("secret"), std::string::npos) << refused->error.message;
}

TEST_F(MysqlSinkTest, IsolateFollowsPlanOrderThroughSeveralStatements) {
    claim(*sink, p0, fence);
    claim(*sink, p1, fence);
    auto first = part(p0);
    log(first);
    item(first, 1, 1);
    item(first, 2, 2);
    log(first);
    auto second = part(p1);
    item(second, 3, 3);
    item(second, 4, 1000);  // refused by the CHECK
    log(second);
    item(second, 5, 1000);
    const auto refused = first_refused(*sink, batch(std::move(first), std::move(second)));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->partition, p1);
    EXPECT_EQ(refused->offset, Offset{1});
    EXPECT_EQ(logged(), 0);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM items"), 0);
}

TEST_F(MysqlSinkTest, IsolateAfterATakeOverFindsNothing) {
    claim(*sink, p0, other);
    auto some = part(p0);
    item(some, 1, 1000);
    EXPECT_FALSE(first_refused(*sink, batch(std::move(some))).has_value());
}

TEST_F(MysqlSinkTest, ARecordLongerThanAUsualStatementIsWritten) {
    claim(*sink, p0, fence);
    db().execute("ALTER TABLE log MODIFY note LONGTEXT");
    auto some = part(p0);
    log(some, "short");
    log(some, std::string(3 * 1024 * 1024, 'x'));
    log(some, "short");
    EXPECT_TRUE(write(*sink, batch(std::move(some))).is_committed());
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(LENGTH(note) ORDER BY id) FROM log"), "5,3145728,5");
}

TEST_F(MysqlSinkTest, B39ARecordLargerThanAPacketIsABadRecord) {
    claim(*sink, p0, fence);
    const auto packet = static_cast<std::size_t>(db().number("SELECT @@max_allowed_packet"));
    auto some = part(p0);
    log(some, "short");
    log(some, std::string(packet, 'x'));
    const auto whole = batch(std::move(some));
    const auto ended = write(*sink, whole);
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::bad_record) << ended.text();
    EXPECT_FALSE(ended.error->reconnect);
    const auto refused = first_refused(*sink, whole);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->offset, Offset{1});
    EXPECT_EQ(refused->error.code, RecordErrorCode::too_large);
    EXPECT_EQ(logged(), 0);
}

TEST_F(MysqlSinkTest, AMissingTargetTableIsSchemaDrift) {
    claim(*sink, p0, fence);
    db().execute("DROP TABLE log");
    auto some = part(p0);
    log(some);
    const auto ended = write(*sink, batch(std::move(some)));
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::schema_drift) << ended.text();
    EXPECT_EQ(next_of(p0), 0);
}

TEST_F(MysqlSinkTest, AMissingOwnTableIsConfiguration) {
    db().execute("DROP TABLE txsink_offsets");
    try {
        claim(*sink, p0, fence);
        FAIL();
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration) << error.what();
        EXPECT_NE(error.hint.find("txsink migrate"), std::string::npos) << error.hint;
    }
}

TEST_F(MysqlSinkTest, AJumpWithoutItsGapRowMovesNothing) {
    claim(*sink, p0, fence);
    db().execute("DROP TABLE txsink_gaps");
    EXPECT_THROW(static_cast<void>(sink->jump(p0, fence, {Offset{0}, Offset{5}, "x"}, kCluster)),
                 SinkError);
    EXPECT_EQ(next_of(p0), 0);
}

TEST_F(MysqlSinkTest, AMissingPrivilegeIsAccessDenied) {
    const auto user = db().name() + "_u";
    db().execute(fmt::format("CREATE USER '{}'@'%' IDENTIFIED BY 'pw'", user));
    db().execute(fmt::format("GRANT SELECT ON {}.* TO '{}'@'%'", db().name(), user));
    auto settings = db().settings();
    settings.user = user;
    settings.password = Secret{"pw"};
    {
        const auto poor = make_sink(settings);
        try {
            claim(*poor, p0, fence);
            ADD_FAILURE();
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, ErrorKind::access_denied) << error.what();
            EXPECT_EQ(error.native_code, 1142);
        }
    }
    settings.password = Secret{"secret-wrong"};
    try {
        make_sink(settings)->open();
        ADD_FAILURE();
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::access_denied) << error.what();
        EXPECT_EQ((error.what() + error.detail + error.hint).find("secret"), std::string::npos);
    }
    db().execute(fmt::format("DROP USER '{}'@'%'", user));
}

TEST_F(MysqlSinkTest, HostsThatDoNotAnswerAreSkipped) {
    auto settings = db().settings();
    settings.hosts.insert(settings.hosts.begin(), {{"127.0.0.1", 1}, {"no-such-host.invalid", 1}});
    const auto patient = make_sink(settings);
    EXPECT_TRUE(claim(*patient, p0, fence).is_claimed);
}

TEST_F(MysqlSinkTest, NoHostAtAllIsAConnectionError) {
    auto settings = db().settings();
    settings.hosts = {{"127.0.0.1", 1}, {"no-such-host.invalid", 1}};
    try {
        make_sink(settings)->open();
        FAIL();
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::connection) << error.what();
        EXPECT_TRUE(error.reconnect);
        EXPECT_NE(error.detail.find("127.0.0.1"), std::string::npos) << error.detail;
        EXPECT_NE(error.detail.find("no-such-host.invalid"), std::string::npos) << error.detail;
    }
}

TEST(MysqlSinkIdentity, IsCheckedBeforeAnythingElse) {
    mysql::MysqlSettings settings;
    settings.hosts = {{"h", 1}};
    settings.database = "d";
    for (const auto* connector : {"", "with space", "\xc3\xbc", "a\nb"}) {
        EXPECT_THROW((mysql::MysqlSink{settings, connector, "o"}), SinkError) << connector;
    }
    EXPECT_THROW((mysql::MysqlSink{settings, std::string(65, 'c'), "o"}), SinkError);
    settings.database.clear();
    EXPECT_THROW((mysql::MysqlSink{settings, "c", "o"}), SinkError);
}

}  // namespace
}  // namespace txsink::test
