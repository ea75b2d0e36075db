/// @file
/// ExactDecimal: a number token as digits and the place of the point; nothing is ever computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "txsink/decode/number.hpp"

namespace txsink::mapping {

/// The value (-1)^negative * 0.DIGITS * 10^point, DIGITS without leading or trailing zeros.
///
/// Costs the length of the token, whatever its exponent. Borrows the token.
class ExactDecimal {
public:
    explicit ExactDecimal(const decode::Number& number) noexcept;

    [[nodiscard]] bool is_zero() const noexcept { return size_ == 0; }
    /// False for -0.
    [[nodiscard]] bool is_negative() const noexcept { return number_.is_negative && !is_zero(); }
    [[nodiscard]] bool is_integer() const noexcept { return fraction_digits() == 0; }
    /// From the first to the last that is not 0.
    [[nodiscard]] std::int64_t significant_digits() const noexcept { return size_; }
    /// Before the point, when written out; 0 for 0.5.
    [[nodiscard]] std::int64_t integer_digits() const noexcept { return point_ > 0 ? point_ : 0; }
    /// After the point, when written out without trailing zeros.
    [[nodiscard]] std::int64_t fraction_digits() const noexcept {
        return size_ > point_ ? size_ - point_ : 0;
    }

    /// The digit at `index` after the point, from 0.
    [[nodiscard]] char fraction_digit(std::int64_t index) const noexcept {
        return digit(point_ + index);
    }

    /// The magnitude without what stands after the point; absent beyond 64 bits.
    [[nodiscard]] std::optional<std::uint64_t> to_magnitude() const noexcept;

    /// Appends it without exponent: 1.50e3 as 1500, -0.0 as 0.
    /// Precondition: integer_digits() and fraction_digits() were found to be reasonable.
    void append_plain(std::string& text) const;

private:
    [[nodiscard]] char digit(std::int64_t index) const noexcept;

    decode::Number number_;
    /// Zeros before DIGITS in the token.
    std::int64_t first_ = 0;
    std::int64_t size_ = 0;
    std::int64_t point_ = 0;
};

}  // namespace txsink::mapping
