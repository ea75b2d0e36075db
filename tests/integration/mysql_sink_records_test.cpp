/// @file
/// The sink and whole records: rows in several tables, statements, refusals, dead letters.
#include "integration/mysql_sink_fixture.hpp"
#include "txsink/mapping/route.hpp"

namespace txsink::test {
namespace {

using mapping::ChangeKind;
using mapping::RowShape;
using pipeline::WriteOutcome;

class MysqlSinkRecords : public MysqlSinkTest {
protected:
    void SetUp() override {
        MysqlSinkTest::SetUp();
        if (is_ready()) {
            items_remove = {&items_table, ChangeKind::remove, {0}};
            statement.kind = ChangeKind::statement;
            statement.required_rows = 1;
            claim(*sink, p0, fence);
        }
    }

    /// Appends a change to the last record of `to`.
    static void also(batch::PartitionBatch& to, const RowShape& shape, const std::string& text) {
        to.rows.open() += text;
        to.rows.close(&shape, Offset{to_int(to.end) - 1});
    }

    static batch::DeadLetter letter(std::int64_t offset) {
        batch::DeadLetter made;
        made.offset = Offset{offset};
        made.error = {RecordErrorCode::out_of_range, "id", "too large", 0};
        made.target = "shop.items";
        return made;
    }

    [[nodiscard]] std::string items() {
        return db().value("SELECT GROUP_CONCAT(id, '=', v ORDER BY id) FROM items");
    }

    RowShape items_remove;
    RowShape statement;
};

TEST_F(MysqlSinkRecords, B53ARecordRemovesItsOldRowAndMakesTheNewOne) {
    db().execute("INSERT INTO items VALUES (1, 10)");
    auto some = part(p0);
    item(some, 2, 20);
    also(some, items_remove, "(1)");
    ASSERT_TRUE(write(*sink, batch(std::move(some))).is_committed());
    EXPECT_EQ(items(), "2=20");
}

TEST_F(MysqlSinkRecords, B28NothingOfABatchWhoseLaterStatementFailsStays) {
    auto some = part(p0);
    log(some);
    item(some, 1, 1);
    log(some);
    item(some, 2, 1'000);
    const auto whole = batch(std::move(some));
    const auto ended = write(*sink, whole);
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::bad_record);
    EXPECT_EQ(logged(), 0);
    EXPECT_EQ(items(), "NULL");
    EXPECT_EQ(next_of(p0), 0);
}

TEST_F(MysqlSinkRecords, AUniqueValueMovesBetweenRowsInsideABatch) {
    db().execute("CREATE TABLE people (id INT PRIMARY KEY, email VARCHAR(40) UNIQUE)");
    db().execute("INSERT INTO people VALUES (1, 'a@x'), (2, 'b@x')");
    const auto people = sink->load_table({"", "people"});
    const RowShape upsert{&people, ChangeKind::upsert, {0, 1}};
    auto some = part(p0);
    for (const char* row : {"(1,NULL)", "(2,'a@x')", "(1,'b@x')", "(3,'c@x')", "(3,'d@x')"}) {
        log(some);
        also(some, upsert, row);
    }
    ASSERT_TRUE(write(*sink, batch(std::move(some))).is_committed());
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(id, email ORDER BY id) FROM people"),
              "1b@x,2a@x,3d@x");
}

TEST_F(MysqlSinkRecords, ARowOfARefusedRecordIsNotThereForTheNext) {
    db().execute("ALTER TABLE log ADD PRIMARY KEY (id)");
    auto some = part(p0);
    some.rows.clear();
    log(some);                                 // 0
    also(some, items_shape, "(1,1000)");       // refused
    log(some);                                 // 1
    also(some, log_shape, "(0,'again')");      // stands only without 0
    log(some);                                 // 2
    also(some, log_shape, "(0,'and again')");  // the key of 1
    const auto refused = sink->isolate(batch(std::move(some)), 10);
    ASSERT_EQ(refused.size(), 2U);
    EXPECT_EQ(refused[0].offset, Offset{0});
    EXPECT_EQ(refused[1].offset, Offset{2});
    EXPECT_EQ(refused[1].error.native_code, 1062);
}

TEST_F(MysqlSinkRecords, RemovalsOfATableThatRefersToItselfAreCheckedInTheirOrder) {
    db().execute(
        "CREATE TABLE own (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES own (id))");
    db().execute("INSERT INTO own VALUES (1, NULL), (9, 1), (5, NULL), (3, 5)");
    const auto own = sink->load_table({"", "own"});
    EXPECT_FALSE(own.is_independent);
    const RowShape removal{&own, ChangeKind::remove, {0}};
    auto some = part(p0);
    for (const char* key : {"(9)", "(1)", "(5)", "(3)"}) {
        log(some);
        also(some, removal, key);
    }
    auto whole = batch(std::move(some));
    EXPECT_EQ(write(*sink, whole).error->native_code, 1451);
    const auto refused = sink->isolate(whole, 10);
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].offset, Offset{2});
    EXPECT_EQ(refused[0].error.native_code, 1451);
    whole.partitions[0].rows.remove(Offset{2});
    ASSERT_TRUE(write(*sink, whole).is_committed());
    EXPECT_EQ(db().value("SELECT GROUP_CONCAT(id) FROM own"), "5");
}

TEST_F(MysqlSinkRecords, AForeignKeyThatIsAddedLaterStopsNoBatch) {
    db().execute("CREATE TABLE parent (id INT PRIMARY KEY)");
    db().execute("CREATE TABLE child (id INT PRIMARY KEY, p INT)");
    const auto parent = sink->load_table({"", "parent"});
    const auto child = sink->load_table({"", "child"});
    ASSERT_TRUE(parent.is_independent && child.is_independent);
    const RowShape to_parent{&parent, ChangeKind::upsert, {0}};
    const RowShape to_child{&child, ChangeKind::upsert, {0, 1}};
    db().execute("ALTER TABLE child ADD FOREIGN KEY (p) REFERENCES parent (id)");
    for (int id = 0; id < 20; id += 10) {
        auto some = part(p0, to_int(Offset{next_of(p0)}));
        log(some);
        also(some, to_child, fmt::format("({},NULL)", id + 1));
        also(some, to_parent, fmt::format("({})", id + 1));
        also(some, to_child, fmt::format("({},{})", id + 2, id + 1));
        log(some);
        also(some, to_parent, fmt::format("({})", id + 2));
        also(some, to_child, fmt::format("({},{})", id + 3, id + 2));
        const auto whole = batch(std::move(some));
        // Put together by table, the children come first.
        EXPECT_EQ(write(*sink, whole).error->native_code, 1452);
        EXPECT_TRUE(sink->isolate(whole, 10).empty());
        const auto ended = write(*sink, whole);
        ASSERT_TRUE(ended.is_committed()) << ended.text();
    }
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM child"), 6);
}

TEST_F(MysqlSinkRecords, WithoutMergingARecordIsRefusedByItsOwnFault) {
    db().execute("CREATE TABLE own (id INT PRIMARY KEY, p INT)");
    db().execute("INSERT INTO own VALUES (1, NULL), (9, 1), (5, NULL), (3, 5)");
    const auto own = sink->load_table({"", "own"});
    const RowShape removal{&own, ChangeKind::remove, {0}};
    db().execute("ALTER TABLE own ADD FOREIGN KEY (p) REFERENCES own (id)");
    auto some = part(p0);
    for (const char* key : {"(9)", "(1)", "(5)", "(3)"}) {
        log(some);
        also(some, removal, key);
    }
    auto whole = batch(std::move(some));
    std::vector<std::int64_t> taken_out;
    bool is_committed = false;
    for (int i = 0; i < 6 && !is_committed; ++i) {
        is_committed = write(*sink, whole).is_committed();
        if (!is_committed) {
            for (const auto& refused : sink->isolate(whole, 10)) {
                taken_out.push_back(to_int(refused.offset));
                whole.partitions[0].rows.remove(refused.offset);
            }
        }
    }
    EXPECT_TRUE(is_committed);
    EXPECT_EQ(logged(), 4 - static_cast<std::int64_t>(taken_out.size()));
}

TEST_F(MysqlSinkRecords, AMessageInFullIsForTheDeadLetterOnly) {
    auto some = part(p0);
    log(some);
    also(some, statement, "INSERT INTO items VALUES ('secret', 1)");
    auto whole = batch(std::move(some));
    auto refused = sink->isolate(whole, 10);
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].error.message.find("secret"), std::string::npos);
    EXPECT_EQ(refused[0].error.private_text,
              "the column does not take the value (MySQL error 1366 (" +
                  std::string{db().is_mariadb() ? "22007" : "HY000"} +
                  "): Incorrect integer value: 'secret' for column " +
                  (db().is_mariadb() ? fmt::format("`{}`.`items`.`id`", db().name()) : "'id'") +
                  " at row 1)");
    auto kept = letter(0);
    kept.error = refused[0].error;
    whole.partitions[0].rows.clear();
    whole.partitions[0].dead_letters = {kept};
    ASSERT_TRUE(write(*sink, whole).is_committed());
    EXPECT_EQ(db().value("SELECT error_text FROM txsink_dead_letters"),
              refused[0].error.private_text);
}

TEST_F(MysqlSinkRecords, OnlyAnUpsertMeetsTheRowOfAnotherKey) {
    db().execute("CREATE TABLE people (id INT PRIMARY KEY, email VARCHAR(40) UNIQUE)");
    db().execute("INSERT INTO people VALUES (1, 'a@x')");
    db().execute("INSERT INTO items VALUES (1, 1)");
    const auto people = sink->load_table({"", "people"});
    const RowShape upsert{&people, ChangeKind::upsert, {0, 1}};
    auto some = part(p0);
    log(some);
    also(some, upsert, "(2,'a@x')");
    log(some);
    also(some, statement, "UPDATE items SET v = (SELECT 1 UNION ALL SELECT 2) WHERE id = 1");
    const auto refused = sink->isolate(batch(std::move(some)), 10);
    ASSERT_EQ(refused.size(), 2U);
    EXPECT_EQ(refused[0].error.native_code, 1242);
    EXPECT_EQ(refused[0].error.message.find("the upsert would change a row with another primary"),
              0U);
    EXPECT_EQ(refused[1].error.native_code, 1242);
    EXPECT_EQ(refused[1].error.message.find("a subquery returns more than one row"), 0U);
}

TEST_F(MysqlSinkRecords, WhoMayNotReadDeadLettersWritesWithoutThem) {
    const auto user = db().name() + "_u";
    db().execute(fmt::format("CREATE USER '{}'@'%' IDENTIFIED BY 'pw'", user));
    for (const char* grant : {"SELECT, INSERT, UPDATE ON {}.txsink_offsets", "INSERT ON {}.log"}) {
        db().execute(fmt::format(
            "GRANT {} TO '{}'@'%'", fmt::format(fmt::runtime(grant), db().name()), user));
    }
    auto settings = db().settings();
    settings.user = user;
    settings.password = Secret{"pw"};
    {
        const auto poor = make_sink(settings);
        claim(*poor, p1, fence);
        auto some = part(p1);
        log(some);
        const auto ended = write(*poor, batch(std::move(some)));
        EXPECT_TRUE(ended.is_committed()) << ended.text();
    }
    db().execute(fmt::format("DROP USER '{}'@'%'", user));
}

TEST_F(MysqlSinkRecords, ARefusalNamesTheRouteOfTheChange) {
    const mapping::Route to_log;
    const mapping::Route to_items;
    log_shape.route = &to_log;
    items_shape.route = &to_items;
    statement.route = &to_log;
    auto some = part(p0);
    log(some);
    also(some, items_shape, "(1,1000)");
    log(some);
    also(some, statement, "INSERT INTO items VALUES ('secret', 1)");
    log(some);
    also(some, statement, "DELETE FROM items WHERE id = -17");
    const auto refused = sink->isolate(batch(std::move(some)), 10);
    ASSERT_EQ(refused.size(), 3U);
    EXPECT_EQ(refused[0].route, &to_items);
    EXPECT_EQ(refused[0].error.native_code, db().is_mariadb() ? 4025 : 3819);
    EXPECT_EQ(refused[1].error.code, RecordErrorCode::refused_by_server);
    EXPECT_EQ(refused[1].error.message.find("secret"), std::string::npos);
    EXPECT_EQ(refused[2].route, &to_log);
    EXPECT_EQ(refused[2].error.code, RecordErrorCode::row_missing);
    EXPECT_EQ(refused[2].error.native_code, 0);
    EXPECT_EQ(refused[2].error.message.find("17"), std::string::npos);
    EXPECT_EQ(logged(), 0);
}

TEST_F(MysqlSinkRecords, B54AGeneratedColumnThatGetsAValueIsABadRecord) {
    db().execute("CREATE TABLE g (id INT PRIMARY KEY, a INT, g INT AS (a + 1) STORED)");
    const auto table = sink->load_table({"", "g"});
    const RowShape without{&table, ChangeKind::upsert, {0, 1}};
    const RowShape with{&table, ChangeKind::upsert, {0, 1, 2}};
    auto some = part(p0);
    log(some);
    also(some, without, "(1,10)");
    log(some);
    also(some, with, "(2,20,21)");
    auto whole = batch(std::move(some));
    const auto refused = sink->isolate(whole, 10);
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].offset, Offset{1});
    EXPECT_EQ(refused[0].error.native_code, db().is_mariadb() ? 1906 : 3105);
    whole.partitions[0].rows.remove(Offset{1});
    ASSERT_TRUE(write(*sink, whole).is_committed());
    EXPECT_EQ(db().value("SELECT g FROM g"), "11");
}

TEST_F(MysqlSinkRecords, B50AnUpdateThatChangesNothingHasFoundItsRow) {
    db().execute("INSERT INTO items VALUES (1, 10)");
    auto some = part(p0);
    log(some);
    also(some, statement, "UPDATE items SET v = 10 WHERE id = 1");
    ASSERT_TRUE(write(*sink, batch(std::move(some))).is_committed());
    EXPECT_EQ(sink->last_write().missed_rows, 0U);
}

TEST_F(MysqlSinkRecords, ManySmallStatementsAreWritten) {
    auto some = part(p0);
    std::string values;
    for (int i = 0; i < 5'000; ++i) {
        values += fmt::format("{}({},{})", i == 0 ? "" : ",", i, 0);
    }
    db().execute("INSERT INTO items VALUES " + values);
    log(some);
    for (int i = 0; i < 5'000; ++i) {
        also(some,
             statement,
             fmt::format("UPDATE items SET v = {} WHERE id = {} /* {} */",
                         i % 1'000,
                         i,
                         std::string(500, 'x')));
    }
    ASSERT_TRUE(write(*sink, batch(std::move(some))).is_committed());
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM items WHERE v = id % 1000"), 5'000);
}

TEST_F(MysqlSinkRecords, B01KilledWhileIsolatingMovesNothing) {
    db().execute("INSERT INTO items VALUES (5, 0)");
    auto some = part(p0);
    log(some);
    item(some, 1, 1'000);
    item(some, 5, 5);
    const auto whole = batch(std::move(some));
    auto neighbour = db().connect();
    neighbour.execute("START TRANSACTION");
    neighbour.execute("UPDATE items SET v = 7 WHERE id = 5");
    auto isolated = std::async(std::launch::async, [&]() -> std::optional<SinkError> {
        try {
            static_cast<void>(sink->isolate(whole, 10));
            return std::nullopt;
        } catch (const SinkError& error) {
            return error;
        }
    });
    const auto victim = db().wait_for_lock_wait();
    ASSERT_NE(victim, 0U);
    db().kill(victim);
    const auto error = isolated.get();
    neighbour.execute("ROLLBACK");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind, ErrorKind::connection) << error->what();
    EXPECT_FALSE(error->outcome_unknown);
    EXPECT_EQ(next_of(p0), 0);
    EXPECT_EQ(logged(), 0);
    const auto again = sink->isolate(whole, 10);
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].offset, Offset{1});
}

TEST_F(MysqlSinkRecords, DeadLettersKeepEveryByte) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) {
        bytes += static_cast<char>(i);
    }
    auto whole = letter(0);
    whole.key = bytes;
    whole.value = bytes + "');DROP TABLE log;-- ";
    whole.headers = R"([{"name":"it's \"x\" \\","value":"AA=="}])";
    whole.timestamp_ms = 1'700'000'000'123;
    whole.error = {RecordErrorCode::refused_by_server, "id", "it's \\ \xC3\xA9", 1062};
    auto empty = letter(1);
    empty.key = "";
    empty.value = std::nullopt;
    auto some = part(p0);
    log(some);
    some.end = Offset{2};
    some.records = 2;
    some.dead_letters = {whole, empty};
    ASSERT_TRUE(write(*sink, batch(std::move(some))).is_committed());
    const auto rows = db().query(
        "SELECT record_key, record_value, JSON_EXTRACT(record_headers, '$[0].name'), "
        "record_timestamp_ms, error_code, error_number, error_text, target_table, connector, "
        "topic, partition_id, record_offset FROM txsink_dead_letters ORDER BY record_offset");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0],
              (mysql::Row{*whole.key,
                          *whole.value,
                          R"("it's \"x\" \\")",
                          "1700000000123",
                          "refused-by-server",
                          "1062",
                          "it's \\ \xC3\xA9",
                          "shop.items",
                          "c",
                          "orders",
                          "0",
                          "0"}));
    EXPECT_EQ(rows[1],
              (mysql::Row{"",
                          std::nullopt,
                          std::nullopt,
                          std::nullopt,
                          "out-of-range",
                          std::nullopt,
                          "too large",
                          "shop.items",
                          "c",
                          "orders",
                          "0",
                          "1"}));
    EXPECT_EQ(db().number("SELECT dead_letters FROM txsink_offsets"), 2);
    EXPECT_EQ(db().number("SELECT records FROM txsink_offsets"), 2);
    EXPECT_EQ(db().number("SELECT COUNT(*) FROM txsink_dead_letters WHERE created_at > NOW(6) - "
                          "INTERVAL 1 MINUTE"),
              2);
}

TEST_F(MysqlSinkRecords, DeadLettersFillSeveralStatements) {
    auto some = part(p0);
    for (int i = 0; i < 40; ++i) {
        some.dead_letters.push_back(letter(i));
        some.dead_letters.back().value = std::string(100'000, 'x');
    }
    some.end = Offset{40};
    ASSERT_TRUE(write(*sink, batch(std::move(some))).is_committed());
    EXPECT_EQ(db().number("SELECT SUM(LENGTH(record_value)) FROM txsink_dead_letters"), 4'000'000);
    EXPECT_EQ(db().number("SELECT dead_letters FROM txsink_offsets"), 40);
}

TEST_F(MysqlSinkRecords, LongNamesAndTextsOfDeadLettersAreCutAtCharacters) {
    auto some = part(p0);
    some.end = Offset{1};
    auto long_one = letter(0);
    long_one.error.message = "x";
    long_one.target.clear();
    for (int i = 0; i < 40'000; ++i) {
        long_one.error.message += "\xC3\xA9";
        long_one.target += "\xC3\xA9";
    }
    some.dead_letters = {long_one};
    ASSERT_TRUE(write(*sink, batch(std::move(some))).is_committed());
    EXPECT_EQ(db().number("SELECT CHAR_LENGTH(target_table) FROM txsink_dead_letters"), 129);
    EXPECT_EQ(db().number("SELECT LENGTH(error_text) FROM txsink_dead_letters"), 59'999);
}

TEST_F(MysqlSinkRecords, AnErrorOnTheDeadLettersIsNeverABadRecord) {
    db().execute("ALTER TABLE txsink_dead_letters ADD CHECK (record_offset <> 0)");
    auto some = part(p0);
    log(some);
    some.dead_letters = {letter(0)};
    const auto whole = batch(std::move(some));
    const auto ended = write(*sink, whole);
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->kind, ErrorKind::configuration) << ended.text();
    EXPECT_NE(ended.error->hint.find("txsink migrate"), std::string::npos);
    EXPECT_EQ(next_of(p0), 0);
    EXPECT_EQ(logged(), 0);
    EXPECT_TRUE(sink->isolate(whole, 10).empty());
    db().execute("DROP TABLE txsink_dead_letters");
    EXPECT_EQ(write(*sink, whole).error->kind, ErrorKind::configuration);
}

TEST_F(MysqlSinkRecords, ATopicThatWasMadeAgainDoesNotWriteOverTheOldLetters) {
    db().execute("UPDATE txsink_offsets SET next_offset = 10 WHERE partition_id = 0");
    db().execute(
        "INSERT INTO txsink_dead_letters (connector, topic, partition_id, record_offset, "
        "error_code, error_text, target_table) VALUES ('c', 'orders', 0, 9, 'x', 'y', 'z')");
    const auto jump = [&](std::int64_t to) {
        return sink->jump(p0, fence, {Offset{10}, Offset{to}, "topic recreated", true}, kCluster);
    };
    try {
        static_cast<void>(jump(0));
        FAIL() << "moved";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_NE(error.hint.find("--topic orders"), std::string::npos) << error.hint;
    }
    EXPECT_EQ(db().number("SELECT next_offset FROM txsink_offsets WHERE partition_id = 0"), 10);
    EXPECT_TRUE(jump(20));
    db().execute("DELETE FROM txsink_dead_letters");
    EXPECT_TRUE(sink->jump(p0, fence, {Offset{20}, Offset{0}, "topic recreated", true}, kCluster));
}

}  // namespace
}  // namespace txsink::test
