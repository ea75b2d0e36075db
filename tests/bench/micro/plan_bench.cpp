/// @file
/// What it costs to make a batch's statements of its rows. Times are for one batch of 2,000 rows.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "txsink/batch/write_plan.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "workload.hpp"

namespace txsink::bench {
namespace {

constexpr std::size_t kRows = 2'000;

void plan(benchmark::State& state, mapping::Mode mode) {
    const auto partitions = static_cast<std::size_t>(state.range(0));
    const Workload& given = orders();
    mapping::Route route;
    route.mode = mode;
    mapping::RecordMapper mapper{route, given.table};
    batch::Batch batch;
    batch.partitions.resize(partitions);
    for (std::size_t i = 0; i < kRows; ++i) {
        auto& rows = batch.partitions[i % partitions].rows;
        if (!mapper.map(record_of(given.texts[i % given.texts.size()], i), rows)) {
            state.SkipWithError("a record was refused");
        }
    }
    batch::WritePlan write_plan{batch::Dialect::row_alias, {}};
    for (auto _ : state) {
        if (write_plan.build(batch)) {
            state.SkipWithError("a row was too large");
            break;
        }
        benchmark::DoNotOptimize(write_plan[0].sql.data());
    }
    state.counters["rows"] = kRows;
}

BENCHMARK_CAPTURE(plan, insert, mapping::Mode::insert)
    ->Arg(1)
    ->Arg(6)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan, upsert, mapping::Mode::upsert)
    ->Arg(1)
    ->Arg(6)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace txsink::bench
