#include "mysql/session_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mysql {
namespace {

constexpr std::string_view kSqlMode =
    "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION,"
    "NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO";

std::set<std::string_view> words(std::string_view list) {
    std::set<std::string_view> result;
    while (!list.empty()) {
        const auto comma = std::min(list.find(','), list.size());
        result.insert(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return result;
}

/// One setting: its names (older or MariaDB's last) and the value that must be read back.
struct Setting {
    std::vector<std::string_view> names;
    std::string value;
};

std::vector<Setting> required_settings(const MysqlSettings& settings) {
    const auto text = [](std::chrono::seconds value) { return std::to_string(value.count()); };
    return {
        {{"transaction_isolation", "tx_isolation"}, "READ-COMMITTED"},
        {{"transaction_read_only", "tx_read_only"}, "OFF"},
        {{"autocommit"}, "ON"},
        {{"completion_type"}, "NO_CHAIN"},
        {{"sql_mode"}, std::string{kSqlMode}},
        {{"time_zone"}, "+00:00"},
        {{"character_set_client"}, "utf8mb4"},
        {{"character_set_connection"}, "utf8mb4"},
        {{"character_set_results"}, "utf8mb4"},
        {{"innodb_lock_wait_timeout"}, text(settings.lock_wait_timeout)},
        {{"lock_wait_timeout"}, text(settings.lock_wait_timeout)},
        {{"wait_timeout"}, text(settings.wait_timeout)},
        {{"net_read_timeout"}, text(settings.write_timeout)},
    };
}

bool is_same(const Setting& setting, const std::string& value) {
    return setting.names.front() == "sql_mode" ? words(setting.value) == words(value)
                                               : setting.value == value;
}

void apply(Session& session, const MysqlSettings& settings) {
    session.execute("SET NAMES utf8mb4");
    session.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE");
    session.execute(
        fmt::format("SET SESSION autocommit = 1, completion_type = 0, sql_mode = '{}', "
                    "time_zone = '+00:00', innodb_lock_wait_timeout = {}, lock_wait_timeout = {}, "
                    "wait_timeout = {}, net_read_timeout = {}",
                    kSqlMode,
                    settings.lock_wait_timeout.count(),
                    settings.lock_wait_timeout.count(),
                    settings.wait_timeout.count(),
                    settings.write_timeout.count()));
}

void read_back(Session& session, const MysqlSettings& settings) {
    const auto required = required_settings(settings);
    std::string sql = "SHOW SESSION VARIABLES WHERE Variable_name IN (''";
    for (const auto& setting : required) {
        for (const auto name : setting.names) {
            sql += ',';
            mapping::append_string(sql, name);
        }
    }
    sql += ')';
    std::map<std::string, std::string, std::less<>> stored;
    for (const auto& row : session.query(sql)) {
        stored[row.at(0).value_or("")] = row.at(1).value_or("");
    }
    for (const auto& setting : required) {
        const auto name = std::find_if(setting.names.begin(),
                                       setting.names.end(),
                                       [&](const auto& each) { return stored.contains(each); });
        const auto value =
            name == setting.names.end() ? std::string{"(not there)"} : stored.find(*name)->second;
        if (!is_same(setting, value)) {
            throw SinkError{
                ErrorKind::configuration,
                fmt::format("the session setting {} did not take", setting.names.front()),
                fmt::format("asked {}:{} for '{}', got '{}'",
                            session.host().name,
                            session.host().port,
                            setting.value,
                            value),
                "look for a proxy between txsink and the server that changes sessions"};
        }
    }
}

}  // namespace

void check_timeouts(const MysqlSettings& settings) {
    if (settings.lock_wait_timeout.count() < 1 ||
        settings.read_timeout <= settings.lock_wait_timeout ||
        settings.write_timeout <= settings.lock_wait_timeout) {
        throw SinkError{ErrorKind::configuration,
                        "mysql.read-timeout and mysql.write-timeout must be longer than "
                        "mysql.lock-wait-timeout, which is at least 1s",
                        fmt::format("read-timeout is {}s, write-timeout {}s, lock-wait-timeout {}s",
                                    settings.read_timeout.count(),
                                    settings.write_timeout.count(),
                                    settings.lock_wait_timeout.count()),
                        "otherwise every wait for a lock looks like a lost connection"};
    }
}

void apply_settings(Session& session, const MysqlSettings& settings) {
    apply(session, settings);
    read_back(session, settings);
}

}  // namespace txsink::mysql
