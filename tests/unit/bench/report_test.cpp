/// @file
/// Table, JSON and chart of results that are made up.
#include "report.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chart.hpp"
#include "json.hpp"
#include "results.hpp"

namespace txsink::bench {
namespace {

Results made_up() {
    Measurement insert;
    insert.workload = "insert";
    insert.what = "new \"rows\" & <more>";
    insert.partitions = 6;
    insert.pipelines = 1;
    insert.batch_rows = 2'000;
    insert.records = 1'000'000;
    insert.record_bytes = 212;
    insert.text = {80'000, 90'000, 100'000};
    insert.prepared = {95'000, 100'000, 105'000};
    for (const double speed : {85'000.0, 90'000.0, 95'000.0}) {
        RunFigures run;
        run.rows_per_second = speed;
        run.cpu = 2.5;
        run.peak_mib = 48;
        insert.runs.push_back(run);
    }
    insert.stages = StageFigures{0.6, 0.3, 0.4, 0.1};
    auto two = insert;
    two.pipelines = 2;
    two.runs.clear();
    two.stages.reset();
    Results results;
    results.machine = "2 x \"fast\" & <new>";
    results.server = "MySQL 9";
    results.variables = {{"sync_binlog", "1"}};
    results.rounds = 3;
    results.measurements = {insert, two};
    results.latencies = {{"insert", 6, 9'999.5, 200'000, 50, 120, 180, 3, 40}};
    return results;
}

TEST(Measurement, ComparesWithTheBetterLimit) {
    const auto results = made_up();
    EXPECT_EQ(results.measurements[0].limit(), 100'000);
    EXPECT_EQ(results.measurements[0].ratio(), 0.9);
    EXPECT_EQ(results.measurements[1].ratio(), 0);
    EXPECT_EQ(results.measurements[0].median_of(&RunFigures::cpu), 2.5);
    EXPECT_FALSE(results.measurements[0].median_of(&RunFigures::statement_wait));
}

TEST(Json, ParsesAndHoldsTheFigures) {
    simdjson::dom::parser parser;
    const simdjson::dom::element json = parser.parse(simdjson::padded_string{as_json(made_up())});
    EXPECT_EQ(std::string_view{json["machine"]}, "2 x \"fast\" & <new>");
    EXPECT_EQ(std::string_view{json["variables"]["sync_binlog"]}, "1");
    const auto first = json["measurements"].at(0);
    EXPECT_EQ(std::string_view{first["what"]}, "new \"rows\" & <more>");
    EXPECT_EQ(double{first["ratio"]}, 0.9);
    EXPECT_EQ(double{first["limit"]["rows_per_second"]}, 100'000);
    EXPECT_EQ(double{first["limit"]["text_rounds"].at(1)}, 90'000);
    EXPECT_EQ(double{first["txsink"]["rows_per_second"]}, 90'000);
    EXPECT_TRUE(first["txsink"]["statement_wait_us_per_row"].is_null());
    EXPECT_NEAR(double{first["stages_us_per_row"]["driver"]}, 1.1, 1e-9);
    const auto second = json["measurements"].at(1);
    EXPECT_TRUE(second["ratio"].is_null());
    EXPECT_TRUE(second["txsink"].error());
    EXPECT_EQ(double{json["latencies"].at(0)["p99_ms"]}, 120);
}

TEST(Table, HasAColumnForEachFigure) {
    const auto table = as_table(made_up());
    EXPECT_NE(table.find("sync_binlog=1"), std::string::npos);
    EXPECT_NE(table.find("0.90"), std::string::npos);
    EXPECT_NE(table.find("100000"), std::string::npos);
    EXPECT_NE(table.find("120.0"), std::string::npos);
}

/// Names of the elements that are open; "broken" where a tag does not fit.
std::vector<std::string> open_elements(std::string_view xml) {
    std::vector<std::string> open;
    for (auto at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at + 1)) {
        const auto end = xml.find('>', at);
        const auto tag = xml.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
        const auto quotes = static_cast<std::size_t>(std::count(tag.begin(), tag.end(), '"'));
        if (end == std::string_view::npos || tag.find('<') != std::string_view::npos ||
            quotes % 2 != 0) {
            return {"broken"};
        }
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != tag.substr(1)) {
                return {"broken"};
            }
            open.pop_back();
        } else if (!tag.ends_with('/')) {
            open.emplace_back(tag.substr(0, tag.find_first_of(" \n")));
        }
    }
    return open;
}

TEST(Chart, IsWellFormed) {
    EXPECT_EQ(open_elements("<a><b/></a>"), std::vector<std::string>{});
    EXPECT_EQ(open_elements("<a><b></a>"), std::vector<std::string>{"broken"});
    const auto svg = as_chart(made_up());
    EXPECT_EQ(open_elements(svg), std::vector<std::string>{});
    EXPECT_TRUE(svg.starts_with("<svg "));
    EXPECT_NE(svg.find("2 x &quot;fast&quot; &amp; &lt;new&gt;"), std::string::npos);
    EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(Chart, HasABarForEachFigure) {
    const auto svg = as_chart(made_up());
    const auto count = [&](std::string_view text) {
        std::size_t found = 0;
        for (auto at = svg.find(text); at != std::string::npos; at = svg.find(text, at + 1)) {
            ++found;
        }
        return found;
    };
    EXPECT_EQ(count("class=\"limit\""), 3U);   // and one in the key
    EXPECT_EQ(count("class=\"txsink\""), 2U);  // one was not measured
    EXPECT_EQ(count("90,000 (90%)"), 1U);
    EXPECT_EQ(count("insert, 1 pipeline<"), 1U);
    EXPECT_EQ(count("insert, 2 pipelines<"), 1U);
}

TEST(Reports, TakeResultsWithoutFigures) {
    Results empty;
    EXPECT_EQ(open_elements(as_chart(empty)), std::vector<std::string>{});
    simdjson::dom::parser parser;
    EXPECT_FALSE(parser.parse(simdjson::padded_string{as_json(empty)}).error());
    EXPECT_FALSE(as_table(empty).empty());
}

}  // namespace
}  // namespace txsink::bench
