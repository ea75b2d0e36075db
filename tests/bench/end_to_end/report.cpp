#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace txsink::bench {
namespace {

using Line = std::vector<std::string>;

/// Columns as wide as they need; the first is text, the others are numbers.
void append_table(std::string& text, const std::vector<Line>& lines) {
    Line::size_type columns = lines.front().size();
    std::vector<std::size_t> widths(columns);
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < columns; ++i) {
            widths[i] = std::max(widths[i], line[i].size());
        }
    }
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < columns; ++i) {
            text += i == 0 ? fmt::format("{:<{}}", line[i], widths[i])
                           : fmt::format("  {:>{}}", line[i], widths[i]);
        }
        text += '\n';
    }
    text += '\n';
}

std::string whole(double value) {
    return value == 0 ? "-" : fmt::format("{:.0f}", value);
}

std::string hundredths(double value) {
    return fmt::format("{:.2f}", value);
}

/// The median, and how far the rounds lie apart.
std::string with_spread(const std::vector<double>& values) {
    return values.size() < 2 ? whole(median(values))
                             : fmt::format("{:.0f} ~{:.0f}%", median(values), spread(values) * 100);
}

/// The median over the runs of txsink, where there were any.
std::string of_runs(const Measurement& of, double RunFigures::*figure, int digits) {
    return of.runs.empty() ? "-" : fmt::format("{:.{}f}", of.median_of(figure), digits);
}

std::string optional_hundredths(const std::optional<double>& value) {
    return value ? hundredths(*value) : "-";
}

Line names_of(const Measurement& of) {
    return {of.workload,
            std::to_string(of.partitions),
            std::to_string(of.pipelines),
            std::to_string(of.batch_rows)};
}

Line with(Line line, const Line& more) {
    line.insert(line.end(), more.begin(), more.end());
    return line;
}

const Line kNames{"workload", "partitions", "pipelines", "batch"};

void append_speeds(std::string& text, const Results& results) {
    std::vector<Line> lines{
        with(kNames, {"limit: text", "prepared", "txsink", "ratio", "without the start"})};
    for (const auto& each : results.measurements) {
        lines.push_back(with(names_of(each),
                             {with_spread(each.text),
                              with_spread(each.prepared),
                              with_spread(each.speeds()),
                              each.ratio() == 0 ? "-" : hundredths(each.ratio()),
                              of_runs(each, &RunFigures::steady_rows_per_second, 0)}));
    }
    text += "rows a second: the median, and how far its rounds lie apart\n";
    append_table(text, lines);
}

void append_processor(std::string& text, const Results& results) {
    std::vector<Line> lines{with(kNames,
                                 {"CPU",
                                  "user",
                                  "system",
                                  "librdkafka",
                                  "poll",
                                  "decode",
                                  "map",
                                  "plan",
                                  "driver",
                                  "statements",
                                  "COMMIT"})};
    for (const auto& each : results.measurements) {
        const double cpu = each.median_of(&RunFigures::cpu);
        Line stages(5, "-");
        if (each.stages) {
            const auto& of = *each.stages;
            stages = {hundredths(of.poll),
                      hundredths(of.decode),
                      hundredths(of.map),
                      hundredths(of.plan),
                      cpu == 0 ? "-" : hundredths(cpu - of.sum())};
        }
        auto line = with(names_of(each),
                         {of_runs(each, &RunFigures::cpu, 2),
                          of_runs(each, &RunFigures::user, 2),
                          of_runs(each, &RunFigures::system, 2),
                          of_runs(each, &RunFigures::kafka_cpu, 2)});
        line = with(line, stages);
        lines.push_back(with(line,
                             {optional_hundredths(each.median_of(&RunFigures::statement_wait)),
                              optional_hundredths(each.median_of(&RunFigures::commit_wait))}));
    }
    text +=
        "microseconds a row: CPU of the process, and of that librdkafka's threads; its stages; "
        "waiting for the server\n";
    append_table(text, lines);
}

void append_resources(std::string& text, const Results& results) {
    std::vector<Line> lines{with(kNames,
                                 {"records",
                                  "bytes each",
                                  "peak MiB",
                                  "to MySQL bytes/row",
                                  "commits/s",
                                  "first commit s"})};
    for (const auto& each : results.measurements) {
        lines.push_back(with(names_of(each),
                             {std::to_string(each.records),
                              whole(each.record_bytes),
                              of_runs(each, &RunFigures::peak_mib, 0),
                              of_runs(each, &RunFigures::bytes_per_row, 0),
                              of_runs(each, &RunFigures::commits_per_second, 1),
                              of_runs(each, &RunFigures::first_commit_seconds, 2)}));
    }
    text += "what it took\n";
    append_table(text, lines);
}

void append_latencies(std::string& text, const Results& results) {
    std::vector<Line> lines{{"workload",
                             "partitions",
                             "records/s",
                             "records",
                             "p50",
                             "p99",
                             "max",
                             "CPU us/row",
                             "peak MiB"}};
    for (const auto& each : results.latencies) {
        lines.push_back({each.workload,
                         std::to_string(each.partitions),
                         whole(each.records_per_second),
                         std::to_string(each.records),
                         fmt::format("{:.1f}", each.p50),
                         fmt::format("{:.1f}", each.p99),
                         fmt::format("{:.1f}", each.maximum),
                         hundredths(each.cpu),
                         whole(each.peak_mib)});
    }
    text +=
        "milliseconds from produce to visible row, at a steady pace, options at their defaults\n";
    append_table(text, lines);
}

}  // namespace

std::string as_table(const Results& results) {
    std::string text =
        fmt::format("{}\n{}; {}\n", results.machine, results.server, results.kafka_client);
    std::string_view separator;
    for (const auto& [name, value] : results.variables) {
        text += fmt::format("{}{}={}", separator, name, value);
        separator = ", ";
    }
    text += fmt::format("\n{} round{}, interleaved: {}\n\n",
                        results.rounds,
                        results.rounds == 1 ? "" : "s",
                        results.command);
    if (!results.measurements.empty()) {
        append_speeds(text, results);
        append_processor(text, results);
        append_resources(text, results);
    }
    if (!results.latencies.empty()) {
        append_latencies(text, results);
    }
    text.pop_back();
    return text;
}

}  // namespace txsink::bench
