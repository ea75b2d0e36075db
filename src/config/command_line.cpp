#include "txsink/config/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/option_table.hpp"
#include "txsink/config/nearest.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::config {
namespace {

constexpr Flag kCommonFlags[] = {
    {"config", "FILE", "Reads options from FILE (INI); TXSINK_CONFIG does the same"},
    {"help", "", "Shows the help of the command"},
    {"version", "", "Shows the version"},
};

const Flag* find_flag(std::string_view name, std::span<const Flag> command_flags) {
    for (const auto flags : {command_flags, common_flags()}) {
        const auto at = std::find_if(
            flags.begin(), flags.end(), [&](const Flag& flag) { return flag.name == name; });
        if (at != flags.end()) {
            return &*at;
        }
    }
    return nullptr;
}

SinkError unknown_option(std::string_view name, std::span<const Flag> command_flags) {
    auto candidates = names_near(name);
    for (const auto flags : {command_flags, common_flags()}) {
        for (const auto& flag : flags) {
            candidates.emplace_back(flag.name);
        }
    }
    const auto near = nearest(name, candidates);
    return SinkError{ErrorKind::usage,
                     fmt::format("unknown option --{}", name),
                     {},
                     near.empty() ? "txsink help run lists all options"
                                  : fmt::format("did you mean --{}?", near)};
}

/// A password inside `mysql://user:password@host`.
bool holds_password(std::string_view uri) {
    const auto scheme = uri.find("://");
    const auto begin = scheme == uri.npos ? 0 : scheme + 3;
    const auto authority = uri.substr(begin, uri.find('/', begin) - begin);
    const auto at = authority.rfind('@');
    return at != authority.npos && authority.substr(0, at).find(':') != authority.npos;
}

void refuse_secret(const std::string& name, const std::string& value) {
    if (!is_secret(name) || (name == "mysql.uri" && !holds_password(value))) {
        return;
    }
    const bool is_mysql = name.starts_with("mysql.");
    throw SinkError{
        ErrorKind::usage,
        name == "mysql.uri" ? "mysql.uri: a password on the command line"
                            : fmt::format("{}: a secret on the command line", name),
        "every user of this machine can see it, in the list of processes",
        is_mysql ? "put it into a file (--mysql.password-file) or into TXSINK_MYSQL_PASSWORD"
                 : fmt::format("put it into the file of --config or into {}", variable_of(name))};
}

class Parser {
public:
    Parser(std::span<const std::string> arguments, std::span<const Flag> command_flags)
        : arguments_{arguments}, command_flags_{command_flags} {}

    CommandLine parse() {
        while (at_ < arguments_.size()) {
            const std::string_view argument = arguments_[at_++];
            if (argument == "--") {
                result_.words.insert(result_.words.end(),
                                     arguments_.begin() + static_cast<std::ptrdiff_t>(at_),
                                     arguments_.end());
                break;
            }
            if (argument == "-h") {
                result_.flags.emplace("help", "");
            } else if (argument.starts_with("--")) {
                take(argument.substr(2));
            } else if (argument.starts_with('-') && argument.size() > 1) {
                throw SinkError{ErrorKind::usage,
                                fmt::format("unknown option {}", argument),
                                {},
                                "options are written with two dashes"};
            } else {
                result_.words.emplace_back(argument);
            }
        }
        return std::move(result_);
    }

private:
    void take(std::string_view argument) {
        const auto equals = std::min(argument.find('='), argument.size());
        const std::string name{argument.substr(0, equals)};
        const bool has_value = equals < argument.size();
        const auto* flag = find_flag(name, command_flags_);
        if (flag == nullptr && !is_option(name)) {
            throw unknown_option(name, command_flags_);
        }
        if (!given_.emplace(name, true).second) {
            throw SinkError{ErrorKind::usage, fmt::format("--{} is given twice", name)};
        }
        if (flag != nullptr && flag->value_name.empty()) {
            if (has_value) {
                throw SinkError{ErrorKind::usage, fmt::format("--{} takes no value", name)};
            }
            result_.flags.emplace(name, "");
            return;
        }
        auto value = has_value ? std::string{argument.substr(equals + 1)} : next_value(name);
        if (flag != nullptr) {
            result_.flags.emplace(name, std::move(value));
            return;
        }
        refuse_secret(name, value);
        result_.options.emplace_back(name, std::move(value));
    }

    std::string next_value(const std::string& name) {
        if (at_ == arguments_.size() || arguments_[at_].starts_with("--")) {
            throw SinkError{ErrorKind::usage,
                            fmt::format("--{} needs a value", name),
                            {},
                            fmt::format("write --{}=VALUE when it begins with dashes", name)};
        }
        return arguments_[at_++];
    }

    std::span<const std::string> arguments_;
    std::span<const Flag> command_flags_;
    std::size_t at_ = 0;
    std::map<std::string, bool> given_;
    CommandLine result_;
};

}  // namespace

std::span<const Flag> common_flags() {
    return kCommonFlags;
}

std::optional<std::string> CommandLine::value_of(std::string_view flag) const {
    const auto at = flags.find(flag);
    return at == flags.end() ? std::nullopt : std::optional{at->second};
}

CommandLine parse_command_line(std::span<const std::string> arguments,
                               std::span<const Flag> command_flags) {
    return Parser{arguments, command_flags}.parse();
}

}  // namespace txsink::config
