#include "cli/dead_letters_filter.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "txsink/core/sink_error.hpp"

namespace txsink::cli {
namespace {

template <typename Number>
std::optional<Number> whole(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_good = error == std::errc{} && end == text.data() + text.size() && value >= 0;
    return is_good ? std::optional{value} : std::nullopt;
}

std::optional<std::int64_t> time_of(const Invocation& invocation, std::string_view flag) {
    const auto text = invocation.line.value_of(flag);
    if (!text) {
        return std::nullopt;
    }
    const auto time = parse_time(*text);
    if (!time) {
        throw SinkError{ErrorKind::usage,
                        fmt::format("--{}: \"{}\" is not a time", flag, *text),
                        {},
                        "for example 2024-03-01 or 2024-03-01T10:00:00Z; all times are UTC"};
    }
    return time;
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text) {
    std::string copy{text};
    if (copy.ends_with('Z')) {
        copy.pop_back();
    }
    if (const auto blank = copy.find(' '); blank != std::string::npos) {
        copy[blank] = 'T';
    }
    for (const char* format : {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"}) {
        std::tm parts{};
        const char* end = strptime(copy.c_str(), format, &parts);
        if (end == nullptr || *end != '\0') {
            continue;
        }
        const std::tm given = parts;
        const auto seconds = timegm(&parts);
        // A day that does not exist has become another one.
        if (given.tm_mday != parts.tm_mday || given.tm_mon != parts.tm_mon) {
            return std::nullopt;
        }
        return std::int64_t{seconds} * 1000;
    }
    return std::nullopt;
}

mysql::DeadLetterFilter filter_of(const Invocation& invocation) {
    mysql::DeadLetterFilter filter;
    filter.topic = invocation.line.value_of("topic").value_or("");
    if (const auto partition =
            number_of(invocation, "partition", 0, std::numeric_limits<std::int32_t>::max())) {
        filter.partition = static_cast<std::int32_t>(*partition);
    }
    filter.since_ms = time_of(invocation, "from");
    filter.until_ms = time_of(invocation, "to");
    filter.error_code = invocation.line.value_of("code").value_or("");
    return filter;
}

mysql::DeadLetterKey parse_record_name(const std::string& text) {
    const auto at = text.rfind('@');
    if (at != std::string::npos) {
        std::string_view partition = std::string_view{text}.substr(0, at);
        const bool has_brackets = partition.ends_with(']');
        const auto colon = partition.rfind(has_brackets ? '[' : ':');
        if (colon != std::string_view::npos && colon > 0) {
            auto digits = partition.substr(colon + 1);
            digits.remove_suffix(has_brackets ? 1 : 0);
            const auto number = whole<std::int32_t>(digits);
            const auto offset = whole<std::int64_t>(std::string_view{text}.substr(at + 1));
            if (number && offset) {
                return {{std::string{partition.substr(0, colon)}, *number}, Offset{*offset}};
            }
        }
    }
    throw SinkError{ErrorKind::usage,
                    fmt::format("\"{}\" is not a record, TOPIC:PARTITION@OFFSET", text),
                    {},
                    "for example: txsink dead-letters show orders:0@42"};
}

config::Settings load_with_topic(const Invocation& invocation, const config::Needs& needs) {
    auto copy = invocation;
    const auto topic = invocation.line.value_of("topic");
    if (topic && !invocation.line.has("config") && std::getenv("TXSINK_CONFIG") == nullptr) {
        copy.line.options.emplace_back("topic", *topic);
    }
    return copy.load_settings(needs);
}

}  // namespace txsink::cli
