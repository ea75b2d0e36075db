#include "config/given_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <fstream>
#include <sstream>
#include <vector>

#include "config/option_table.hpp"
#include "txsink/config/nearest.hpp"

namespace txsink::config {
namespace {

constexpr std::string_view kVariablePrefix = "TXSINK_";

/// Variables that are not options: those of the tests and tools, and those that Kubernetes sets in
/// every container when a service happens to be called txsink.
bool is_foreign_variable(std::string_view name) {
    constexpr std::array kPrefixes{std::string_view{"TXSINK_TEST_"},
                                   std::string_view{"TXSINK_BIN"},
                                   std::string_view{"TXSINK_CACHE"},
                                   std::string_view{"TXSINK_LAUNCHER"},
                                   std::string_view{"TXSINK_FAILPOINT"},
                                   std::string_view{"TXSINK_SERVICE_"},
                                   std::string_view{"TXSINK_PORT"}};
    return name == "TXSINK_CONFIG" ||
           std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
               return name.starts_with(prefix);
           });
}

std::string lower(std::string_view text, char underscore) {
    std::string result;
    for (const char c : text) {
        const bool is_upper = 'A' <= c && c <= 'Z';
        result += c == '_' ? underscore : (is_upper ? static_cast<char>(c - 'A' + 'a') : c);
    }
    return result;
}

/// `TXSINK_ROUTE_ORDERS_TABLE`: the route that another source spells in this way, or else the
/// name in lower case.
std::string route_option_of(std::string_view variable, const GivenOptions& others) {
    const auto prefix = variable_of("route.");
    if (!variable.starts_with(prefix)) {
        return {};
    }
    for (const auto& option : route_options()) {
        const auto suffix = variable_of(option.name).substr(kVariablePrefix.size() - 1);
        if (!variable.ends_with(suffix) || variable.size() <= prefix.size() + suffix.size()) {
            continue;
        }
        const auto name =
            variable.substr(prefix.size(), variable.size() - prefix.size() - suffix.size());
        for (const auto& [key, given] : others) {
            const auto route = split_route_key(key).route;
            if (!route.empty() && variable_of(route).substr(kVariablePrefix.size()) == name) {
                return fmt::format("route.{}.{}", route, option.name);
            }
        }
        return fmt::format("route.{}.{}", lower(name, '_'), option.name);
    }
    return {};
}

/// The option that `variable` stands for; empty: none.
std::string option_of(std::string_view variable, const GivenOptions& others) {
    for (const auto& section : option_sections()) {
        for (const auto& option : section.options) {
            if (variable_of(option.name) == variable) {
                return option.name;
            }
        }
    }
    for (const auto& option : route_options()) {
        if (variable_of(option.name) == variable) {
            return option.name;
        }
    }
    const auto kafka = variable_of(kKafkaPrefix);
    if (variable.starts_with(kafka) && variable.size() > kafka.size()) {
        return std::string{kKafkaPrefix} + lower(variable.substr(kafka.size()), '.');
    }
    return route_option_of(variable, others);
}

GivenOptions collect_environment(const std::vector<std::string>& environment,
                                 const GivenOptions& others) {
    GivenOptions found;
    for (const auto& entry : environment) {
        const auto equals = entry.find('=');
        const auto variable = entry.substr(0, equals);
        if (!variable.starts_with(kVariablePrefix) || is_foreign_variable(variable) ||
            equals == std::string::npos || equals + 1 == entry.size()) {
            continue;  // an empty variable is how many tools write "not set"
        }
        auto name = option_of(variable, others);
        if (name.empty()) {
            std::vector<std::string> variables;
            for (const auto& candidate : names_near("")) {
                variables.push_back(variable_of(candidate).substr(kVariablePrefix.size()));
            }
            const auto near = nearest(variable.substr(kVariablePrefix.size()), variables);
            throw SinkError{ErrorKind::configuration,
                            fmt::format("unknown environment variable {}", variable),
                            {},
                            near.empty()
                                ? "docs/options.md lists all options and how they are written"
                                : fmt::format("did you mean {}{}?", kVariablePrefix, near)};
        }
        found.insert_or_assign(std::move(name),
                               Given{entry.substr(equals + 1), Origin{variable, false}});
    }
    return found;
}

class FileReader {
public:
    explicit FileReader(std::string path) : path_{std::move(path)} {}

    GivenOptions read() {
        std::ifstream file{path_};
        if (!file) {
            throw SinkError{ErrorKind::configuration,
                            fmt::format("cannot read the configuration file {}", path_)};
        }
        std::string line;
        while (std::getline(file, line)) {
            ++number_;
            if (number_ == 1 && line.starts_with("\xef\xbb\xbf")) {
                line.erase(0, 3);
            }
            take(line);
        }
        if (file.bad() || number_ == 0) {
            throw SinkError{
                ErrorKind::configuration,
                fmt::format("the configuration file {} is {}",
                            path_,
                            file.bad() ? "not readable to its end" : "empty, or no file")};
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] Origin here() const { return {fmt::format("{}:{}", path_, number_), false}; }

    // The line itself may hold a secret, so no message quotes it.
    [[nodiscard]] SinkError broken(const char* why, const char* hint) const {
        return {ErrorKind::configuration, fmt::format("{}: {}", here().text, why), {}, hint};
    }

    void take(const std::string& line) {
        namespace po = boost::program_options;
        const auto comment = line.find('#');
        if (comment != std::string::npos && comment > 0 && line[comment - 1] != ' ' &&
            line[comment - 1] != '\t') {
            // Program_options would cut the value here without a word.
            throw broken("a '#' inside a value",
                         "write a space before a comment; give a value that holds a '#' in the "
                         "environment or, a password, in mysql.password-file");
        }
        const auto begin = line.find_first_not_of(" \t\r");
        if (begin == std::string::npos || line[begin] == '#') {
            return;
        }
        if (line[begin] == '[') {
            const auto end = line.find(']');
            if (end == std::string::npos || end == begin + 1) {
                throw broken("not a section", "a section is written [name]");
            }
            section_ = line.substr(begin, end + 1 - begin);
            return;
        }
        // Line by line, so that each option knows where it stands.
        std::istringstream one{section_ + "\n" + line + "\n"};
        try {
            for (auto& option :
                 po::parse_config_file(one, po::options_description{}, true).options) {
                add(option.string_key, option.value.empty() ? std::string{} : option.value.front());
            }
        } catch (const po::error&) {
            throw broken("not an option", "an option is written name = value");
        }
    }

    void add(const std::string& name, std::string value) {
        if (!is_option(name)) {
            const auto near = nearest(name, names_near(name));
            throw SinkError{ErrorKind::configuration,
                            fmt::format("unknown option {}", name),
                            fmt::format("given in {}", here().text),
                            near.empty() ? "docs/options.md lists all options"
                                         : fmt::format("did you mean {}?", near)};
        }
        const auto [at, is_new] = found_.emplace(name, Given{std::move(value), here()});
        if (!is_new) {
            throw SinkError{ErrorKind::configuration,
                            fmt::format("{} is given twice", name),
                            fmt::format("in {} and in {}", at->second.origin.text, here().text)};
        }
    }

    std::string path_;
    std::string section_;
    int number_ = 0;
    GivenOptions found_;
};

std::string config_file(const Sources& sources) {
    constexpr std::string_view kVariable = "TXSINK_CONFIG=";
    if (sources.file) {
        return *sources.file;
    }
    for (const auto& entry : sources.environment) {
        if (entry.starts_with(kVariable)) {
            return entry.substr(kVariable.size());
        }
    }
    return {};
}

}  // namespace

GivenOptions collect(const Sources& sources) {
    GivenOptions given;
    for (const auto& [name, value] : sources.command_line) {
        given.emplace(name, Given{value, Origin{"--" + name, true}});
    }
    const auto path = config_file(sources);
    auto from_file = path.empty() ? GivenOptions{} : FileReader{path}.read();
    auto others = given;
    others.insert(from_file.begin(), from_file.end());
    // map::merge keeps what is already there: the first source wins.
    given.merge(collect_environment(sources.environment, others));
    given.merge(std::move(from_file));
    return given;
}

}  // namespace txsink::config
