#include "json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace txsink::bench {
namespace {

/// Writes members and elements one after another, indented.
class JsonWriter {
public:
    void begin(char bracket, std::string_view name = {}) {
        next(name);
        text_ += bracket;
        ++depth_;
        is_first_ = true;
    }
    void end(char bracket) {
        --depth_;
        if (!is_first_) {
            new_line();
        }
        text_ += bracket;
        is_first_ = false;
    }
    void add(std::string_view name, std::string_view value) {
        next(name);
        append_quoted(value);
    }
    void add(std::string_view name, double value) {
        next(name);
        text_ += std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
    }
    void add(std::string_view name, const std::optional<double>& value) {
        add(name, value.value_or(std::nan("")));
    }
    void add_whole(std::string_view name, std::uint64_t value) {
        next(name);
        text_ += std::to_string(value);
    }
    void add(std::string_view name, const std::vector<double>& values) {
        begin('[', name);
        for (const double value : values) {
            add("", value);
        }
        end(']');
    }
    [[nodiscard]] std::string take() { return std::move(text_) + '\n'; }

private:
    void next(std::string_view name) {
        if (!is_first_) {
            text_ += ',';
        }
        if (depth_ > 0) {
            new_line();
        }
        is_first_ = false;
        if (!name.empty()) {
            append_quoted(name);
            text_ += ": ";
        }
    }
    void new_line() { text_ += '\n' + std::string(2 * depth_, ' '); }
    void append_quoted(std::string_view value) {
        text_ += '"';
        for (const char c : value) {
            if (static_cast<unsigned char>(c) < 0x20) {
                text_ += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
            } else {
                text_ += c == '"' || c == '\\' ? "\\" : "";
                text_ += c;
            }
        }
        text_ += '"';
    }

    std::string text_;
    std::size_t depth_ = 0;
    bool is_first_ = true;
};

std::optional<double> measured(double value) {
    return value == 0 ? std::nullopt : std::optional{value};
}

void add_stages(JsonWriter& json, const Measurement& of) {
    if (!of.stages) {
        return;
    }
    json.begin('{', "stages_us_per_row");
    json.add("poll", of.stages->poll);
    json.add("decode", of.stages->decode);
    json.add("map", of.stages->map);
    json.add("plan", of.stages->plan);
    json.add("driver",
             of.runs.empty() ? std::nullopt
                             : std::optional{of.median_of(&RunFigures::cpu) - of.stages->sum()});
    json.end('}');
}

void add_runs(JsonWriter& json, const Measurement& of) {
    if (of.runs.empty()) {
        return;
    }
    json.begin('{', "txsink");
    json.add("rows_per_second", median(of.speeds()));
    json.add("rounds", of.speeds());
    json.add("steady_rows_per_second", of.median_of(&RunFigures::steady_rows_per_second));
    json.add("cpu_us_per_row", of.median_of(&RunFigures::cpu));
    json.add("user_us_per_row", of.median_of(&RunFigures::user));
    json.add("system_us_per_row", of.median_of(&RunFigures::system));
    json.add("librdkafka_cpu_us_per_row", of.median_of(&RunFigures::kafka_cpu));
    json.add("statement_wait_us_per_row", of.median_of(&RunFigures::statement_wait));
    json.add("commit_wait_us_per_row", of.median_of(&RunFigures::commit_wait));
    json.add("peak_mib", of.median_of(&RunFigures::peak_mib));
    json.add("bytes_to_mysql_per_row", of.median_of(&RunFigures::bytes_per_row));
    json.add("commits_per_second", of.median_of(&RunFigures::commits_per_second));
    json.add("first_commit_seconds", of.median_of(&RunFigures::first_commit_seconds));
    json.end('}');
}

void add_measurement(JsonWriter& json, const Measurement& of) {
    json.begin('{');
    json.add("workload", of.workload);
    json.add("what", of.what);
    json.add_whole("partitions", static_cast<std::uint64_t>(of.partitions));
    json.add_whole("pipelines", static_cast<std::uint64_t>(of.pipelines));
    json.add_whole("batch_rows", of.batch_rows);
    json.add_whole("records", of.records);
    json.add("record_bytes", of.record_bytes);
    json.begin('{', "limit");
    json.add("rows_per_second", measured(of.limit()));
    json.add("text", measured(median(of.text)));
    json.add("text_rounds", of.text);
    json.add("prepared", measured(median(of.prepared)));
    json.add("prepared_rounds", of.prepared);
    json.end('}');
    add_runs(json, of);
    json.add("ratio", measured(of.ratio()));
    add_stages(json, of);
    json.end('}');
}

void add_latency(JsonWriter& json, const LatencyFigures& of) {
    json.begin('{');
    json.add("workload", of.workload);
    json.add_whole("partitions", static_cast<std::uint64_t>(of.partitions));
    json.add("records_per_second", of.records_per_second);
    json.add_whole("records", of.records);
    json.add("p50_ms", of.p50);
    json.add("p99_ms", of.p99);
    json.add("max_ms", of.maximum);
    json.add("cpu_us_per_row", of.cpu);
    json.add("peak_mib", of.peak_mib);
    json.end('}');
}

}  // namespace

std::string as_json(const Results& results) {
    JsonWriter json;
    json.begin('{');
    json.add("command", results.command);
    json.add("machine", results.machine);
    json.add("server", results.server);
    json.begin('{', "variables");
    for (const auto& [name, value] : results.variables) {
        json.add(name, value);
    }
    json.end('}');
    json.add("kafka_client", results.kafka_client);
    json.add_whole("rounds", static_cast<std::uint64_t>(results.rounds));
    json.begin('[', "measurements");
    for (const auto& each : results.measurements) {
        add_measurement(json, each);
    }
    json.end(']');
    json.begin('[', "latencies");
    for (const auto& each : results.latencies) {
        add_latency(json, each);
    }
    json.end(']');
    json.end('}');
    return json.take();
}

}  // namespace txsink::bench
