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
/// name in lower case; of two readings (x.key-format, x_key.format) the longer option.
std::string route_option_of(std::string_view variable, const GivenOptions& others) {
    const auto prefix = variable_of("route.");
    if (!variable.starts_with(prefix)) {
        return {};
    }
    std::string found;
    std::size_t longest = 0;
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
        if (suffix.size() > longest) {
            longest = suffix.size();
            found = fmt::format("route.{}.{}", lower(name, '_'), option.name);
        }
    }
    return found;
}

/// Variables are upper-case, so that they cannot name a column.
void refuse_column_variable(std::string_view variable) {
    const auto column = variable_of(kColumnPrefix);
    const auto parameter = variable_of(kParameterPrefix);
    const auto is_of_route = [&](const std::string& prefix) {
        return variable.starts_with(variable_of("route.")) &&
               variable.find(prefix.substr(kVariablePrefix.size() - 1)) != variable.npos;
    };
    if (variable.starts_with(column) || variable.starts_with(parameter) || is_of_route(column) ||
        is_of_route(parameter)) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("{}: columns and parameters have no variables", variable),
                        "upper-case names cannot tell which column is meant",
                        "give column.C and parameter.P on the command line or in the file of "
                        "--config"};
    }
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
            refuse_column_variable(variable);
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

/// Stands for a '#' that begins no comment, while Program_options looks at the line.
constexpr char kKeptHash = '\x01';

/// Where the comment of a line begins, npos: nowhere; and whether a '#' stands inside a value.
struct Comment {
    std::size_t begin = std::string::npos;
    bool is_inside_value = false;
};

/// `has_quotes`: what stands between quotes or backticks is no comment.
Comment find_comment(const std::string& line, bool has_quotes) {
    constexpr std::string_view kQuotes = "'\"`";
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool is_quote = has_quotes && kQuotes.find(line[i]) != kQuotes.npos;
        const auto closing = is_quote ? line.find(line[i], i + 1) : std::string::npos;
        if (closing != std::string::npos) {
            i = closing;
        } else if (line[i] == '#') {
            return {i, i > 0 && line[i - 1] != ' ' && line[i - 1] != '\t'};
        }
    }
    return {};
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
        const auto comment = find_comment(line, is_of_route(line));
        if (comment.is_inside_value) {
            // Program_options would cut the value here without a word.
            throw broken("a '#' inside a value",
                         "write a space before a comment; in sources, filters and sql, quotes "
                         "keep it; give any other value that holds a '#' in the environment or, a "
                         "password, in mysql.password-file");
        }
        auto kept = line.substr(0, comment.begin);
        std::replace(kept.begin(), kept.end(), '#', kKeptHash);
        take_option(kept);
    }

    /// Whether the option on this line is a route's, and not a secret with quotes in it.
    [[nodiscard]] bool is_of_route(std::string_view line) const {
        constexpr std::string_view kBlanks = " \t\r";
        const auto begin = std::min(line.find_first_not_of(kBlanks), line.size());
        auto name = line.substr(begin, std::min(line.find('='), line.size()) - begin);
        name = name.substr(0, name.find_last_not_of(kBlanks) + 1);
        const auto section = std::string_view{section_};
        const auto full = section.empty()
                              ? std::string{name}
                              : fmt::format("{}.{}", section.substr(1, section.size() - 2), name);
        const auto key = split_route_key(full);
        return find_route_option(key.route.empty() ? full : key.option).has_value();
    }

    void take_option(const std::string& line) {
        namespace po = boost::program_options;
        const auto begin = line.find_first_not_of(" \t\r");
        if (begin == std::string::npos) {
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
                auto value = option.value.empty() ? std::string{} : option.value.front();
                for (auto* text : {&option.string_key, &value}) {
                    std::replace(text->begin(), text->end(), kKeptHash, '#');
                }
                add(option.string_key, std::move(value));
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
