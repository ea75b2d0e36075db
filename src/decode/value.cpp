#include "txsink/decode/value.hpp"

namespace txsink::decode {

const char* name_of(ValueKind kind) noexcept {
    switch (kind) {
        case ValueKind::null:
            return "null";
        case ValueKind::boolean:
            return "boolean";
        case ValueKind::number:
            return "number";
        case ValueKind::string:
            return "string";
        case ValueKind::object:
            return "object";
        case ValueKind::array:
            return "array";
    }
    return "value";
}

}  // namespace txsink::decode
