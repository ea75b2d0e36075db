/// @file
/// The fake sink keeps the contract that the real one keeps.
#include <map>
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
        database_.missing = {"UPDATE missing"};
        strict_.required_rows = lax_.required_rows = 1;
        lax_.may_miss = true;
    }

    std::unique_ptr<pipeline::Sink> make_sink() override {
        return std::make_unique<FakeSink>(database_, table_);
    }
    const mapping::RowShape* shape() override { return &shape_; }
    std::string good_tuple(const TopicPartition&, Offset offset) override {
        return "(" + std::to_string(to_int(offset)) + ")";
    }
    std::string refused_tuple(const TopicPartition&, Offset) override { return "(refused)"; }
    const mapping::RowShape* statement_shape(bool may_miss) override {
        return may_miss ? &lax_ : &strict_;
    }
    std::string good_statement(const TopicPartition&, Offset offset) override {
        return "UPDATE " + std::to_string(to_int(offset));
    }
    std::string missing_statement() override { return "UPDATE missing"; }
    std::vector<std::pair<std::int64_t, std::string>> dead_letters(
        const TopicPartition& partition) override {
        std::map<std::int64_t, std::string> newest;
        for (const auto& [of, letter] : database_.dead_letters) {
            if (of == partition) {
                newest[to_int(letter.offset)] = name_of(letter.error.code);
            }
        }
        return {newest.begin(), newest.end()};
    }
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
    mapping::RowShape strict_{&table_, mapping::ChangeKind::statement, {}};
    mapping::RowShape lax_{&table_, mapping::ChangeKind::statement, {}};
};

std::unique_ptr<SinkWorld> make_fake_world() {
    return std::make_unique<FakeWorld>();
}

INSTANTIATE_TEST_SUITE_P(Fake, SinkContract, ::testing::Values(&make_fake_world));

}  // namespace
}  // namespace txsink::test
