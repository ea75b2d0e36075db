#include "kafka/letter_headers.hpp"

#include "txsink/core/sink_error.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::kafka {
namespace {

using decode::Document;
using decode::ValueKind;

[[noreturn]] void refuse() {
    throw SinkError{ErrorKind::internal, "the headers of a dead letter cannot be read"};
}

/// Source: https://www.rfc-editor.org/rfc/rfc4648#section-4
std::string from_base64(std::string_view text) {
    constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned group = 0;
    unsigned bits = 0;
    for (const char c : text.substr(0, text.find('='))) {
        const auto digit = kAlphabet.find(c);
        if (digit == kAlphabet.npos) {
            refuse();
        }
        group = group << 6U | static_cast<unsigned>(digit);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes += static_cast<char>(group >> bits & 0xFFU);
        }
    }
    return bytes;
}

LetterHeader header_of(Document entry) {
    const Document name = decode::member(entry, "name");
    const Document value = decode::member(entry, "value");
    if (name.empty() || value.empty()) {
        refuse();
    }
    LetterHeader header{std::string{name.front().text}, std::nullopt};
    if (value.front().kind != ValueKind::null) {
        header.value = from_base64(value.front().text);
    }
    return header;
}

}  // namespace

std::vector<LetterHeader> letter_headers(std::string_view json) {
    std::vector<LetterHeader> headers;
    if (json.empty()) {
        return headers;
    }
    decode::JsonDecoder decoder;
    const auto document = decoder.decode(json);
    if (!document || document.value().front().kind != ValueKind::array) {
        refuse();
    }
    const Document nodes = document.value();
    decode::for_each_child(nodes, 0, [&](std::size_t at, const decode::Value& value) {
        if (value.kind != ValueKind::object) {
            refuse();
        }
        headers.push_back(header_of(decode::subtree(nodes, at)));
    });
    return headers;
}

}  // namespace txsink::kafka
