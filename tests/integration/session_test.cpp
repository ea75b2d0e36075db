/// @file
/// The session: its settings, its accounts, and what it does when a setting does not take.
#include "mysql/session.hpp"

#include <fmt/format.h>

#include "support/test_database.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/database.hpp"

namespace txsink::test {
namespace {

using mysql::Session;

class SessionTest : public MysqlTest {
protected:
    /// The error of opening a session; fails the test when there is none.
    [[nodiscard]] static std::optional<SinkError> refusal(const mysql::MysqlSettings& settings) {
        try {
            const Session session{settings, settings.hosts.front()};
        } catch (const SinkError& error) {
            return error;
        }
        ADD_FAILURE() << "the session was opened";
        return std::nullopt;
    }
    [[nodiscard]] static std::string variable(Session& session, const std::string& name) {
        const auto rows = session.query(fmt::format("SHOW SESSION VARIABLES LIKE '{}'", name));
        return rows.empty() ? "(none)" : rows.front().at(1).value_or("NULL");
    }
};

TEST_F(SessionTest, HasEverySettingThatExactlyOnceRestsOn) {
    auto settings = db().settings();
    settings.lock_wait_timeout = std::chrono::seconds{7};
    settings.wait_timeout = std::chrono::seconds{55};
    settings.write_timeout = std::chrono::seconds{33};
    Session session{settings, settings.hosts.front()};
    const bool is_new = variable(session, "transaction_isolation") != "(none)";
    EXPECT_EQ(variable(session, is_new ? "transaction_isolation" : "tx_isolation"),
              "READ-COMMITTED");
    EXPECT_EQ(variable(session, "autocommit"), "ON");
    EXPECT_EQ(variable(session, "completion_type"), "NO_CHAIN");
    EXPECT_EQ(variable(session, "time_zone"), "+00:00");
    EXPECT_EQ(variable(session, "character_set_client"), "utf8mb4");
    EXPECT_EQ(variable(session, "character_set_results"), "utf8mb4");
    EXPECT_EQ(variable(session, "innodb_lock_wait_timeout"), "7");
    EXPECT_EQ(variable(session, "lock_wait_timeout"), "7");
    EXPECT_EQ(variable(session, "wait_timeout"), "55");
    EXPECT_EQ(variable(session, "net_read_timeout"), "33");
    const auto mode = variable(session, "sql_mode");
    for (const auto* part : {"STRICT_TRANS_TABLES",
                             "STRICT_ALL_TABLES",
                             "NO_AUTO_VALUE_ON_ZERO",
                             "NO_ENGINE_SUBSTITUTION"}) {
        EXPECT_NE(mode.find(part), std::string::npos) << part << " is not in " << mode;
    }
    for (const auto* part : {"ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"}) {
        EXPECT_EQ(mode.find(part), std::string::npos) << part << " is in " << mode;
    }
}

TEST_F(SessionTest, ASettingThatDoesNotTakeIsNamed) {
    auto settings = db().settings();
    settings.wait_timeout = std::chrono::seconds{100'000'000};  // the server cuts it to a year
    const auto error = refusal(settings);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind, ErrorKind::configuration) << error->what();
    EXPECT_NE(std::string{error->what()}.find("wait_timeout did not take"), std::string::npos)
        << error->what();
    EXPECT_NE(error->detail.find("31536000"), std::string::npos) << error->detail;
}

TEST_F(SessionTest, TimeoutsThatMakeLockWaitsLookLikeLossesAreRefused) {
    auto settings = db().settings();
    settings.read_timeout = settings.lock_wait_timeout;
    const auto error = refusal(settings);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind, ErrorKind::configuration);
    EXPECT_NE(std::string{error->what()}.find("read-timeout"), std::string::npos);
}

TEST_F(SessionTest, KnowsItsServer) {
    auto session = db().connect();
    EXPECT_EQ(session.is_mariadb(), session.version().find("MariaDB") != std::string::npos);
    EXPECT_GE(session.version_number(), 80'000);
    EXPECT_EQ(session.dialect(),
              session.is_mariadb() ? batch::Dialect::values_function : batch::Dialect::row_alias);
    EXPECT_EQ(std::to_string(session.max_allowed_packet()),
              session.query("SELECT @@max_allowed_packet").at(0).at(0));
    EXPECT_EQ(std::to_string(session.connection_id()),
              session.query("SELECT CONNECTION_ID()").at(0).at(0));
    EXPECT_TRUE(session.is_writable());
}

TEST_F(SessionTest, ReturnsRowsAsTextAndNullAsNothing) {
    auto session = db().connect();
    const auto rows = session.query(
        "SELECT 1, NULL, '', 'a\\0b', x'00ff' UNION ALL SELECT 18446744073709551615, 'x', "
        "_utf8mb4 x'f09f9880', '\\'', '\\\\'");
    ASSERT_EQ(rows.size(), 2U);
    const mysql::Row first{"1", std::nullopt, "", std::string{"a\0b", 3}, std::string{"\0\xff", 2}};
    const mysql::Row second{"18446744073709551615", "x", "\xf0\x9f\x98\x80", "'", "\\"};
    EXPECT_EQ(rows.at(0), first);
    EXPECT_EQ(rows.at(1), second);
    EXPECT_TRUE(session.query("SELECT 1 FROM DUAL WHERE 1 = 0").empty());
}

TEST_F(SessionTest, B44PreparesNoStatements) {
    auto session = db().connect();
    session.execute("DO 1");
    EXPECT_EQ(session.query("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'").at(0).at(1), "0");
}

/// A session that takes several statements in a packet, and a table to write to.
class PacketTest : public SessionTest, public ::testing::WithParamInterface<mysql::Packets> {
protected:
    void SetUp() override {
        SessionTest::SetUp();
        if (is_ready()) {
            const auto& settings = db().settings();
            session_.emplace(settings, settings.hosts.front(), GetParam());
            db().execute("CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL) ENGINE = InnoDB");
            db().execute("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)");
        }
    }
    Session& session() { return *session_; }
    /// The rows that each of `statements` matched, counted; after an error as far as they ran.
    std::vector<std::uint64_t> matched(const std::vector<std::string_view>& statements) {
        std::vector<mysql::PacketStatement> packet;
        for (const auto sql : statements) {
            packet.push_back({sql, true});
        }
        try {
            session().execute_each(packet);
            code_ = 0;
        } catch (const SinkError& error) {
            code_ = error.native_code;
        }
        std::vector<std::uint64_t> counts;
        for (const auto& each : packet) {
            if (!each.has_run) {
                break;
            }
            counts.push_back(each.matched);
        }
        // Nothing is left unread.
        EXPECT_EQ(session().query("SELECT 7").at(0).at(0), "7");
        return counts;
    }
    int code_ = 0;

private:
    std::optional<Session> session_;
};

using Counts = std::vector<std::uint64_t>;

TEST_P(PacketTest, B50EachStatementTellsTheRowsThatItMatched) {
    EXPECT_EQ(matched({"UPDATE t SET v = 1 WHERE id = 1",
                       "UPDATE t SET v = 5",
                       "UPDATE t SET v = 6 WHERE id = 9 -- a comment",
                       "SELECT id, v FROM t",
                       "DELETE FROM t WHERE id IN (2, 3) # a comment",
                       "INSERT INTO t VALUES (4, 4), (5, 5)",
                       "SELECT id FROM t WHERE id = 99"}),
              (Counts{1, 3, 0, 3, 2, 2, 0}));
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(id, v ORDER BY id) FROM t"), "15,44,55");
}

TEST_P(PacketTest, OneIsAPacketToo) {
    EXPECT_EQ(matched({"UPDATE t SET v = 1 WHERE id < 3"}), Counts{2});
    EXPECT_EQ(matched({}), Counts{});
}

TEST_P(PacketTest, AnErrorInTheMiddleStopsTheRest) {
    EXPECT_EQ(matched({"UPDATE t SET v = 9 WHERE id = 1",
                       "UPDATE t SET v = 9 WHERE id = 2",
                       "INSERT INTO t VALUES (1, 1)",
                       "DELETE FROM t"}),
              (Counts{1, 1}));
    EXPECT_EQ(code_, 1062);
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(v ORDER BY id) FROM t"), "9,9,3");
    EXPECT_EQ(matched({"INSERT INTO t VALUES (1, 1)", "DELETE FROM t"}), Counts{});
    EXPECT_EQ(code_, 1062);
    EXPECT_EQ(matched({"UPDATE t SET v = 9 WHERE id = 1", "no SQL at all"}), Counts{1});
    EXPECT_EQ(code_, 1064);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM t"), 3);
}

TEST_P(PacketTest, ARowThatIsNotCountedCostsNoResult) {
    std::vector<mysql::PacketStatement> packet{{"UPDATE t SET v = 7 WHERE id = 1", false},
                                               {"UPDATE t SET v = 7", true},
                                               {"UPDATE t SET v = 8 WHERE id = 3", false}};
    session().execute_each(packet);
    EXPECT_EQ(packet[0].matched, 0U);
    EXPECT_EQ(packet[1].matched, 3U);
    EXPECT_TRUE(packet[2].has_run);
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(v ORDER BY id) FROM t"), "7,7,8");
}

TEST_P(PacketTest, AProcedureStandsAlone) {
    db().execute("CREATE PROCEDURE p() UPDATE t SET v = 5");
    const auto counts = matched({"CALL p()"});
    EXPECT_EQ(code_, 0);
    ASSERT_EQ(counts.size(), 1U);
    EXPECT_EQ(counts[0], 3U);
}

TEST_P(PacketTest, OtherCallsTakeOneStatementOnly) {
    for (const char* two : {"DO 1; DO 2", "SELECT ';' ; SELECT 2", "DO 1; DO 2; DO 3"}) {
        EXPECT_THROW(session().execute(two), SinkError) << two;
        EXPECT_THROW(static_cast<void>(session().query(two)), SinkError) << two;
        EXPECT_THROW(session().execute_update(two), SinkError) << two;
        EXPECT_EQ(session().query("SELECT ';-- \\';' -- ; SELECT 2").at(0).at(0), ";-- ';");
    }
    session().execute("DO 1 ; \n");
    EXPECT_EQ(session().query("SELECT 7 ;").at(0).at(0), "7");
}

INSTANTIATE_TEST_SUITE_P(Sessions,
                         PacketTest,
                         ::testing::Values(mysql::Packets::single, mysql::Packets::several),
                         [](const auto& each) {
                             return each.param == mysql::Packets::single ? "Single" : "Several";
                         });

TEST_F(SessionTest, ComplainsAboutAStatementWithoutRunningIt) {
    db().execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT) ENGINE = InnoDB");
    mysql::Database database{db().settings()};
    const auto complaint = [&](const char* sql) { return database.complaint_about(sql); };
    EXPECT_EQ(complaint("UPDATE account SET balance = balance + ? WHERE id = ?"), "");
    EXPECT_EQ(complaint("INSERT INTO account VALUES (?, '\\'')"), "");
    EXPECT_NE(complaint("UPDATE account SET balance = ? WHRE id = ?").find("WHRE"),
              std::string::npos);
    EXPECT_NE(complaint("UPDATE accounts SET balance = ?").find("accounts"), std::string::npos);
    EXPECT_NE(complaint("UPDATE account SET saldo = ?").find("saldo"), std::string::npos);
    EXPECT_NE(complaint("DELETE FROM account; DELETE FROM account"), "");
    for (const char* not_for_rows : {"COMMIT", "DROP TABLE account", "SET autocommit = 1", ""}) {
        EXPECT_NE(complaint(not_for_rows), "") << not_for_rows;
    }
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM account"), 0);
}

TEST_F(SessionTest, AnErrorAtCommitIsUnknownWhateverItSays) {
    auto session = db().connect();
    db().execute("CREATE TABLE t (id INT) ENGINE = InnoDB");
    session.execute("START TRANSACTION");
    session.execute("INSERT INTO t VALUES (1)");
    db().kill(session.connection_id());
    ASSERT_TRUE(eventually([&] { return db().other_sessions().empty(); }));
    try {
        session.execute_commit();
        FAIL() << "COMMIT on a session that is gone was answered";
    } catch (const SinkError& error) {
        EXPECT_TRUE(error.outcome_unknown);
        EXPECT_TRUE(error.reconnect);
        EXPECT_EQ(error.kind, ErrorKind::connection) << error.detail;
    }
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM t"), 0);
}

TEST_F(SessionTest, TakesTheServersPasswordPlugins) {  // B43
    const auto user = db().name() + "_u";
    const auto* plugin = db().is_mariadb() ? "mysql_native_password" : "caching_sha2_password";
    const auto* by = db().is_mariadb() ? "VIA {} USING PASSWORD('p''w ')" : "WITH {} BY 'p''w '";
    db().execute(fmt::format("CREATE USER '{}'@'%' IDENTIFIED ", user) +
                 fmt::format(fmt::runtime(by), plugin));
    db().execute(fmt::format("GRANT ALL ON {}.* TO '{}'@'%'", db().name(), user));
    for (const auto mode : {mysql::TlsMode::disabled, mysql::TlsMode::preferred}) {
        auto settings = db().settings();
        settings.user = user;
        settings.password = Secret{"p'w "};
        settings.tls.mode = mode;
        Session session{settings, settings.hosts.front()};
        EXPECT_EQ(session.query("SELECT USER()").at(0).at(0)->substr(0, user.size()), user);
    }
    db().execute(fmt::format("DROP USER '{}'@'%'", user));
}

TEST_F(SessionTest, VerifyCaIsRefusedAsTheLibraryCannotDoIt) {
    auto settings = db().settings();
    settings.tls.mode = mysql::TlsMode::verify_ca;
    const auto error = refusal(settings);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind, ErrorKind::configuration);
    EXPECT_NE(error->hint.find("verify-identity"), std::string::npos);
}

TEST_F(SessionTest, ATlsFileThatCannotBeReadIsNamed) {
    auto settings = db().settings();
    settings.tls = {mysql::TlsMode::preferred, "/no/such.pem", {}, {}};
    const auto error = refusal(settings);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind, ErrorKind::configuration);
    EXPECT_NE(std::string{error->what()}.find("mysql.tls-ca"), std::string::npos) << error->what();
}

TEST_F(SessionTest, AMissingDatabaseIsConfiguration) {
    auto settings = db().settings();
    settings.database = "no_such_database";
    const auto error = refusal(settings);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind, ErrorKind::configuration) << error->what();
    EXPECT_EQ(error->native_code, 1049);
}

}  // namespace
}  // namespace txsink::test
