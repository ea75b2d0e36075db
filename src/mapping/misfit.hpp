/// @file
/// Why one value does not fit its column, before the column is named.
#pragma once

#include <string>
#include <utility>

#include "txsink/core/result.hpp"
#include "txsink/decode/value.hpp"

namespace txsink::mapping {

/// `number is outside 0..255`: the kind of the value and what is wrong with it, never the value.
[[nodiscard]] inline RecordError misfit(RecordErrorCode code,
                                        decode::ValueKind kind,
                                        const std::string& what) {
    return {code, {}, std::string{decode::name_of(kind)} + ' ' + what};
}

/// For text that was parsed out of a JSON string.
[[nodiscard]] inline RecordError misfit(RecordErrorCode code, const std::string& what) {
    return misfit(code, decode::ValueKind::string, what);
}

}  // namespace txsink::mapping
