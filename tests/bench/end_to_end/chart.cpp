#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace txsink::bench {
namespace {

constexpr int kWidth = 760;
constexpr int kLabels = 240;   ///< left of the bars
constexpr int kNumbers = 130;  ///< right of the longest bar
constexpr int kTop = 64;
constexpr int kBar = 15;
constexpr int kGroup = 2 * kBar + 16;

constexpr const char* kStyle =
    "<style>\n"
    "text{font:13px system-ui,sans-serif;fill:#24292f}\n"
    ".title{font-size:15px;font-weight:600}\n"
    ".note{fill:#57606a}\n"
    ".limit{fill:#8c959f}\n"
    ".txsink{fill:#1f6feb}\n"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.note{fill:#9198a1}.limit{fill:#6e7681}"
    ".txsink{fill:#4493f8}}\n"
    "</style>\n";

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

/// 1234567 -> 1,234,567
std::string with_commas(double value) {
    auto digits = fmt::format("{:.0f}", value);
    for (auto at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return digits;
}

/// The label of a group: what differs between the measurements.
std::string label_of(const Measurement& of, const Results& results) {
    const auto differs = [&](auto member) {
        return std::any_of(results.measurements.begin(),
                           results.measurements.end(),
                           [&](const auto& each) { return each.*member != of.*member; });
    };
    auto label = of.workload;
    if (differs(&Measurement::pipelines)) {
        label += fmt::format(", {} pipeline{}", of.pipelines, of.pipelines == 1 ? "" : "s");
    }
    if (differs(&Measurement::partitions)) {
        label += fmt::format(", {} partitions", of.partitions);
    }
    if (differs(&Measurement::batch_rows)) {
        label += fmt::format(", batch {}", of.batch_rows);
    }
    return label;
}

double longest(const Results& results) {
    double most = 1;
    for (const auto& each : results.measurements) {
        most = std::max({most, each.limit(), median(each.speeds())});
    }
    return most;
}

void append_bar(std::string& svg,
                const char* kind,
                int top,
                double value,
                double most,
                const std::string& note) {
    if (value <= 0) {
        return;
    }
    const double width = value / most * (kWidth - kLabels - kNumbers);
    fmt::format_to(
        std::back_inserter(svg),
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"/>\n"
        "<text x=\"{:.1f}\" y=\"{}\">{}{}</text>\n",
        kind,
        kLabels,
        top,
        width,
        kBar - 1,
        kLabels + width + 6,
        top + kBar - 3,
        with_commas(value),
        note);
}

}  // namespace

std::string as_chart(const Results& results) {
    const int height = kTop + kGroup * static_cast<int>(results.measurements.size()) + 28;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"rows a second, limit and txsink\">\n",
        kWidth,
        height);
    svg += kStyle;
    fmt::format_to(std::back_inserter(svg),
                   "<text class=\"title\" x=\"12\" y=\"22\">Rows a second into {}</text>\n"
                   "<rect class=\"limit\" x=\"12\" y=\"34\" width=\"12\" height=\"12\"/>\n"
                   "<text class=\"note\" x=\"30\" y=\"45\">what the server takes</text>\n"
                   "<rect class=\"txsink\" x=\"190\" y=\"34\" width=\"12\" height=\"12\"/>\n"
                   "<text class=\"note\" x=\"208\" y=\"45\">txsink, from the topic</text>\n",
                   escaped(results.server));
    const double most = longest(results);
    int top = kTop;
    for (const auto& each : results.measurements) {
        fmt::format_to(std::back_inserter(svg),
                       "<text x=\"12\" y=\"{}\">{}</text>\n",
                       top + kBar + 4,
                       escaped(label_of(each, results)));
        const auto ratio =
            each.ratio() == 0 ? std::string{} : fmt::format(" ({:.0f}%)", each.ratio() * 100);
        append_bar(svg, "limit", top, each.limit(), most, {});
        append_bar(svg, "txsink", top + kBar, median(each.speeds()), most, ratio);
        top += kGroup;
    }
    fmt::format_to(std::back_inserter(svg),
                   "<text class=\"note\" x=\"12\" y=\"{}\">{}</text>\n</svg>\n",
                   height - 10,
                   escaped(results.machine));
    return svg;
}

}  // namespace txsink::bench
