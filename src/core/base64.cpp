#include "txsink/core/base64.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace txsink {
namespace {

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
    std::string text;
    const auto byte = [&](std::size_t i) -> std::uint32_t {
        return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
    };
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::uint32_t group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
        text += kBase64Digits[group >> 18U];
        text += kBase64Digits[group >> 12U & 63U];
        text += i + 1 < bytes.size() ? kBase64Digits[group >> 6U & 63U] : '=';
        text += i + 2 < bytes.size() ? kBase64Digits[group & 63U] : '=';
    }
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) {
        return std::nullopt;
    }
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    text.remove_suffix(padding);
    std::string bytes;
    std::uint32_t group = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const auto digit = kBase64Digits.find(c);
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        group = (group << 6U | static_cast<std::uint32_t>(digit)) & 0xFFFFFFU;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes += static_cast<char>(group >> bits & 0xFFU);
        }
    }
    const bool has_rest = (group & ((1U << bits) - 1U)) != 0 || bits == 6;
    return has_rest ? std::nullopt : std::optional{std::move(bytes)};
}

}  // namespace txsink
