/// @file
/// Value and Document: a decoded JSON text as a flat tree that is reused from record to record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace txsink::decode {

enum class ValueKind : std::uint8_t { null, boolean, number, string, object, array };

/// "null", "boolean", ...
[[nodiscard]] const char* name_of(ValueKind kind) noexcept;

/// A member's name as it may stand in a message: at most 64 bytes and "...", control characters
/// shown as '?'.
[[nodiscard]] std::string printable_name(std::string_view name);

/// What a schema says about a value beyond its JSON kind. A value without a schema has none.
enum class Meaning : std::uint8_t {
    none,
    unavailable,       ///< the source did not send it: its column is to be left alone
    raw_bytes,         ///< string: the bytes themselves, perhaps not UTF-8
    base64,            ///< string: bytes as base64
    bits,              ///< string: base64 of the bits, least significant byte first
    decimal,           ///< string: base64 of the unscaled number, big-endian, two's complement
    variable_decimal,  ///< object: {"scale": number, "value": as for decimal}
    days,              ///< number: days since 1970-01-01
    time_ms,           ///< number: milliseconds since midnight
    time_us,
    time_ns,
    epoch_ms,  ///< number: milliseconds since 1970-01-01 UTC
    epoch_us,
    epoch_ns,
    json_text,  ///< string: JSON text
    geometry,   ///< object: {"wkb": base64, "srid": number or null}
};

/// One JSON value.
///
/// Values of a document stand in document order, a parent before its children; the `size` values
/// from a value on are its subtree, which is a Document by itself.
/// Threading: valid until the decoder's next decode().
struct Value {
    ValueKind kind = ValueKind::null;
    /// string: unescaped UTF-8 (may hold NUL); number, boolean, null: the token as written;
    /// object, array: the JSON text as written, brackets included.
    std::string_view text{};
    /// Name of this member, unescaped, when the parent is an object; else empty.
    std::string_view name{};
    /// Values in this subtree, itself included.
    std::uint32_t size = 1;
    Meaning meaning = Meaning::none;
    /// Meaning::decimal: digits after the point.
    std::int16_t scale = 0;
};

/// A value and all below it: nodes[0] is the root. Empty: there is no value (not even null).
using Document = std::span<const Value>;

/// The value at `at` and all below it.
[[nodiscard]] inline Document subtree(Document nodes, std::size_t at) {
    return nodes.subspan(at, nodes[at].size);
}

/// The member `name` of the object at the root; empty when there is none.
[[nodiscard]] Document member(Document object, std::string_view name) noexcept;
/// The element `index` of the array at the root; empty when there is none.
[[nodiscard]] Document element(Document array, std::size_t index) noexcept;

/// Calls `visit(index, value)` for each direct child of `nodes[parent]`.
template <typename Visit>
void for_each_child(Document nodes, std::size_t parent, Visit visit) {
    const std::size_t end = parent + nodes[parent].size;
    for (std::size_t i = parent + 1; i < end; i += nodes[i].size) {
        visit(i, nodes[i]);
    }
}

}  // namespace txsink::decode
