/// @file
/// Decoded values as text, for comparison.
#pragma once

#include <string>

#include "txsink/decode/record_decoder.hpp"

namespace txsink::decode::testing {

inline const char* name_of(Meaning meaning) noexcept {
    switch (meaning) {
        case Meaning::none:
            return "";
        case Meaning::unavailable:
            return "unavailable";
        case Meaning::raw_bytes:
            return "raw_bytes";
        case Meaning::base64:
            return "base64";
        case Meaning::bits:
            return "bits";
        case Meaning::decimal:
            return "decimal";
        case Meaning::variable_decimal:
            return "variable_decimal";
        case Meaning::days:
            return "days";
        case Meaning::time_ms:
            return "time_ms";
        case Meaning::time_us:
            return "time_us";
        case Meaning::time_ns:
            return "time_ns";
        case Meaning::epoch_ms:
            return "epoch_ms";
        case Meaning::epoch_us:
            return "epoch_us";
        case Meaning::epoch_ns:
            return "epoch_ns";
        case Meaning::json_text:
            return "json_text";
        case Meaning::geometry:
            return "geometry";
    }
    return "?";
}

inline const char* name_of(Operation operation) noexcept {
    switch (operation) {
        case Operation::write:
            return "write";
        case Operation::remove:
            return "remove";
        case Operation::truncate:
            return "truncate";
        case Operation::tombstone:
            return "tombstone";
        case Operation::none:
            return "none";
    }
    return "?";
}

/// `number <days> 12`, `string <decimal 10> AQ==`, `object {"a":1}`
inline std::string describe(const Value& value) {
    std::string out = decode::name_of(value.kind);
    if (value.meaning != Meaning::none) {
        out += std::string{" <"} + name_of(value.meaning) +
               (value.meaning == Meaning::decimal ? ' ' + std::to_string(value.scale) : "") + '>';
    }
    return out + ' ' + std::string{value.text};
}

/// One line for each direct child of an object, `name: ...`, or array; "-" where there is nothing.
inline std::string describe_children(Document document) {
    if (document.empty()) {
        return "-";
    }
    std::string out;
    for_each_child(document, 0, [&out](std::size_t, const Value& child) {
        out += std::string{child.name} + ": " + describe(child) + '\n';
    });
    return out;
}

}  // namespace txsink::decode::testing
