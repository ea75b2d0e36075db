#include "cli/command.hpp"

#include <fmt/format.h>

#include <array>

#include "txsink/config/nearest.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::cli {

std::span<const Command> commands() {
    static const std::array all{run_command(),
                                check_command(),
                                migrate_command(),
                                offsets_list_command(),
                                offsets_set_command(),
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

bool wants_json(const Invocation& invocation) {
    const auto format = invocation.line.value_of("output").value_or("text");
    if (format != "text" && format != "json") {
        throw SinkError{ErrorKind::usage,
                        fmt::format("--output: \"{}\" is not one of the names allowed", format),
                        {},
                        "allowed: text | json"};
    }
    return format == "json";
}

}  // namespace txsink::cli
