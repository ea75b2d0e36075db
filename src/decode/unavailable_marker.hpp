/// @file
/// UnavailableMarker: finds the values that stand for "the source did not send this".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "txsink/decode/value.hpp"

namespace txsink::decode {

/// Debezium's unavailable.value.placeholder in the shapes that its connectors give it: the text,
/// its bytes as base64 (plain or for URLs) or hex, an array of the text, of the base64, or of one
/// number a byte, and a map of the text to itself (as an object, or as the text of one).
/// Threading: immutable.
class UnavailableMarker {
public:
    /// Empty: nothing is marked.
    explicit UnavailableMarker(std::string marker);

    /// Gives the members of the object `values[row]` that are the marker Meaning::unavailable.
    void mark(std::span<Value> values, std::size_t row) const noexcept;

private:
    [[nodiscard]] bool is_marker(std::span<const Value> values, std::size_t at) const noexcept;
    /// False for nearly every text that is none of `texts_`.
    [[nodiscard]] bool has_length(std::string_view text) const noexcept {
        return ((lengths_ >> (text.size() % 64)) & 1U) != 0;
    }
    [[nodiscard]] bool is_text(std::string_view text) const noexcept;
    [[nodiscard]] bool is_array(std::span<const Value> values, std::size_t at) const noexcept;

    std::string marker_;
    /// What a string may be: as text, base64, base64 for URLs, hex, map.
    std::array<std::string, 5> texts_;
    /// A bit for each of their lengths, modulo 64.
    std::uint64_t lengths_ = 0;
};

}  // namespace txsink::decode
