#include "txsink/decode/value.hpp"

#include <algorithm>

namespace txsink::decode {

namespace {

constexpr std::size_t kLongestName = 64;

}  // namespace

const char* name_of(ValueKind kind) noexcept {
    switch (kind) {
        case ValueKind::null:
            return "null";
        case ValueKind::boolean:
            return "boolean";
        case ValueKind::number:
            return "number";
        case ValueKind::string:
            return "string";
        case ValueKind::object:
            return "object";
        case ValueKind::array:
            return "array";
    }
    return "value";
}

std::string printable_name(std::string_view name) {
    std::size_t size = std::min(name.size(), kLongestName);
    while (size > 0 && size < name.size() && (name[size] & '\xC0') == '\x80') {
        --size;  // not in the middle of a character
    }
    std::string shown{name.substr(0, size)};
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7F'; }, '?');
    return size < name.size() ? shown + "..." : shown;
}

Document member(Document object, std::string_view name) noexcept {
    if (object.empty() || object.front().kind != ValueKind::object) {
        return {};
    }
    for (std::size_t i = 1; i < object.size(); i += object[i].size) {
        if (object[i].name == name) {
            return subtree(object, i);
        }
    }
    return {};
}

Document element(Document array, std::size_t index) noexcept {
    if (array.empty() || array.front().kind != ValueKind::array) {
        return {};
    }
    for (std::size_t i = 1; i < array.size(); i += array[i].size) {
        if (index-- == 0) {
            return subtree(array, i);
        }
    }
    return {};
}

}  // namespace txsink::decode
