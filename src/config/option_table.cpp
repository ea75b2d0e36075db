/// @file
/// The options that are not of a route, and how names of options are understood.
#include "config/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "config/option_values.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kMostPartitions = 100'000;
constexpr std::size_t kLongestPassword = 4096;
/// How route_option_patterns() begins the options of a column.
constexpr std::string_view kPatternColumn = "column.C";
constexpr std::string_view kNameCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

std::string complaint_about_name(const std::string& value, std::size_t longest) {
    if (value.empty() || value.size() > longest ||
        value.find_first_not_of(kNameCharacters) != std::string::npos) {
        return fmt::format("is not a name: 1 to {} letters, digits, '.', '_' and '-'", longest);
    }
    return {};
}

std::string set_connector(Settings& settings, const std::string& value) {
    settings.pipeline.connector = value;
    return complaint_about_name(value, kLongestConnector);
}

std::string set_instance(Settings& settings, const std::string& value) {
    settings.instance = value;
    return complaint_about_name(value, kLongestConnector);
}

struct StartName {
    std::string_view name;
    pipeline::StartKind kind;
};
// Those that need no more than their name.
constexpr std::array kStarts{StartName{"earliest", pipeline::StartKind::earliest},
                             StartName{"latest", pipeline::StartKind::latest},
                             StartName{"group", pipeline::StartKind::group},
                             StartName{"fail", pipeline::StartKind::fail}};

std::string default_start() {
    for (const auto& [name, kind] : kStarts) {
        if (kind == Settings{}.pipeline.start.kind) {
            return std::string{name};
        }
    }
    return {};
}

std::string set_start(Settings& settings, const std::string& value) {
    using pipeline::StartKind;
    constexpr std::string_view kTimestamp = "timestamp:";
    constexpr std::string_view kGroup = "group:";
    auto& start = settings.pipeline.start;
    for (const auto& [name, kind] : kStarts) {
        if (name == value) {
            start.kind = kind;
            return {};
        }
    }
    if (value.starts_with(kGroup) && value.size() > kGroup.size()) {
        start.kind = StartKind::group;
        start.group = value.substr(kGroup.size());
        return {};
    }
    if (!value.starts_with(kTimestamp)) {
        return "is not a start";
    }
    const auto when = parse_timestamp(std::string_view{value}.substr(kTimestamp.size()));
    if (!when) {
        return "is not a time with its zone, such as timestamp:2024-03-01T10:00:00Z";
    }
    start.kind = StartKind::timestamp;
    start.timestamp_ms = *when;
    return {};
}

std::string set_assign(Settings& settings, const std::string& value) {
    auto& assign = settings.kafka.assign;
    assign.clear();
    for (const auto& part : split(value, ',')) {
        const auto colon = std::min(part.rfind(':'), part.size());
        const auto topic = part.substr(0, colon);
        const std::string_view range =
            std::string_view{part}.substr(std::min(colon + 1, part.size()));
        const auto dash = std::min(range.find('-'), range.size());
        const auto first = parse_integer(range.substr(0, dash));
        const auto last = dash == range.size() ? first : parse_integer(range.substr(dash + 1));
        if (!first || !last || *last < *first || *last >= kMostPartitions) {
            return "is not a list of partitions, such as orders:0-5,other:3";
        }
        if (const auto complaint = complaint_about_topic(topic); !complaint.empty()) {
            return complaint;
        }
        for (auto partition = *first; partition <= *last; ++partition) {
            assign.push_back({topic, static_cast<std::int32_t>(partition)});
        }
    }
    std::sort(assign.begin(), assign.end());
    const auto twice = std::adjacent_find(assign.begin(), assign.end());
    return twice == assign.end() ? "" : fmt::format("names {} twice", to_string(*twice));
}

std::string set_uri(Settings& settings, const std::string& value) {
    try {
        const auto parsed = mysql::parse_mysql_uri(value);
        settings.mysql.hosts = parsed.hosts;
        settings.mysql.user = parsed.user;
        settings.mysql.database = parsed.database;
        settings.mysql.password = parsed.password;
    } catch (const SinkError& error) {
        // The name of the option comes before every complaint.
        constexpr std::string_view kPrefix = "mysql.uri: ";
        std::string_view what = error.what();
        what.remove_prefix(what.starts_with(kPrefix) ? kPrefix.size() : 0);
        return std::string{what};
    }
    return {};
}

std::string set_password(Settings& settings, const std::string& value) {
    if (!settings.mysql.password.is_empty()) {
        return "the password is given twice: in mysql.uri, mysql.password or mysql.password-file";
    }
    settings.mysql.password = Secret{value};
    return {};
}

std::string set_password_file(Settings& settings, const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    std::string content(kLongestPassword + 1, '\0');
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    // A directory opens like a file; only reading fails.
    if (!file.is_open() || file.bad()) {
        return "cannot be read";
    }
    content.resize(static_cast<std::size_t>(file.gcount()));
    if (content.size() > kLongestPassword) {
        return fmt::format("holds more than the {} bytes of a password", kLongestPassword);
    }
    // Editors end a file with a line break that is not part of the password.
    if (content.ends_with('\n')) {
        content.pop_back();
    }
    if (content.ends_with('\r')) {
        content.pop_back();
    }
    if (content.empty()) {
        return "is empty";
    }
    return set_password(settings, content).empty()
               ? ""
               : "is a second password: there is one in mysql.uri or mysql.password";
}

std::vector<Option> general_options() {
    return {
        {.name = "connector",
         .value_name = "NAME",
         .allowed = "1 to 64 letters, digits, '.', '_' and '-'",
         .help = "Identity of this connector: the offsets in MySQL are stored under it, so two "
                 "connectors must not share one, and a new name starts over. A command with "
                 "exactly one topic, given by topic and not in a [route.X], takes the topic's "
                 "name; otherwise it must be given.",
         .set = set_connector},
        count<int>("pipelines",
                   "Consumers of this process, each with a MySQL session of its own.",
                   1,
                   64,
                   [](Settings& s) -> int& { return s.pipelines; }),
        {.name = "instance",
         .value_name = "NAME",
         .allowed = "1 to 64 letters, digits, '.', '_' and '-'",
         .help = "Makes static members of the consumer group (NAME-0, NAME-1, ...): a process "
                 "that comes back within the session timeout gets its partitions at once. Each "
                 "process needs a name of its own.",
         .set = set_instance},
        {.name = "assign",
         .value_name = "LIST",
         .allowed = "topic:partition or topic:first-last, separated by commas",
         .help = "Takes these partitions without a consumer group, for batch jobs.",
         .set = set_assign},
        {.name = "start",
         .value_name = "START",
         .allowed = "earliest | latest | timestamp:<ISO 8601 with zone> | group[:<id>] | fail",
         .fallback = default_start(),
         .help = "Where a topic without stored offsets is read from. timestamp: the first record "
                 "at or after it. group: what that Kafka group has committed (without an id: "
                 "kafka.group.id). Partitions added later are always read from their beginning.",
         .set = set_start},
    };
}

std::vector<Option> refusal_options() {
    using mapping::OnUnrouted;
    return {
        choice<Settings, OnUnrouted>(
            "unrouted",
            "A record that no route of its topic takes (see when): refused, by on-bad-record of "
            "the strictest route; or passed over and counted.",
            {{"error", OnUnrouted::error}, {"ignore", OnUnrouted::ignore}},
            [](Settings& s) -> OnUnrouted& { return s.pipeline.on_unrouted; }),
        count<std::size_t>(
            "bad-record.limit",
            "More refused records than this within bad-record.window: stop with exit code 65, as "
            "the fault is probably not theirs. 0: no limit.",
            0,
            1'000'000'000,
            [](Settings& s) -> std::size_t& { return s.pipeline.bad_record_limit.count; }),
        duration<milliseconds>(
            "bad-record.window",
            "See bad-record.limit.",
            seconds{1},
            hours{24},
            [](Settings& s) -> milliseconds& { return s.pipeline.bad_record_limit.window; }),
        {.name = "dead-letter.topic",
         .value_name = "TOPIC",
         .allowed = "a topic",
         .help = "Dead letters (on-bad-record = dead-letter) are also copied to this topic, "
                 "before the transaction that keeps them in MySQL.",
         .set =
             [](Settings& settings, const std::string& value) {
                 settings.dead_letter_topic = value;
                 return complaint_about_topic(value);
             }},
    };
}

std::vector<Option> trouble_options() {
    using pipeline::OnOutOfRange;
    using pipeline::OnTopicRecreated;
    return {
        choice<Settings, OnOutOfRange>(
            "on-out-of-range",
            "Kafka no longer has the stored offset. Going on means that records are lost: the "
            "range is recorded in txsink_gaps.",
            {{"fail", OnOutOfRange::fail},
             {"earliest", OnOutOfRange::earliest},
             {"latest", OnOutOfRange::latest}},
            [](Settings& s) -> OnOutOfRange& { return s.pipeline.on_out_of_range; }),
        choice<Settings, OnTopicRecreated>(
            "on-topic-recreated",
            "The stored offset lies beyond the end of the topic, or belongs to another cluster. "
            "restart: read the new topic from its beginning.",
            {{"fail", OnTopicRecreated::fail}, {"restart", OnTopicRecreated::restart}},
            [](Settings& s) -> OnTopicRecreated& { return s.pipeline.on_topic_recreated; }),
        duration<milliseconds>(
            "connect.timeout",
            "At start, each server must answer within this time.",
            seconds{1},
            hours{1},
            [](Settings& s) -> milliseconds& { return s.pipeline.connect_deadline; }),
        duration<milliseconds>(
            "retry.initial",
            "Wait before a transaction is run again; it doubles each time, and "
            "is spread at random.",
            milliseconds{1},
            minutes{1},
            [](Settings& s) -> milliseconds& { return s.pipeline.retry.initial; }),
        duration<milliseconds>(
            "retry.maximum",
            "Longest wait between two attempts.",
            milliseconds{1},
            minutes{10},
            [](Settings& s) -> milliseconds& { return s.pipeline.retry.maximum; }),
        duration<milliseconds>(
            "retry.deadline",
            "From the first failure to giving up with exit code 69; 0: never.",
            milliseconds{0},
            hours{24 * 365},
            [](Settings& s) -> milliseconds& { return s.pipeline.retry.deadline; }),
        duration<milliseconds>("shutdown.timeout",
                               "From SIGINT or SIGTERM to the forced end with exit code 69.",
                               seconds{1},
                               hours{1},
                               [](Settings& s) -> milliseconds& { return s.shutdown_timeout; }),
        duration<milliseconds>("idle.check",
                               "The offset row of a partition that had nothing to write for this "
                               "long is read, to notice an edit or a take-over.",
                               seconds{1},
                               hours{1},
                               [](Settings& s) -> milliseconds& { return s.pipeline.idle_check; }),
        count<int>("fenced.limit",
                   "So many take-overs of one partition within fenced.window, without a commit "
                   "between: stop with exit code 73.",
                   1,
                   1'000,
                   [](Settings& s) -> int& { return s.pipeline.fenced_limit; }),
        duration<milliseconds>(
            "fenced.window",
            "See fenced.limit.",
            seconds{1},
            hours{24},
            [](Settings& s) -> milliseconds& { return s.pipeline.fenced_window; }),
    };
}

std::vector<Option> batch_options() {
    return {
        count<std::size_t>("batch.rows",
                           "A batch is written when it holds this many row changes, ...",
                           1,
                           1'000'000,
                           [](Settings& s) -> std::size_t& { return s.pipeline.batch.rows; }),
        size<std::size_t>("batch.bytes",
                          "... or this much SQL text, ...",
                          1024,
                          std::int64_t{1} << 30,
                          [](Settings& s) -> std::size_t& { return s.pipeline.batch.bytes; }),
        duration<milliseconds>(
            "batch.linger",
            "... or when its first record is this old; sooner where writes are quick: it waits no "
            "longer than four of the last ones took.",
            milliseconds{0},
            minutes{1},
            [](Settings& s) -> milliseconds& { return s.pipeline.batch.linger; }),
    };
}

std::vector<Option> kafka_options() {
    return {
        duration<milliseconds>(
            "mirror.interval",
            "Committed offsets are shown to the Kafka group at most this far "
            "apart. For lag tools only: txsink never reads them back.",
            milliseconds{100},
            hours{1},
            [](Settings& s) -> milliseconds& { return s.kafka.mirror_interval; }),
        duration<milliseconds>(
            "request.timeout",
            "One question to a broker (metadata, offsets).",
            milliseconds{100},
            minutes{5},
            [](Settings& s) -> milliseconds& { return s.kafka.request_timeout; }),
    };
}

Option file_option(std::string name, std::string help, Place<Settings, std::string> place) {
    auto option = text(std::move(name), "FILE", std::move(help), place);
    option.allowed = "path of a file";
    return option;
}

std::vector<Option> mysql_options() {
    using mysql::TlsMode;
    return {
        {.name = "mysql.uri",
         .value_name = "URI",
         .allowed = "mysql://user@host[:port][,host[:port]...]/database",
         .help = "The server. Several hosts are tried in order until one is writable. Special "
                 "characters are percent-encoded.",
         .is_secret = true,
         .set = set_uri},
        {.name = "mysql.password",
         .value_name = "SECRET",
         .allowed = "in the environment (TXSINK_MYSQL_PASSWORD) or the file of --config",
         .help = "Password of the user. Refused on the command line, where ps shows it.",
         .is_secret = true,
         .set = set_password},
        {.name = "mysql.password-file",
         .value_name = "FILE",
         .allowed = "path of a file",
         .help = "A file that holds the password; a line break at its end is not part of it.",
         .set = set_password_file},
        choice<Settings, TlsMode>("mysql.tls",
                                  "preferred: encrypted if the server can. required: encrypted or "
                                  "not at all. verify-ca, verify-identity: and the certificate "
                                  "must be of a known authority, and of that host. Debian's "
                                  "driver cannot do verify-ca and refuses it.",
                                  {{"disabled", TlsMode::disabled},
                                   {"preferred", TlsMode::preferred},
                                   {"required", TlsMode::required},
                                   {"verify-ca", TlsMode::verify_ca},
                                   {"verify-identity", TlsMode::verify_identity}},
                                  [](Settings& s) -> TlsMode& { return s.mysql.tls.mode; }),
        file_option("mysql.tls-ca",
                    "Certificates (PEM) of the authorities to trust.",
                    [](Settings& s) -> std::string& { return s.mysql.tls.ca_file; }),
        file_option("mysql.tls-cert",
                    "Our own certificate (PEM), for servers that ask for one.",
                    [](Settings& s) -> std::string& { return s.mysql.tls.certificate_file; }),
        file_option("mysql.tls-key",
                    "The key (PEM) of mysql.tls-cert.",
                    [](Settings& s) -> std::string& { return s.mysql.tls.key_file; }),
        duration<seconds>("mysql.connect-timeout",
                          "One attempt to connect to one host.",
                          seconds{1},
                          minutes{5},
                          [](Settings& s) -> seconds& { return s.mysql.connect_timeout; }),
        duration<seconds>("mysql.read-timeout",
                          "Longest wait for an answer of the server; must be longer than "
                          "mysql.lock-wait-timeout.",
                          seconds{1},
                          minutes{30},
                          [](Settings& s) -> seconds& { return s.mysql.read_timeout; }),
        duration<seconds>("mysql.write-timeout",
                          "Longest wait for the server to take what we send.",
                          seconds{1},
                          minutes{30},
                          [](Settings& s) -> seconds& { return s.mysql.write_timeout; }),
        duration<seconds>("mysql.lock-wait-timeout",
                          "Longest wait for a row or a table that another session holds; the "
                          "transaction is then run again.",
                          seconds{1},
                          minutes{10},
                          [](Settings& s) -> seconds& { return s.mysql.lock_wait_timeout; }),
        duration<seconds>("mysql.wait-timeout",
                          "The server ends a session that was silent for this long: so long can a "
                          "stopped process hold its locks. Must be longer than idle.check.",
                          seconds{2},
                          hours{8},
                          [](Settings& s) -> seconds& { return s.mysql.wait_timeout; }),
    };
}

std::vector<Option> log_options() {
    using observe::LogFormat;
    using observe::LogLevel;
    return {
        choice<Settings, LogLevel>("log.level",
                                   "Least important messages to show, on standard error.",
                                   {{"debug", LogLevel::debug},
                                    {"info", LogLevel::info},
                                    {"warn", LogLevel::warn},
                                    {"error", LogLevel::error}},
                                   [](Settings& s) -> LogLevel& { return s.log.level; }),
        choice<Settings, LogFormat>(
            "log.format",
            "One line a message, as text or as a JSON object. Errors in the "
            "options themselves are always text.",
            {{"text", LogFormat::text}, {"json", LogFormat::json}},
            [](Settings& s) -> LogFormat& { return s.log.format; }),
        duration<milliseconds>("log.progress",
                               "While records are written, a line this often; 0: never.",
                               milliseconds{0},
                               hours{24},
                               [](Settings& s) -> milliseconds& { return s.progress_interval; }),
    };
}

}  // namespace

const std::vector<Section>& option_sections() {
    static const std::vector<Section> sections{
        {"General", general_options()},
        {"MySQL", mysql_options()},
        {"Kafka", kafka_options()},
        {"Batches", batch_options()},
        {"Refused records", refusal_options()},
        {"Trouble", trouble_options()},
        {"Logging", log_options()},
    };
    return sections;
}

const Option* find_option(std::string_view name) {
    for (const auto& section : option_sections()) {
        for (const auto& option : section.options) {
            if (option.name == name) {
                return &option;
            }
        }
    }
    return nullptr;
}

RouteKey split_route_key(std::string_view name) {
    constexpr std::string_view kPrefix = "route.";
    constexpr std::string_view kAllowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    if (!name.starts_with(kPrefix)) {
        return {};
    }
    name.remove_prefix(kPrefix.size());
    const auto dot = name.find('.');
    const auto route = name.substr(0, dot);
    if (dot == name.npos || route.empty() || route.find_first_not_of(kAllowed) != route.npos) {
        return {};
    }
    return {std::string{route}, std::string{name.substr(dot + 1)}};
}

bool is_option(std::string_view name) {
    return find_option(name) != nullptr || find_route_option(name) ||
           find_route_option(split_route_key(name).option) ||
           (name.starts_with(kKafkaPrefix) && name.size() > kKafkaPrefix.size());
}

bool is_secret(std::string_view name) {
    if (const auto* option = find_option(name)) {
        return option->is_secret;
    }
    return name.starts_with(kKafkaPrefix) &&
           (name.ends_with("password") || name.ends_with("secret") || name.ends_with("key.pem") ||
            name == "kafka.sasl.oauthbearer.config");
}

std::vector<std::string> names_near(std::string_view name) {
    std::vector<std::string> names;
    for (const auto& section : option_sections()) {
        for (const auto& option : section.options) {
            names.push_back(option.name);
        }
    }
    const auto key = split_route_key(name);
    const auto prefix = key.route.empty() ? std::string{} : fmt::format("route.{}.", key.route);
    for (const auto& option : route_options()) {
        names.push_back(prefix + option.name);
    }
    auto rest = key.route.empty() ? name : std::string_view{key.option};
    if (rest.starts_with(kColumnPrefix)) {
        // As the column is written, in backticks or not.
        const auto whole = rest;
        rest.remove_prefix(kColumnPrefix.size());
        static_cast<void>(take_identifier(rest));
        const auto column = whole.substr(0, whole.size() - rest.size());
        for (const auto& option : route_option_patterns()) {
            if (option.name.starts_with(kPatternColumn)) {
                names.push_back(fmt::format(
                    "{}{}{}", prefix, column, option.name.substr(kPatternColumn.size())));
            }
        }
    }
    names.emplace_back("kafka.bootstrap.servers");
    names.emplace_back("kafka.group.id");
    return names;
}

std::string variable_of(std::string_view name) {
    std::string variable{"TXSINK_"};
    for (const char c : name) {
        const bool is_lower = 'a' <= c && c <= 'z';
        variable += c == '.' || c == '-' ? '_' : (is_lower ? static_cast<char>(c - 'a' + 'A') : c);
    }
    return variable;
}

}  // namespace txsink::config
