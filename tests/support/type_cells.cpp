#include "support/type_cells.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace txsink::test {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream{text};
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

template <typename Named>
Named find(const std::map<std::string, Named>& names, const std::string& name) {
    const auto at = names.find(name);
    if (at == names.end()) {
        throw std::runtime_error{"types.tsv: \"" + name + "\" is not known"};
    }
    return at->second;
}

TypeCell read_cell(const std::string& line, const std::string& family) {
    const auto parts = split(line, '\t');
    if (parts.size() != 5) {
        throw std::runtime_error{"types.tsv: not five columns: " + line};
    }
    TypeCell cell{family, parts[0], {}, {}, parts[2], parts[3], false, parts[4]};
    for (const auto& word : split(parts[1], ' ')) {
        const auto equals = word.find('=');
        if (equals == std::string::npos) {
            cell.meaning = word;
        } else {
            cell.rules.emplace_back(word.substr(0, equals), word.substr(equals + 1));
        }
    }
    if (cell.stored.starts_with("! ")) {
        cell.is_refused = true;
        cell.stored.erase(0, 2);
    }
    return cell;
}

/// In a table of Markdown.
std::string code(const std::string& text) {
    std::string shown;
    for (const char c : text) {
        shown += c == '|' ? "\\|" : std::string{c};
    }
    return shown.empty() ? "" : "`" + shown + "`";
}

std::string given_as(const TypeCell& cell) {
    std::string text = cell.meaning;
    for (const auto& [name, value] : cell.rules) {
        text += (text.empty() ? "" : ", ") + code(name + " = " + value);
    }
    return text;
}

}  // namespace

std::vector<TypeCell> read_type_cells(const std::filesystem::path& file) {
    std::ifstream stream{file};
    std::vector<TypeCell> cells;
    std::string family;
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("# ")) {
            family = line.substr(2);
        } else if (!line.starts_with("//")) {
            cells.push_back(read_cell(line, family));
        }
    }
    if (cells.empty()) {
        throw std::runtime_error{"no cells in " + file.string()};
    }
    return cells;
}

std::string to_markdown(const std::vector<TypeCell>& cells) {
    std::string text;
    std::string family;
    for (const auto& cell : cells) {
        if (cell.family != family) {
            family = cell.family;
            text += "\n### " + family +
                    "\n\n| column | value | meaning, options | becomes |\n"
                    "| --- | --- | --- | --- |\n";
        }
        const std::string shown = cell.stored.empty() ? "(empty)" : code(cell.stored);
        text +=
            "| " + code(cell.column) + " | " + code(cell.json) + " | " + given_as(cell) + " | " +
            (cell.is_refused ? "refused: " + cell.stored : shown) +
            (cell.server == "both" ? "" : (cell.server == "mysql" ? " (MySQL)" : " (MariaDB)")) +
            " |\n";
    }
    return text;
}

MeaningAndScale meaning_of(const TypeCell& cell) {
    using decode::Meaning;
    static const std::map<std::string, Meaning> kNames{
        {"", Meaning::none},
        {"raw-bytes", Meaning::raw_bytes},
        {"base64", Meaning::base64},
        {"bits", Meaning::bits},
        {"decimal", Meaning::decimal},
        {"variable-decimal", Meaning::variable_decimal},
        {"days", Meaning::days},
        {"time-ms", Meaning::time_ms},
        {"time-us", Meaning::time_us},
        {"time-ns", Meaning::time_ns},
        {"epoch-ms", Meaning::epoch_ms},
        {"epoch-us", Meaning::epoch_us},
        {"epoch-ns", Meaning::epoch_ns},
        {"json-text", Meaning::json_text},
        {"geometry", Meaning::geometry},
    };
    const auto open = std::min(cell.meaning.find('('), cell.meaning.size());
    const auto scale = open == cell.meaning.size() ? 0 : std::stoi(cell.meaning.substr(open + 1));
    return {find(kNames, cell.meaning.substr(0, open)), static_cast<std::int16_t>(scale)};
}

mapping::ValueRules rules_of(const TypeCell& cell) {
    using namespace mapping;
    static const std::map<std::string, TimeUnit> kUnits{{"days", TimeUnit::days},
                                                        {"s", TimeUnit::seconds},
                                                        {"ms", TimeUnit::milliseconds},
                                                        {"us", TimeUnit::microseconds},
                                                        {"ns", TimeUnit::nanoseconds}};
    ValueRules rules;
    for (const auto& [name, value] : cell.rules) {
        if (name == "unit") {
            rules.unit = find(kUnits, value);
        } else if (name == "excess-fraction") {
            rules.excess_fraction = find<OnExcessFraction>(
                {{"round", OnExcessFraction::round}, {"truncate", OnExcessFraction::truncate}},
                value);
        } else if (name == "binary") {
            rules.binary = find<BinaryEncoding>(
                {{"hex", BinaryEncoding::hex}, {"text", BinaryEncoding::text}}, value);
        } else if (name == "null") {
            rules.null = find<OnNull>({{"default", OnNull::fallback}}, value);
        } else if (name == "decimal-handling") {
            rules.decimals = find<DecimalHandling>({{"precise", DecimalHandling::precise}}, value);
        } else if (name == "time-precision") {
            rules.times = find<TimePrecision>(
                {{"adaptive", TimePrecision::adaptive}, {"connect", TimePrecision::connect}},
                value);
        } else {
            throw std::runtime_error{"types.tsv: no rule \"" + name + "\""};
        }
    }
    return rules;
}

}  // namespace txsink::test
