/// @file
/// CommandLine: the words after `txsink`, sorted into words, flags and options.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace txsink::config {

/// A word that only the command line knows, such as --until-end. Unlike an option it has no place
/// in the file or the environment.
struct Flag {
    std::string_view name;
    /// What its value is called in the help; empty: it takes none.
    std::string_view value_name;
    std::string_view help;
};

/// Flags that every command takes: --config, --help, --version.
[[nodiscard]] std::span<const Flag> common_flags();

struct CommandLine {
    /// The words that are neither flag nor option, nor the value of one, in order.
    std::vector<std::string> words;
    /// Flags by name, without the dashes; the value is empty for those that take none.
    std::map<std::string, std::string, std::less<>> flags;
    /// Options as given (name, value), unchecked.
    std::vector<std::pair<std::string, std::string>> options;

    [[nodiscard]] bool has(std::string_view flag) const { return flags.contains(flag); }
    [[nodiscard]] std::optional<std::string> value_of(std::string_view flag) const;
};

/// Sorts `arguments`. `--name value` and `--name=value` are the same; `--` ends the flags; a value
/// that itself begins with `--` needs the second form.
/// Errors: SinkError usage: unknown (suggesting the nearest), without a value, given twice, or a
/// secret, which has no place where `ps` shows it. Never quotes a value.
[[nodiscard]] CommandLine parse_command_line(std::span<const std::string> arguments,
                                             std::span<const Flag> command_flags);

}  // namespace txsink::config
