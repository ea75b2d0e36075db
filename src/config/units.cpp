#include "config/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace txsink::config {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

// Largest first: formatting takes the first that divides.
constexpr std::array kDurations{
    Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000}, Unit{"ms", 1}};
constexpr std::array kSizes{
    Unit{"GiB", 1 << 30}, Unit{"MiB", 1 << 20}, Unit{"KiB", 1 << 10}, Unit{"", 1}};

template <std::size_t kCount>
std::optional<std::int64_t> parse_with_unit(std::string_view text,
                                            const std::array<Unit, kCount>& units) {
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = parse_integer(text.substr(0, digits));
    for (const auto& unit : units) {
        if (number && text.substr(digits) == unit.name &&
            *number <= std::numeric_limits<std::int64_t>::max() / unit.factor) {
            return *number * unit.factor;
        }
    }
    return std::nullopt;
}

template <std::size_t kCount>
std::string format_with_unit(std::int64_t value, const std::array<Unit, kCount>& units) {
    for (const auto& unit : units) {
        if (value != 0 && value % unit.factor == 0) {
            return fmt::format("{}{}", value / unit.factor, unit.name);
        }
    }
    return "0";
}

/// Takes `digits` digits off the front of `text`.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
    const auto part = text.substr(0, digits);
    if (part.size() != digits || part.find_first_not_of("0123456789") != part.npos) {
        return std::nullopt;
    }
    int value = 0;
    std::from_chars(part.data(), part.data() + part.size(), value);
    text.remove_prefix(digits);
    return value;
}

bool take(std::string_view& text, char expected) {
    if (!text.starts_with(expected)) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

/// `.250`: milliseconds; finer digits are dropped, Kafka's timestamps have none.
std::optional<std::chrono::milliseconds> take_fraction(std::string_view& text) {
    if (!take(text, '.')) {
        return std::chrono::milliseconds{0};
    }
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > 9) {
        return std::nullopt;
    }
    int value = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        value = value * 10 + (i < digits ? text[i] - '0' : 0);
    }
    text.remove_prefix(digits);
    return std::chrono::milliseconds{value};
}

/// `Z` or `+02:00`: what to subtract to reach UTC.
std::optional<std::chrono::minutes> take_zone(std::string_view& text) {
    if (take(text, 'Z')) {
        return std::chrono::minutes{0};
    }
    const bool is_west = text.starts_with('-');
    if (!is_west && !text.starts_with('+')) {
        return std::nullopt;
    }
    text.remove_prefix(1);
    const auto hour = take_number(text, 2);
    const bool has_colon = take(text, ':');
    const auto minute = take_number(text, 2);
    if (!hour || !has_colon || !minute || *hour > 14 || *minute > 59) {
        return std::nullopt;
    }
    const std::chrono::minutes offset{*hour * 60 + *minute};
    return is_west ? -offset : offset;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.starts_with('-')) {
        return std::nullopt;
    }
    return value;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    if (text == "0") {
        return std::chrono::milliseconds{0};
    }
    const auto value = parse_with_unit(text, kDurations);
    return value ? std::optional{std::chrono::milliseconds{*value}} : std::nullopt;
}

std::string format_duration(std::chrono::milliseconds duration) {
    return format_with_unit(duration.count(), kDurations);
}

std::optional<std::int64_t> parse_size(std::string_view text) {
    return parse_with_unit(text, kSizes);
}

std::string format_size(std::int64_t bytes) {
    return format_with_unit(bytes, kSizes);
}

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
    using std::chrono::day;
    using std::chrono::month;
    using std::chrono::year;
    std::array<int, 6> parts{};
    constexpr std::array kDigits{4, 2, 2, 2, 2, 2};
    constexpr std::string_view kSeparators = "--T::";
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto number = take_number(text, static_cast<std::size_t>(kDigits[i]));
        if (!number || (i < kSeparators.size() && !take(text, kSeparators[i]))) {
            return std::nullopt;
        }
        parts[i] = *number;
    }
    const auto fraction = take_fraction(text);
    const auto zone = fraction ? take_zone(text) : std::nullopt;
    const std::chrono::year_month_day date{year{parts[0]},
                                           month{static_cast<unsigned>(parts[1])},
                                           day{static_cast<unsigned>(parts[2])}};
    if (!zone || !text.empty() || !date.ok() || parts[3] > 23 || parts[4] > 59 || parts[5] > 59) {
        return std::nullopt;
    }
    const std::chrono::milliseconds time = std::chrono::hours{parts[3]} +
                                           std::chrono::minutes{parts[4]} +
                                           std::chrono::seconds{parts[5]} + *fraction - *zone;
    return (std::chrono::sys_days{date}.time_since_epoch() + time).count();
}

}  // namespace txsink::config
