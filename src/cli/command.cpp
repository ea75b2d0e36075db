#include "cli/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "txsink/config/nearest.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::cli {

std::span<const Command> commands() {
    static const std::array all{run_command(),
                                check_command(),
                                migrate_command(),
                                preview_command(),
                                infer_command(),
                                offsets_list_command(),
                                offsets_set_command(),
                                dead_letters_list_command(),
                                dead_letters_show_command(),
                                dead_letters_replay_command(),
                                dead_letters_purge_command(),
                                help_command()};
    return all;
}

config::Settings Invocation::load_settings(const config::Needs& needs) const {
    return config::load(
        config::Sources{line.options, config::process_environment(), line.value_of("config")},
        needs);
}

std::string nearest_command(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& command : commands()) {
        names.emplace_back(command.name);
    }
    return config::nearest(name, names);
}

std::string choice_of(const Invocation& invocation,
                      std::string_view flag,
                      std::span<const std::string_view> names) {
    const auto value = invocation.line.value_of(flag).value_or(std::string{names.front()});
    if (std::find(names.begin(), names.end(), value) == names.end()) {
        throw SinkError{ErrorKind::usage,
                        fmt::format("--{}: \"{}\" is not one of the names allowed", flag, value),
                        {},
                        fmt::format("allowed: {}", fmt::join(names.begin(), names.end(), " | "))};
    }
    return value;
}

std::optional<std::int64_t> number_of(const Invocation& invocation,
                                      std::string_view flag,
                                      std::int64_t least,
                                      std::int64_t greatest) {
    const auto text = invocation.line.value_of(flag);
    if (!text) {
        return std::nullopt;
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc{} || end != text->data() + text->size() || value < least ||
        value > greatest) {
        throw SinkError{
            ErrorKind::usage,
            fmt::format("--{}: \"{}\" is not a whole number that is allowed", flag, *text),
            {},
            fmt::format("allowed: {} to {}", least, greatest)};
    }
    return value;
}

bool wants_json(const Invocation& invocation) {
    constexpr std::string_view kNames[] = {"text", "json"};
    return choice_of(invocation, "output", kNames) == "json";
}

}  // namespace txsink::cli
