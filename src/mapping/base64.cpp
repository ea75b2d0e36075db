#include "mapping/base64.hpp"

#include <array>
#include <cstdint>

namespace txsink::mapping {

namespace {

constexpr std::uint32_t kNoDigit = 0xFF'FF'FF'FF;

constexpr std::array<std::uint32_t, 256> make_values() {
    constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<std::uint32_t, 256> values{};
    values.fill(kNoDigit);
    for (std::uint32_t i = 0; i < kAlphabet.size(); ++i) {
        values[static_cast<unsigned char>(kAlphabet[i])] = i;
    }
    return values;
}

constexpr std::array<std::uint32_t, 256> kValues = make_values();

std::uint32_t value_of(char digit) noexcept {
    return kValues[static_cast<unsigned char>(digit)];
}

std::size_t padding_of(std::string_view text) noexcept {
    return text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
}

/// Calls `take(bits, count)` with the `count` high bytes of 24 bits, for each four digits; false
/// when there is anything else. Precondition: the size is a multiple of four.
template <typename Take>
bool for_each_group(std::string_view text, Take take) {
    const std::size_t padding = padding_of(text);
    for (std::size_t at = 0; at < text.size(); at += 4) {
        const bool is_last = at + 4 == text.size();
        const std::size_t bytes = is_last ? 3 - padding : 3;
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::uint32_t value = i <= bytes ? value_of(text[at + i]) : 0;
            if (value == kNoDigit) {
                return false;
            }
            bits = bits << 6U | value;
        }
        const std::uint32_t unused = (std::uint32_t{1} << (24 - 8 * bytes)) - 1;
        if ((bits & unused) != 0) {
            return false;
        }
        take(bits, bytes);
    }
    return true;
}

}  // namespace

std::optional<std::size_t> base64_size(std::string_view text) noexcept {
    if (text.size() % 4 != 0) {
        return std::nullopt;
    }
    return text.size() / 4 * 3 - padding_of(text);
}

bool append_base64(std::string& sql, std::string_view text) {
    static constexpr char kDigits[] = "0123456789abcdef";
    sql += "x'";
    const bool is_base64 = for_each_group(text, [&](std::uint32_t bits, std::size_t count) {
        for (std::size_t i = 0; i < 2 * count; ++i) {
            sql += kDigits[(bits >> (20 - 4 * i)) & 15U];
        }
    });
    sql += '\'';
    return is_base64;
}

bool decode_base64(std::string& bytes, std::string_view text) {
    return text.size() % 4 == 0 && for_each_group(text, [&](std::uint32_t bits, std::size_t count) {
               for (std::size_t i = 0; i < count; ++i) {
                   bytes += static_cast<char>((bits >> (16 - 8 * i)) & 0xFFU);
               }
           });
}

}  // namespace txsink::mapping
