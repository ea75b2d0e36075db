/// @file
/// Dead letters in the database: read by filters, removed, applied again.
#include "txsink/mysql/dead_letters.hpp"

#include "integration/mysql_sink_fixture.hpp"
#include "mysql/session.hpp"

namespace txsink::test {
namespace {

using mysql::DeadLetterContent;
using mysql::DeadLetterFilter;
using mysql::DeadLetterKey;

class DeadLettersTest : public MysqlSinkTest {
protected:
    using Keys = std::vector<DeadLetterKey>;

    void SetUp() override {
        MysqlSinkTest::SetUp();
        if (!is_ready()) {
            return;
        }
        session_.emplace(db().connect());
        for (const char* connector : {"c", "d"}) {
            for (const char* topic : {"orders", "a"}) {
                for (const int partition : {1, 0}) {
                    for (const int offset : {9, 10, 11}) {
                        insert(connector, topic, partition, offset);
                    }
                }
            }
        }
    }

    void insert(const char* connector, const char* topic, int partition, int offset) {
        db().execute(fmt::format(
            "INSERT INTO txsink_dead_letters VALUES ('{}', '{}', {}, {}, 'key', 'value', "
            "'[{{\"name\":\"h\",\"value\":null}}]', {}, '{}', {}, 'why', 'shop.items', "
            "'2024-01-01 00:00:{:02}.5')",
            connector,
            topic,
            partition,
            offset,
            offset == 9 ? "NULL" : "1700000000123",
            offset == 9 ? "not-json" : "refused-by-server",
            offset == 9 ? "NULL" : "1062",
            offset));
    }

    mysql::Session& session() { return *session_; }

    Keys keys(const DeadLetterFilter& filter, std::size_t most = 100) {
        Keys found;
        for (const auto& letter :
             read_dead_letters(session(), "c", filter, DeadLetterContent::summary, most)) {
            found.push_back(letter.key);
        }
        EXPECT_TRUE(most < 100 || count_dead_letters(session(), "c", filter) == found.size());
        return found;
    }

    static DeadLetterKey key(const char* topic, int partition, std::int64_t offset) {
        return {{topic, partition}, Offset{offset}};
    }

    std::int64_t left() { return db().number("SELECT COUNT(*) FROM txsink_dead_letters"); }

    const Keys all_{key("a", 0, 9),
                    key("a", 0, 10),
                    key("a", 0, 11),
                    key("a", 1, 9),
                    key("a", 1, 10),
                    key("a", 1, 11),
                    key("orders", 0, 9),
                    key("orders", 0, 10),
                    key("orders", 0, 11),
                    key("orders", 1, 9),
                    key("orders", 1, 10),
                    key("orders", 1, 11)};

private:
    std::optional<mysql::Session> session_;
};

TEST_F(DeadLettersTest, AreReadInTheirOrderByFilters) {
    EXPECT_EQ(keys({}), all_);
    DeadLetterFilter filter;
    filter.topic = "orders";
    filter.partition = 1;
    EXPECT_EQ(keys(filter),
              (Keys{key("orders", 1, 9), key("orders", 1, 10), key("orders", 1, 11)}));
    filter.first = Offset{10};
    EXPECT_EQ(keys(filter), (Keys{key("orders", 1, 10), key("orders", 1, 11)}));
    filter.last = Offset{10};
    EXPECT_EQ(keys(filter), Keys{key("orders", 1, 10)});
    filter = {};
    filter.error_code = "not-json";
    EXPECT_EQ(keys(filter).size(), 4U);
    filter.topic = "a";
    EXPECT_EQ(keys(filter), (Keys{key("a", 0, 9), key("a", 1, 9)}));
    filter.topic = "nothing' OR 1";
    EXPECT_EQ(keys(filter), Keys{});
}

TEST_F(DeadLettersTest, AreReadByTheTimeOfTheirRefusal) {
    constexpr std::int64_t kMidnight = 1'704'067'200'000;
    DeadLetterFilter filter;
    filter.topic = "a";
    filter.partition = 0;
    filter.since_ms = kMidnight + 9'501;
    EXPECT_EQ(keys(filter), (Keys{key("a", 0, 10), key("a", 0, 11)}));
    filter.since_ms = kMidnight + 9'500;
    filter.until_ms = kMidnight + 10'500;
    EXPECT_EQ(keys(filter), Keys{key("a", 0, 9)});
    filter.until_ms = -1;
    EXPECT_EQ(keys(filter), Keys{});
}

TEST_F(DeadLettersTest, AreReadPageByPage) {
    for (const std::size_t size : {1U, 5U, 12U}) {
        Keys read;
        DeadLetterFilter filter;
        for (Keys page = keys(filter, size); !page.empty(); page = keys(filter, size)) {
            EXPECT_LE(page.size(), size);
            read.insert(read.end(), page.begin(), page.end());
            filter.after = page.back();
        }
        EXPECT_EQ(read, all_);
    }
}

TEST_F(DeadLettersTest, AreReadWholeOrInShort) {
    DeadLetterFilter filter;
    filter.topic = "a";
    filter.partition = 0;
    const auto whole = read_dead_letters(session(), "c", filter, DeadLetterContent::whole, 2);
    ASSERT_EQ(whole.size(), 2U);
    EXPECT_EQ(whole[0].record_key, "key");
    EXPECT_EQ(whole[0].record_value, "value");
    EXPECT_NE(whole[0].headers.find("\"h\""), std::string::npos);
    EXPECT_EQ(whole[0].timestamp_ms, -1);
    EXPECT_EQ(whole[0].error_code, "not-json");
    EXPECT_EQ(whole[0].error_number, 0);
    EXPECT_EQ(whole[1].timestamp_ms, 1'700'000'000'123);
    EXPECT_EQ(whole[1].error_number, 1062);
    EXPECT_EQ(whole[1].error_text, "why");
    EXPECT_EQ(whole[1].target, "shop.items");
    EXPECT_EQ(whole[1].created_at, "2024-01-01 00:00:10.500000");
    EXPECT_TRUE(whole[1].is_whole);
    const auto summary = read_dead_letters(session(), "c", filter, DeadLetterContent::summary, 1);
    EXPECT_EQ(summary[0].record_value, std::nullopt);
    EXPECT_EQ(summary[0].key_bytes, 3U);
    EXPECT_EQ(summary[0].value_bytes, 5U);
}

TEST_F(DeadLettersTest, AreRemovedByTheirKeys) {
    EXPECT_EQ(remove_dead_letters(session(), "c", {}), 0U);
    const Keys some{key("a", 0, 9), key("orders", 1, 11), key("orders", 7, 7)};
    EXPECT_EQ(remove_dead_letters(session(), "c", some), 2U);
    EXPECT_EQ(keys({}).size(), 10U);
    EXPECT_EQ(left(), 22);
    EXPECT_EQ(remove_dead_letters(session(), "c", some), 0U);
}

TEST_F(DeadLettersTest, ManyAreRemovedAtOnce) {
    Keys many;
    std::string values;
    for (int i = 0; i < 1'000; ++i) {
        many.push_back(key("many", 0, i));
        values += fmt::format("{}('c', 'many', 0, {}, 'x', 'why', 't')", i == 0 ? "" : ", ", i);
    }
    db().execute(
        "INSERT INTO txsink_dead_letters (connector, topic, partition_id, record_offset, "
        "error_code, error_text, target_table) VALUES " +
        values);
    EXPECT_EQ(remove_dead_letters(session(), "c", many), 1'000U);
    EXPECT_EQ(left(), 24);
}

TEST_F(DeadLettersTest, ReplayAppliesAndRemovesTogether) {
    auto some = part({"orders", 0}, 9);
    log(some, "again");
    item(some, 1, 10);
    const Keys replayed{key("orders", 0, 9), key("orders", 0, 10)};
    const auto outcome = replay_dead_letters(session(), "c", batch(std::move(some)), replayed);
    EXPECT_TRUE(outcome.refused.empty());
    EXPECT_EQ(outcome.missed_rows, 0U);
    EXPECT_EQ(logged(), 1);
    EXPECT_EQ(db().value("SELECT v FROM items"), "10");
    EXPECT_EQ(left(), 22);
    EXPECT_EQ(keys({}).size(), 10U);
}

TEST_F(DeadLettersTest, ReplayOfWhatIsRefusedDoesNothingAndSaysWhat) {
    mapping::RowShape statement;
    statement.kind = mapping::ChangeKind::statement;
    statement.required_rows = 1;
    auto some = part({"orders", 0}, 9);
    log(some);
    item(some, 1, 1'000);
    item(some, 2, 2);
    some.rows.open() += "DELETE FROM items WHERE id = 99";
    some.rows.close(&statement, Offset{11});
    const Keys replayed{key("orders", 0, 9), key("orders", 0, 10), key("orders", 0, 11)};
    const auto outcome = replay_dead_letters(session(), "c", batch(std::move(some)), replayed);
    ASSERT_EQ(outcome.refused.size(), 2U);
    EXPECT_EQ(outcome.refused[0].offset, Offset{10});
    EXPECT_EQ(outcome.refused[0].error.code, RecordErrorCode::refused_by_server);
    EXPECT_EQ(outcome.refused[1].offset, Offset{11});
    EXPECT_EQ(outcome.refused[1].error.code, RecordErrorCode::row_missing);
    EXPECT_EQ(logged(), 0);
    EXPECT_EQ(left(), 24);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM items"), 0);
}

TEST_F(DeadLettersTest, ReplayOfWhatSomebodyElseTookDoesNothing) {
    const Keys replayed{key("orders", 0, 9), key("orders", 0, 8)};
    auto some = part({"orders", 0}, 8);
    log(some);
    log(some);
    try {
        static_cast<void>(replay_dead_letters(session(), "c", batch(std::move(some)), replayed));
        FAIL() << "was applied";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration) << error.what();
        EXPECT_NE(std::string{error.what()}.find("1 of 2 dead letters are gone"), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(logged(), 0);
    EXPECT_EQ(left(), 24);
}

TEST_F(DeadLettersTest, AMissingTableIsConfiguration) {
    db().execute("DROP TABLE txsink_dead_letters");
    EXPECT_THROW(keys({}), SinkError);
    try {
        static_cast<void>(remove_dead_letters(session(), "c", all_));
        FAIL();
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration) << error.what();
    }
}

}  // namespace
}  // namespace txsink::test
