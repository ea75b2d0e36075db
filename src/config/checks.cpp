#include "config/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/option_table.hpp"
#include "config/route_checks.hpp"
#include "config/units.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::config {
namespace {

[[noreturn]] void refuse(const std::string& what, std::string detail, std::string hint) {
    throw SinkError{ErrorKind::configuration, what, std::move(detail), std::move(hint)};
}

void require(bool is_given, const char* name, const std::string& example) {
    if (!is_given) {
        refuse(fmt::format("{} is missing", name),
               {},
               fmt::format("give --{0} {1}, or {2}, or {0} in the file of --config",
                           name,
                           example,
                           variable_of(name)));
    }
}

void check_needs(const Settings& settings, const Needs& needs) {
    if (needs.kafka) {
        require(settings.kafka.properties.contains("bootstrap.servers"),
                "kafka.bootstrap.servers",
                "HOST:PORT");
    }
    if (needs.mysql) {
        require(!settings.mysql.hosts.empty(), "mysql.uri", "mysql://USER@HOST/DATABASE");
        if (settings.mysql.database.empty()) {
            refuse("mysql.uri names no database",
                   {},
                   "it ends with the database of the tables: mysql://USER@HOST/DATABASE");
        }
    }
    if (needs.routes) {
        require(!settings.pipeline.routes.empty(), "topic", "TOPIC");
    }
}

void check_assign(const Settings& settings) {
    const auto& assign = settings.kafka.assign;
    if (assign.empty()) {
        return;
    }
    if (settings.pipelines != 1) {
        refuse("assign needs pipelines = 1",
               "fixed partitions are not shared out",
               "run one process for each part of them");
    }
    if (!settings.instance.empty()) {
        refuse("assign and instance do not go together",
               "instance names a member of a group; assign uses none",
               "leave one of them out");
    }
    const auto& routes = settings.pipeline.routes;
    for (const auto& partition : assign) {
        if (!routes.empty() && std::none_of(routes.begin(), routes.end(), [&](const auto& route) {
                return route.takes(partition.topic);
            })) {
            refuse(fmt::format("assign: no route takes the topic {}", partition.topic),
                   {},
                   "add it to the topics of a route");
        }
    }
}

void check_mysql(const mysql::MysqlSettings& mysql) {
    if (std::min(mysql.read_timeout, mysql.write_timeout) <= mysql.lock_wait_timeout) {
        refuse(
            "mysql.lock-wait-timeout must be shorter than mysql.read-timeout and "
            "mysql.write-timeout",
            fmt::format("they are {}, {} and {}",
                        format_duration(mysql.lock_wait_timeout),
                        format_duration(mysql.read_timeout),
                        format_duration(mysql.write_timeout)),
            "otherwise every wait for a lock looks like a lost connection");
    }
    if (mysql.tls.certificate_file.empty() != mysql.tls.key_file.empty()) {
        refuse("mysql.tls-cert and mysql.tls-key go together", {}, "give both or none");
    }
}

std::chrono::milliseconds kafka_time(const Settings& settings,
                                     const char* property,
                                     std::chrono::milliseconds fallback) {
    const auto at = settings.kafka.properties.find(property);
    if (at == settings.kafka.properties.end()) {
        return fallback;
    }
    const auto value = parse_integer(at->second);
    if (!value) {
        refuse(
            fmt::format("kafka.{}: \"{}\" is not a number of milliseconds", property, at->second),
            {},
            {});
    }
    return std::chrono::milliseconds{*value};
}

/// Everything that one turn of the loop may wait for must fit well into what Kafka allows between
/// two polls, or the group takes the partitions away from a worker that is only waiting.
void check_poll_interval(const Settings& settings) {
    // librdkafka's default.
    const auto poll_interval =
        kafka_time(settings, "max.poll.interval.ms", std::chrono::minutes{5});
    const auto& mysql = settings.mysql;
    const auto sum = 2 * mysql.lock_wait_timeout + mysql.wait_timeout + mysql.read_timeout;
    if (sum >= poll_interval / 2) {
        refuse("the timeouts of mysql are too long for kafka.max.poll.interval.ms",
               fmt::format("twice mysql.lock-wait-timeout ({}), mysql.wait-timeout ({}) and "
                           "mysql.read-timeout ({}) are {}; half of the interval is {}",
                           format_duration(mysql.lock_wait_timeout),
                           format_duration(mysql.wait_timeout),
                           format_duration(mysql.read_timeout),
                           format_duration(sum),
                           format_duration(poll_interval / 2)),
               "shorten them, or give kafka.max.poll.interval.ms a larger value");
    }
}

}  // namespace

std::chrono::milliseconds heartbeat_of(const Settings& settings) {
    return kafka_time(settings, "heartbeat.interval.ms", settings.pipeline.heartbeat);
}

void check_as_a_whole(const Settings& settings, const Needs& needs) {
    check_needs(settings, needs);
    check_routes(settings, needs);
    if (needs.connector && settings.pipeline.connector.empty()) {
        refuse("connector is missing",
               "the offsets in MySQL are stored under this name; only a command with exactly one "
               "--topic takes the topic's name, of up to 64 characters",
               "give --connector NAME, and never change it: a new name starts over");
    }
    check_assign(settings);
    kafka::check_properties(settings.kafka.properties);
    if (needs.mysql) {
        check_mysql(settings.mysql);
    }
    if (needs.mysql && needs.kafka) {
        check_poll_interval(settings);
    }
    if (settings.pipeline.idle_check >= settings.mysql.wait_timeout) {
        refuse("idle.check must be shorter than mysql.wait-timeout",
               fmt::format("they are {} and {}",
                           format_duration(settings.pipeline.idle_check),
                           format_duration(settings.mysql.wait_timeout)),
               "idle.check keeps a session alive that has nothing to write");
    }
    if (settings.pipeline.retry.initial > settings.pipeline.retry.maximum) {
        refuse("retry.initial must not be longer than retry.maximum",
               fmt::format("they are {} and {}",
                           format_duration(settings.pipeline.retry.initial),
                           format_duration(settings.pipeline.retry.maximum)),
               {});
    }
}

}  // namespace txsink::config
