/// @file
/// The options of a route.
#include <fmt/format.h>
#include <regex.h>

#include <algorithm>

#include "config/option_table.hpp"
#include "config/option_values.hpp"
#include "txsink/mapping/route.hpp"

namespace txsink::config {
namespace {

using mapping::Route;

constexpr std::size_t kLongestIdentifier = 64;

std::string complaint_about_regex(const std::string& pattern) {
    regex_t compiled{};
    const int error = regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB);
    if (error == 0) {
        regfree(&compiled);
        return {};
    }
    char text[128];
    regerror(error, &compiled, text, sizeof text);
    return fmt::format("is not a regular expression ({})", text);
}

std::string set_topics(Route& route, const std::string& value) {
    if (value.starts_with('^')) {
        route.topics = {value};
        return complaint_about_regex(value);
    }
    route.topics.clear();
    for (const auto& topic : split(value, ',')) {
        if (topic.starts_with('^')) {
            return "mixes a regular expression with other topics: give it a route of its own";
        }
        if (const auto complaint = complaint_about_topic(topic); !complaint.empty()) {
            return complaint;
        }
        if (std::find(route.topics.begin(), route.topics.end(), topic) != route.topics.end()) {
            return fmt::format("names {} twice", topic);
        }
        route.topics.push_back(topic);
    }
    return {};
}

/// Takes one name off the front of `text`: up to the next dot, or in backticks as it is.
std::string take_identifier(std::string_view& text) {
    std::string name;
    if (!text.starts_with('`')) {
        const auto end = std::min(text.find('.'), text.size());
        name = text.substr(0, end);
        text.remove_prefix(end);
        return name;
    }
    text.remove_prefix(1);
    while (!text.empty()) {
        if (text.starts_with("``")) {
            text.remove_prefix(1);
        } else if (text.starts_with('`')) {
            text.remove_prefix(1);
            return name;
        }
        name += text.front();
        text.remove_prefix(1);
    }
    return {};
}

std::string set_table(Route& route, const std::string& value) {
    if (value.find("${") != std::string::npos) {
        return "has a placeholder, which is not supported yet: write one route for each table";
    }
    std::string_view rest = value;
    std::vector<std::string> names{take_identifier(rest)};
    while (rest.starts_with('.')) {
        rest.remove_prefix(1);
        names.push_back(take_identifier(rest));
    }
    if (names.size() > 2) {
        return "has more than one dot: write a name that holds dots in backticks, `a.b`";
    }
    for (const auto& name : names) {
        if (name.empty() || !rest.empty()) {
            return "is not a table name";
        }
        if (characters(name) > kLongestIdentifier) {
            return fmt::format("is longer than the {} characters of a name in MySQL",
                               kLongestIdentifier);
        }
    }
    route.table.table = names.back();
    route.table.database = names.size() == 2 ? names.front() : std::string{};
    return {};
}

std::vector<RouteOption> declare() {
    using mapping::Format;
    using mapping::KeySource;
    using mapping::Mode;
    using mapping::OnBadRecord;
    using mapping::UnknownFields;
    return {
        {.name = "topic",
         .value_name = "TOPIC",
         .allowed = "a topic, topics separated by commas, or one ^regex",
         .help = "Topics of this route. What begins with ^ is one POSIX extended expression.",
         .set = set_topics},
        {.name = "table",
         .value_name = "TABLE",
         .allowed = "table or database.table; a name with dots in it in backticks",
         .help = "Target table, in the database of mysql.uri unless it names another.",
         .set = set_table},
        choice<Route, Format>("format",
                              "Format of the records' values.",
                              {{"json", Format::json}},
                              [](Route& r) -> Format& { return r.format; }),
        choice<Route, Mode>("mode",
                            "upsert: a record is the new state of the row of its key, a tombstone "
                            "deletes it. insert: a record is a new row.",
                            {{"upsert", Mode::upsert}, {"insert", Mode::insert}},
                            [](Route& r) -> Mode& { return r.mode; }),
        choice<Route, KeySource>("key",
                                 "Where the primary key's columns come from: fields of the value, "
                                 "or the record's key (a JSON object, or a bare value for a "
                                 "one-column key).",
                                 {{"value", KeySource::value}, {"record", KeySource::record}},
                                 [](Route& r) -> KeySource& { return r.key; }),
        choice<Route, UnknownFields>(
            "unknown-fields",
            "A field that has no column: left out, or the record is refused.",
            {{"ignore", UnknownFields::ignore}, {"error", UnknownFields::error}},
            [](Route& r) -> UnknownFields& { return r.unknown_fields; }),
        choice<Route, OnBadRecord>("on-bad-record",
                                   "A record that cannot be applied: fail stops with exit code 65 "
                                   "and names the record.",
                                   {{"fail", OnBadRecord::fail}},
                                   [](Route& r) -> OnBadRecord& { return r.on_bad_record; }),
    };
}

}  // namespace

const std::vector<RouteOption>& route_options() {
    static const std::vector<RouteOption> options = declare();
    return options;
}

}  // namespace txsink::config
