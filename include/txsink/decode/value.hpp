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

/// One JSON value.
///
/// Values of a document stand in document order (a parent before its children), so the children
/// of `nodes[i]` lie in `(i, nodes[i].subtree_end)`.
/// Threading: valid until the decoder's next decode().
struct Value {
    ValueKind kind = ValueKind::null;
    /// string: unescaped UTF-8 (may hold NUL); number, boolean, null: the token as written;
    /// object, array: the JSON text as written, brackets included.
    std::string_view text;
    /// Name of this member, unescaped, when the parent is an object; else empty.
    std::string_view name;
    /// Index one past the last value of this subtree.
    std::uint32_t subtree_end = 0;
};

/// A whole decoded text: nodes[0] is the root.
using Document = std::span<const Value>;

/// Calls `visit(index, value)` for each direct child of `nodes[parent]`.
template <typename Visit>
void for_each_child(Document nodes, std::size_t parent, Visit visit) {
    for (std::size_t i = parent + 1; i < nodes[parent].subtree_end; i = nodes[i].subtree_end) {
        visit(i, nodes[i]);
    }
}

}  // namespace txsink::decode
