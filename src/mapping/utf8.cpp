#include "mapping/utf8.hpp"

namespace txsink::mapping {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) noexcept {
    return static_cast<unsigned char>(text[at]);
}

/// Bytes of the character that `lead` begins; 0 when none does.
std::size_t length_of(unsigned lead) noexcept {
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        return 2;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        return 3;
    }
    return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& at) noexcept {
    const unsigned lead = byte_at(text, at);
    const std::size_t length = length_of(lead);
    char32_t code = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        code = code << 6U | (byte_at(text, at + i) & 0x3FU);
    }
    at += length;
    return code;
}

bool is_utf8(std::string_view bytes) noexcept {
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t length = length_of(byte_at(bytes, at));
        if (length == 0 || length > bytes.size() - at) {
            return false;
        }
        for (std::size_t i = 1; i < length; ++i) {
            if ((byte_at(bytes, at + i) & 0xC0U) != 0x80U) {
                return false;
            }
        }
        const char32_t code = next_code_point(bytes, at);
        const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
        if (is_overlong || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) {
            return false;
        }
    }
    return true;
}

}  // namespace txsink::mapping
