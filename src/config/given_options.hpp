/// @file
/// GivenOptions: what the sources say, by option name, before anything is understood.
#pragma once

#include <map>
#include <string>

#include "txsink/config/load.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::config {

/// Where a value was given: `--batch.rows`, `TXSINK_BATCH_ROWS`, `txsink.ini:12`.
struct Origin {
    std::string text;
    bool is_command_line = false;

    /// `as --batch.rows`, `in txsink.ini:12`.
    [[nodiscard]] std::string words() const { return (is_command_line ? "as " : "in ") + text; }
    /// Whose fault a wrong value is.
    [[nodiscard]] ErrorKind error_kind() const noexcept {
        return is_command_line ? ErrorKind::usage : ErrorKind::configuration;
    }
};

struct Given {
    std::string value;
    Origin origin;
};

using GivenOptions = std::map<std::string, Given, std::less<>>;

/// Reads all sources; of an option in several, the value of the first source.
/// Errors: SinkError: unknown or repeated option, unreadable file or line.
[[nodiscard]] GivenOptions collect(const Sources& sources);

}  // namespace txsink::config
