#include "mapping/exact_decimal.hpp"

#include <limits>

namespace txsink::mapping {

namespace {

constexpr std::int64_t kDigitsOf64Bits = 20;

}  // namespace

ExactDecimal::ExactDecimal(const decode::Number& number) noexcept : number_{number} {
    const auto integer_size = static_cast<std::int64_t>(number.integer.size());
    size_ = integer_size + static_cast<std::int64_t>(number.fraction.size());
    while (size_ > 0 && digit(0) == '0') {
        ++first_;
        --size_;
    }
    while (size_ > 0 && digit(size_ - 1) == '0') {
        --size_;
    }
    point_ = size_ == 0 ? 0 : integer_size - first_ + number.exponent;
}

/// The digit at `index` of DIGITS, or the 0 that stands beyond its ends.
char ExactDecimal::digit(std::int64_t index) const noexcept {
    if (index < 0 || index >= size_) {
        return '0';
    }
    const auto at = static_cast<std::size_t>(first_ + index);
    return at < number_.integer.size() ? number_.integer[at]
                                       : number_.fraction[at - number_.integer.size()];
}

std::optional<std::uint64_t> ExactDecimal::to_magnitude() const noexcept {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    if (point_ > kDigitsOf64Bits) {
        return std::nullopt;
    }
    std::uint64_t magnitude = 0;
    for (std::int64_t i = 0; i < point_; ++i) {
        const auto value = static_cast<std::uint64_t>(digit(i) - '0');
        if (magnitude > (kMax - value) / 10) {
            return std::nullopt;
        }
        magnitude = magnitude * 10 + value;
    }
    return magnitude;
}

void ExactDecimal::append_plain(std::string& text) const {
    if (is_negative()) {
        text += '-';
    }
    if (point_ <= 0) {
        text += '0';
    }
    for (std::int64_t i = 0; i < point_; ++i) {
        text += digit(i);
    }
    if (fraction_digits() > 0) {
        text += '.';
        for (std::int64_t i = point_; i < size_; ++i) {
            text += digit(i);
        }
    }
}

}  // namespace txsink::mapping
