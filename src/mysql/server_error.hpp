/// @file
/// From an error number to a SinkError, and what the place where it happened adds to it.
#pragma once

#include <string>
#include <string_view>

#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {

/// The SinkError of an error of the server or the client library. `code` 0 is the connector's own
/// complaint about how it is called: internal.
[[nodiscard]] SinkError server_error(int code, std::string_view sqlstate, std::string_view message);

/// What a dead letter says of an error: `meaning`, and the server's message with the values in it.
[[nodiscard]] std::string private_text(std::string_view meaning, const SinkError& error);

/// Such a text (with what was added behind it) as it may be shown; any other text as it is.
[[nodiscard]] std::string without_values(int code, std::string_view private_text);

/// The same error when it came in answer to COMMIT: the outcome is unknown whatever the code says,
/// and the session is not used again. The kind is one that lets the caller go on.
[[nodiscard]] SinkError at_commit(SinkError error);

/// The same error when it came from one of txsink's own tables: never a bad record.
[[nodiscard]] SinkError on_own_table(SinkError error);

/// The same error with "<doing>: " in front of what it says.
[[nodiscard]] SinkError within(std::string_view doing, const SinkError& error);

}  // namespace txsink::mysql
