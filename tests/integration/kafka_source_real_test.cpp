// KafkaSource and KafkaAdmin against a real broker: what the mock cluster does not have.
#include <gtest/gtest.h>

#include <memory>

#include "support/real_kafka.hpp"
#include "support/source_probe.hpp"
#include "support/test_producer.hpp"
#include "support/test_topics.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/kafka_admin.hpp"
#include "txsink/kafka/kafka_source.hpp"

namespace txsink::kafka {
namespace {

using pipeline::StartKind;
using std::chrono::milliseconds;
using test::numbers;
using test::SourceProbe;

class KafkaSourceOnBroker : public test::RealKafka {
protected:
    void SetUp() override {
        RealKafka::SetUp();
        topic = test::unique_name("source");
        group = topic + "-group";
        p0 = {topic, 0};
        p1 = {topic, 1};
    }

    void create(int partitions, const std::map<std::string, std::string>& settings = {}) {
        test::create_topic(broker, topic, partitions, settings);
    }
    KafkaSettings base() const {
        KafkaSettings settings;
        settings.properties = {{"bootstrap.servers", broker},
                               {"group.id", group},
                               {"session.timeout.ms", "6000"},
                               {"heartbeat.interval.ms", "200"},
                               {"topic.metadata.refresh.interval.ms", "500"}};
        settings.mirror_interval = milliseconds{50};
        return settings;
    }
    KafkaSettings member() const {
        auto settings = base();
        settings.topics = {topic};
        return settings;
    }
    KafkaSettings fixed(std::vector<TopicPartition> partitions) const {
        auto settings = base();
        settings.assign = std::move(partitions);
        return settings;
    }

    std::string topic;
    std::string group;
    TopicPartition p0;
    TopicPartition p1;
};

TEST_F(KafkaSourceOnBroker, EndOfPartitionStepsOverTransactionMarkers) {
    create(1);
    test::TestProducer producer{broker, topic + "-tx"};
    producer.begin();
    producer.produce(topic, 0, "k", "0");
    producer.produce(topic, 0, "k", "1");
    producer.commit();  // offset 2 is its marker
    KafkaSource source{fixed({p0})};
    SourceProbe probe{source};
    source.start();
    // A commit is answered before its marker is in the log: earlier ends may come first.
    ASSERT_TRUE(probe.until([&] { return probe.ends[p0] == 3; }));
    EXPECT_EQ(probe.of(p0), numbers(0, 2));
    EXPECT_EQ(source.watermarks(p0).high, Offset{3});
    // A pause at the tail goes on behind the marker too.
    source.pause();
    source.resume();
    producer.begin();
    producer.produce(topic, 0, "k", "3");
    producer.commit();
    EXPECT_TRUE(probe.until([&] { return probe.ends[p0] == 5; }));
    EXPECT_EQ(probe.of(p0), (std::vector<std::int64_t>{0, 1, 3}));
}

TEST_F(KafkaSourceOnBroker, AbortedRecordsAreNotSeen) {
    create(1);
    test::TestProducer producer{broker, topic + "-tx"};
    producer.begin();
    producer.produce(topic, 0, "k", "0");
    producer.abort();  // 1: marker
    producer.begin();
    producer.produce(topic, 0, "k", "2");
    producer.commit();  // 3: marker
    producer.begin();
    producer.produce(topic, 0, "k", "4");
    producer.abort();  // 5: marker
    KafkaSource source{fixed({p0})};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.ends[p0] == 6; }));
    EXPECT_EQ(probe.of(p0), numbers(2, 3));
}

TEST_F(KafkaSourceOnBroker, OpenTransactionHoldsTheEndBack) {  // B22
    create(1);
    test::TestProducer plain{broker};
    plain.produce_numbers(topic, 0, 0, 3);
    test::TestProducer producer{broker, topic + "-tx"};
    producer.begin();
    for (int i = 0; i < 5; ++i) {
        producer.produce(topic, 0, "k", "open");
    }
    producer.flush();
    KafkaSource source{fixed({p0})};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.ends.contains(p0); }));
    EXPECT_EQ(probe.of(p0), numbers(0, 3));
    EXPECT_EQ(probe.ends[p0], 3);
    EXPECT_EQ(source.watermarks(p0).high, Offset{3});
    const std::vector<TopicPartition> all{p0};
    EXPECT_EQ(KafkaAdmin{base()}.ends(all)[p0], Offset{3});
    auto dirty = base();
    dirty.properties["isolation.level"] = "read_uncommitted";
    EXPECT_EQ(KafkaAdmin{dirty}.ends(all)[p0], Offset{8});
    producer.commit();
    EXPECT_TRUE(probe.until([&] { return probe.ends[p0] == 9; }));
    EXPECT_EQ(probe.of(p0), numbers(0, 8));
}

TEST_F(KafkaSourceOnBroker, DeletedRecordsAreOutOfRangeAndThePartitionRevives) {  // B12, B13
    create(2);
    test::TestProducer producer{broker};
    producer.produce_numbers(topic, 0, 0, 100);
    producer.produce_numbers(topic, 1, 0, 10);
    test::delete_records(broker, topic, 0, 60);
    KafkaSource source{fixed({p0, p1})};
    SourceProbe probe{source};
    probe.starts = {{p0, 5}};
    source.start();
    ASSERT_TRUE(
        probe.until([&] { return !probe.out_of_range.empty() && probe.ends.contains(p1); }));
    EXPECT_EQ(probe.out_of_range, std::vector<std::string>{to_string(p0)});
    EXPECT_EQ(source.watermarks(p0).low, Offset{60});
    probe.assign(p0, 60);
    ASSERT_TRUE(probe.until([&] { return probe.ends.contains(p0); }));
    EXPECT_EQ(probe.of(p0), numbers(60, 100));
    EXPECT_EQ(probe.of(p1), numbers(0, 10));
}

TEST_F(KafkaSourceOnBroker, RecordsDeletedUnderAReaderThatIsPausedAreOutOfRange) {
    create(1);
    test::TestProducer producer{broker};
    producer.produce_numbers(topic, 0, 0, 10);
    KafkaSource source{fixed({p0})};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.ends.contains(p0); }));
    source.pause();
    producer.produce_numbers(topic, 0, 10, 10);
    test::delete_records(broker, topic, 0, 15);
    source.resume();
    EXPECT_TRUE(probe.until([&] { return !probe.out_of_range.empty(); }));
    EXPECT_EQ(probe.of(p0), numbers(0, 10));
}

TEST_F(KafkaSourceOnBroker, CompactionLeavesGapsThatAreReadOver) {  // B10
    create(1,
           {{"cleanup.policy", "compact"},
            {"min.cleanable.dirty.ratio", "0.01"},
            {"segment.ms", "100"},
            {"min.compaction.lag.ms", "0"}});
    test::TestProducer producer{broker};
    for (int i = 0; i < 10; ++i) {
        producer.produce(topic, 0, "same", std::to_string(i));
    }
    producer.flush();
    // Compaction leaves the active segment alone, and runs when it will: write and look again.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    std::vector<std::int64_t> seen;
    std::int64_t end = 0;
    do {
        producer.produce(topic, 0, "other", "x");
        producer.flush();
        KafkaSource source{fixed({p0})};
        SourceProbe probe{source};
        probe.starts = {{p0, 1}};
        source.start();
        ASSERT_TRUE(probe.until([&] { return probe.ends.contains(p0); }));
        seen = probe.of(p0);
        end = probe.ends[p0];
        ASSERT_TRUE(probe.out_of_range.empty());
    } while (seen.front() == 1 && std::chrono::steady_clock::now() < deadline);
    EXPECT_GE(seen.front(), 9);  // 1 to 8 are gone; reading from 1 went on behind them
    EXPECT_EQ(seen.back() + 1, end);
}

TEST_F(KafkaSourceOnBroker, StartPoliciesFindTheirOffsets) {  // B11
    create(2);
    test::TestProducer producer{broker};
    for (int i = 0; i < 10; ++i) {
        producer.produce(topic, 0, "k", "v", 1'000'000 + i * 1'000);
    }
    producer.flush();
    KafkaSource source{member()};
    const auto starts_at = [&](StartKind kind, std::int64_t timestamp) {
        std::vector<std::int64_t> offsets;
        for (const auto& start : source.start_offsets(topic, {kind, timestamp, ""})) {
            offsets.push_back(to_int(start.offset));
        }
        return offsets;
    };
    using Offsets = std::vector<std::int64_t>;
    EXPECT_EQ(starts_at(StartKind::earliest, 0), (Offsets{0, 0}));
    EXPECT_EQ(starts_at(StartKind::latest, 0), (Offsets{10, 0}));
    EXPECT_EQ(starts_at(StartKind::timestamp, 1'003'500), (Offsets{4, 0}));
    EXPECT_EQ(starts_at(StartKind::timestamp, 2'000'000), (Offsets{10, 0}));  // past the end
}

TEST_F(KafkaSourceOnBroker, AdoptsTheOffsetsOfAGroupThatHasStopped) {
    create(2);
    test::TestProducer producer{broker};
    producer.produce_numbers(topic, 0, 0, 10);
    producer.produce_numbers(topic, 1, 0, 10);
    const std::string old = group + "-old";
    test::commit_group_offset(broker, old, topic, 0, 7);
    KafkaSource source{member()};
    const pipeline::StartPolicy policy{StartKind::group, 0, old};
    try {
        static_cast<void>(source.start_offsets(topic, policy));
        ADD_FAILURE() << "a partition without a commit was adopted";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_EQ(error.what(), "group " + old + " has no committed offset for " + to_string(p1));
    }
    test::commit_group_offset(broker, old, topic, 1, 3);
    const auto starts = source.start_offsets(topic, policy);
    ASSERT_EQ(starts.size(), 2U);
    EXPECT_EQ(starts[0].offset, Offset{7});
    EXPECT_EQ(starts[1].offset, Offset{3});
}

TEST_F(KafkaSourceOnBroker, DoesNotAdoptFromAGroupWithLiveMembers) {
    create(1);
    const std::string old = group + "-old";
    auto settings = member();
    settings.properties["group.id"] = old;
    KafkaSource other{settings};
    SourceProbe probe{other};
    other.start();
    ASSERT_TRUE(probe.until([&] { return probe.owned.size() == 1; }));
    EXPECT_EQ(KafkaAdmin{base()}.live_members(old), 1);
    EXPECT_EQ(KafkaAdmin{base()}.live_members(group + "-none"), 0);
    KafkaSource source{member()};
    try {
        static_cast<void>(source.start_offsets(topic, {StartKind::group, 0, old}));
        ADD_FAILURE() << "adopted from a live group";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_EQ(error.what(), "group " + old + " has 1 live members");
    }
    other.close();
    EXPECT_EQ(KafkaAdmin{base()}.live_members(old), 0);
}

TEST_F(KafkaSourceOnBroker, TwoMembersShareTakeOverAndGiveBack) {  // B21
    create(4);
    test::TestProducer producer{broker};
    for (int partition = 0; partition < 4; ++partition) {
        producer.produce_numbers(topic, partition, 0, 10);
    }
    KafkaSource a{member()};
    auto b = std::make_unique<KafkaSource>(member());
    SourceProbe of_a{a};
    SourceProbe of_b{*b};
    of_b.assigns_at_once = false;  // b never claims: its revoke ends without anything assigned
    a.start();
    ASSERT_TRUE(of_a.until([&] { return of_a.ends.size() == 4; }));
    for (int partition = 0; partition < 4; ++partition) {
        a.acknowledge({topic, partition}, Offset{partition + 1});
    }
    b->start();
    ASSERT_TRUE(of_a.until([&] {
        of_b.turn(milliseconds{5});
        return of_a.owned.size() == 2 && of_b.owned.size() == 2;
    }));
    for (const auto& partition : of_b.owned) {
        EXPECT_FALSE(of_a.owned.contains(partition));
        EXPECT_EQ(test::committed_offset(broker, group, topic, partition.partition),
                  partition.partition + 1);
    }
    KafkaSource c{member()};  // takes one from b, which has assigned none
    SourceProbe of_c{c};
    c.start();
    ASSERT_TRUE(of_a.until([&] {
        of_b.turn(milliseconds{5});
        of_c.turn(milliseconds{5});
        return !of_c.owned.empty() &&
               of_a.owned.size() + of_b.owned.size() + of_c.owned.size() == 4;
    }));
    b->close();
    EXPECT_TRUE(of_a.until([&] {
        of_c.turn(milliseconds{5});
        return of_a.owned.size() == 2 && of_c.owned.size() == 2;
    }));
    EXPECT_EQ(of_a.wrong_tags + of_c.wrong_tags, 0);
    EXPECT_FALSE(a.is_assignment_lost());
}

TEST_F(KafkaSourceOnBroker, ALostAssignmentIsRevokedWithoutMirrorAndComesBack) {
    create(1);
    auto settings = member();
    settings.properties["max.poll.interval.ms"] = "6000";
    settings.mirror_interval = std::chrono::hours{1};
    KafkaSource source{settings};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.ends.contains(p0); }));
    EXPECT_FALSE(source.is_assignment_lost());
    source.acknowledge(p0, Offset{0});  // mirrored at once; what follows waits for an hour
    source.acknowledge(p0, Offset{5});
    KafkaAdmin admin{base()};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    // The broker hears of it a moment before the client's own flag says so.
    while ((admin.live_members(group) > 0 || !source.is_assignment_lost()) &&
           std::chrono::steady_clock::now() < deadline) {
    }
    EXPECT_TRUE(source.is_assignment_lost());
    ASSERT_TRUE(probe.until([&] { return probe.owned.empty(); }));
    EXPECT_FALSE(source.is_assignment_lost());
    EXPECT_LE(test::committed_offset(broker, group, topic, 0), 0);
    EXPECT_TRUE(probe.until([&] { return probe.owned.size() == 1; }));
}

TEST_F(KafkaSourceOnBroker, AStaticMemberWhoseNameIsTakenIsFenced) {
    create(1);
    auto settings = member();
    settings.instance_id = "one";
    KafkaSource a{settings};
    SourceProbe of_a{a};
    a.start();
    ASSERT_TRUE(of_a.until([&] { return of_a.owned.size() == 1; }));
    KafkaSource b{settings};
    SourceProbe of_b{b};
    b.start();
    ASSERT_TRUE(of_b.until([&] { return of_b.owned.size() == 1; }));
    try {
        static_cast<void>(of_a.until([&] { return of_a.owned.empty(); }));
        ADD_FAILURE() << "was not fenced";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::fenced);
        EXPECT_FALSE(error.hint.empty());
    }
}

TEST_F(KafkaSourceOnBroker, AddedPartitionsAreSeen) {  // B16
    create(1);
    KafkaSource source{member()};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.owned.size() == 1; }));
    test::add_partitions(broker, topic, 2);
    test::TestProducer{broker}.produce_numbers(topic, 1, 0, 5);
    ASSERT_TRUE(probe.until([&] { return probe.ends.contains(p1) && probe.of(p1).size() == 5; }));
    EXPECT_EQ(probe.of(p1), numbers(0, 5));
}

TEST_F(KafkaSourceOnBroker, NewTopicsOfAPatternAreSeen) {
    auto settings = base();
    settings.topics = {"^" + topic + "-.*"};
    KafkaSource source{settings};
    SourceProbe probe{source};
    source.start();
    EXPECT_TRUE(source.topics().empty());
    const TopicPartition added{topic + "-a", 0};
    test::create_topic(broker, added.topic, 1);
    test::TestProducer{broker}.produce_numbers(added.topic, 0, 0, 3);
    ASSERT_TRUE(probe.until([&] { return probe.of(added).size() == 3; }));
    EXPECT_EQ(source.topics(), std::vector<std::string>{added.topic});
}

TEST_F(KafkaSourceOnBroker, ATopicThatDoesNotExistIsToldAndNotMade) {
    KafkaSource source{member()};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return !probe.missing.empty(); }));
    EXPECT_NE(probe.missing.front().find(topic), std::string::npos);
    EXPECT_TRUE(source.topics().empty());
    auto settings = member();
    try {
        static_cast<void>(KafkaAdmin{settings}.topics());
        ADD_FAILURE() << "found a topic that is not there";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::configuration);
        EXPECT_EQ(error.what(), "topic " + topic + " does not exist");
        EXPECT_NE(error.detail.find(broker), std::string::npos);
    }
}

TEST_F(KafkaSourceOnBroker, RecreatedShorterTopicIsNoticed) {  // B15
    create(1);
    test::TestProducer{broker}.produce_numbers(topic, 0, 0, 50);
    KafkaSource source{member()};
    SourceProbe probe{source};
    source.start();
    ASSERT_TRUE(probe.until([&] { return probe.ends.contains(p0); }));
    test::delete_topic(broker, topic);
    create(1);
    test::TestProducer{broker}.produce_numbers(topic, 0, 0, 5);
    // What librdkafka says depends on what it meets first: the missing topic or the old offset.
    EXPECT_TRUE(probe.until([&] { return !probe.missing.empty() || !probe.out_of_range.empty(); }));
}

/// One thread of librdkafka may never end after that; the source does.
TEST_F(KafkaSourceOnBroker, EndsAfterOneOfItsTopicsWasDeleted) {
    create(1);
    const TopicPartition kept{topic + "-kept", 0};
    test::create_topic(broker, kept.topic, 1);
    test::TestProducer producer{broker};
    producer.produce_numbers(topic, 0, 0, 5);
    producer.produce_numbers(kept.topic, 0, 0, 5);
    auto settings = member();
    settings.topics.push_back(kept.topic);
    auto source = std::make_unique<KafkaSource>(settings);
    SourceProbe probe{*source};
    source->start();
    ASSERT_TRUE(probe.until([&] { return probe.ends.contains(p0) && probe.ends.contains(kept); }));
    test::delete_topic(broker, topic);
    ASSERT_TRUE(probe.until([&] { return !probe.missing.empty(); }, milliseconds{40'000}));
    EXPECT_NE(probe.missing.front().find(topic), std::string::npos) << probe.missing.front();
    const auto began = std::chrono::steady_clock::now();
    source->close();
    source.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{8});
}

TEST_F(KafkaSourceOnBroker, ADeletedTopicOfFixedPartitionsIsTold) {
    create(1);
    auto source = std::make_unique<KafkaSource>(fixed({p0}));
    SourceProbe probe{*source};
    source->start();
    ASSERT_TRUE(probe.until([&] { return probe.ends.contains(p0); }));
    test::delete_topic(broker, topic);
    ASSERT_TRUE(probe.until([&] { return !probe.missing.empty(); }, milliseconds{40'000}));
    EXPECT_NE(probe.missing.front().find(topic), std::string::npos) << probe.missing.front();
}

TEST_F(KafkaSourceOnBroker, OffsetsOfWhatDoesNotExistNameIt) {
    create(1);
    const auto refusal = [&](const TopicPartition& wanted) {
        const std::vector<TopicPartition> one{wanted};
        try {
            static_cast<void>(KafkaAdmin{base()}.watermarks(one));
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, ErrorKind::configuration);
            return std::string{error.what()};
        }
        return std::string{};
    };
    EXPECT_EQ(refusal({topic, 7}), "topic " + topic + " has no partition 7");
    EXPECT_EQ(refusal({topic + "-none", 0}), "topic " + topic + "-none does not exist");
}

TEST_F(KafkaSourceOnBroker, AdminAnswersForManyPartitionsAtOnce) {
    create(50);
    test::TestProducer producer{broker};
    for (int partition = 0; partition < 50; ++partition) {
        producer.produce_numbers(topic, partition, 0, partition);
    }
    auto settings = member();
    KafkaAdmin admin{settings};
    EXPECT_FALSE(admin.connect().empty());
    EXPECT_EQ(admin.connect(), KafkaSource{settings}.cluster_id());
    const auto topics = admin.topics();
    ASSERT_EQ(topics.size(), 1U);
    EXPECT_EQ(topics[0].partitions, 50);
    std::vector<TopicPartition> all;
    for (int partition = 49; partition >= 0; --partition) {
        all.push_back({topic, partition});
    }
    const auto watermarks = admin.watermarks(all);
    for (const auto& partition : all) {
        EXPECT_EQ(watermarks.at(partition).low, Offset{0});
        EXPECT_EQ(watermarks.at(partition).high, Offset{partition.partition});
    }
}

TEST_F(KafkaSourceOnBroker, APortNobodyListensOnIsNamed) {
    auto settings = base();
    settings.properties["bootstrap.servers"] = "127.0.0.1:1";
    settings.request_timeout = milliseconds{500};
    try {
        static_cast<void>(KafkaAdmin{settings}.connect());
        ADD_FAILURE() << "connected to nobody";
    } catch (const SinkError& error) {
        EXPECT_EQ(error.kind, ErrorKind::unavailable);
        EXPECT_STREQ(error.what(), "no Kafka broker answers at 127.0.0.1:1");
        EXPECT_NE(error.detail.find("Connection refused"), std::string::npos) << error.detail;
    }
}

}  // namespace
}  // namespace txsink::kafka
