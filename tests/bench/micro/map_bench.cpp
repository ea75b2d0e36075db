/// @file
/// What it costs to make SQL of a record: of its decoded values, of its bytes, of one string.
/// Times are for one record or string.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mapping/row_mapper.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "txsink/mapping/sql_literal.hpp"
#include "workload.hpp"

namespace txsink::bench {
namespace {

using mapping::Format;
using mapping::Mode;

mapping::Route route_of(Format format, Mode mode) {
    mapping::Route route;
    route.format = format;
    route.mode = mode;
    route.values.times = mapping::TimePrecision::adaptive;  // of events without their schema
    return route;
}

/// Maps records that are decoded already; a few, as each needs a decoder to live in.
void map(benchmark::State& state, const Workload& (*workload)(), Format format, Mode mode) {
    constexpr std::size_t kDecoded = 64;
    const Workload& given = workload();
    const mapping::BoundRoute bound{route_of(format, mode), given.table};
    mapping::RowMapper mapper{bound};
    mapping::RowBuffer rows;
    std::vector<decode::RecordDecoder> decoders;
    std::vector<ConsumerRecord> records;
    std::vector<decode::DecodedRecord> decoded;
    for (std::size_t i = 0; i < kDecoded; ++i) {
        decoders.emplace_back(format);
        records.push_back(record_of(given.texts[i], i));
        decoded.push_back(decoders.back().decode(records.back()).value());
    }
    std::size_t at = 0;
    for (auto _ : state) {
        mapping::RecordView view;
        view.record = &records[at];
        view.decoded = &decoded[at];
        if (auto done = mapper.map(view, rows); !done) {
            state.SkipWithError(done.error().message.c_str());
            break;
        }
        if (++at == kDecoded) {
            benchmark::DoNotOptimize(rows.text().data());
            rows.clear();
            at = 0;
        }
    }
}

void decode_and_map(benchmark::State& state,
                    const Workload& (*workload)(),
                    Format format,
                    Mode mode) {
    const Workload& given = workload();
    mapping::RecordMapper mapper{route_of(format, mode), given.table};
    mapping::RowBuffer rows;
    std::size_t at = 0;
    for (auto _ : state) {
        if (auto done = mapper.map(record_of(given.texts[at], at), rows); !done) {
            state.SkipWithError(done.error().message.c_str());
            break;
        }
        if (++at == given.texts.size()) {
            benchmark::DoNotOptimize(rows.text().data());
            rows.clear();
            at = 0;
        }
    }
    state.counters["record_bytes"] =
        static_cast<double>(given.bytes) / static_cast<double>(given.texts.size());
}

BENCHMARK_CAPTURE(map, orders, orders, Format::json, Mode::upsert);
BENCHMARK_CAPTURE(map, wide, wide, Format::json, Mode::upsert);
BENCHMARK_CAPTURE(map, debezium, events, Format::debezium, Mode::upsert);
BENCHMARK_CAPTURE(map, debezium_with_schema, events_with_schema, Format::debezium, Mode::upsert);

BENCHMARK_CAPTURE(decode_and_map, orders, orders, Format::json, Mode::upsert);
BENCHMARK_CAPTURE(decode_and_map, orders_insert, orders, Format::json, Mode::insert);
BENCHMARK_CAPTURE(decode_and_map, wide, wide, Format::json, Mode::upsert);
BENCHMARK_CAPTURE(decode_and_map, debezium, events, Format::debezium, Mode::upsert);
BENCHMARK_CAPTURE(
    decode_and_map, debezium_with_schema, events_with_schema, Format::debezium, Mode::upsert);

/// Strings of 1 to 100 bytes.
void escape(benchmark::State& state, std::string_view pattern) {
    std::string text;
    while (text.size() < 100) {
        text += pattern;
    }
    std::string sql;
    std::size_t size = 0;
    for (auto _ : state) {
        sql.clear();
        mapping::append_string(sql, std::string_view{text}.substr(0, size + 1));
        benchmark::DoNotOptimize(sql.data());
        size = (size + 37) % 100;
    }
}

BENCHMARK_CAPTURE(escape, plain, "customer at example dot com, ");
BENCHMARK_CAPTURE(escape, escapes, "it's a line\nof a \\ path, ");
BENCHMARK_CAPTURE(escape, beyond_ascii, "na\xC3\xAFve caf\xC3\xA9 \xE2\x82\xAC, ");

}  // namespace
}  // namespace txsink::bench
