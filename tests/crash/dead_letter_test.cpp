/// @file
/// A stream with bad records, killed with -9: each good one is a row once, each bad one a dead
/// letter once.
#include <fmt/format.h>

#include <csignal>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "support/ledger_world.hpp"
#include "support/source_probe.hpp"
#include "support/test_topics.hpp"
#include "txsink/kafka/kafka_source.hpp"

namespace txsink::test {
namespace {

constexpr int kPartitions = 3;
constexpr int kConfiguration = 78;
/// Every so many records one is refused: these by the mapping, ...
constexpr std::int64_t kBadEvery = 200;
/// ... and those by the table.
constexpr std::int64_t kRefusedEvery = 150;

bool is_no_json(std::int64_t id) {
    return id % kBadEvery == kBadEvery - 1;
}

class DeadLetters : public LedgerWorld {
protected:
    void TearDown() override {
        if (!copies.empty()) {
            delete_topic(kafka, copies);
        }
        LedgerWorld::TearDown();
    }

    /// Record `id` is in partition id % 3 at offset id / 3.
    void open_with_refusals() {
        open(kPartitions);
        observer->stop();  // it takes every record for a row
        sql->execute("ALTER TABLE " + sql_name("ledger") + " ADD CONSTRAINT good CHECK (id % " +
                     std::to_string(kRefusedEvery) + " <> 75)");
        options["on-bad-record"] = "dead-letter";
        options["bad-record.limit"] = "0";
    }
    /// `count` more records, a multiple of kBadEvery.
    void produce(std::int64_t count) {
        for (std::int64_t i = 0; i < count; i += kBadEvery) {
            producer->produce(kBadEvery - 1);
            producer->produce_raw(static_cast<int>(producer->total() % kPartitions), "no JSON");
        }
    }
    [[nodiscard]] std::map<std::pair<std::int64_t, std::int64_t>, std::string> owed() const {
        std::map<std::pair<std::int64_t, std::int64_t>, std::string> letters;
        for (std::int64_t id = 0; id < producer->total(); ++id) {
            const std::pair position{id % kPartitions, id / kPartitions};
            if (is_no_json(id)) {
                letters[position] = "not-json";
            } else if (id % kRefusedEvery == 75) {
                letters[position] = "refused-by-server";
            }
        }
        return letters;
    }
    /// B01: at any instant rows, dead letters and offsets tell the same.
    void expect_consistent() {
        EXPECT_EQ(sql->number("SELECT (SELECT COALESCE(SUM(next_offset), 0) FROM " +
                              sql_name("txsink_offsets") + ") - (SELECT COUNT(*) FROM " +
                              sql_name("ledger") + ") - (SELECT COUNT(*) FROM " +
                              sql_name("txsink_dead_letters") + ")"),
                  0);
    }
    void expect_each_once() {
        expect_consistent();
        const auto letters = owed();
        const auto good = producer->total() - static_cast<std::int64_t>(letters.size());
        const auto ledger = sql_name("ledger");
        EXPECT_EQ(sql->number("SELECT COUNT(*) FROM " + ledger), good) << "rows";
        EXPECT_EQ(sql->number("SELECT COUNT(DISTINCT id) FROM " + ledger), good) << "records";
        EXPECT_EQ(sql->number(fmt::format("SELECT COUNT(*) FROM {} WHERE part <> id % {} OR seq <> "
                                          "id DIV {} OR id % {} = {}",
                                          ledger,
                                          kPartitions,
                                          kPartitions,
                                          kBadEvery,
                                          kBadEvery - 1)),
                  0);
        std::map<std::pair<std::int64_t, std::int64_t>, std::string> found;
        for (const auto& row : sql->rows("SELECT partition_id, record_offset, error_code FROM " +
                                         sql_name("txsink_dead_letters"))) {
            found[{std::stoll(row[0]), std::stoll(row[1])}] = row[2];
        }
        EXPECT_EQ(found, letters) << "dead letters";
        const auto rows = sql->rows("SELECT next_offset, records, dead_letters FROM " +
                                    sql_name("txsink_offsets") + " ORDER BY partition_id");
        ASSERT_EQ(rows.size(), producer->ends().size());
        for (std::size_t part = 0; part < rows.size(); ++part) {
            std::int64_t count = 0;
            for (const auto& [position, code] : letters) {
                count += position.first == static_cast<std::int64_t>(part) ? 1 : 0;
            }
            const auto end = std::to_string(producer->ends()[part]);
            EXPECT_EQ(rows[part], (SqlClient::Row{end, end, std::to_string(count)})) << part;
        }
    }
    void make_copies_topic() {
        copies = unique_name("copies");
        create_topic(kafka, copies, 1);
        options["dead-letter.topic"] = copies;
    }
    /// What is in the topic of copies, by the coordinates in the headers: how often.
    [[nodiscard]] std::map<std::pair<std::int64_t, std::int64_t>, int> copied() const {
        kafka::KafkaSettings settings;
        settings.properties = {{"bootstrap.servers", kafka}};
        settings.assign = {{copies, 0}};
        kafka::KafkaSource source{settings};
        SourceProbe probe{source};
        probe.keeps_records = true;
        source.start();
        EXPECT_TRUE(probe.until([&] { return !probe.ends.empty(); }));
        std::map<std::pair<std::int64_t, std::int64_t>, int> counts;
        for (const auto& record : probe.records) {
            const auto& headers = record.headers;
            EXPECT_EQ(headers.at(0).second, topic);
            ++counts[{std::stoll(*headers.at(1).second), std::stoll(*headers.at(2).second)}];
        }
        return counts;
    }

    std::string copies;
};

struct Crash {
    const char* point;
    int pass;
    bool with_copies;
    friend std::ostream& operator<<(std::ostream& out, const Crash& crash) {
        return out << crash.point << ":" << crash.pass;
    }
};

class EveryDeadLetterFailpoint : public DeadLetters, public ::testing::WithParamInterface<Crash> {};

TEST_P(EveryDeadLetterFailpoint, EachRecordOnce) {  // B01, B02, B28
    const Crash& crash = GetParam();
    const auto failpoint = std::string{crash.point} + ":" + std::to_string(crash.pass);
    open_with_refusals();
    use_fixed_partitions();
    produce(6'000);
    if (crash.with_copies) {
        make_copies_topic();
    }
    expect_exit(run_until_end({}, {{"TXSINK_FAILPOINT", failpoint}}), {-1, SIGKILL}, seconds{60});
    expect_consistent();
    expect_exit(run_until_end(), {0, 0}, seconds{60});
    expect_each_once();
    if (crash.with_copies) {
        const auto letters = owed();
        const auto counts = copied();
        EXPECT_EQ(counts.size(), letters.size());
        for (const auto& [position, code] : letters) {
            EXPECT_TRUE(counts.contains(position)) << position.first << "@" << position.second;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Points,
                         EveryDeadLetterFailpoint,
                         ::testing::Values(Crash{"after-offsets", 3, false},
                                           Crash{"isolating", 2, false},
                                           Crash{"after-isolate", 2, false},
                                           Crash{"after-dead-letters", 1, false},
                                           Crash{"after-dead-letters", 4, false},
                                           Crash{"before-commit", 3, false},
                                           Crash{"after-commit", 3, false},
                                           Crash{"after-copy", 3, true},
                                           Crash{"before-commit", 2, true}),
                         [](const auto& param_info) {
                             std::string name;
                             for (const char c : std::string{param_info.param.point}) {
                                 name += c == '-' ? '_' : c;
                             }
                             return name + "_" + std::to_string(param_info.param.pass) +
                                    (param_info.param.with_copies ? "_copies" : "");
                         });

TEST_F(DeadLetters, EachRecordOnceUnderRandomKills) {  // B02
    constexpr int kKills = 8;
    std::mt19937 random{test_seed()};
    std::uniform_int_distribution<int> moment{0, 300};
    open_with_refusals();
    use_fixed_partitions();
    options["batch.rows"] = "100";
    for (int i = 0; i < kKills && !HasFatalFailure(); ++i) {
        std::jthread producing{[this] { produce(2'000); }};
        const auto before = committed();
        Process& process = run();
        ASSERT_TRUE(wait_for_committed(before + 1, seconds{30}));
        // Not a wait for something: the moment itself is what is random.
        pause_briefly(milliseconds{moment(random)});
        process.kill();
        expect_consistent();
    }
    expect_exit(run_until_end({{"batch.rows", "500"}}), {0, 0}, seconds{60});
    expect_each_once();
}

TEST_F(DeadLetters, WithoutTheTopicOfCopiesNothingStarts) {
    open_with_refusals();
    use_fixed_partitions();
    options["dead-letter.topic"] = topic + "-missing";
    expect_exit(run_until_end(), {kConfiguration, 0}, seconds{30});
    EXPECT_TRUE(last().has_said(topic + "-missing")) << last().output();
    EXPECT_EQ(committed(), 0);
}

TEST_F(DeadLetters, ATopicThatIsReadIsNoTopicForCopies) {
    open_with_refusals();
    use_fixed_partitions();
    options["dead-letter.topic"] = topic;
    expect_exit(run_until_end(), {kConfiguration, 0}, seconds{30});
    EXPECT_EQ(committed(), 0);
}

/// B01: a broker that goes away while dead letters are copied holds the batch back.
TEST_F(DeadLetters, CopiesWaitForTheBroker) {
    open_with_refusals();
    use_fixed_partitions();
    make_copies_topic();
    produce(6'000);
    options["batch.rows"] = "100";
    Process& process = run_until_end();
    ASSERT_TRUE(wait_for_committed(1, seconds{30}));
    services({"pause", "kafka"});
    pause_briefly(milliseconds{500});
    expect_consistent();
    services({"resume", "kafka"});
    expect_exit(process, {0, 0}, seconds{60});
    expect_each_once();
    EXPECT_EQ(copied().size(), owed().size());
}

}  // namespace
}  // namespace txsink::test
