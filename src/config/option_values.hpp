/// @file
/// Kinds of option values: how each kind is read, checked, and its default shown.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/option_table.hpp"
#include "config/units.hpp"

namespace txsink::config {

/// Where a value lands; also where its default is read from.
template <typename Target, typename Value>
using Place = Value& (*)(Target&);

template <typename Target, typename Value>
Value default_of(Place<Target, Value> place) {
    Target fresh{};
    return place(fresh);
}

/// Whether `text` is digits, with a sign or without, however large.
[[nodiscard]] inline bool is_whole_number(std::string_view text) {
    text.remove_prefix(text.starts_with('-') ? 1 : 0);
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// A whole number from `least` to `most`.
template <typename Value, typename Target = Settings>
OptionOf<Target> count(std::string name,
                       std::string help,
                       std::int64_t least,
                       std::int64_t most,
                       std::type_identity_t<Place<Target, Value>> place) {
    return {.name = std::move(name),
            .value_name = "N",
            .allowed = fmt::format("{} to {}", least, most),
            .fallback = fmt::format("{}", default_of<Target, Value>(place)),
            .help = std::move(help),
            .set = [=](Target& target, const std::string& text) -> std::string {
                const auto value = parse_integer(text);
                if (!value && !is_whole_number(text)) {
                    return "is not a whole number";
                }
                if (!value || *value < least || *value > most) {
                    return fmt::format("is not from {} to {}", least, most);
                }
                place(target) = static_cast<Value>(*value);
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
template <typename Target = Settings>
OptionOf<Target> text(std::string name,
                      std::string value_name,
                      std::string help,
                      std::type_identity_t<Place<Target, std::string>> place) {
    return {.name = std::move(name),
            .value_name = std::move(value_name),
            .allowed = "any text",
            .fallback = default_of<Target, std::string>(place),
            .help = std::move(help),
            .set = [=](Target& target, const std::string& value) -> std::string {
                place(target) = value;
                return value.empty() ? "is empty" : "";
            }};
}

/// Names and what they stand for.
template <typename Value>
using Choices = std::vector<std::pair<const char*, Value>>;

/// One of a few names. `Stored` is what holds the value: the same, or an optional of it.
template <typename Target, typename Value, typename Stored = Value>
OptionOf<Target> choice(std::string name,
                        std::string help,
                        Choices<Value> choices,
                        std::type_identity_t<Place<Target, Stored>> place) {
    Target fresh{};
    std::string allowed;
    std::string fallback;
    for (const auto& [choice_name, value] : choices) {
        allowed += (allowed.empty() ? "" : kBetweenChoices.data()) + std::string{choice_name};
        fallback = place(fresh) == value ? choice_name : fallback;
    }
    return {.name = std::move(name),
            .value_name = "NAME",
            .allowed = std::move(allowed),
            .fallback = std::move(fallback),
            .help = std::move(help),
            .set = [place, choices = std::move(choices)](Target& target, const std::string& text) {
                for (const auto& [choice_name, value] : choices) {
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

/// Longest name of a database, table or column in MySQL, in characters.
inline constexpr std::size_t kLongestIdentifier = 64;

/// Takes one name off the front of `text`: up to the next dot, or in backticks as it is (a
/// backtick in it is written twice). Empty: there is none.
[[nodiscard]] std::string take_identifier(std::string_view& text);

/// What is wrong with a topic's name by Kafka's rules; empty when all is well.
[[nodiscard]] std::string complaint_about_topic(std::string_view topic);

}  // namespace txsink::config
