#include "txsink/kafka/kafka_source.hpp"

#include <gtest/gtest.h>

#include "kafka/consumer.hpp"
#include "support/await_quiet.hpp"
#include "support/mock_cluster.hpp"
#include "support/source_probe.hpp"
#include "support/test_producer.hpp"
#include "support/test_topics.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/kafka_admin.hpp"

namespace {
/// A client that is given up may be in the middle of its destruction, where librdkafka's threads
/// hold what they free in registers only.
bool client_was_given_up = false;
}  // namespace

/// LeakSanitizer asks it at the end of the process; each test has one of its own.
extern "C" int __lsan_is_turned_off() {  // NOLINT(bugprone-reserved-identifier)
    return client_was_given_up ? 1 : 0;
}

namespace txsink::kafka {
namespace {

using std::chrono::milliseconds;
using test::numbers;
using test::SourceProbe;

class KafkaSourceOnMock : public ::testing::Test {
protected:
    static KafkaSettings fixed(const std::vector<TopicPartition>& partitions) {
        KafkaSettings settings = base();
        settings.assign = partitions;
        return settings;
    }
    static KafkaSettings member() {
        KafkaSettings settings = base();
        settings.topics = {"t"};
        return settings;
    }

    static test::MockCluster& cluster() { return *cluster_; }
    void SetUp() override { cluster_ = std::make_unique<test::MockCluster>(); }
    void TearDown() override { cluster_.reset(); }

private:
    static KafkaSettings base() {
        KafkaSettings settings;
        settings.properties = {{"bootstrap.servers", cluster().address()}, {"group.id", "g"}};
        // The mock cluster gathers members for 3 s at first, and later for the session timeout
        // less a second.
        settings.properties["session.timeout.ms"] = "3500";
        settings.properties["heartbeat.interval.ms"] = "100";
        settings.mirror_interval = milliseconds{50};
        return settings;
    }
    static std::unique_ptr<test::MockCluster> cluster_;
};

std::unique_ptr<test::MockCluster> KafkaSourceOnMock::cluster_;

const TopicPartition kT0{"t", 0};
const TopicPartition kT1{"t", 1};

TEST_F(KafkaSourceOnMock, FixedPartitionsComeAsOneEventAndAreReadFromTheOffsetGiven) {
    cluster().create_topic("t", 2);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 0, 0, 20);
    producer.produce_numbers("t", 1, 0, 10);
    KafkaSource source{fixed({kT0, kT1})};
    SourceProbe probe{source};
    probe.starts = {{kT0, 15}, {kT1, 3}};
    source.start();
    EXPECT_TRUE(probe.until([&] { return probe.ends.size() == 2; }));
    EXPECT_EQ(probe.rebalances, 1);
    EXPECT_EQ(probe.of(kT0), numbers(15, 20));
    EXPECT_EQ(probe.of(kT1), numbers(3, 10));
    EXPECT_EQ(probe.ends[kT0], 20);
    EXPECT_EQ(probe.ends[kT1], 10);
    EXPECT_EQ(probe.wrong_tags, 0);
}

TEST_F(KafkaSourceOnMock, GroupsCommittedOffsetIsNotWhereReadingStarts) {  // B08
    cluster().create_topic("t", 1);
    test::TestProducer{cluster().address()}.produce_numbers("t", 0, 0, 100);
    test::commit_group_offset(cluster().address(), "g", "t", 0, 50);
    KafkaSource source{member()};
    SourceProbe probe{source};
    probe.starts = {{kT0, 80}};
    source.start();
    EXPECT_TRUE(probe.until([&] { return probe.ends.contains(kT0); }));
    EXPECT_EQ(probe.of(kT0), numbers(80, 100));
}

TEST_F(KafkaSourceOnMock, NothingIsFetchedBeforeAssign) {
    cluster().create_topic("t", 2);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 0, 0, 5);
    producer.produce_numbers("t", 1, 0, 5);
    KafkaSource source{member()};
    SourceProbe probe{source};
    probe.assigns_at_once = false;
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.owned.size() == 2; }));
    probe.assign(kT1, 0);
    EXPECT_TRUE(probe.until([&] { return probe.ends.contains(kT1); }));
    EXPECT_EQ(probe.of(kT1), numbers(0, 5));
    EXPECT_TRUE(probe.of(kT0).empty());
    probe.assign(kT0, 2);
    EXPECT_TRUE(probe.until([&] { return probe.ends.contains(kT0); }));
    EXPECT_EQ(probe.of(kT0), numbers(2, 5));
}

TEST_F(KafkaSourceOnMock, ReassigningGoesBackWithoutGapOrLeftovers) {
    cluster().create_topic("t", 2);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 0, 0, 2'000);
    producer.produce_numbers("t", 1, 0, 2'000);
    KafkaSource source{fixed({kT0, kT1})};
    SourceProbe probe{source};
    source.start();
    for (int round = 0; round < 10; ++round) {
        // In the middle of the stream, so that later records are already in librdkafka's queue.
        probe.of(kT0).clear();
        ASSERT_TRUE(probe.until([&] { return probe.of(kT0).size() >= 700; }));
        probe.of(kT0).clear();
        probe.ends.clear();
        probe.assign(kT0, 10 + round);
        ASSERT_TRUE(probe.until([&] { return probe.of(kT0).size() >= 500; }));
        auto& seen = probe.of(kT0);
        ASSERT_EQ(seen, numbers(10 + round, 10 + round + static_cast<std::int64_t>(seen.size())));
        probe.assign(kT0, 0);
    }
    EXPECT_EQ(probe.wrong_tags, 0);
    EXPECT_TRUE(probe.until([&] { return probe.ends.contains(kT1) || !probe.of(kT1).empty(); }));
    EXPECT_EQ(probe.of(kT1), numbers(0, static_cast<std::int64_t>(probe.of(kT1).size())));
}

TEST_F(KafkaSourceOnMock, UnassignedPartitionsDeliverNothing) {
    cluster().create_topic("t", 2);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 0, 0, 1'000);
    producer.produce_numbers("t", 1, 0, 1'000);
    KafkaSource source{fixed({kT0, kT1})};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return !probe.of(kT0).empty(); }));
    source.unassign(kT0);
    const auto before = probe.of(kT0).size();
    EXPECT_TRUE(probe.until([&] { return probe.ends.contains(kT1); }));
    EXPECT_EQ(probe.of(kT0).size(), before);
    source.unassign(kT0);  // again: nothing happens
}

TEST_F(KafkaSourceOnMock, OutOfRangeIsToldAndThePartitionRevives) {  // B12, B13
    cluster().create_topic("t", 2);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 0, 0, 10);
    producer.produce_numbers("t", 1, 0, 10);
    KafkaSource source{fixed({kT0, kT1})};
    SourceProbe probe{source};
    probe.starts = {{kT0, 500}};
    source.start();
    EXPECT_TRUE(
        probe.until([&] { return probe.ends.contains(kT1) && !probe.out_of_range.empty(); }));
    EXPECT_EQ(probe.out_of_range, std::vector<std::string>{"t[0]"});
    EXPECT_TRUE(probe.of(kT0).empty());
    EXPECT_EQ(probe.of(kT1), numbers(0, 10));
    probe.assign(kT0, 4);
    EXPECT_TRUE(probe.until([&] { return probe.ends.contains(kT0); }));
    EXPECT_EQ(probe.of(kT0), numbers(4, 10));
    EXPECT_EQ(probe.out_of_range.size(), 1U);
}

TEST_F(KafkaSourceOnMock, LeftoverOutOfRangeDoesNotSpeakForANewAssignment) {
    cluster().create_topic("t", 1);
    test::TestProducer{cluster().address()}.produce_numbers("t", 0, 0, 10);
    Consumer consumer{fixed({kT0})};
    consumer.start();
    ASSERT_EQ(consumer.poll(milliseconds{0}).kind, pipeline::EventKind::assigned);
    consumer.assign(kT0, Offset{10}, {0, 0});
    ASSERT_EQ(consumer.poll(std::chrono::seconds{15}).kind, pipeline::EventKind::end_of_partition);
    consumer.assign(kT0, Offset{500}, {0, 1});
    // The error waits in librdkafka's queue by the time that the position is corrected.
    test::await_quiet(consumer.client().get(), "t");
    consumer.assign(kT0, Offset{3}, {0, 2});
    std::vector<std::int64_t> seen;
    auto kind = pipeline::EventKind::none;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{15};
    do {
        const auto& event = consumer.poll(milliseconds{50});
        kind = event.kind;
        if (kind == pipeline::EventKind::record) {
            seen.push_back(to_int(event.record.offset));
        }
    } while ((kind == pipeline::EventKind::none || kind == pipeline::EventKind::record) &&
             std::chrono::steady_clock::now() < deadline);
    EXPECT_EQ(kind, pipeline::EventKind::end_of_partition);
    EXPECT_EQ(seen, numbers(3, 10));
}

TEST_F(KafkaSourceOnMock, PauseHoldsAllAndResumeGoesOnWhereItWas) {
    cluster().create_topic("t", 2);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 0, 0, 1'000);
    producer.produce_numbers("t", 1, 0, 10);
    KafkaSource source{fixed({kT0, kT1})};
    SourceProbe probe{source};
    probe.assigns_at_once = false;
    source.start();
    probe.turn(milliseconds{0});
    probe.assign(kT0, 0);
    ASSERT_TRUE(probe.until([&] { return probe.of(kT0).size() >= 100; }));
    source.pause();
    source.pause();  // again: nothing happens
    const auto before = probe.of(kT0);
    probe.assign(kT1, 5);  // assigned while paused
    EXPECT_FALSE(probe.until([&] { return probe.of(kT0) != before || !probe.of(kT1).empty(); },
                             milliseconds{700}));
    source.resume();
    EXPECT_TRUE(probe.until([&] { return probe.ends.size() == 2; }));
    EXPECT_EQ(probe.of(kT0), numbers(0, 1'000));
    EXPECT_EQ(probe.of(kT1), numbers(5, 10));
    EXPECT_EQ(probe.wrong_tags, 0);
}

TEST_F(KafkaSourceOnMock, RewindWhilePausedStartsAtTheNewOffset) {
    cluster().create_topic("t", 1);
    test::TestProducer{cluster().address()}.produce_numbers("t", 0, 0, 200);
    KafkaSource source{fixed({kT0})};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.of(kT0).size() >= 100; }));
    probe.of(kT0).clear();
    probe.assign(kT0, 20);
    source.pause();
    source.resume();
    source.pause();
    probe.assign(kT0, 10);
    source.resume();
    EXPECT_TRUE(probe.until([&] { return probe.ends.contains(kT0); }));
    EXPECT_EQ(probe.of(kT0), numbers(10, 200));
}

TEST_F(KafkaSourceOnMock, KeysAndValuesComeAsTheyAre) {
    cluster().create_topic("t", 1);
    test::TestProducer producer{cluster().address()};
    producer.produce("t", 0, std::nullopt, std::nullopt, 1'000);
    producer.produce("t", 0, "", "", 2'000);
    producer.produce("t", 0, std::string_view{"a\0b", 3}, "v", 3'000);
    producer.flush();
    KafkaSource source{fixed({kT0})};
    source.start();
    static_cast<void>(source.poll(milliseconds{0}));
    source.assign(kT0, Offset{0}, {7, 9});
    std::vector<std::optional<std::string>> keys;
    std::vector<std::optional<std::string>> values;
    std::vector<std::int64_t> timestamps;
    const auto copy = [](const auto& bytes) {
        return bytes ? std::optional{std::string{*bytes}} : std::nullopt;
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (keys.size() < 3 && std::chrono::steady_clock::now() < deadline) {
        const auto& event = source.poll(milliseconds{20});
        if (event.kind == pipeline::EventKind::record) {
            EXPECT_EQ(event.tag, (pipeline::AssignmentTag{7, 9}));
            EXPECT_EQ(event.record.topic, "t");
            keys.push_back(copy(event.record.key));
            values.push_back(copy(event.record.value));
            timestamps.push_back(event.record.timestamp_ms);
        }
    }
    using Texts = std::vector<std::optional<std::string>>;
    EXPECT_EQ(keys, (Texts{std::nullopt, "", std::string{"a\0b", 3}}));
    EXPECT_EQ(values, (Texts{std::nullopt, "", "v"}));
    EXPECT_EQ(timestamps, (std::vector<std::int64_t>{1'000, 2'000, 3'000}));
}

TEST_F(KafkaSourceOnMock, HeadersComeAsTheyAre) {
    cluster().create_topic("t", 1);
    test::TestProducer producer{cluster().address()};
    const std::vector<test::TestHeader> headers{
        {"a", "1"}, {"b", ""}, {"a", std::nullopt}, {"", std::string{"\0\xff", 2}}};
    producer.produce("t", 0, {}, "none");
    producer.produce("t", 0, {}, "four", 0, headers);
    producer.produce("t", 0, {}, "one", 0, std::span{headers}.first(1));
    producer.produce("t", 0, {}, "none");
    producer.flush();
    KafkaSource source{fixed({kT0})};
    SourceProbe probe{source};
    probe.keeps_records = true;
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.records.size() == 4; }));
    EXPECT_TRUE(probe.records[0].headers.empty());
    EXPECT_EQ(probe.records[1].headers, headers);
    EXPECT_EQ(probe.records[2].headers, (std::vector<test::TestHeader>{{"a", "1"}}));
    EXPECT_TRUE(probe.records[3].headers.empty());
}

TEST_F(KafkaSourceOnMock, GoesOnAfterTheBrokerWasAway) {
    cluster().create_topic("t", 1);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 0, 0, 10);
    KafkaSource source{fixed({kT0})};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.ends.contains(kT0); }));
    cluster().set_down();
    EXPECT_FALSE(probe.until([&] { return probe.of(kT0).size() > 10; }, milliseconds{300}));
    cluster().set_up();
    producer.produce_numbers("t", 0, 10, 10);
    EXPECT_TRUE(probe.until([&] { return probe.of(kT0).size() == 20; }));
    EXPECT_EQ(probe.of(kT0), numbers(0, 20));
}

TEST_F(KafkaSourceOnMock, CloseEndsWithTheBrokerDown) {  // B20
    cluster().create_topic("t", 1);
    test::TestProducer{cluster().address()}.produce_numbers("t", 0, 0, 10);
    KafkaSource source{member()};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.ends.contains(kT0); }));
    cluster().set_down();
    source.acknowledge(kT0, Offset{10});  // something to mirror
    const auto began = std::chrono::steady_clock::now();
    source.close();
    source.close();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{8});
    client_was_given_up = true;
}

TEST_F(KafkaSourceOnMock, CloseEndsInTheMiddleOfTheStream) {
    cluster().create_topic("t", 2);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 0, 0, 5'000);
    producer.produce_numbers("t", 1, 0, 5'000);
    for (std::size_t round = 1; round <= 20; ++round) {
        KafkaSource source{fixed({kT0, kT1})};
        SourceProbe probe{source};
        source.start();
        ASSERT_TRUE(probe.until([&] { return probe.of(kT0).size() >= round; }));
    }
    KafkaSource source{member()};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.of(kT0).size() >= 10; }));
    source.acknowledge(kT0, Offset{10});
    source.close();
    EXPECT_EQ(test::committed_offset(cluster().address(), "g", "t", 0), 10);
}

TEST_F(KafkaSourceOnMock, CloseEndsInTheMiddleOfJoining) {  // B20
    cluster().create_topic("t", 1);
    KafkaSource source{member()};
    source.start();
    static_cast<void>(source.poll(milliseconds{100}));
    const auto began = std::chrono::steady_clock::now();
    source.close();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{8});
}

TEST_F(KafkaSourceOnMock, TwoMembersShareWhileNeitherHasAssignedAnything) {
    cluster().create_topic("t", 2);
    KafkaSource a{member()};
    KafkaSource b{member()};
    SourceProbe of_a{a};
    SourceProbe of_b{b};
    of_a.assigns_at_once = of_b.assigns_at_once = false;
    a.start();
    ASSERT_TRUE(of_a.until([&] { return of_a.owned.size() == 2; }));
    b.start();
    EXPECT_TRUE(of_a.until([&] {
        of_b.turn(milliseconds{10});
        return of_a.owned.size() == 1 && of_b.owned.size() == 1;
    }));
    EXPECT_NE(of_a.owned, of_b.owned);
    b.close();
    EXPECT_TRUE(of_a.until([&] { return of_a.owned.size() == 2; }));
}

TEST_F(KafkaSourceOnMock, RebalanceTakesWhatIsReadAndLeavesTheRest) {  // B18
    cluster().create_topic("t", 2);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 0, 0, 10);
    producer.produce_numbers("t", 1, 0, 10);
    KafkaSource a{member()};
    auto b = std::make_unique<KafkaSource>(member());
    SourceProbe of_a{a};
    SourceProbe of_b{*b};
    a.start();
    ASSERT_TRUE(of_a.until([&] { return of_a.ends.size() == 2; }));
    a.pause();  // and is paused when the partition goes and comes back
    b->start();
    ASSERT_TRUE(of_a.until([&] {
        of_b.turn(milliseconds{10});
        return of_a.owned.size() == 1 && of_b.ends.size() == 1;
    }));
    EXPECT_EQ(of_b.of(*of_b.owned.begin()), numbers(0, 10));
    b->close();
    ASSERT_TRUE(of_a.until([&] { return of_a.owned.size() == 2; }));
    const auto count = of_a.of(kT0).size() + of_a.of(kT1).size();
    EXPECT_EQ(count, 20U);
    a.resume();
    // The one that stayed goes on, the one that came back is read from its start again.
    EXPECT_TRUE(of_a.until([&] { return of_a.of(kT0).size() + of_a.of(kT1).size() == 30; }));
    producer.produce_numbers("t", 0, 10, 5);
    producer.produce_numbers("t", 1, 10, 5);
    EXPECT_TRUE(of_a.until([&] { return of_a.of(kT0).size() + of_a.of(kT1).size() == 40; }));
    EXPECT_EQ(of_a.of(kT0).back(), 14);
    EXPECT_EQ(of_a.of(kT1).back(), 14);
    EXPECT_EQ(of_a.wrong_tags, 0);
}

TEST_F(KafkaSourceOnMock, MirrorsWhatIsAcknowledgedAndNoMore) {  // B21, B23
    cluster().create_topic("t", 2);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 0, 0, 10);
    producer.produce_numbers("t", 1, 0, 10);
    KafkaSource source{member()};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.ends.size() == 2; }));
    source.acknowledge(kT0, Offset{7});
    EXPECT_TRUE(
        probe.until([&] { return test::committed_offset(cluster().address(), "g", "t", 0) == 7; }));
    EXPECT_EQ(test::committed_offset(cluster().address(), "g", "t", 1), -1);
    source.acknowledge(kT0, Offset{9});
    source.acknowledge(kT1, Offset{4});
    source.close();
    EXPECT_EQ(test::committed_offset(cluster().address(), "g", "t", 0), 9);
    EXPECT_EQ(test::committed_offset(cluster().address(), "g", "t", 1), 4);
}

TEST_F(KafkaSourceOnMock, FailedMirrorDoesNotDisturbReading) {  // B21
    constexpr std::int16_t kOffsetCommit = 8;
    cluster().create_topic("t", 1);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 0, 0, 10);
    KafkaSource source{member()};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.ends.contains(kT0); }));
    cluster().push_errors(kOffsetCommit, {RD_KAFKA_RESP_ERR_INVALID_COMMIT_OFFSET_SIZE});
    source.acknowledge(kT0, Offset{5});
    producer.produce_numbers("t", 0, 10, 5);
    EXPECT_TRUE(probe.until([&] { return probe.of(kT0).size() == 15; }));
    source.acknowledge(kT0, Offset{12});
    EXPECT_TRUE(probe.until(
        [&] { return test::committed_offset(cluster().address(), "g", "t", 0) == 12; }));
}

/// A topic that the subscription leaves out is never read: neither are its ends waited for.
TEST_F(KafkaSourceOnMock, PatternsLeaveOutWhatTheSubscriptionDoes) {
    for (const char* topic : {"t", "__consumer_offsets", "__mine", "secret", "private.a"}) {
        cluster().create_topic(topic, 1);
    }
    auto settings = member();
    settings.topics = {"^.*"};
    EXPECT_EQ(KafkaSource{settings}.topics(),
              (std::vector<std::string>{"__mine", "private.a", "secret", "t"}));
    settings.properties["topic.blacklist"] = "^__,^private[.]";
    EXPECT_EQ(KafkaSource{settings}.topics(), (std::vector<std::string>{"secret", "t"}));
}

TEST_F(KafkaSourceOnMock, AnswersQuestionsAboutTopics) {
    cluster().create_topic("t", 3);
    cluster().create_topic("other", 1);
    test::TestProducer producer{cluster().address()};
    producer.produce_numbers("t", 1, 0, 10);
    auto settings = member();
    settings.topics = {"^t", "other"};
    KafkaSource source{settings};
    EXPECT_EQ(source.topics(), (std::vector<std::string>{"other", "t"}));
    EXPECT_EQ(source.watermarks(kT1).low, Offset{0});
    EXPECT_EQ(source.watermarks(kT1).high, Offset{10});
    EXPECT_FALSE(source.cluster_id().empty());
    const auto latest = source.start_offsets("t", {pipeline::StartKind::latest, 0, ""});
    ASSERT_EQ(latest.size(), 3U);
    EXPECT_EQ(latest[0].offset, Offset{0});
    EXPECT_EQ(latest[1].partition, kT1);
    EXPECT_EQ(latest[1].offset, Offset{10});
    const auto earliest = source.start_offsets("t", {pipeline::StartKind::earliest, 0, ""});
    EXPECT_EQ(earliest[1].offset, Offset{0});
    try {
        static_cast<void>(source.start_offsets("t", {pipeline::StartKind::fail, 0, ""}));
        ADD_FAILURE() << "start = fail started";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
    }
}

TEST_F(KafkaSourceOnMock, QuestionsToBrokersThatAreAwayAreWorthAnotherTry) {
    cluster().create_topic("t", 1);
    auto settings = fixed({kT0});
    settings.request_timeout = milliseconds{300};
    KafkaSource source{settings};
    cluster().set_down();
    try {
        static_cast<void>(source.watermarks(kT0));
        ADD_FAILURE() << "an answer from nobody";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::connection);
    }
    EXPECT_EQ(source.cluster_id(), "");
}

TEST_F(KafkaSourceOnMock, APartitionThatABrokerDoesNotKnowIsWorthAnotherTry) {
    cluster().create_topic("t", 1);
    KafkaSource source{fixed({kT0})};
    try {
        static_cast<void>(source.watermarks({"t", 7}));
        ADD_FAILURE() << "an answer for a partition that is not there";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::connection);
    }
}

TEST_F(KafkaSourceOnMock, OffsetsOfWhatDoesNotExistNameIt) {
    cluster().create_topic("t", 2);
    const auto refusal = [](const TopicPartition& wanted) {
        const std::vector<TopicPartition> both{kT0, wanted};
        try {
            static_cast<void>(KafkaAdmin{member()}.watermarks(both));
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, ErrorKind::configuration);
            return std::string{error.what()};
        }
        return std::string{};
    };
    EXPECT_EQ(refusal({"t", 7}), "topic t has no partition 7");
}

TEST_F(KafkaSourceOnMock, KafkasOwnTopicsCannotBeRead) {
    cluster().create_topic("__consumer_offsets", 1);
    cluster().create_topic("secret", 1);
    auto settings = member();
    const auto refusal = [&](const char* topic) {
        settings.topics = {topic};
        try {
            static_cast<void>(KafkaAdmin{settings}.topics());
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, ErrorKind::configuration);
            return std::string{error.what()};
        }
        return std::string{};
    };
    EXPECT_EQ(refusal("__consumer_offsets"),
              "topic __consumer_offsets is Kafka's own and cannot be read");
    settings.properties["topic.blacklist"] = "^secret$";
    EXPECT_EQ(refusal("secret"), "topic secret is left out by kafka.topic.blacklist");
}

TEST_F(KafkaSourceOnMock, AssignOfWhatWasTakenBackDoesNothing) {
    cluster().create_topic("t", 1);
    KafkaSource source{member()};
    source.assign(kT0, Offset{0}, {0, 1});
    source.unassign(kT0);
    source.acknowledge(kT0, Offset{5});
    EXPECT_FALSE(source.is_assignment_lost());
}

}  // namespace
}  // namespace txsink::kafka
