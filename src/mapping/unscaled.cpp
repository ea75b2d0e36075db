#include "mapping/unscaled.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <vector>

namespace txsink::mapping {

namespace {

/// The magnitude of `bytes`, which stand for a negative number where `is_negative`.
void append_short(std::string& digits, std::string_view bytes, bool is_negative) {
    std::uint64_t value = is_negative ? ~std::uint64_t{0} : 0;
    for (const char byte : bytes) {
        value = value << 8U | static_cast<unsigned char>(byte);
    }
    std::array<char, 20> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), is_negative ? 0 - value : value);
    digits.append(text.data(), end.ptr);
}

/// The same for more than eight bytes: long multiplication in base 10^9.
void append_long(std::string& digits, std::string_view bytes, bool is_negative) {
    constexpr std::uint64_t kBase = 1'000'000'000;
    constexpr int kDigitsOfLimb = 9;
    std::vector<std::uint32_t> limbs{0};  // least significant first
    const auto shift_in = [&](std::uint64_t carry) {
        for (std::uint32_t& limb : limbs) {
            carry += std::uint64_t{limb} << 8U;
            limb = static_cast<std::uint32_t>(carry % kBase);
            carry /= kBase;
        }
        if (carry != 0) {
            limbs.push_back(static_cast<std::uint32_t>(carry));
        }
    };
    // -x is ~x + 1.
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        shift_in(is_negative ? 0xFFU - value : value);
    }
    if (is_negative) {
        std::size_t at = 0;
        while (at < limbs.size() && limbs[at] == kBase - 1) {
            limbs[at++] = 0;
        }
        if (at == limbs.size()) {
            limbs.push_back(1);
        } else {
            ++limbs[at];
        }
    }
    for (auto limb = limbs.rbegin(); limb != limbs.rend(); ++limb) {
        std::array<char, kDigitsOfLimb> text{};
        const auto end = std::to_chars(text.data(), text.data() + text.size(), *limb);
        const auto size = static_cast<std::size_t>(end.ptr - text.data());
        if (limb != limbs.rbegin()) {
            digits.append(kDigitsOfLimb - size, '0');
        }
        digits.append(text.data(), size);
    }
}

}  // namespace

void append_unscaled(std::string& text, std::string_view bytes, Signedness sign, int scale) {
    const bool is_negative =
        sign == Signedness::twos_complement && (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0;
    if (is_negative) {
        text += '-';
    }
    const std::size_t begin = text.size();
    if (bytes.size() <= sizeof(std::uint64_t)) {
        append_short(text, bytes, is_negative);
    } else {
        append_long(text, bytes, is_negative);
    }
    if (scale > 0) {
        const auto after_point = static_cast<std::size_t>(scale);
        const std::size_t size = text.size() - begin;
        text.insert(begin, size > after_point ? 0 : after_point + 1 - size, '0');
        text.insert(text.end() - scale, '.');
    } else if (text.compare(begin, std::string::npos, "0") != 0) {
        text.append(static_cast<std::size_t>(-scale), '0');
    }
}

}  // namespace txsink::mapping
