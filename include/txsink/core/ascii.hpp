/// @file
/// Names compared without case: A-Z as a-z, every other byte as it is.
#pragma once

#include <algorithm>
#include <string_view>

namespace txsink {

[[nodiscard]] inline bool equals_without_case(std::string_view left, std::string_view right) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [&](char a, char b) {
        return lower(a) == lower(b);
    });
}

}  // namespace txsink
