/// @file
/// The options of a route.
#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <fstream>

#include "config/option_table.hpp"
#include "config/option_values.hpp"
#include "config/route_values.hpp"
#include "txsink/mapping/route.hpp"

namespace txsink::config {
namespace {

using mapping::Route;

constexpr std::size_t kLongestStatements = 1U << 20U;

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

std::string set_table(Route& route, const std::string& value) {
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
        // With a placeholder its length is known only with the topic.
        if (name.find("${") == std::string::npos && characters(name) > kLongestIdentifier) {
            return fmt::format("is longer than the {} characters of a name in MySQL",
                               kLongestIdentifier);
        }
    }
    route.table.table = names.back();
    route.table.database = names.size() == 2 ? names.front() : std::string{};
    return {};
}

std::string set_when(Route& route, const std::string& value) {
    route.is_otherwise = value == "otherwise";
    return route.is_otherwise ? "" : parse_into(route.when, value, &mapping::parse_filter);
}

std::string set_tombstone(Route& route, const std::string& value) {
    using mapping::OnTombstone;
    constexpr std::string_view kSoft = "soft:";
    if (value.starts_with(kSoft)) {
        route.tombstone = OnTombstone::soft;
        route.soft_delete_column = value.substr(kSoft.size());
        return complaint_about_column(route.soft_delete_column);
    }
    for (const auto& [name, tombstone] :
         Choices<OnTombstone>{{"delete", OnTombstone::remove},
                              {"ignore", OnTombstone::ignore},
                              {"bad-record", OnTombstone::bad_record}}) {
        if (value == name) {
            route.tombstone = tombstone;
            return {};
        }
    }
    return "is not one of the names allowed";
}

std::string set_sql(Route& route, const std::string& value) {
    route.sql = value;
    return value.empty() ? "is empty" : "";
}

std::string set_sql_file(Route& route, const std::string& path) {
    if (!route.sql.empty()) {
        return "cannot be given with sql: write the statements in one place";
    }
    std::ifstream file{path, std::ios::binary};
    std::string content(kLongestStatements + 1, '\0');
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.is_open() || file.bad()) {
        return "cannot be read";
    }
    content.resize(static_cast<std::size_t>(file.gcount()));
    if (content.size() > kLongestStatements) {
        return "holds more than 1MiB";
    }
    return set_sql(route, content);
}

std::vector<RouteOption> which_records() {
    using mapping::Format;
    using mapping::KeyFormat;
    return {
        {.name = "topic",
         .value_name = "TOPIC",
         .allowed = "a topic, topics separated by commas, or one ^regex",
         .help = "Topics of this route; several routes may take one topic. What begins with ^ is "
                 "one POSIX extended expression.",
         .set = set_topics},
        {.name = "table",
         .value_name = "TABLE",
         .allowed = "table or database.table; a name with dots in it in backticks",
         .help = "Target table, in the database of mysql.uri unless it names another. ${topic} "
                 "stands for the topic, ${1} to ${9} for the groups of its ^regex; dots in them "
                 "are part of the name.",
         .set = set_table},
        choice<Route, Format>("format",
                              "Format of the records' values. json-schema: Kafka Connect's "
                              "envelope of schema and payload. debezium: change events. raw: the "
                              "bytes as one value.",
                              {{"json", Format::json},
                               {"json-schema", Format::json_schema},
                               {"debezium", Format::debezium},
                               {"raw", Format::raw}},
                              [](Route& r) -> Format& { return r.format; }),
        choice<Route, KeyFormat>("key-format",
                                 "Format of the records' keys. automatic: JSON, in an envelope "
                                 "where format has one. int32, int64: big-endian, as Java's "
                                 "serializers write them. none: the key is not looked at.",
                                 {{"automatic", KeyFormat::automatic},
                                  {"json", KeyFormat::json},
                                  {"json-schema", KeyFormat::json_schema},
                                  {"string", KeyFormat::string},
                                  {"raw", KeyFormat::raw},
                                  {"int32", KeyFormat::int32},
                                  {"int64", KeyFormat::int64},
                                  {"none", KeyFormat::none}},
                                 [](Route& r) -> KeyFormat& { return r.key_format; }),
        text<Route>("unavailable-marker",
                    "TEXT",
                    "The string by which a source says that it did not send a value, in any format "
                    "but raw; its column is left alone.",
                    [](Route& r) -> std::string& { return r.unavailable_marker; }),
        {.name = "when",
         .value_name = "FILTER",
         .allowed = "a filter, such as $.type = 'order' and $.total; or otherwise",
         .help = "Takes only the records that match. otherwise: takes what no other route of the "
                 "topic takes.",
         .set = set_when},
        {.name = "for-each",
         .value_name = "SOURCE",
         .allowed = "a source that is an array, such as $.items",
         .help = "Makes a row of each element; sources name it $item, its position $index.",
         .set = [](Route& r, const std::string& value) { return set_source(r.for_each, value); }},
        {.name = "replace-children",
         .value_name = "COLUMNS",
         .allowed = "columns separated by commas",
         .help = "With for-each: the columns that name the parent. Its rows in the table are "
                 "deleted before the new ones are written.",
         .set = [](Route& r,
                   const std::string& value) { return set_columns(r.replace_children, value); }},
    };
}

std::vector<RouteOption> what_they_do() {
    using mapping::KeySource;
    using mapping::Mode;
    using mapping::OnBadRecord;
    using mapping::OnConflict;
    using mapping::OnMissingRow;
    return {
        choice<Route, Mode>("mode",
                            "upsert: a record is the new state of the row of its key, a tombstone "
                            "deletes it. insert: a record is a new row. update: changes the row "
                            "of its key, and never makes one. sql: runs the statements of sql.",
                            {{"upsert", Mode::upsert},
                             {"insert", Mode::insert},
                             {"update", Mode::update},
                             {"sql", Mode::sql}},
                            [](Route& r) -> Mode& { return r.mode; }),
        choice<Route, KeySource>("key",
                                 "Where the primary key's columns come from: fields of the value, "
                                 "or the record's key (a JSON object, or a bare value for a "
                                 "one-column key).",
                                 {{"value", KeySource::value}, {"record", KeySource::record}},
                                 [](Route& r) -> KeySource& { return r.key; }),
        choice<Route, OnConflict>("on-conflict",
                                  "What an incoming value does to the columns of a row that "
                                  "exists; those of the primary key stay. replace: takes their "
                                  "place. keep: goes only into new rows. add: is added. max, min: "
                                  "the larger, the smaller stays.",
                                  on_conflict_names(),
                                  [](Route& r) -> OnConflict& { return r.on_conflict; }),
        {.name = "if-newer",
         .value_name = "COLUMN",
         .allowed = "a column",
         .help = "A row changes only when the incoming value of this column is greater than the "
                 "stored one, or that is NULL.",
         .set =
             [](Route& r, const std::string& value) {
                 r.if_newer = value;
                 return complaint_about_column(value);
             }},
        {.name = "tombstone",
         .value_name = "NAME",
         .allowed = "delete | ignore | bad-record | soft:COLUMN",
         .fallback = "delete",
         .help = "What a record without a value does to the row of its key. soft: marks it, "
                 "with 1 or, in a DATETIME or TIMESTAMP, with the record's time; a row that is "
                 "written again loses its mark.",
         .set = set_tombstone},
        {.name = "delete-when",
         .value_name = "FILTER",
         .allowed = "a filter, such as $.__deleted = 'true'",
         .help = "Records that match do what a tombstone does.",
         .set =
             [](Route& r, const std::string& value) {
                 r.delete_when.emplace();
                 return parse_into(*r.delete_when, value, &mapping::parse_filter);
             }},
        choice<Route, OnMissingRow>(
            "missing-row",
            "mode = update, and no row has the key: counted and passed "
            "over, or the record is refused.",
            {{"count", OnMissingRow::count}, {"bad-record", OnMissingRow::bad_record}},
            [](Route& r) -> OnMissingRow& { return r.missing_row; }),
        {.name = "sql",
         .value_name = "SQL",
         .allowed = "statements separated by ;",
         .help = "mode = sql: what each record runs, with parameters :name.",
         .set = set_sql},
        {.name = "sql-file",
         .value_name = "FILE",
         .allowed = "path of a file of up to 1MiB",
         .help = "A file that holds what sql would; read at the start.",
         .set = set_sql_file},
        count<std::uint64_t, Route>(
            "require-rows",
            "mode = sql: a record is refused when a statement finds fewer rows than this.",
            0,
            1'000'000'000,
            [](Route& r) -> std::uint64_t& { return r.require_rows; }),
        choice<Route, OnBadRecord>("on-bad-record",
                                   "A record that cannot be applied: fail stops with exit code 65 "
                                   "and names the record. dead-letter: it is kept in "
                                   "txsink_dead_letters, in the transaction of its batch. skip: "
                                   "it is counted and passed over.",
                                   {{"fail", OnBadRecord::fail},
                                    {"dead-letter", OnBadRecord::dead_letter},
                                    {"skip", OnBadRecord::skip}},
                                   [](Route& r) -> OnBadRecord& { return r.on_bad_record; }),
    };
}

std::vector<RouteOption> how_fields_fit() {
    using namespace mapping;
    return {
        {.name = "fields",
         .value_name = "FIELDS",
         .allowed = "fields separated by commas",
         .help = "Only these fields go to the column of their name. A column with a source of its "
                 "own needs no place here.",
         .set = [](Route& r, const std::string& value) { return set_names(r.fields, value); }},
        {.name = "exclude-fields",
         .value_name = "FIELDS",
         .allowed = "fields separated by commas; * for all",
         .help = "These fields do not go to the column of their name.",
         .set = [](Route& r,
                   const std::string& value) { return set_names(r.exclude_fields, value); }},
        text<Route>("flatten",
                    "TEXT",
                    "Takes nested objects apart: with _, the field b in a is the field a_b. "
                    "Without it, an object is one value.",
                    [](Route& r) -> std::string& { return r.flatten; }),
        choice<Route, UnknownFields>(
            "unknown-fields",
            "A field that has no column: left out, or the record is refused.",
            {{"ignore", UnknownFields::ignore}, {"error", UnknownFields::error}},
            [](Route& r) -> UnknownFields& { return r.unknown_fields; }),
        choice<Route, OnMissing>(
            "missing",
            "A column without a field. default: a new row takes the column's default, one that "
            "exists keeps what it has. null: NULL. error: the record is refused.",
            missing_names(),
            [](Route& r) -> OnMissing& { return r.values.missing; }),
        choice<Route, OnNull>("null",
                              "A field that is null: NULL, or the column's default.",
                              null_names(),
                              [](Route& r) -> OnNull& { return r.values.null; }),
        choice<Route, OnExcessFraction>(
            "excess-fraction",
            "A time with more digits after its seconds than the column has.",
            excess_fraction_names(),
            [](Route& r) -> OnExcessFraction& { return r.values.excess_fraction; }),
        choice<Route, TimeUnit>("time-unit",
                                "What a number means in a column of dates or times. automatic: "
                                "what the format says, else it is refused.",
                                unit_names(),
                                [](Route& r) -> TimeUnit& { return r.values.unit; }),
        choice<Route, BinaryEncoding>("binary",
                                      "How a string carries the bytes of a binary column.",
                                      binary_names(),
                                      [](Route& r) -> BinaryEncoding& { return r.values.binary; }),
        choice<Route, DecimalHandling>(
            "decimal-handling",
            "Decimals without a schema: their digits, or base64 of the unscaled number as by "
            "Debezium's decimal.handling.mode = precise.",
            {{"string", DecimalHandling::text}, {"precise", DecimalHandling::precise}},
            [](Route& r) -> DecimalHandling& { return r.values.decimals; }),
        choice<Route, TimePrecision>(
            "time-precision",
            "Numbers in columns of dates and times, without a schema, by Debezium's "
            "time.precision.mode. With format = debezium the default is adaptive.",
            {{"none", TimePrecision::none},
             {"adaptive", TimePrecision::adaptive},
             {"connect", TimePrecision::connect}},
            [](Route& r) -> TimePrecision& { return r.values.times; }),
    };
}

}  // namespace

const std::vector<RouteOption>& route_options() {
    static const std::vector<RouteOption> options = [] {
        auto all = which_records();
        for (auto& part : {what_they_do(), how_fields_fit()}) {
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }();
    return options;
}

}  // namespace txsink::config
