#include "cli/infer_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <tuple>

namespace txsink::cli {
namespace {

using decode::Meaning;
using decode::ValueKind;

/// Whole numbers up to here are exact in a DOUBLE: 2^53.
constexpr double kDoubleWhole = 9007199254740992.0;
/// Digits that every DOUBLE keeps.
constexpr std::size_t kDoubleDigits = 15;
constexpr std::size_t kMicroseconds = 6;
/// Digits that MySQL's JSON keeps: of whole numbers (those of 19 may go beyond 64 bits) and others.
constexpr std::size_t kJsonWholeDigits = 18;
constexpr std::size_t kJsonDigits = 17;
constexpr std::size_t kUuidLength = 36;
constexpr std::size_t kDateLength = 10;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::size_t characters_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

/// Takes `digits` digits off the front of `text`; nothing when they are not there, or not in
/// [least, greatest].
std::optional<int> take_number(std::string_view& text,
                               std::size_t digits,
                               int least,
                               int greatest) {
    if (text.size() < digits) {
        return std::nullopt;
    }
    int number = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        if (!is_digit(text[i])) {
            return std::nullopt;
        }
        number = number * 10 + (text[i] - '0');
    }
    text.remove_prefix(digits);
    return number < least || number > greatest ? std::nullopt : std::optional{number};
}

bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

bool take_date(std::string_view& text) {
    // A year from the edge may leave the calendar when its offset is taken off.
    const auto year = take_number(text, 4, 2, 9998);
    if (!year || !take(text, '-')) {
        return false;
    }
    const auto month = take_number(text, 2, 1, 12);
    if (!month || !take(text, '-')) {
        return false;
    }
    const auto day = take_number(text, 2, 1, 31);
    using namespace std::chrono;  // NOLINT(google-build-using-namespace): calendar types
    return day && year_month_day{std::chrono::year{*year},
                                 std::chrono::month{static_cast<unsigned>(*month)},
                                 std::chrono::day{static_cast<unsigned>(*day)}}
                      .ok();
}

/// Nothing, `Z`, `+02`, `+0200`, `+02:00`.
bool is_zone(std::string_view text) {
    if (text.empty() || text == "Z") {
        return true;
    }
    if (!take(text, '+') && !take(text, '-')) {
        return false;
    }
    if (!take_number(text, 2, 0, 13)) {
        return false;
    }
    if (text.empty()) {
        return true;
    }
    take(text, ':');
    return take_number(text, 2, 0, 59) && text.empty();
}

/// What follows the date of a moment; the digits of its fraction.
std::optional<std::size_t> take_time(std::string_view text) {
    if (!take(text, 'T') && !take(text, ' ')) {
        return std::nullopt;
    }
    if (!take_number(text, 2, 0, 23) || !take(text, ':') || !take_number(text, 2, 0, 59)) {
        return std::nullopt;
    }
    std::size_t digits = 0;
    if (take(text, ':')) {
        if (!take_number(text, 2, 0, 59)) {
            return std::nullopt;
        }
        if (take(text, '.')) {
            const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
            const auto last = text.substr(0, end).find_last_not_of('0');
            digits = std::max(last == std::string_view::npos ? 0 : last + 1,
                              std::min(end, kMicroseconds));
            if (end == 0) {
                return std::nullopt;
            }
            text.remove_prefix(end);
        }
    }
    return is_zone(text) ? std::optional{digits} : std::nullopt;
}

bool is_long(std::string_view number) {
    const auto length = number.size() - (number.starts_with('-') ? 1 : 0);
    const bool is_whole = number.find_first_of(".eE") == std::string_view::npos;
    return length > (is_whole ? kJsonWholeDigits : kJsonDigits) ||
           std::isinf(std::strtod(std::string{number}.c_str(), nullptr));
}

bool is_uuid(std::string_view text) {
    if (text.size() != kUuidLength) {
        return false;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-' : !is_hex(text[i])) {
            return false;
        }
    }
    return true;
}

PlainNumber plain(const decode::Number& number) {
    PlainNumber result{
        number.is_negative, std::string{number.integer}, std::string{number.fraction}};
    result.fraction.resize(result.fraction.find_last_not_of('0') + 1);
    result.is_negative = result.is_negative && !(result.integer == "0" && result.fraction.empty());
    return result;
}

bool is_smaller_magnitude(const PlainNumber& a, const PlainNumber& b) {
    return std::make_tuple(
               a.integer.size(), std::string_view{a.integer}, std::string_view{a.fraction}) <
           std::make_tuple(
               b.integer.size(), std::string_view{b.integer}, std::string_view{b.fraction});
}

}  // namespace

std::string PlainNumber::text() const {
    return (is_negative ? "-" : "") + integer + (fraction.empty() ? "" : "." + fraction);
}

bool operator<(const PlainNumber& a, const PlainNumber& b) {
    if (a.is_negative != b.is_negative) {
        return a.is_negative;
    }
    return a.is_negative ? is_smaller_magnitude(b, a) : is_smaller_magnitude(a, b);
}

TextShape shape_of(std::string_view text) {
    if (is_uuid(text)) {
        return {TextShape::Kind::uuid, 0};
    }
    if (!take_date(text)) {
        return {};
    }
    if (text.empty()) {
        return {TextShape::Kind::date, 0};
    }
    const auto digits = take_time(text);
    return digits ? TextShape{TextShape::Kind::moment, *digits} : TextShape{};
}

void FieldEvidence::observe(decode::Document value) {
    const auto& root = value.front();
    if (root.meaning == Meaning::unavailable) {
        return;
    }
    ++count;
    if (root.kind == ValueKind::null) {
        ++nulls;
        return;
    }
    observe_meaning(root);
    observe_distinct(root);
    characters = std::max(characters, characters_of(root.text));
    bytes = std::max(bytes, root.text.size());
    switch (root.kind) {
        case ValueKind::boolean:
            ++booleans;
            break;
        case ValueKind::number:
            ++numbers;
            if (const auto number = decode::parse_number(root.text)) {
                observe_number(*number, root.text);
            }
            break;
        case ValueKind::string:
            ++strings;
            observe_text(root.text);
            break;
        default:
            ++(root.kind == ValueKind::object ? objects : arrays);
    }
    has_long_number =
        has_long_number || std::any_of(value.begin(), value.end(), [](const auto& node) {
            return node.kind == ValueKind::number && is_long(node.text);
        });
}

void FieldEvidence::observe_meaning(const decode::Value& value) {
    if (values() == 1) {
        meaning = value.meaning;
        scale = value.scale;
    }
    has_meanings = has_meanings || meaning != value.meaning || scale != value.scale;
}

void FieldEvidence::observe_number(const decode::Number& number, std::string_view text) {
    if (number.has_exponent) {
        has_exponent = true;
        has_beyond_double = has_beyond_double || std::abs(std::strtod(std::string{text}.c_str(),
                                                                      nullptr)) > kDoubleWhole;
        return;
    }
    has_point = has_point || !number.fraction.empty();
    const auto written = plain(number);
    integer_digits = std::max(integer_digits, written.integer == "0" ? 0 : written.integer.size());
    fraction_digits = std::max(fraction_digits, written.fraction.size());
    has_beyond_double = has_beyond_double || written.integer.size() > kDoubleDigits;
    if (!least || written < *least) {
        least = written;
    }
    if (!greatest || *greatest < written) {
        greatest = written;
    }
}

void FieldEvidence::observe_text(std::string_view text) {
    has_nul = has_nul || text.find('\0') != std::string_view::npos;
    const auto shape = shape_of(text);
    uuids += shape.kind == TextShape::Kind::uuid ? 1 : 0;
    if (shape.kind != TextShape::Kind::date && shape.kind != TextShape::Kind::moment) {
        return;
    }
    ++(shape.kind == TextShape::Kind::date ? dates : moments);
    second_digits = std::max(second_digits, shape.fraction_digits);
    const auto day = text.substr(0, kDateLength);
    if (first_date.empty() || day < first_date) {
        first_date = day;
    }
    if (last_date.empty() || day > last_date) {
        last_date = day;
    }
}

void FieldEvidence::observe_distinct(const decode::Value& value) {
    if (hashes.size() < kMostDistinct) {
        const auto hash =
            std::hash<std::string_view>{}(value.text) ^ static_cast<std::size_t>(value.kind);
        const bool is_new = hashes.insert(hash).second;
        has_repeats = has_repeats || !is_new;
        if (is_new && examples.size() < kExamples) {
            examples.emplace_back(value.text);
        }
    }
}

std::string FieldEvidence::distinct_text() const {
    return hashes.size() < kMostDistinct ? std::to_string(hashes.size())
                                         : fmt::format("{} or more", kMostDistinct);
}

}  // namespace txsink::cli
