/// @file
/// Fuzzes the JSON decoder against simdjson's DOM parser, with which it shares only the first
/// stage: the same verdict but for our own rules, and the same tree.
#include <simdjson.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "txsink/decode/json_decoder.hpp"

namespace {

using txsink::RecordErrorCode;
using namespace txsink::decode;

void require(bool is_true) {
    if (!is_true) {
        std::abort();
    }
}

void expect_same(Document nodes, std::size_t at, simdjson::dom::element expected) {
    const Value& value = nodes[at];
    require(value.size > 0 && at + value.size <= nodes.size());
    if (expected.is_object()) {
        require(value.kind == ValueKind::object);
        require(value.text.starts_with('{') && value.text.ends_with('}'));
        auto member = expected.get_object().value().begin();
        for_each_child(nodes, at, [&](std::size_t i, const Value& child) {
            require(child.name == member.key());
            expect_same(nodes, i, member.value());
            ++member;
        });
        require(!(member != expected.get_object().value().end()));
    } else if (expected.is_array()) {
        require(value.kind == ValueKind::array);
        require(value.text.starts_with('[') && value.text.ends_with(']'));
        auto element = expected.get_array().value().begin();
        for_each_child(nodes, at, [&](std::size_t i, const Value&) {
            expect_same(nodes, i, *element);
            ++element;
        });
        require(!(element != expected.get_array().value().end()));
    } else if (expected.is_string()) {
        require(value.kind == ValueKind::string);
        require(value.text == expected.get_string().value());
    } else if (expected.is_bool()) {
        require(value.text == (expected.get_bool().value() ? "true" : "false"));
    } else if (expected.is_null()) {
        require(value.text == "null");
    } else {
        require(value.kind == ValueKind::number);
    }
}

bool is_own_rule(RecordErrorCode code, std::string_view text) {
    return code == RecordErrorCode::too_deep || code == RecordErrorCode::duplicate_field ||
           text.starts_with("\xEF\xBB\xBF");
}

/// The DOM parser converts numbers, and refuses those beyond 64 bits and doubles.
bool is_about_conversion(simdjson::error_code code) {
    return code == simdjson::NUMBER_ERROR || code == simdjson::NUMBER_OUT_OF_RANGE;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static JsonDecoder decoder;  // reused, as in the product: nothing may be left over
    static simdjson::dom::parser parser;
    const std::string_view text{reinterpret_cast<const char*>(bytes), size};
    const auto result = decoder.decode(text);
    simdjson::dom::element expected;
    const simdjson::error_code code = parser.parse(simdjson::padded_string{text}).get(expected);
    if (result) {
        require(code == simdjson::SUCCESS || is_about_conversion(code));
        if (code == simdjson::SUCCESS) {
            expect_same(result.value(), 0, expected);
        }
    } else {
        require(!result.error().message.empty());
        require(code != simdjson::SUCCESS || is_own_rule(result.error().code, text));
    }
    return 0;
}
