/// @file
/// Kinds of option values: how each kind is read, checked, and its default shown.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/option_table.hpp"
#include "config/units.hpp"

namespace txsink::config {

/// Where a value lands; also where its default is read from.
template <typename Target, typename Value>
using Place = Value& (*)(Target&);

template <typename Value>
Value default_of(Place<Settings, Value> place) {
    Settings fresh;
    return place(fresh);
}

/// Whether `text` is digits, with a sign or without, however large.
[[nodiscard]] inline bool is_whole_number(std::string_view text) {
    text.remove_prefix(text.starts_with('-') ? 1 : 0);
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// A whole number from `least` to `most`.
template <typename Value>
Option count(std::string name,
             std::string help,
             std::int64_t least,
             std::int64_t most,
             Place<Settings, Value> place) {
    return {.name = std::move(name),
            .value_name = "N",
            .allowed = fmt::format("{} to {}", least, most),
            .fallback = fmt::format("{}", default_of(place)),
            .help = std::move(help),
            .set = [=](Settings& settings, const std::string& text) -> std::string {
                const auto value = parse_integer(text);
                if (!value && !is_whole_number(text)) {
                    return "is not a whole number";
                }
                if (!value || *value < least || *value > most) {
                    return fmt::format("is not from {} to {}", least, most);
                }
                place(settings) = static_cast<Value>(*value);
                return {};
            }};
}

/// A number of bytes from `least` to `most`.
template <typename Value>
Option size(std::string name,
            std::string help,
            std::int64_t least,
            std::int64_t most,
            Place<Settings, Value> place) {
    return {.name = std::move(name),
            .value_name = "SIZE",
            .allowed = fmt::format("{} to {}; units KiB, MiB, GiB, or bytes without a unit",
                                   format_size(least),
                                   format_size(most)),
            .fallback = format_size(static_cast<std::int64_t>(default_of(place))),
            .help = std::move(help),
            .set = [=](Settings& settings, const std::string& text) -> std::string {
                const auto value = parse_size(text);
                if (!value) {
                    return "is not a size";
                }
                if (*value < least || *value > most) {
                    return "is out of range";
                }
                place(settings) = static_cast<Value>(*value);
                return {};
            }};
}

/// A time from `least` to `most`, in steps of `Value`.
template <typename Value>
Option duration(std::string name,
                std::string help,
                std::chrono::milliseconds least,
                std::chrono::milliseconds most,
                Place<Settings, Value> place) {
    return {.name = std::move(name),
            .value_name = "DURATION",
            .allowed = fmt::format(
                "{} to {}; units ms, s, m, h", format_duration(least), format_duration(most)),
            .fallback = format_duration(default_of(place)),
            .help = std::move(help),
            .set = [=](Settings& settings, const std::string& text) -> std::string {
                const auto value = parse_duration(text);
                if (!value) {
                    return "is not a duration";
                }
                if (*value < least || *value > most) {
                    return "is out of range";
                }
                const auto rounded = std::chrono::duration_cast<Value>(*value);
                if (rounded != *value) {
                    return "is not a whole number of seconds";
                }
                place(settings) = rounded;
                return {};
            }};
}

/// Any text that is not empty.
inline Option text(std::string name,
                   std::string value_name,
                   std::string help,
                   Place<Settings, std::string> place) {
    return {.name = std::move(name),
            .value_name = std::move(value_name),
            .allowed = "any text",
            .fallback = default_of(place),
            .help = std::move(help),
            .set = [=](Settings& settings, const std::string& value) -> std::string {
                place(settings) = value;
                return value.empty() ? "is empty" : "";
            }};
}

/// One of a few names.
template <typename Target, typename Value>
OptionOf<Target> choice(std::string name,
                        std::string help,
                        std::initializer_list<std::pair<const char*, Value>> choices,
                        Place<Target, Value> place) {
    std::vector<std::pair<std::string, Value>> names{choices.begin(), choices.end()};
    Target fresh{};
    std::string allowed;
    std::string fallback;
    for (const auto& [choice_name, value] : names) {
        allowed += (allowed.empty() ? "" : " | ") + choice_name;
        fallback = value == place(fresh) ? choice_name : fallback;
    }
    return {.name = std::move(name),
            .value_name = "NAME",
            .allowed = std::move(allowed),
            .fallback = std::move(fallback),
            .help = std::move(help),
            .set = [place, names = std::move(names)](Target& target, const std::string& text) {
                for (const auto& [choice_name, value] : names) {
                    if (choice_name == text) {
                        place(target) = value;
                        return std::string{};
                    }
                }
                return std::string{"is not one of the names allowed"};
            }};
}

/// The parts of `text` between separators, spaces around them removed; may be empty.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// Length in characters of UTF-8.
[[nodiscard]] std::size_t characters(std::string_view text);

/// What is wrong with a topic's name by Kafka's rules; empty when all is well.
[[nodiscard]] std::string complaint_about_topic(std::string_view topic);

}  // namespace txsink::config
