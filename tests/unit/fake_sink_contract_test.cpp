/// @file
/// The fake sink keeps the contract that the real one keeps.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_broker.hpp"
#include "support/fake_sink.hpp"
#include "support/pipeline_world.hpp"
#include "support/sink_contract.hpp"

namespace txsink::test {
namespace {

class FakeWorld final : public SinkWorld {
public:
    FakeWorld() : table_{ledger_table()}, shape_{&table_, mapping::ChangeKind::insert, {0}} {
        database_.refused = {"(refused)"};
    }

    std::unique_ptr<pipeline::Sink> make_sink() override {
        return std::make_unique<FakeSink>(database_, table_);
    }
    const mapping::RowShape* shape() override { return &shape_; }
    std::string good_tuple(const TopicPartition&, Offset offset) override {
        return "(" + std::to_string(to_int(offset)) + ")";
    }
    std::string refused_tuple(const TopicPartition&, Offset) override { return "(refused)"; }
    std::vector<std::int64_t> applied(const TopicPartition& partition) override {
        return database_.applied_of(partition);
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> gaps(
        const TopicPartition& partition) override {
        std::vector<std::pair<std::int64_t, std::int64_t>> found;
        for (const auto& [of, gap] : database_.gaps) {
            if (of == partition) {
                found.emplace_back(to_int(gap.from), to_int(gap.to));
            }
        }
        return found;
    }

private:
    FakeBroker broker_;
    FakeDatabase database_{broker_};
    mapping::TableDefinition table_;
    mapping::RowShape shape_;
};

std::unique_ptr<SinkWorld> make_fake_world() {
    return std::make_unique<FakeWorld>();
}

INSTANTIATE_TEST_SUITE_P(Fake, SinkContract, ::testing::Values(&make_fake_world));

}  // namespace
}  // namespace txsink::test
