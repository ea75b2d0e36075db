/// @file
/// The sink against changes of the whole server: read-only, hostile defaults, small packets,
/// restarts, certificates. These tests run alone.
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "integration/mysql_sink_fixture.hpp"
#include "mysql/session.hpp"
#include "support/skip.hpp"

namespace txsink::test {
namespace {

using mysql::Session;
using mysql::TlsMode;

bool run(const std::string& command) {
    const int status = std::system((command + " >/dev/null 2>&1").c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class MysqlServerTest : public MysqlSinkTest {
protected:
    void SetUp() override {
        MysqlSinkTest::SetUp();
        if (!is_ready()) {
            return;
        }
        plain_user = db().name() + "_u";
        db().execute(fmt::format("CREATE USER '{}'@'%' IDENTIFIED BY 'pw'", plain_user));
        db().execute(fmt::format("GRANT ALL ON {}.* TO '{}'@'%'", db().name(), plain_user));
    }
    void TearDown() override {
        for (const auto& statement : restore) {
            db().execute(statement);
        }
        if (!plain_user.empty()) {
            db().execute(fmt::format("DROP USER '{}'@'%'", plain_user));
        }
    }

    void set_global(const std::string& name, const std::string& value) {
        const auto old = db().value("SELECT @@GLOBAL." + name);
        const bool is_number = old.find_first_not_of("0123456789") == std::string::npos;
        restore.push_back(fmt::format(
            fmt::runtime(is_number ? "SET GLOBAL {} = {}" : "SET GLOBAL {} = '{}'"), name, old));
        db().execute(fmt::format("SET GLOBAL {} = {}", name, value));
    }

    /// An account that read_only binds.
    [[nodiscard]] mysql::MysqlSettings plain_settings() {
        auto settings = db().settings();
        settings.user = plain_user;
        settings.password = Secret{"pw"};
        return settings;
    }
    [[nodiscard]] static SinkError error_of(const std::function<void()>& action) {
        try {
            action();
        } catch (const SinkError& error) {
            return error;
        }
        ADD_FAILURE() << "no error";
        return SinkError{ErrorKind::internal, "none"};
    }

    std::string plain_user;
    std::vector<std::string> restore;
};

TEST_F(MysqlServerTest, B37AServerThatTurnsReadOnlyIsLeftUntilOneIsWritable) {
    const auto plain = make_sink(plain_settings());
    claim(*plain, p0, fence);
    auto some = part(p0);
    log(some);
    const auto whole = batch(std::move(some));
    set_global("read_only", "1");
    const auto ended = write(*plain, whole);
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::fail_over) << ended.text();
    EXPECT_TRUE(ended.error->reconnect);
    EXPECT_FALSE(ended.error->outcome_unknown);
    for (int time = 0; time < 2; ++time) {
        const auto error = error_of([&] { plain->open(); });
        EXPECT_EQ(error.kind, ErrorKind::fail_over) << error.what();
        EXPECT_NE(error.detail.find("read_only is on"), std::string::npos) << error.detail;
    }
    db().execute("SET GLOBAL read_only = 0");
    EXPECT_TRUE(write(*plain, whole).is_committed());
    EXPECT_EQ(logged(), 1);
}

TEST_F(MysqlServerTest, ASessionNoticesReadOnlyWhenItReadsItsOffset) {
    const auto plain = make_sink(plain_settings());
    claim(*plain, p0, fence);
    claim(*sink, p1, fence);
    set_global("read_only", "1");
    EXPECT_EQ(error_of([&] { static_cast<void>(plain->read_offset(p0)); }).kind,
              ErrorKind::fail_over);
    // An account that may write all the same notices it too, and takes no row over.
    EXPECT_EQ(error_of([&] { static_cast<void>(sink->read_offset(p1)); }).kind,
              ErrorKind::fail_over);
    EXPECT_EQ(error_of([&] { claim(*sink, p1, other); }).kind, ErrorKind::fail_over);
    db().execute("SET GLOBAL read_only = 0");
    EXPECT_EQ(sink->read_offset(p1), (pipeline::StoredOffset{Offset{0}, fence}));
}

TEST_F(MysqlServerTest, ReadOnlyAtCommitIsAnUnknownOutcomeAndKeepsNothing) {
    const auto settings = plain_settings();
    Session session{settings, settings.hosts.front()};
    session.execute("START TRANSACTION");
    session.execute("INSERT INTO log VALUES (1, 'x')");
    set_global("read_only", "1");
    const auto error = error_of([&] { session.execute_commit(); });
    EXPECT_EQ(error.native_code, 1290) << error.detail;
    EXPECT_TRUE(error.outcome_unknown);
    EXPECT_TRUE(error.reconnect);
    EXPECT_EQ(error.kind, ErrorKind::fail_over);
    db().execute("SET GLOBAL read_only = 0");
    EXPECT_EQ(logged(), 0);
}

TEST_F(MysqlServerTest, HostileDefaultsOfTheServerDoNotMatter) {
    restore.emplace_back("SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE");
    db().execute("SET GLOBAL TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY");
    set_global("sql_mode", "'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'");
    set_global("completion_type", "2");
    set_global("autocommit", "0");
    set_global("time_zone", "'+05:00'");
    set_global("wait_timeout", "5");
    set_global("lock_wait_timeout", "31536000");
    const auto plain = make_sink(plain_settings());
    claim(*plain, p0, fence);
    auto some = part(p0);
    log(some, "it\\'s");
    EXPECT_TRUE(write(*plain, batch(std::move(some))).is_committed());
    EXPECT_EQ(db().value("SELECT note FROM log"), "it's");
    auto more = part(p0, 1);
    log(more);
    EXPECT_TRUE(write(*plain, batch(std::move(more))).is_committed());
}

TEST_F(MysqlServerTest, B39StatementsStayBelowASmallPacket) {
    set_global("max_allowed_packet", "65536");
    const auto small = make_sink(plain_settings());
    claim(*small, p0, fence);
    auto some = part(p0);
    for (int i = 0; i < 300; ++i) {
        log(some, std::string(10'000, 'x'));
    }
    ASSERT_TRUE(write(*small, batch(std::move(some))).is_committed());
    EXPECT_EQ(db().number("SELECT SUM(LENGTH(note)) FROM log"), 3'000'000);
    EXPECT_EQ(next_of(p0), 300);
    auto large = part(p0, 300);
    log(large);
    log(large, std::string(65'536, 'x'));
    const auto refused = batch(std::move(large));
    const auto ended = write(*small, refused);
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::bad_record) << ended.text();
    const auto found = first_refused(*small, refused);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->offset, Offset{301});
    EXPECT_EQ(found->error.code, RecordErrorCode::too_large);
}

TEST_F(MysqlServerTest, PacketsOfStatementsStayBelowASmallPacket) {
    set_global("max_allowed_packet", "65536");
    const auto small = make_sink(plain_settings());
    claim(*small, p0, fence);
    mapping::RowShape statement;
    statement.kind = mapping::ChangeKind::statement;
    statement.required_rows = 1;
    auto some = part(p0);
    log(some);
    for (int i = 0; i < 3'000; ++i) {
        some.rows.open() += "UPDATE log SET note = CONCAT(note, 'y')";
        some.rows.close(&statement, Offset{0});
    }
    ASSERT_TRUE(write(*small, batch(std::move(some))).is_committed());
    EXPECT_EQ(db().number("SELECT LENGTH(note) FROM log"), 3'001);
}

TEST_F(MysqlServerTest, WhatOfADeadLetterFitsIntoNoPacketIsLeftOut) {
    set_global("max_allowed_packet", "65536");
    const auto small = make_sink(plain_settings());
    claim(*small, p0, fence);
    auto some = part(p0);
    some.end = Offset{4};
    for (int i = 0; i < 4; ++i) {
        batch::DeadLetter letter;
        letter.offset = Offset{i};
        letter.key = std::string(i == 2 ? 40'000 : 5, 'k');
        letter.value = std::string(i == 0 ? 20'000 : 70'000, 'v');
        letter.headers = i == 3 ? "[\"" + std::string(70'000, 'h') + "\"]" : "[]";
        letter.error = {RecordErrorCode::too_large, {}, "too large", 0};
        some.dead_letters.push_back(std::move(letter));
    }
    ASSERT_TRUE(write(*small, batch(std::move(some))).is_committed());
    const auto rows = db().query(
        "SELECT LENGTH(record_key), LENGTH(record_value), record_headers IS NULL, error_text FROM "
        "txsink_dead_letters ORDER BY record_offset");
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0], (mysql::Row{"5", "20000", "0", "too large"}));
    EXPECT_EQ(rows[1],
              (mysql::Row{"5", std::nullopt, "0", "too large [value of 70000 bytes left out]"}));
    EXPECT_EQ(rows[2],
              (mysql::Row{std::nullopt,
                          std::nullopt,
                          "0",
                          "too large [value of 70000 bytes left out] [key of 40000 bytes left "
                          "out]"}));
    EXPECT_EQ(rows[3],
              (mysql::Row{std::nullopt,
                          std::nullopt,
                          "1",
                          "too large [value of 70000 bytes left out] [key of 5 bytes left out] "
                          "[headers of 70004 bytes left out]"}));
}

TEST_F(MysqlServerTest, ASessionLostAtALargeStatementIsNotBlamedOnTheRecord) {
    // Some servers just close the connection at a packet that is too large for them; so this loss
    // looks like one. In the end it must not.
    set_global("max_allowed_packet", "65536");
    const auto small = make_sink(plain_settings());
    sink->close();
    claim(*small, p0, fence);
    std::int64_t begin = 0;
    for (const int records : {1, 50}) {
        auto some = part(p0, begin);
        for (int i = 0; i < records; ++i) {
            log(some, std::string(static_cast<std::size_t>(60'000 / records), 'x'));
        }
        const auto whole = batch(std::move(some));
        auto neighbour = db().connect();
        neighbour.execute("LOCK TABLES log WRITE");
        auto written = write_async(*small, whole);
        std::string victim;
        ASSERT_TRUE(eventually([&] {
            victim =
                db().value(fmt::format("SELECT id FROM information_schema.processlist WHERE "
                                       "user = '{}' AND state LIKE 'Waiting for table%'",
                                       plain_user));
            return victim != "(no row)";
        }));
        db().kill(std::stoull(victim));
        const auto ended = written.get();
        neighbour.execute("UNLOCK TABLES");
        ASSERT_TRUE(ended.error);
        EXPECT_TRUE(ended.error->reconnect) << ended.text();
        EXPECT_TRUE(ended.error->kind == ErrorKind::connection ||
                    (records == 1 && ended.error->kind == ErrorKind::bad_record))
            << ended.text();
        EXPECT_FALSE(first_refused(*small, whole).has_value());
        EXPECT_TRUE(write(*small, whole).is_committed());
        begin += records;
    }
    EXPECT_EQ(logged(), 51);
}

TEST_F(MysqlServerTest, B87SnapshotIsolationIsHarmlessUnderReadCommitted) {
    if (db().query("SHOW GLOBAL VARIABLES LIKE 'innodb_snapshot_isolation'").empty()) {
        return;  // a setting of MariaDB
    }
    set_global("innodb_snapshot_isolation", "1");
    const auto plain = make_sink(plain_settings());
    claim(*plain, p0, fence);
    db().execute("INSERT INTO items VALUES (1, 0)");
    auto neighbour = db().connect();
    neighbour.execute("START TRANSACTION");
    neighbour.execute("UPDATE items SET v = 5 WHERE id = 1");
    auto some = part(p0);
    item(some, 1, 10);
    const auto whole = batch(std::move(some));
    auto written = write_async(*plain, whole);
    ASSERT_NE(db().wait_for_lock_wait(), 0U);
    neighbour.execute("COMMIT");
    const auto ended = written.get();
    EXPECT_TRUE(ended.is_committed()) << ended.text();
}

/// With a server that is stopped and started; needs tools/with-services.
class MysqlRestartTest : public MysqlServerTest {
protected:
    void SetUp() override {
        if (test_server() && std::getenv("TXSINK_TEST_SERVICES") == nullptr) {
            TXSINK_SKIP("restarts need tools/with-services");
        }
        MysqlServerTest::SetUp();
    }
    void TearDown() override {
        if (is_changed) {
            restart("");
        }
        MysqlServerTest::TearDown();
    }
    void restart(const std::string& options) {
        is_changed = !options.empty();
        ASSERT_TRUE(run("services stop mysql"));
        ASSERT_TRUE(run("services start mysql " + options)) << options;
        db().reconnect();
    }
    bool is_changed = false;
};

TEST_F(MysqlRestartTest, B45AServerThatIsKilledAndComesBackIsFoundAgain) {
    claim(*sink, p0, fence);
    auto some = part(p0);
    log(some);
    const auto whole = batch(std::move(some));
    ASSERT_TRUE(run("services kill mysql"));
    for (int time = 0; time < 2; ++time) {
        const auto ended = write(*sink, whole);
        ASSERT_TRUE(ended.error);
        EXPECT_EQ(ended.error->kind, ErrorKind::connection) << ended.text();
        EXPECT_TRUE(ended.error->reconnect);
        EXPECT_FALSE(ended.error->outcome_unknown);
    }
    ASSERT_TRUE(run("services start mysql"));
    db().reconnect();
    EXPECT_EQ(sink->read_offset(p0), (pipeline::StoredOffset{Offset{0}, fence}));
    EXPECT_TRUE(write(*sink, whole).is_committed());
    EXPECT_EQ(logged(), 1);
}

/// Certificates: one authority and its server certificates, and one that nobody trusts.
class MysqlTlsTest : public MysqlRestartTest {
protected:
    void SetUp() override {
        MysqlRestartTest::SetUp();
        if (!is_ready()) {
            return;
        }
        folder = std::filesystem::temp_directory_path() / db().name();
        std::filesystem::create_directories(folder);
        make_authority("ca");
        make_authority("stranger");
        make_certificate("right", "DNS:localhost,IP:127.0.0.1");
        make_certificate("elsewhere", "DNS:elsewhere.example");
    }
    void TearDown() override {
        MysqlRestartTest::TearDown();
        if (!folder.empty()) {
            std::filesystem::remove_all(folder);
        }
    }

    [[nodiscard]] std::string file(const std::string& name) const { return folder / name; }
    void make_authority(const std::string& name) const {
        ASSERT_TRUE(
            run(fmt::format("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
                            "-nodes -days 2 -subj /CN=txsink-test-{} -keyout {} "
                            "-out {}",
                            name,
                            file(name + ".key"),
                            file(name + ".pem"))));
    }
    void make_certificate(const std::string& name, const std::string& names) const {
        std::ofstream{file(name + ".ext")} << "subjectAltName=" << names << "\n";
        ASSERT_TRUE(
            run(fmt::format("openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
                            "-subj /CN=db-{} -keyout "
                            "{} -out {}",
                            name,
                            file(name + ".key"),
                            file(name + ".csr"))));
        ASSERT_TRUE(run(fmt::format(
            "openssl x509 -req -in {} -CA {} -CAkey {} -CAcreateserial -days 2 -extfile {} -out {}",
            file(name + ".csr"),
            file("ca.pem"),
            file("ca.key"),
            file(name + ".ext"),
            file(name + ".pem"))));
    }
    void serve(const std::string& certificate) {
        restart(fmt::format("--ssl-ca={} --ssl-cert={} --ssl-key={}",
                            file("ca.pem"),
                            file(certificate + ".pem"),
                            file(certificate + ".key")));
    }
    /// "encrypted", "clear", or "refused".
    [[nodiscard]] std::string connect(TlsMode mode,
                                      const std::string& authority = "ca",
                                      const std::string& host = "127.0.0.1") {
        auto settings = db().settings();
        settings.tls.mode = mode;
        settings.tls.ca_file = authority.empty() ? "" : file(authority + ".pem");
        settings.hosts.front().name = host;
        try {
            const Session session{settings, settings.hosts.front()};
            return session.tls_cipher().empty() ? "clear" : "encrypted";
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, ErrorKind::configuration) << error.what() << ": " << error.detail;
            return "refused";
        }
    }

    std::filesystem::path folder;
};

TEST_F(MysqlTlsTest, RightCertificate) {
    serve("right");
    EXPECT_EQ(connect(TlsMode::disabled), "clear");
    EXPECT_EQ(connect(TlsMode::preferred), "encrypted");
    EXPECT_EQ(connect(TlsMode::required), "encrypted");
    EXPECT_EQ(connect(TlsMode::verify_identity), "encrypted");
    EXPECT_EQ(connect(TlsMode::verify_identity, "ca", "localhost"), "encrypted");
    // Not signed by whom we trust: another authority, and those of the system.
    EXPECT_EQ(connect(TlsMode::verify_identity, "stranger"), "refused");
    EXPECT_EQ(connect(TlsMode::verify_identity, ""), "refused");
    EXPECT_EQ(connect(TlsMode::verify_ca), "refused");
}

TEST_F(MysqlTlsTest, CertificateOfAnotherHost) {
    serve("elsewhere");
    EXPECT_EQ(connect(TlsMode::required), "encrypted");
    EXPECT_EQ(connect(TlsMode::verify_identity), "refused");
    EXPECT_EQ(connect(TlsMode::verify_identity, "ca", "localhost"), "refused");
    EXPECT_EQ(connect(TlsMode::verify_ca), "refused");
}

TEST_F(MysqlTlsTest, ServerWithoutTls) {
    // MySQL can no longer be told to have none; no protocol version leaves it without.
    restart(db().is_mariadb() ? "--skip-ssl" : "--tls-version=");
    EXPECT_EQ(connect(TlsMode::disabled), "clear");
    EXPECT_EQ(connect(TlsMode::preferred), "clear");
    EXPECT_EQ(connect(TlsMode::required), "refused");
    EXPECT_EQ(connect(TlsMode::verify_identity), "refused");
}

TEST_F(MysqlTlsTest, ClientCertificate) {
    serve("right");
    db().execute(fmt::format("ALTER USER '{}'@'%' REQUIRE X509", plain_user));
    auto settings = plain_settings();
    settings.tls = {TlsMode::verify_identity, file("ca.pem"), {}, {}};
    EXPECT_EQ(error_of([&] { Session(settings, settings.hosts.front()); }).kind,
              ErrorKind::access_denied);
    settings.tls.certificate_file = file("elsewhere.pem");
    settings.tls.key_file = file("elsewhere.key");
    EXPECT_FALSE(Session(settings, settings.hosts.front()).tls_cipher().empty());
}

}  // namespace
}  // namespace txsink::test
