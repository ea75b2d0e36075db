#include "cli/dead_letter_record.hpp"

#include "txsink/core/base64.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::cli {

std::vector<StoredHeader> headers_of(const mysql::DeadLetterRow& letter) {
    std::vector<StoredHeader> headers;
    if (letter.headers.empty()) {
        return headers;
    }
    decode::JsonDecoder decoder;
    const auto decoded = decoder.decode(letter.headers);
    if (!decoded || decoded.value().front().kind != decode::ValueKind::array) {
        return headers;
    }
    const auto& document = decoded.value();
    decode::for_each_child(document, 0, [&](std::size_t at, const decode::Value&) {
        const auto header = decode::subtree(document, at);
        const auto name = decode::member(header, "name");
        const auto value = decode::member(header, "value");
        if (name.empty() || value.empty()) {
            return;
        }
        std::optional<std::string> bytes;
        if (value.front().kind == decode::ValueKind::string) {
            bytes = from_base64(value.front().text);
        }
        headers.emplace_back(name.front().text, std::move(bytes));
    });
    return headers;
}

}  // namespace txsink::cli
