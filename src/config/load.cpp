#include "txsink/config/load.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "config/checks.hpp"
#include "config/given_options.hpp"
#include "config/option_table.hpp"
#include "txsink/config/nearest.hpp"
#include "txsink/kafka/property_names.hpp"

namespace txsink::config {
namespace {

/// A value in a message: on one line, and not longer than is useful.
std::string quoted(std::string_view value) {
    constexpr std::size_t kLongest = 80;
    std::string text{"\""};
    for (const char c : value.substr(0, kLongest)) {
        text += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
    return text + (value.size() > kLongest ? "...\"" : "\"");
}

/// Of the names in `allowed`, the one that was probably meant; empty where it is no list of names.
std::string nearest_choice(std::string_view allowed, std::string_view value) {
    std::vector<std::string> choices;
    while (!allowed.empty()) {
        const auto end = std::min(allowed.find(kBetweenChoices), allowed.size());
        choices.emplace_back(allowed.substr(0, end));
        allowed.remove_prefix(std::min(end + kBetweenChoices.size(), allowed.size()));
    }
    return choices.size() > 1 ? nearest(value, choices) : std::string{};
}

template <typename Target>
void apply(const OptionOf<Target>& option,
           const std::string& name,
           const Given& given,
           Target& target) {
    const auto complaint = option.set(target, given.value);
    if (complaint.empty()) {
        return;
    }
    const auto near = nearest_choice(option.allowed, given.value);
    throw SinkError{
        given.origin.error_kind(),
        option.is_secret ? fmt::format("{}: {}", name, complaint)
                         : fmt::format("{}: {} {}", name, quoted(given.value), complaint),
        "given " + given.origin.words(),
        near.empty() ? fmt::format("allowed: {}", option.allowed)
                     : fmt::format("did you mean {}? allowed: {}", near, option.allowed)};
}

constexpr const char* kTheOneRoute = "default";

/// The routes by name, from `route.NAME.X` or from the options of the one route.
std::vector<mapping::Route> make_routes(const GivenOptions& given) {
    std::map<std::string, mapping::Route> routes;
    const Given* of_the_one = nullptr;
    const Given* of_a_named = nullptr;
    std::string the_one_key;
    for (const auto& [name, value] : given) {
        const auto key = split_route_key(name);
        const bool is_of_the_one = key.route.empty();
        const auto option = find_route_option(is_of_the_one ? name : key.option);
        if (!option) {
            continue;
        }
        (is_of_the_one ? of_the_one : of_a_named) = &value;
        the_one_key = is_of_the_one ? name : the_one_key;
        auto& route = routes[is_of_the_one ? kTheOneRoute : key.route];
        route.name = is_of_the_one ? kTheOneRoute : key.route;
        apply(*option, name, value, route);
    }
    if (of_the_one != nullptr && of_a_named != nullptr) {
        throw SinkError{of_the_one->origin.error_kind(),
                        fmt::format("both the one route and named routes: {} and {}",
                                    of_the_one->origin.text,
                                    of_a_named->origin.text),
                        {},
                        fmt::format("write {0} as route.NAME.{0}", the_one_key)};
    }
    std::vector<mapping::Route> list;
    for (auto& [name, route] : routes) {
        const auto time_precision = of_the_one != nullptr
                                        ? std::string{"time-precision"}
                                        : fmt::format("route.{}.time-precision", name);
        if (route.format == mapping::Format::debezium && !given.contains(time_precision)) {
            route.values.times = mapping::TimePrecision::adaptive;
        }
        list.push_back(std::move(route));
    }
    return list;
}

/// The options of a one-topic command name the connector, unless it is named: its topic is then
/// the only thing that its offsets can be about, so a change of topic loses nothing.
void name_connector(const GivenOptions& given, Settings& settings) {
    const auto& routes = settings.pipeline.routes;
    if (settings.pipeline.connector.empty() && given.contains("topic") && routes.size() == 1 &&
        routes.front().topics.size() == 1 && !routes.front().is_regex()) {
        const auto& topic = routes.front().topics.front();
        // A longer one does not fit; it is then missing, and the message says so.
        settings.pipeline.connector = topic.size() <= kLongestConnector ? topic : "";
    }
}

/// Has librdkafka look at one property alone, so that the error can say where it was given.
void check_property(const std::string& name, const std::string& property, const Given& given) {
    try {
        kafka::check_properties({{property, given.value}});
    } catch (const SinkError& error) {
        const auto known = kafka::property_names();
        const bool is_known = std::binary_search(known.begin(), known.end(), property);
        const auto near = is_known ? std::string{} : nearest(property, known);
        throw SinkError{given.origin.error_kind(),
                        is_known ? error.what() : fmt::format("unknown option {}", name),
                        fmt::format("{}; given {}", error.detail, given.origin.words()),
                        near.empty() ? error.hint : fmt::format("did you mean kafka.{}?", near)};
    }
}

void apply_kafka(const GivenOptions& given, Settings& settings) {
    auto& properties = settings.kafka.properties;
    for (const auto& [name, value] : given) {
        if (name.starts_with(kKafkaPrefix)) {
            const auto property = name.substr(kKafkaPrefix.size());
            check_property(name, property, value);
            properties[property] = value.value;
        }
    }
    auto& topics = settings.kafka.topics;
    for (const auto& route : settings.pipeline.routes) {
        topics.insert(topics.end(), route.topics.begin(), route.topics.end());
    }
    // A topic of several routes is subscribed to once.
    std::sort(topics.begin(), topics.end());
    topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
    if (!settings.pipeline.connector.empty()) {
        properties.try_emplace("group.id", "txsink-" + settings.pipeline.connector);
    }
    auto& start = settings.pipeline.start;
    if (start.kind == pipeline::StartKind::group && start.group.empty()) {
        start.group = properties["group.id"];
    }
    for (auto& route : settings.pipeline.routes) {
        if (route.table.database.empty() && route.mode != mapping::Mode::sql) {
            route.table.database = settings.mysql.database;
        }
    }
}

}  // namespace

std::vector<std::string> process_environment() {
    std::vector<std::string> entries;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        entries.emplace_back(*entry);
    }
    return entries;
}

Settings load(const Sources& sources, const Needs& needs) {
    const auto given = collect(sources);
    Settings settings;
    // In the order of the table, not of the map: mysql.uri before mysql.password.
    for (const auto& section : option_sections()) {
        for (const auto& option : section.options) {
            if (const auto at = given.find(option.name); at != given.end()) {
                apply(option, option.name, at->second, settings);
            }
        }
    }
    settings.pipeline.routes = make_routes(given);
    name_connector(given, settings);
    apply_kafka(given, settings);
    settings.pipeline.heartbeat = heartbeat_of(settings);
    check_as_a_whole(settings, needs);
    return settings;
}

kafka::KafkaSettings kafka_settings_of(const Settings& settings, int index) {
    auto of_one = settings.kafka;
    if (!settings.instance.empty()) {
        of_one.instance_id = fmt::format("{}-{}", settings.instance, index);
    }
    return of_one;
}

}  // namespace txsink::config
