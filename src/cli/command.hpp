/// @file
/// Command: one subcommand, as a declaration; the list of all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/config/command_line.hpp"
#include "txsink/config/load.hpp"

namespace txsink::cli {

/// What a command is called with.
struct Invocation {
    config::CommandLine line;
    /// The words after the command's own.
    std::vector<std::string> arguments;

    /// Options of all sources. Errors: SinkError.
    [[nodiscard]] config::Settings load_settings(const config::Needs& needs) const;
};

struct Command {
    /// `run`, `offsets list`.
    std::string_view name;
    /// What stands after the name in the usage line: `TOPIC:PARTITION OFFSET`.
    std::string_view arguments;
    std::string_view summary;
    /// The page of `txsink help NAME`, above the flags.
    std::string_view description;
    std::span<const config::Flag> flags;
    /// Takes the options of config.
    bool takes_options = true;
    /// Returns the exit status. Errors: SinkError.
    int (*run)(const Invocation& invocation) = nullptr;
    /// The options that its help lists, as config::options_text takes them; it takes the others,
    /// too, so that one file or environment serves all commands.
    std::span<const std::string_view> options_shown = {};
};

/// In the order of the help.
[[nodiscard]] std::span<const Command> commands();

[[nodiscard]] const Command& run_command();
[[nodiscard]] const Command& check_command();
[[nodiscard]] const Command& migrate_command();
[[nodiscard]] const Command& offsets_list_command();
[[nodiscard]] const Command& offsets_set_command();
[[nodiscard]] const Command& preview_command();
[[nodiscard]] const Command& infer_command();
[[nodiscard]] const Command& dead_letters_list_command();
[[nodiscard]] const Command& dead_letters_show_command();
[[nodiscard]] const Command& dead_letters_replay_command();
[[nodiscard]] const Command& dead_letters_purge_command();
[[nodiscard]] const Command& help_command();

/// The command whose name is near to `name`; empty: none.
[[nodiscard]] std::string nearest_command(const std::string& name);

/// The page of one command, and of `txsink help`.
[[nodiscard]] std::string help_of(const Command& command);
[[nodiscard]] std::string overview();

/// The value of --output. Errors: SinkError usage: neither text nor json.
[[nodiscard]] bool wants_json(const Invocation& invocation);

/// The value of a flag that is one of `names`; the first one when it is not given.
/// Errors: SinkError usage.
[[nodiscard]] std::string choice_of(const Invocation& invocation,
                                    std::string_view flag,
                                    std::span<const std::string_view> names);
/// The value of a flag that is a whole number from `least` to `greatest`; absent when it is not
/// given. Errors: SinkError usage.
[[nodiscard]] std::optional<std::int64_t> number_of(const Invocation& invocation,
                                                    std::string_view flag,
                                                    std::int64_t least,
                                                    std::int64_t greatest);

/// What `offsets ...` shows of the options.
inline constexpr std::string_view kOptionsOfOffsets[] = {"connector", "MySQL", "Kafka", "Logging"};

inline constexpr config::Flag kOutputFlag{
    "output", "FORMAT", "text (default), a table to read, or json, for scripts"};

}  // namespace txsink::cli
