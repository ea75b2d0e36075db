#include "decode/unavailable_marker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace txsink::decode {

namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64ForUrls =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string base64(std::string_view bytes, std::string_view alphabet) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::string_view group = bytes.substr(i, 3);
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            bits = (bits << 8U) | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += k <= group.size() ? alphabet[(bits >> (18U - 6U * k)) & 63U] : '=';
        }
    }
    return text;
}

std::string hex(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

/// `95`, or `95.0` in an array of doubles.
bool is_number(std::string_view token, signed char byte) noexcept {
    if (token.ends_with(".0")) {
        token.remove_suffix(2);
    }
    int number = 0;
    const char* const end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, number);
    return error == std::errc{} && stop == end && number == byte;
}

}  // namespace

UnavailableMarker::UnavailableMarker(std::string marker)
    : marker_{std::move(marker)},
      texts_{marker_,
             base64(marker_, kBase64),
             base64(marker_, kBase64ForUrls),
             hex(marker_),
             fmt::format(R"({{"{0}":"{0}"}})", marker_)} {
    for (const std::string& text : texts_) {
        lengths_ |= std::uint64_t{1} << (text.size() % 64);
    }
}

void UnavailableMarker::mark(std::span<Value> values, std::size_t row) const noexcept {
    if (marker_.empty() || values[row].kind != ValueKind::object) {
        return;
    }
    const std::size_t end = row + values[row].size;
    for (std::size_t i = row + 1; i < end; i += values[i].size) {
        if (is_marker(values, i)) {
            values[i].meaning = Meaning::unavailable;
        }
    }
}

bool UnavailableMarker::is_marker(std::span<const Value> values, std::size_t at) const noexcept {
    const Value& value = values[at];
    switch (value.kind) {
        case ValueKind::string:
            return has_length(value.text) && is_text(value.text);
        case ValueKind::array:
            return is_array(values, at);
        case ValueKind::object:
            return value.size == 2 && values[at + 1].name == marker_ &&
                   values[at + 1].kind == ValueKind::string && values[at + 1].text == marker_;
        default:
            return false;
    }
}

bool UnavailableMarker::is_text(std::string_view text) const noexcept {
    return std::find(texts_.begin(), texts_.end(), text) != texts_.end();
}

bool UnavailableMarker::is_array(std::span<const Value> values, std::size_t at) const noexcept {
    const std::span<const Value> items = values.subspan(at + 1, values[at].size - 1);
    if (items.size() == 1 && items[0].kind == ValueKind::string) {
        return items[0].text == texts_[0] || items[0].text == texts_[1];
    }
    return std::equal(
        items.begin(), items.end(), marker_.begin(), marker_.end(), [](const Value& item, char c) {
            return item.kind == ValueKind::number &&
                   is_number(item.text, static_cast<signed char>(c));
        });
}

}  // namespace txsink::decode
