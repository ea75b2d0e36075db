#include "txsink/decode/number.hpp"

#include <algorithm>

namespace txsink::decode {

namespace {

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// Moves `at` over digits and gives them.
std::string_view take_digits(const char*& at, const char* end) noexcept {
    const char* const begin = at;
    while (at != end && is_digit(*at)) {
        ++at;
    }
    return {begin, static_cast<std::size_t>(at - begin)};
}

/// `10`, `-3`, `+3` after the e: false when there is no digit.
bool take_exponent(const char*& at, const char* end, Number& number) noexcept {
    const bool is_negative = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) {
        ++at;
    }
    const std::string_view digits = take_digits(at, end);
    std::int64_t magnitude = 0;
    for (const char digit : digits) {
        magnitude = std::min(magnitude * 10 + (digit - '0'), Number::kExponentLimit);
    }
    number.has_exponent = true;
    number.exponent = is_negative ? -magnitude : magnitude;
    return !digits.empty();
}

}  // namespace

std::optional<Number> parse_number(std::string_view text) noexcept {
    const char* at = text.data();
    const char* const end = at + text.size();
    Number number;
    if (at != end && *at == '-') {
        number.is_negative = true;
        ++at;
    }
    number.integer = take_digits(at, end);
    if (number.integer.empty() || (number.integer.size() > 1 && number.integer.front() == '0')) {
        return std::nullopt;
    }
    if (at == end) {
        return number;
    }
    if (*at == '.') {
        number.fraction = take_digits(++at, end);
        if (number.fraction.empty()) {
            return std::nullopt;
        }
    }
    if (at != end && (*at == 'e' || *at == 'E') && !take_exponent(++at, end, number)) {
        return std::nullopt;
    }
    return at == end ? std::optional<Number>{number} : std::nullopt;
}

}  // namespace txsink::decode
