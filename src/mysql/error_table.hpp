/// @file
/// The error table: what each error number of the server or the client library means for us.
#pragma once

#include <string>
#include <string_view>

#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {

/// What a message of the server may hold, and so how much of it may be shown.
enum class MessageText : unsigned char {
    names,   ///< names of columns, keys, tables, hosts: shown as it is
    values,  ///< perhaps a value of the record: only what surely is no value is shown
    hidden,  ///< free text or an unquoted value: not shown at all
};

struct ErrorMeaning {
    int code = 0;
    ErrorKind kind = ErrorKind::internal;
    /// The session is gone, or must not be used again.
    bool reconnect = false;
    MessageText text = MessageText::values;
    /// Lower-case, no period.
    const char* meaning = "";
    /// Empty when there is nothing to advise.
    const char* hint = "";
};

/// The entry of `code`; one that says "stop" (kind internal) for every code that is not listed:
/// data is never skipped on an unknown error.
/// Source: docs/delivery.md; the MySQL and MariaDB error references.
[[nodiscard]] const ErrorMeaning& classify(int code) noexcept;

/// The server's message without what may be a value of the record: "Duplicate entry 'a@x' for
/// key 'email'" becomes "Duplicate entry '***' for key 'email'". Empty when nothing can be shown.
[[nodiscard]] std::string mask(int code, std::string_view message);

}  // namespace txsink::mysql
