/// @file
/// What it costs to decode a record, by format. Times are for one record.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "txsink/decode/record_decoder.hpp"
#include "workload.hpp"

namespace txsink::bench {
namespace {

using decode::Format;

void decode(benchmark::State& state, const Workload& (*workload)(), Format format) {
    const Workload& given = workload();
    decode::RecordDecoder decoder{format};
    std::size_t at = 0;
    for (auto _ : state) {
        auto decoded = decoder.decode(record_of(given.texts[at], at));
        if (!decoded) {
            state.SkipWithError(decoded.error().message.c_str());
            break;
        }
        benchmark::DoNotOptimize(decoded);
        at = at + 1 == given.texts.size() ? 0 : at + 1;
    }
    state.counters["record_bytes"] =
        static_cast<double>(given.bytes) / static_cast<double>(given.texts.size());
}

BENCHMARK_CAPTURE(decode, orders, orders, Format::json);
BENCHMARK_CAPTURE(decode, wide, wide, Format::json);
BENCHMARK_CAPTURE(decode, debezium, events, Format::debezium);
BENCHMARK_CAPTURE(decode, debezium_with_schema, events_with_schema, Format::debezium);

}  // namespace
}  // namespace txsink::bench
