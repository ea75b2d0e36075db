#include "txsink/kafka/kafka_source.hpp"

#include <gtest/gtest.h>

#include "support/mock_cluster.hpp"
#include "support/source_probe.hpp"
#include "support/test_producer.hpp"
#include "support/test_topics.hpp"

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

}  // namespace
}  // namespace txsink::kafka
