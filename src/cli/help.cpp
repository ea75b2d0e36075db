/// @file
/// `txsink help`: pages made from the commands and the option table.
#include "txsink/config/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::cli {
namespace {

// --markdown is for the one who changes options: it makes docs/options.md.
constexpr config::Flag kFlags[] = {{"markdown", "", ""}};

std::string flag_line(const config::Flag& flag) {
    const auto name =
        fmt::format("--{}{}{}", flag.name, flag.value_name.empty() ? "" : " ", flag.value_name);
    return fmt::format("  {:<22} {}\n", name, flag.help);
}

std::string without_options(const Command& command) {
    auto page = fmt::format("usage: txsink {}{}{}{}\n\n{}\n",
                            command.name,
                            command.arguments.empty() ? "" : " ",
                            command.arguments,
                            command.takes_options ? " [OPTION]..." : "",
                            command.description);
    page += "\nFlags\n";
    for (const auto flags : {command.flags, config::common_flags()}) {
        for (const auto& flag : flags) {
            page += flag.help.empty() ? "" : flag_line(flag);
        }
    }
    return page;
}

int run(const Invocation& invocation) {
    if (invocation.line.has("markdown")) {
        print_out(config::options_markdown());
        return 0;
    }
    std::string name;
    for (const auto& word : invocation.arguments) {
        name += (name.empty() ? "" : " ") + word;
    }
    if (name.empty()) {
        print_out(overview());
        return 0;
    }
    std::string group;
    for (const auto& command : commands()) {
        if (command.name == name) {
            print_out(help_of(command));
            return 0;
        }
        if (command.name.starts_with(name + " ")) {
            group += without_options(command) + "\n";
        }
    }
    if (group.empty()) {
        const auto near = nearest_command(name);
        throw SinkError{
            ErrorKind::usage,
            fmt::format("there is no command {}", name),
            {},
            near.empty() ? "txsink help lists them" : fmt::format("did you mean {}?", near)};
    }
    print_out(group + "Their options: txsink help " + name + " COMMAND\n");
    return 0;
}

}  // namespace

const Command& help_command() {
    static constexpr Command kCommand{"help",
                                      "[COMMAND]",
                                      "shows this page, or that of a command with its options",
                                      "Shows what a command does and which options it takes.",
                                      kFlags,
                                      false,
                                      run};
    return kCommand;
}

std::string help_of(const Command& command) {
    auto page = without_options(command);
    if (command.takes_options) {
        page += config::options_text(command.options_shown);
    }
    return page + (command.options_shown.empty() ? "" : "\ntxsink help run lists all options.\n");
}

std::string overview() {
    std::string page =
        "txsink: Kafka topics into MySQL tables, every record exactly once\n\n"
        "usage: txsink COMMAND [OPTION]...\n\nCommands\n";
    std::size_t width = 0;
    for (const auto& command : commands()) {
        width = std::max(width, command.name.size());
    }
    for (const auto& command : commands()) {
        page += fmt::format("  {:<{}}  {}\n", command.name, width, command.summary);
    }
    page +=
        "\nOne topic into one table:\n"
        "  export TXSINK_MYSQL_URI=mysql://sink@127.0.0.1/shop TXSINK_MYSQL_PASSWORD=...\n"
        "  txsink migrate\n"
        "  txsink run --kafka.bootstrap.servers 127.0.0.1:9092 --topic orders --table orders\n"
        "\nOptions have one name on the command line, in the environment (--mysql.uri is "
        "TXSINK_MYSQL_URI)\nand in the file of --config. txsink help run lists them.\n"
        "\nExit status: 0 done, 64 wrong command line, 65 a record that cannot be applied, "
        "69 a server is away,\n70 internal error, 73 another process uses the connector's name, "
        "77 access denied, 78 wrong\nconfiguration.\n";
    return page;
}

}  // namespace txsink::cli
