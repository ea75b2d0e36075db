/// @file
/// The benchmark's command line, and the options of its workloads.
#include "options.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "txsink/config/load.hpp"
#include "workload.hpp"

namespace txsink::bench {
namespace {

using Words = std::vector<std::string>;

std::string complaint_about(const Words& words) {
    try {
        static_cast<void>(parse_options(words));
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "(none)";
}

TEST(BenchOptions, TakesListsAndBothForms) {
    const auto options = parse_options(Words{"--pipelines",
                                             "1,2,4",
                                             "--workloads=add,sql",
                                             "--records=5000",
                                             "--only=limit,txsink",
                                             "--option=batch.linger=0",
                                             "--output=json"});
    EXPECT_EQ(options.pipelines, (std::vector<int>{1, 2, 4}));
    EXPECT_EQ(options.workloads, (Words{"add", "sql"}));
    EXPECT_EQ(options.records, 5'000U);
    EXPECT_EQ(options.parts, (std::set<Part>{Part::limit, Part::txsink}));
    EXPECT_EQ(options.sink, (SinkOptions{{"batch.linger", "0"}}));
    EXPECT_TRUE(options.is_json);
}

TEST(BenchOptions, QuickGivesWayToWhatIsSaid) {
    const auto options = parse_options(Words{"--rounds=2", "--quick"});
    EXPECT_EQ(options.records, 200'000U);
    EXPECT_EQ(options.rounds, 2);
    EXPECT_EQ(options.pipelines, (std::vector<int>{1}));
    EXPECT_FALSE(options.parts.contains(Part::latency));
}

TEST(BenchOptions, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(complaint_about({"--recods=1"}), "unknown option '--recods'");
    EXPECT_EQ(complaint_about({"--records"}), "--records needs a value");
    EXPECT_EQ(complaint_about({"--records=0"}), "--records: not a number above 0: '0'");
    EXPECT_EQ(complaint_about({"--pipelines=1,,2"}), "--pipelines: not a number above 0: ''");
    EXPECT_EQ(complaint_about({"--workloads=inserts"}), "--workloads: no workload 'inserts'");
    EXPECT_EQ(complaint_about({"quick"}), "unexpected 'quick'");
}

TEST(Workloads, HaveOptionsThatTheSinkTakes) {
    for (const auto& workload : workloads()) {
        config::Sources sources;
        sources.command_line = workload.route;
        sources.command_line.emplace_back("kafka.bootstrap.servers", "127.0.0.1:1");
        sources.command_line.emplace_back("mysql.uri", "mysql://u@127.0.0.1:1/d");
        sources.command_line.emplace_back("topic", "t");
        if (workload.name != "sql") {
            sources.command_line.emplace_back("table", kTable);
        }
        EXPECT_NO_THROW(static_cast<void>(config::load(sources, {}))) << workload.name;
        EXPECT_EQ(find_workload(workload.name), &workload);
    }
}

}  // namespace
}  // namespace txsink::bench
