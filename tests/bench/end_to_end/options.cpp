#include "options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace txsink::bench {
namespace {

using Setter = std::function<void(Options&, const std::string&)>;

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument{what};
}

template <typename Number>
Number number(std::string_view text) {
    Number value{};
    const auto* const end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, value);
    if (code != std::errc{} || rest != end || value <= 0) {
        refuse(fmt::format("not a number above 0: '{}'", text));
    }
    return value;
}

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= list.size();) {
        const auto comma = std::min(list.find(',', at), list.size());
        words.push_back(list.substr(at, comma - at));
        at = comma + 1;
    }
    return words;
}

std::vector<int> numbers(const std::string& list) {
    std::vector<int> found;
    for (const auto& word : words_of(list)) {
        found.push_back(number<int>(word));
    }
    return found;
}

std::vector<std::string> workload_names(const std::string& list) {
    std::vector<std::string> names;
    if (list == "all") {
        for (const auto& each : workloads()) {
            names.emplace_back(each.name);
        }
        return names;
    }
    for (const auto& name : words_of(list)) {
        if (find_workload(name) == nullptr) {
            refuse(fmt::format("no workload '{}'", name));
        }
        names.push_back(name);
    }
    return names;
}

std::set<Part> parts(const std::string& list) {
    static const std::map<std::string, Part, std::less<>> kParts{{"limit", Part::limit},
                                                                 {"txsink", Part::txsink},
                                                                 {"stages", Part::stages},
                                                                 {"latency", Part::latency}};
    std::set<Part> found;
    for (const auto& word : words_of(list)) {
        const auto part = kParts.find(word);
        if (part == kParts.end()) {
            refuse(fmt::format("no part '{}': limit, txsink, stages, latency", word));
        }
        found.insert(part->second);
    }
    return found;
}

std::pair<std::string, std::string> name_and_value(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        refuse(fmt::format("not NAME=VALUE: '{}'", text));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

const std::map<std::string, Setter, std::less<>>& setters() {
    using std::string;
    static const std::map<std::string, Setter, std::less<>> kSetters{
        {"kafka", [](Options& o, const string& v) { o.kafka = v; }},
        {"mysql", [](Options& o, const string& v) { o.mysql = v; }},
        {"txsink", [](Options& o, const string& v) { o.txsink = v; }},
        {"records", [](Options& o, const string& v) { o.records = number<std::uint64_t>(v); }},
        {"rounds", [](Options& o, const string& v) { o.rounds = number<int>(v); }},
        {"workloads", [](Options& o, const string& v) { o.workloads = workload_names(v); }},
        {"partitions", [](Options& o, const string& v) { o.partitions = numbers(v); }},
        {"pipelines", [](Options& o, const string& v) { o.pipelines = numbers(v); }},
        {"batch-rows", [](Options& o, const string& v) { o.batch_rows = numbers(v); }},
        {"only", [](Options& o, const string& v) { o.parts = parts(v); }},
        {"rate", [](Options& o, const string& v) { o.rate = number<int>(v); }},
        {"seconds",
         [](Options& o, const string& v) { o.duration = std::chrono::seconds{number<int>(v)}; }},
        {"option", [](Options& o, const string& v) { o.sink.push_back(name_and_value(v)); }},
        {"output",
         [](Options& o, const string& v) {
             if (v != "table" && v != "json") {
                 refuse(fmt::format("'{}': table or json", v));
             }
             o.is_json = v == "json";
         }},
        {"output-file", [](Options& o, const string& v) { o.output_file = v; }},
        {"chart", [](Options& o, const string& v) { o.chart_file = v; }},
    };
    return kSetters;
}

void make_quick(Options& options) {
    options.records = 200'000;
    options.rounds = 1;
    options.pipelines = {1};
    options.parts = {Part::limit, Part::txsink, Part::stages};
}

}  // namespace

Options parse_options(std::span<const std::string> words) {
    Options options;
    // What it stands for, before the others say otherwise.
    for (const auto& word : words) {
        if (word == "--quick") {
            make_quick(options);
        }
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string_view word{words[i]};
        if (word == "--help" || word == "-h") {
            options.wants_help = true;
        } else if (word == "--static") {
            options.is_static = true;
        } else if (word != "--quick") {
            if (!word.starts_with("--")) {
                refuse(fmt::format("unexpected '{}'", word));
            }
            word.remove_prefix(2);
            const auto equals = word.find('=');
            const auto setter = setters().find(word.substr(0, equals));
            if (setter == setters().end()) {
                refuse(fmt::format("unknown option '--{}'", word.substr(0, equals)));
            }
            if (equals == std::string_view::npos && i + 1 == words.size()) {
                refuse(fmt::format("--{} needs a value", word));
            }
            try {
                setter->second(options,
                               equals == std::string_view::npos
                                   ? words[++i]
                                   : std::string{word.substr(equals + 1)});
            } catch (const std::invalid_argument& error) {
                refuse(fmt::format("--{}: {}", setter->first, error.what()));
            }
        }
    }
    return options;
}

std::string help() {
    std::string text =
        "Usage: txsink_bench --kafka HOST:PORT --mysql URI --txsink BINARY [OPTION]...\n"
        "  --records N            records of a topic (default 1000000; heavy workloads take "
        "fewer)\n"
        "  --rounds N             rounds of limit and txsink, one after the other (default 3)\n"
        "  --workloads LIST|all   default insert,upsert; see below\n"
        "  --partitions LIST      default 6\n"
        "  --pipelines LIST       sessions and consumers (default 1,2)\n"
        "  --batch-rows LIST      default: that of txsink\n"
        "  --only LIST            of limit, txsink, stages, latency\n"
        "  --rate N --seconds N   of the latency: records a second, and how long (default 10000, "
        "20)\n"
        "  --static               fixed partitions instead of a group; with one pipeline\n"
        "  --option NAME=VALUE    a further option of txsink, also for the limit; may be repeated\n"
        "  --output table|json    default table\n"
        "  --output-file FILE     instead of standard output\n"
        "  --chart FILE           also a chart, as SVG\n"
        "  --quick                200000 records, 1 round, 1 pipeline, no latency\n"
        "Each LIST is separated by commas; all combinations are measured. Workloads:\n";
    for (const auto& each : workloads()) {
        text += fmt::format("  {:<18} {}\n", each.name, each.what);
    }
    return text;
}

}  // namespace txsink::bench
