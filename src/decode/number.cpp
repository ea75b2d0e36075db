#include "txsink/decode/number.hpp"

#include <algorithm>
#include <cstddef>

namespace txsink::decode {

namespace {

/// The digits that `text` begins with, taken off it.
std::string_view take_digits(std::string_view& text) noexcept {
    std::size_t size = 0;
    while (size < text.size() && text[size] >= '0' && text[size] <= '9') {
        ++size;
    }
    const std::string_view digits = text.substr(0, size);
    text.remove_prefix(size);
    return digits;
}

bool take(std::string_view& text, char wanted) noexcept {
    if (text.empty() || text.front() != wanted) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

/// `e10`, `E-3`: false when there is no digit after it.
bool take_exponent(std::string_view& text, Number& number) noexcept {
    const bool is_negative = take(text, '-');
    if (!is_negative) {
        take(text, '+');
    }
    const std::string_view digits = take_digits(text);
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
    Number number;
    number.is_negative = take(text, '-');
    number.integer = take_digits(text);
    if (number.integer.empty() || (number.integer.size() > 1 && number.integer.front() == '0')) {
        return std::nullopt;
    }
    if (take(text, '.')) {
        number.fraction = take_digits(text);
        if (number.fraction.empty()) {
            return std::nullopt;
        }
    }
    if ((take(text, 'e') || take(text, 'E')) && !take_exponent(text, number)) {
        return std::nullopt;
    }
    if (!text.empty()) {
        return std::nullopt;
    }
    return number;
}

}  // namespace txsink::decode
