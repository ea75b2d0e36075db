/// @file
/// Facts about the connector and the servers that the code rests on. A test that fails here after
/// an upgrade names a piece of src/mysql that has to be thought over.
#include <cppconn/connection.h>
#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>
#include <fmt/format.h>

#include <functional>
#include <future>
#include <memory>
#include <string>

#include "support/test_database.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::test {
namespace {

/// The driver as it comes, without our Session.
class ConnectorContract : public MysqlTest {
protected:
    using Options = sql::ConnectOptionsMap;

    struct Raw {
        std::unique_ptr<sql::Connection> connection;
        std::unique_ptr<sql::Statement> statement;

        void execute(const std::string& sql) const { statement->execute(sql); }
        [[nodiscard]] std::string value(const std::string& sql) const {
            const std::unique_ptr<sql::ResultSet> rows{statement->executeQuery(sql)};
            return rows->next() ? rows->getString(1).asStdString() : "(no row)";
        }
        [[nodiscard]] std::uint64_t id() const {
            return std::stoull(value("SELECT CONNECTION_ID()"));
        }
    };

    void SetUp() override {
        MysqlTest::SetUp();
        if (is_ready()) {
            db().execute("CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL) ENGINE = InnoDB");
        }
    }

    [[nodiscard]] Raw connect(const std::function<void(Options&)>& adapt = {}) {
        const auto& settings = db().settings();
        Options options;
        options["hostName"] =
            fmt::format("tcp://{}:{}", settings.hosts.front().name, settings.hosts.front().port);
        options["userName"] = settings.user;
        options["password"] = settings.password.reveal();
        options["schema"] = settings.database;
        if (adapt) {
            adapt(options);
        }
        Raw raw;
        raw.connection.reset(get_driver_instance()->connect(options));
        raw.statement.reset(raw.connection->createStatement());
        raw.execute("SET SESSION innodb_lock_wait_timeout = 1");
        return raw;
    }

    /// The errno of what `action` throws; -1 when it throws nothing.
    static int error_of(const std::function<void()>& action) {
        try {
            action();
        } catch (const sql::SQLException& error) {
            return error.getErrorCode();
        }
        return -1;
    }

    [[nodiscard]] std::int64_t rows() { return db().number("SELECT COUNT(*) FROM t"); }
};

TEST_F(ConnectorContract, CommitMethodSwallowsThatTheSessionIsGone) {
    const auto raw = connect();
    raw.execute("START TRANSACTION");
    raw.execute("INSERT INTO t VALUES (1, 1)");
    db().kill(raw.id());
    ASSERT_TRUE(eventually([&] { return db().other_sessions().empty(); }));
    // Called by pointer, as tools/lint bans the plain call.
    const auto driver_commit = &sql::Connection::commit;
    EXPECT_EQ(error_of([&] { std::invoke(driver_commit, *raw.connection); }), -1);
    EXPECT_EQ(rows(), 0);
}

TEST_F(ConnectorContract, CommitAsTextTellsThatTheSessionIsGone) {
    const auto raw = connect();
    raw.execute("START TRANSACTION");
    raw.execute("INSERT INTO t VALUES (1, 1)");
    db().kill(raw.id());
    ASSERT_TRUE(eventually([&] { return db().other_sessions().empty(); }));
    const int error = error_of([&] { raw.execute("COMMIT"); });
    EXPECT_TRUE(error == 2006 || error == 2013 || error == 1927) << error;
    EXPECT_EQ(rows(), 0);
}

TEST_F(ConnectorContract, ReconnectIsOffWhenToldSo) {
    const auto raw = connect([](Options& options) { options["OPT_RECONNECT"] = false; });
    db().kill(raw.id());
    ASSERT_TRUE(eventually([&] { return db().other_sessions().empty(); }));
    EXPECT_NE(error_of([&] { raw.execute("DO 1"); }), -1);
    EXPECT_NE(error_of([&] { raw.execute("DO 1"); }), -1);
}

TEST_F(ConnectorContract, UnknownOptionsAreIgnored) {
    EXPECT_EQ(error_of([&] {
                  static_cast<void>(connect([](Options& options) {
                      options["noSuchOption"] = "x";
                      options["OPT_NO_SUCH_OPTION"] = 1;
                  }));
              }),
              -1);
}

TEST_F(ConnectorContract, ErrorsCarryNumberAndSqlstate) {
    const auto raw = connect();
    raw.execute("INSERT INTO t VALUES (1, 1)");
    try {
        raw.execute("INSERT INTO t VALUES (1, 1)");
        FAIL();
    } catch (const sql::SQLException& error) {
        EXPECT_EQ(error.getErrorCode(), 1062);
        EXPECT_EQ(error.getSQLState(), "23000");
    }
}

TEST_F(ConnectorContract, AnUnboundParameterIsErrorZero) {
    const auto raw = connect();
    const std::unique_ptr<sql::PreparedStatement> statement{
        raw.connection->prepareStatement("SELECT ?")};
    EXPECT_EQ(error_of([&] { delete statement->executeQuery(); }), 0);
}

TEST_F(ConnectorContract, APreparedStatementTakes65535Placeholders) {
    const auto raw = connect();
    const auto prepare = [&](std::size_t count) {
        std::string sql = "SELECT 1 IN (?";
        for (std::size_t i = 1; i < count; ++i) {
            sql += ",?";
        }
        return error_of([&] {
            const std::unique_ptr<sql::PreparedStatement> statement{
                raw.connection->prepareStatement(sql + ")")};
        });
    };
    EXPECT_EQ(prepare(65'535), -1);
    EXPECT_EQ(prepare(65'536), 1390);
}

TEST_F(ConnectorContract, LockWaitTimeoutLeavesTheTransactionOpen) {
    db().execute("INSERT INTO t VALUES (1, 0)");
    const auto holder = connect();
    holder.execute("START TRANSACTION");
    holder.execute("UPDATE t SET v = 1 WHERE id = 1");
    const auto raw = connect();
    raw.execute("START TRANSACTION");
    raw.execute("INSERT INTO t VALUES (2, 2)");
    EXPECT_EQ(error_of([&] { raw.execute("UPDATE t SET v = 2 WHERE id = 1"); }), 1205);
    raw.execute("COMMIT");
    EXPECT_EQ(rows(), 2) << "the statement before the timeout was kept";
}

TEST_F(ConnectorContract, DeadlockRollsTheWholeTransactionBack) {
    db().execute("INSERT INTO t VALUES (1, 0), (2, 0)");
    const auto raw = connect();
    raw.execute("SET SESSION innodb_lock_wait_timeout = 15");
    raw.execute("START TRANSACTION");
    raw.execute("UPDATE t SET v = 1 WHERE id = 1");
    const auto neighbour = connect();
    neighbour.execute("SET SESSION innodb_lock_wait_timeout = 15");
    neighbour.execute("START TRANSACTION");
    for (int i = 10; i < 60; ++i) {  // the heavier transaction is not the victim
        neighbour.execute(fmt::format("INSERT INTO t VALUES ({}, 0)", i));
    }
    neighbour.execute("UPDATE t SET v = 2 WHERE id = 2");
    auto waiting = std::async(std::launch::async, [&] {
        return error_of([&] { neighbour.execute("UPDATE t SET v = 2 WHERE id = 1"); });
    });
    ASSERT_NE(db().wait_for_lock_wait(), 0U);
    EXPECT_EQ(error_of([&] { raw.execute("UPDATE t SET v = 1 WHERE id = 2"); }), 1213);
    EXPECT_EQ(waiting.get(), -1);
    neighbour.execute("ROLLBACK");
    // Outside of any transaction now: it is committed by itself.
    raw.execute("INSERT INTO t VALUES (3, 3)");
    raw.execute("ROLLBACK");
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(id, ':', v ORDER BY id) FROM t"), "1:0,2:0,3:3");
}

TEST_F(ConnectorContract, StartTransactionCommitsAnOpenOne) {
    const auto raw = connect();
    raw.execute("START TRANSACTION");
    raw.execute("INSERT INTO t VALUES (1, 1)");
    raw.execute("START TRANSACTION");
    raw.execute("ROLLBACK");
    EXPECT_EQ(rows(), 1);
}

TEST_F(ConnectorContract, AFailedStatementIsRolledBackAlone) {
    const auto raw = connect();
    raw.execute("START TRANSACTION");
    raw.execute("INSERT INTO t VALUES (1, 1)");
    EXPECT_EQ(error_of([&] { raw.execute("INSERT INTO t VALUES (2, 2), (1, 3)"); }), 1062);
    raw.execute("COMMIT");
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(id) FROM t"), "1");
}

TEST_F(ConnectorContract, AStatementOverThePacketLimitLosesTheSession) {
    const auto raw = connect();
    const auto packet = std::stoull(raw.value("SELECT @@max_allowed_packet"));
    const int error =
        error_of([&] { raw.execute("SELECT LENGTH('" + std::string(packet + 1024, 'x') + "')"); });
    EXPECT_TRUE(error == 1153 || error == 2006 || error == 2013) << error;
    EXPECT_NE(error_of([&] { raw.execute("DO 1"); }), -1);
}

TEST_F(ConnectorContract, AnUpsertAffectsOneTwoOrNoRows) {
    const auto raw = connect();
    const std::string upsert = "INSERT INTO t VALUES (1, {}) ON DUPLICATE KEY UPDATE v = {}";
    EXPECT_EQ(raw.statement->executeUpdate(fmt::format(fmt::runtime(upsert), 1, 1)), 1);
    EXPECT_EQ(raw.statement->executeUpdate(fmt::format(fmt::runtime(upsert), 2, 2)), 2);
    EXPECT_EQ(raw.statement->executeUpdate(fmt::format(fmt::runtime(upsert), 2, 2)), 0);
}

TEST_F(ConnectorContract, B50AnUpdateCountsChangedRowsNotMatchedOnes) {
    const auto raw = connect();
    raw.execute("INSERT INTO t VALUES (1, 1)");
    EXPECT_EQ(raw.statement->executeUpdate("UPDATE t SET v = 1 WHERE id = 1"), 0);
    EXPECT_EQ(raw.statement->executeUpdate("UPDATE t SET v = 2 WHERE id = 1"), 1);
}

TEST_F(ConnectorContract, B50WithFoundRowsAnUpdateCountsMatchedRows) {
    const auto raw = connect([](Options& options) { options["CLIENT_FOUND_ROWS"] = true; });
    raw.execute("INSERT INTO t VALUES (1, 1)");
    EXPECT_EQ(raw.statement->executeUpdate("UPDATE t SET v = 1 WHERE id = 1"), 1);
    EXPECT_EQ(raw.statement->executeUpdate("UPDATE t SET v = 1 WHERE id = 2"), 0);
    raw.execute("UPDATE t SET v = 1 WHERE id = 1");
    EXPECT_EQ(raw.value("SELECT ROW_COUNT()"), "1");
    EXPECT_EQ(raw.value("SELECT ROW_COUNT()"), "-1");
}

TEST_F(ConnectorContract, ASecondStatementIsASyntaxErrorUnlessAskedFor) {
    const auto raw = connect();
    EXPECT_EQ(error_of([&] { raw.execute("DO 1; DO 2"); }), 1064);
}

/// A packet of several statements: getMoreResults() says "no" for a result without rows and for
/// none at all, and only the first result tells its affected rows.
TEST_F(ConnectorContract, ResultsOfAPacketCannotBeToldFromItsEnd) {
    const auto raw = connect([](Options& options) { options["CLIENT_MULTI_STATEMENTS"] = true; });
    constexpr auto kNone = static_cast<std::uint64_t>(-1);
    EXPECT_FALSE(raw.statement->execute(
        "INSERT INTO t VALUES (1, 1), (2, 2); UPDATE t SET v = 3; SELECT id FROM t; DO 1"));
    EXPECT_EQ(raw.statement->getUpdateCount(), 2U);
    EXPECT_FALSE(raw.statement->getMoreResults());
    EXPECT_EQ(raw.statement->getUpdateCount(), kNone);
    EXPECT_TRUE(raw.statement->getMoreResults());
    {
        const std::unique_ptr<sql::ResultSet> ids{raw.statement->getResultSet()};
        EXPECT_EQ(ids->rowsCount(), 2U);
    }
    EXPECT_FALSE(raw.statement->getMoreResults());
    EXPECT_FALSE(raw.statement->getMoreResults());  // there is none
    EXPECT_EQ(raw.value("SELECT 7"), "7");
}

TEST_F(ConnectorContract, AnUnreadResultOfAPacketPutsTheSessionOutOfStep) {
    const auto raw = connect([](Options& options) { options["CLIENT_MULTI_STATEMENTS"] = true; });
    raw.execute("DO 1; DO 2");
    EXPECT_EQ(error_of([&] { raw.execute("DO 3"); }), 2014);
}

TEST_F(ConnectorContract, AnErrorEndsAPacketAndLeavesNothingToRead) {
    const auto raw = connect([](Options& options) { options["CLIENT_MULTI_STATEMENTS"] = true; });
    raw.execute("INSERT INTO t VALUES (1, 1)");
    EXPECT_FALSE(raw.statement->execute(
        "INSERT INTO t VALUES (2, 2); INSERT INTO t VALUES (1, 1); INSERT INTO t VALUES (3, 3)"));
    EXPECT_EQ(error_of([&] { raw.statement->getMoreResults(); }), 1062);
    EXPECT_EQ(raw.value("SELECT GROUP_CONCAT(id ORDER BY id) FROM t"), "1,2");
}

TEST_F(ConnectorContract, TheReadTimeoutIsOfEachStatementOfAPacket) {
    const auto raw = connect([](Options& options) {
        options["CLIENT_MULTI_STATEMENTS"] = true;
        options["OPT_READ_TIMEOUT"] = 1;
    });
    raw.execute("DO SLEEP(0.6); DO SLEEP(0.6); DO SLEEP(0.6)");
    EXPECT_EQ(error_of([&] { raw.statement->getMoreResults(); }), -1);
    EXPECT_EQ(error_of([&] { raw.statement->getMoreResults(); }), -1);
    EXPECT_EQ(raw.value("SELECT 7"), "7");
}

TEST_F(ConnectorContract, AProcedureAnswersWithMoreResultsThanOne) {
    const auto raw = connect();
    raw.execute("CREATE PROCEDURE p() BEGIN SELECT 1; UPDATE t SET v = 1; SELECT 2; END");
    EXPECT_TRUE(raw.statement->execute("CALL p()"));
    for (const char* want : {"1", "2"}) {
        const std::unique_ptr<sql::ResultSet> rows{raw.statement->getResultSet()};
        ASSERT_TRUE(rows->next());
        EXPECT_EQ(rows->getString(1).asStdString(), want);
        EXPECT_EQ(raw.statement->getMoreResults(), *want == '1');
    }
    EXPECT_EQ(raw.value("SELECT 7"), "7");
}

TEST_F(ConnectorContract, AReadTimeoutIsALostConnection) {
    const auto raw = connect([](Options& options) { options["OPT_READ_TIMEOUT"] = 1; });
    EXPECT_EQ(error_of([&] { raw.execute("DO SLEEP(10)"); }), 2013);
}

TEST_F(ConnectorContract, AReadOnlySessionIs1792) {
    const auto raw = connect();
    raw.execute("SET SESSION TRANSACTION READ ONLY");
    EXPECT_EQ(error_of([&] { raw.execute("INSERT INTO t VALUES (1, 1)"); }), 1792);
}

TEST_F(ConnectorContract, CompletionTypeReleaseClosesTheSessionAfterCommit) {
    const auto raw = connect();
    raw.execute("SET SESSION completion_type = 2");
    raw.execute("START TRANSACTION");
    raw.execute("COMMIT");
    EXPECT_NE(error_of([&] { raw.execute("DO 1"); }), -1);
}

TEST_F(ConnectorContract, DdlCommitsTheOpenTransaction) {
    const auto raw = connect();
    raw.execute("START TRANSACTION");
    raw.execute("INSERT INTO t VALUES (1, 1)");
    raw.execute("CREATE TABLE other (id INT)");
    raw.execute("ROLLBACK");
    EXPECT_EQ(rows(), 1);
}

TEST_F(ConnectorContract, B41MyIsamDoesNotRollBack) {
    const auto raw = connect();
    raw.execute("CREATE TABLE isam (id INT) ENGINE = MyISAM");
    raw.execute("START TRANSACTION");
    raw.execute("INSERT INTO isam VALUES (1)");
    raw.execute("ROLLBACK");
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM isam"), 1);
}

TEST_F(ConnectorContract, TheAliasOfAnUpsertIsForMysqlOnly) {
    const auto raw = connect();
    const int error = error_of(
        [&] { raw.execute("INSERT INTO t VALUES (1, 1) AS n ON DUPLICATE KEY UPDATE v = n.v"); });
    EXPECT_EQ(error, db().is_mariadb() ? 1064 : -1);
    EXPECT_EQ(error_of([&] {
                  raw.execute("INSERT INTO t VALUES (1, 1) ON DUPLICATE KEY UPDATE v = VALUES(v)");
              }),
              -1);
}

TEST_F(ConnectorContract, ForUpdateOfAMissingRowFirstDeadlocksNeighbours) {
    // Why a claim begins with its INSERT.
    const auto one = connect();
    const auto two = connect();
    for (const auto* raw : {&one, &two}) {
        raw->execute("SET SESSION innodb_lock_wait_timeout = 15");
        raw->execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        raw->execute("START TRANSACTION");
    }
    EXPECT_EQ(one.value("SELECT id FROM t WHERE id = 1 FOR UPDATE"), "(no row)");
    EXPECT_EQ(two.value("SELECT id FROM t WHERE id = 2 FOR UPDATE"), "(no row)");
    auto waiting = std::async(std::launch::async, [&] {
        return error_of([&] { one.execute("INSERT INTO t VALUES (1, 1)"); });
    });
    ASSERT_NE(db().wait_for_lock_wait(), 0U);
    const int second = error_of([&] { two.execute("INSERT INTO t VALUES (2, 2)"); });
    const int first = waiting.get();
    EXPECT_TRUE(first == 1213 || second == 1213) << first << " " << second;
}

TEST_F(ConnectorContract, LocalhostIsReachedOverTcp) {
    const auto raw = connect([&](Options& options) {
        options["hostName"] = fmt::format("tcp://localhost:{}", db().settings().hosts.front().port);
    });
    EXPECT_EQ(raw.value("SELECT 1"), "1");
}

}  // namespace
}  // namespace txsink::test
