/// @file
/// The sink behind a proxy that takes less than max_allowed_packet and only closes the connection,
/// and behind one that closes connections for other reasons.
#include "integration/mysql_sink_fixture.hpp"
#include "support/tcp_proxy.hpp"
#include "support/waiting.hpp"

namespace txsink::test {
namespace {

class PacketSize : public MysqlSinkTest {
protected:
    void SetUp() override {
        MysqlSinkTest::SetUp();
        if (!is_ready()) {
            return;
        }
        db().execute("ALTER TABLE log MODIFY note LONGTEXT");
        proxy.emplace(db().settings().hosts.front().port);
        auto settings = db().settings();
        settings.hosts = {{"127.0.0.1", proxy->port()}};
        settings.tls.mode = mysql::TlsMode::disabled;
        behind = make_sink(settings);
        claim(*behind, p0, fence);
    }

    /// Writes until it is committed or refused, at most so often; returns the last.
    Ended write_on(const batch::Batch& what, int times = 30) {
        Ended ended;
        for (int i = 0; i < times; ++i) {
            ended = write(*behind, what);
            if (!ended.error || ended.error->kind != ErrorKind::connection) {
                break;
            }
        }
        return ended;
    }

    std::optional<TcpProxy> proxy;
    std::unique_ptr<mysql::MysqlSink> behind;
};

constexpr std::size_t kLimit = 50'000;

TEST_F(PacketSize, B39StatementsBecomeShorterUntilTheyPass) {
    proxy->limit_packets(kLimit);
    auto some = part(p0);
    for (int i = 0; i < 100; ++i) {
        log(some, std::string(2'000, 'x'));
    }
    const auto ended = write_on(batch(std::move(some)));
    EXPECT_TRUE(ended.is_committed()) << ended.text();
    EXPECT_EQ(logged(), 100);
}

TEST_F(PacketSize, ARecordThatNeverPassesIsRefused) {
    proxy->limit_packets(kLimit);
    auto some = part(p0);
    log(some);
    log(some, std::string(2 * kLimit, 'x'));
    log(some);
    auto whole = batch(std::move(some));
    const auto ended = write_on(whole);
    ASSERT_TRUE(ended.error);
    ASSERT_EQ(ended.error->kind, ErrorKind::bad_record) << ended.text();
    const auto refused = behind->isolate(whole, 10);
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].offset, Offset{1});
    EXPECT_EQ(refused[0].error.code, RecordErrorCode::too_large);
    whole.partitions[0].rows.remove(Offset{1});
    EXPECT_TRUE(write_on(whole).is_committed());
}

TEST_F(PacketSize, ALargeRecordIsNotBlamedForSessionsThatAreLost) {
    auto some = part(p0);
    log(some, std::string(2 * kLimit, 'x'));
    const auto whole = batch(std::move(some));
    auto neighbour = db().connect();
    // As a server that restarts, or does not answer in time, again and again.
    for (int i = 0; i < 4; ++i) {
        neighbour.execute("LOCK TABLES log WRITE");
        auto written = write_async(*behind, whole);
        EXPECT_TRUE(eventually([&] {
            return db().number(
                       "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() "
                       "AND state LIKE 'Waiting for table%'") == 1;
        }));
        proxy->cut_all();
        const auto ended = written.get();
        neighbour.execute("UNLOCK TABLES");
        ASSERT_TRUE(ended.error);
        EXPECT_EQ(ended.error->kind, ErrorKind::connection) << i << ended.text();
        EXPECT_TRUE(ended.error->native_code == 2013 || ended.error->native_code == 2006);
    }
    const auto ended = write_on(whole);
    EXPECT_TRUE(ended.is_committed()) << ended.text();
    EXPECT_EQ(logged(), 1);
}

TEST_F(PacketSize, DeadLettersBecomeShorterUntilTheyPass) {
    proxy->limit_packets(kLimit);
    auto some = part(p0);
    some.end = Offset{20};
    for (int i = 0; i < 20; ++i) {
        batch::DeadLetter letter;
        letter.offset = Offset{i};
        letter.key = "k";
        letter.value = std::string(i == 7 ? kLimit : 2'000, 'v');
        letter.error = {RecordErrorCode::too_large, {}, "too large", 0};
        some.dead_letters.push_back(std::move(letter));
    }
    const auto ended = write_on(batch(std::move(some)), 60);
    ASSERT_TRUE(ended.is_committed()) << ended.text();
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM txsink_dead_letters WHERE LENGTH(record_value) = "
                          "2000 AND error_text = 'too large'"),
              19);
    EXPECT_EQ(db().value("SELECT error_text FROM txsink_dead_letters WHERE record_value IS NULL"),
              "too large [value of 50000 bytes left out]");
    EXPECT_EQ(next_of(p0), 20);
}

TEST_F(PacketSize, ARefusedRecordCostsFewRoundTrips) {
    auto some = part(p0);
    for (int i = 0; i < 256; ++i) {
        item(some, i, i % 8 == 3 ? 1'000 : 1);
    }
    const auto whole = batch(std::move(some));
    const auto before = proxy->packets();
    EXPECT_EQ(behind->isolate(whole, 100).size(), 32U);
    // 32 of 256: a range of eight is halved three times.
    EXPECT_LE(proxy->packets() - before, 32U * 7U + 8U);
    const auto between = proxy->packets();
    EXPECT_EQ(behind->isolate(whole, 2).size(), 2U);
    EXPECT_LE(proxy->packets() - between, 26U);
}

}  // namespace
}  // namespace txsink::test
