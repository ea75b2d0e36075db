/// @file
/// The binary: finds the command, runs it, and turns what it throws into messages and a status.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/observe/log.hpp"

namespace txsink::cli {
namespace {

constexpr std::string_view kVersionLine = "txsink " TXSINK_VERSION "\n";

void print_line(const char* label, const std::string& text) {
    if (!text.empty()) {
        // It may quote what came from outside.
        fmt::print(stderr, "{}: {}\n", label, printable(text));
    }
}

/// For those who read messages line by line, the whole error is one.
void log_as_one(const SinkError& error) {
    std::string text = error.what();
    text += error.detail.empty() ? "" : "; detail: " + error.detail;
    text += error.hint.empty() ? "" : "; hint: " + error.hint;
    spdlog::error("{}", text);
}

int report(const SinkError& error) {
    if (observe::log_format() == observe::LogFormat::json) {
        log_as_one(error);
    } else {
        print_line("error", error.what());
        print_line("detail", error.detail);
        print_line("hint", error.hint);
    }
    return exit_code(error.kind);
}

/// The command that `words` begin with, and how many words its name has.
const Command* find_command(const std::vector<std::string>& words, std::size_t& length) {
    for (const auto& command : commands()) {
        const auto parts =
            static_cast<std::size_t>(1 + std::count(command.name.begin(), command.name.end(), ' '));
        std::string name;
        for (std::size_t i = 0; i < std::min(parts, words.size()); ++i) {
            name += (i == 0 ? "" : " ") + words[i];
        }
        if (name == command.name) {
            length = parts;
            return &command;
        }
    }
    return nullptr;
}

SinkError no_command(const std::vector<std::string>& words) {
    const auto& first = words.front();
    if (first.starts_with("-")) {
        return SinkError{ErrorKind::usage,
                         "the command comes first",
                         {},
                         "txsink COMMAND [OPTION]...; txsink help lists the commands"};
    }
    auto near = words.size() > 1 ? nearest_command(first + " " + words[1]) : std::string{};
    near = near.empty() ? nearest_command(first) : near;
    std::string known;
    for (const auto& command : commands()) {
        if (command.name.starts_with(first + " ")) {
            known += (known.empty() ? "" : ", ") + std::string{command.name};
        }
    }
    return SinkError{ErrorKind::usage,
                     known.empty() ? fmt::format("there is no command {}", first)
                                   : fmt::format("{} is not a whole command", first),
                     {},
                     !near.empty()   ? fmt::format("did you mean {}?", near)
                     : known.empty() ? "txsink help lists them"
                                     : fmt::format("one of: {}", known)};
}

int dispatch(const std::vector<std::string>& words) {
    if (words.empty()) {
        fmt::print(stderr, "{}", overview());
        return exit_code(ErrorKind::usage);
    }
    if (words.front() == "--version" || words.front() == "version") {
        print_out(kVersionLine);
        return 0;
    }
    if (words.front() == "--help" || words.front() == "-h") {
        print_out(overview());
        return 0;
    }
    std::size_t length = 0;
    const auto* command = find_command(words, length);
    if (command == nullptr) {
        throw no_command(words);
    }
    const std::vector<std::string> rest{words.begin() + static_cast<std::ptrdiff_t>(length),
                                        words.end()};
    Invocation invocation{config::parse_command_line(rest, command->flags), {}};
    if (invocation.line.has("help")) {
        print_out(help_of(*command));
        return 0;
    }
    if (invocation.line.has("version")) {
        print_out(kVersionLine);
        return 0;
    }
    invocation.arguments = invocation.line.words;
    if (command->arguments.empty() && !invocation.arguments.empty()) {
        throw SinkError{ErrorKind::usage,
                        fmt::format("unexpected word {}", invocation.arguments.front()),
                        {},
                        fmt::format("txsink help {}", command->name)};
    }
    return command->run(invocation);
}

}  // namespace
}  // namespace txsink::cli

int main(int argc, char** argv) {
    txsink::observe::set_up_log({});
    try {
        return txsink::cli::dispatch({argv + 1, argv + argc});
    } catch (const txsink::SinkError& error) {
        return txsink::cli::report(error);
    } catch (const std::exception& error) {
        return txsink::cli::report({txsink::ErrorKind::internal, error.what()});
    }
}
