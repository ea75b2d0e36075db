#include "decode/json_text.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace txsink::decode {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kFrameSize = 5;

}  // namespace

bool is_framed(std::string_view bytes) noexcept {
    return bytes.size() >= kFrameSize && bytes.front() == '\0';
}

RecordError framed_by_schema_registry(std::string_view bytes) {
    std::uint32_t id = 0;
    for (const char byte : bytes.substr(1, kFrameSize - 1)) {
        id = (id << 8U) | static_cast<unsigned char>(byte);
    }
    return {RecordErrorCode::schema_registry,
            {},
            fmt::format("framed by a schema registry (byte 0 and schema id {}), which is not "
                        "supported: have the producer write plain JSON, or take it as raw bytes",
                        id)};
}

RecordError not_json(const char* what) {
    return {RecordErrorCode::not_json, {}, fmt::format("not JSON: {}", what)};
}

std::optional<RecordError> refuse_by_beginning(std::string_view text) {
    if (text.empty()) {
        return not_json("no text");
    }
    if (is_framed(text)) {
        return framed_by_schema_registry(text);
    }
    if (text.starts_with(kByteOrderMark)) {
        return not_json("a byte order mark at the beginning");
    }
    return std::nullopt;
}

const char* explain(simdjson::error_code error) noexcept {
    switch (error) {
        case simdjson::UTF8_ERROR:
            return "invalid UTF-8";
        case simdjson::EMPTY:
            return "no text";
        case simdjson::UNCLOSED_STRING:
            return "a string that is never closed";
        case simdjson::UNESCAPED_CHARS:
            return "a control character inside a string";
        case simdjson::STRING_ERROR:
            return "a bad escape or a lone surrogate in a string";
        case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
            return "an object or array that is never closed";
        default:
            return "a syntax error";
    }
}

}  // namespace txsink::decode
