#include "txsink/core/sink_error.hpp"

namespace txsink {

int exit_code(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::usage:
            return 64;
        case ErrorKind::bad_record:
            return 65;
        case ErrorKind::replay:
        case ErrorKind::connection:
        case ErrorKind::fail_over:
        case ErrorKind::unavailable:
            return 69;
        case ErrorKind::internal:
            return 70;
        case ErrorKind::fenced:
            return 73;
        case ErrorKind::access_denied:
            return 77;
        case ErrorKind::too_big:
        case ErrorKind::schema_drift:
        case ErrorKind::configuration:
            return 78;
    }
    return 70;
}

}  // namespace txsink
