/// @file
/// Base64 text to a hexadecimal SQL literal, without a buffer between, or to bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace txsink::mapping {

/// How many bytes `text` stands for; absent when its length or padding is wrong.
[[nodiscard]] std::optional<std::size_t> base64_size(std::string_view text) noexcept;

/// Appends x'..' with the bytes of `text`: standard alphabet, padded, unused bits zero.
/// False (with a part appended) when it is anything else.
/// Precondition: base64_size() has a value.
/// Source: https://www.rfc-editor.org/rfc/rfc4648#section-4
[[nodiscard]] bool append_base64(std::string& sql, std::string_view text);

/// Appends the bytes themselves; the same otherwise, but needs no base64_size() before.
[[nodiscard]] bool decode_base64(std::string& bytes, std::string_view text);

}  // namespace txsink::mapping
