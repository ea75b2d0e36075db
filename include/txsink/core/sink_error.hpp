/// @file
/// SinkError: the one exception of everything that does I/O or reads configuration.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace txsink {

/// What an error means for the one who meets it; each kind has one reaction.
enum class ErrorKind {
    replay,         ///< roll back and run the whole transaction again (1213, 1205, ...)
    connection,     ///< the session is gone: a new one, then read the offset rows
    fail_over,      ///< the server is read-only: a new session on a writable server
    too_big,        ///< a statement or transaction over a limit of the server
    schema_drift,   ///< the table no longer has the definition that was read
    bad_record,     ///< one record is refused by the target table (exit 65)
    unavailable,    ///< a server stayed away past its deadline (exit 69)
    fenced,         ///< another process uses this connector name (exit 73)
    access_denied,  ///< wrong user, password or privilege (exit 77)
    configuration,  ///< something asked for does not exist or does not fit (exit 78)
    usage,          ///< the command line is wrong (exit 64)
    internal,       ///< unknown or impossible: stop (exit 70)
};

/// An error of the I/O path, with properties instead of subclasses.
///
/// what() is the primary message: lower-case, no period. `detail` and `hint` may be empty.
/// Invariant: none of the texts but `private_text` holds a secret or a record's value.
class SinkError : public std::runtime_error {
public:
    SinkError(ErrorKind error_kind,
              const std::string& what,
              std::string details = {},
              std::string advice = {})
        : std::runtime_error{what},
          kind{error_kind},
          detail{std::move(details)},
          hint{std::move(advice)} {}

    ErrorKind kind;
    std::string detail;
    std::string hint;
    /// The library's own number: MySQL errno or rd_kafka_resp_err_t; 0 when there is none.
    int native_code = 0;
    std::string sqlstate;
    /// The server's message in full. It may hold values of a record: never shown or logged, only
    /// kept with the record (RecordError::private_text).
    std::string private_text;
    /// The session cannot be used again.
    bool reconnect = false;
    /// The error came in answer to COMMIT: whether it happened is for the offset rows to say.
    bool outcome_unknown = false;
};

/// Exit status of a process that ends with an error of this kind (sysexits.h).
[[nodiscard]] int exit_code(ErrorKind kind) noexcept;

}  // namespace txsink
