#include "kafka/letter_headers.hpp"

#include "txsink/core/base64.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::kafka {
namespace {

using decode::Document;
using decode::ValueKind;

[[noreturn]] void refuse() {
    throw SinkError{ErrorKind::internal, "the headers of a dead letter cannot be read"};
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
        if (!header.value) {
            refuse();
        }
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
