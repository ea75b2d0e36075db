#include "txsink/core/result.hpp"

#include <stdexcept>

namespace txsink {

void refuse_access() {
    throw std::logic_error{"a result has a value or an error, and was asked for the other"};
}

const char* name_of(RecordErrorCode code) noexcept {
    switch (code) {
        case RecordErrorCode::not_json:
            return "not-json";
        case RecordErrorCode::too_deep:
            return "too-deep";
        case RecordErrorCode::duplicate_field:
            return "duplicate-field";
        case RecordErrorCode::not_an_object:
            return "not-an-object";
        case RecordErrorCode::not_an_array:
            return "not-an-array";
        case RecordErrorCode::not_an_envelope:
            return "not-an-envelope";
        case RecordErrorCode::schema_mismatch:
            return "schema-mismatch";
        case RecordErrorCode::bad_key:
            return "bad-key";
        case RecordErrorCode::no_route:
            return "no-route";
        case RecordErrorCode::row_missing:
            return "row-missing";
        case RecordErrorCode::schema_registry:
            return "schema-registry";
        case RecordErrorCode::unknown_field:
            return "unknown-field";
        case RecordErrorCode::missing_key:
            return "missing-key";
        case RecordErrorCode::missing_value:
            return "missing-value";
        case RecordErrorCode::null_value:
            return "null-value";
        case RecordErrorCode::wrong_kind:
            return "wrong-kind";
        case RecordErrorCode::out_of_range:
            return "out-of-range";
        case RecordErrorCode::would_lose_digits:
            return "would-lose-digits";
        case RecordErrorCode::malformed_value:
            return "malformed-value";
        case RecordErrorCode::unsupported_type:
            return "unsupported-type";
        case RecordErrorCode::tombstone:
            return "tombstone";
        case RecordErrorCode::too_large:
            return "too-large";
        case RecordErrorCode::refused_by_server:
            return "refused-by-server";
    }
    return "unknown";
}

}  // namespace txsink
