/// @file
/// load(): command line over environment over file, checked as a whole.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "txsink/config/settings.hpp"

namespace txsink::config {

/// Where options come from; the first that has an option wins.
struct Sources {
    /// As CommandLine::options.
    std::vector<std::pair<std::string, std::string>> command_line;
    /// `NAME=value`, the whole environment: what does not begin with TXSINK_ is left alone.
    std::vector<std::string> environment;
    /// The file of --config. Absent: the one that TXSINK_CONFIG names, if it does.
    std::optional<std::string> file;
};

/// The environment of this process. Threading: before anything changes it.
[[nodiscard]] std::vector<std::string> process_environment();

/// What a command cannot do without; the rest may be missing.
struct Needs {
    bool mysql = true;
    bool kafka = true;
    bool connector = true;
    bool routes = true;
};

/// Reads, applies and checks all options.
/// Errors: SinkError usage (the command line is wrong) or configuration (all else), naming the
/// option, where it was given and what is allowed; the values of secrets are never quoted.
[[nodiscard]] Settings load(const Sources& sources, const Needs& needs);

}  // namespace txsink::config
