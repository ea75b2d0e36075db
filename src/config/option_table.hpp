/// @file
/// The option table: every option's name, values, default, help, and where it lands.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/config/settings.hpp"

namespace txsink::config {

/// One option, as a declaration: parsing, errors, help and docs all come from it.
template <typename Target>
struct OptionOf {
    /// Dotted; the same on the command line, in the file and in the environment.
    std::string name{};
    /// What its value is called in the help: `N`, `SIZE`, `DURATION`, ...
    std::string value_name{};
    /// Which values are allowed, in words.
    std::string allowed{};
    /// The default, as one would write it; empty: none.
    std::string fallback{};
    std::string help{};
    /// Never quoted in a message; refused on the command line (a URI: when it holds a password).
    bool is_secret = false;
    /// Puts the value in its place. Returns what is wrong with it, to follow the quoted value
    /// (or, of a secret, its name); empty when all is well.
    std::function<std::string(Target&, const std::string& value)> set{};
};

/// Stands between the names in OptionOf::allowed where the value is one of a few.
inline constexpr std::string_view kBetweenChoices = " | ";

using Option = OptionOf<Settings>;
using RouteOption = OptionOf<mapping::Route>;

struct Section {
    std::string title;
    std::vector<Option> options;
};

/// All options with a fixed name, by section, in the order of the help.
[[nodiscard]] const std::vector<Section>& option_sections();
/// The X of `route.NAME.X`, and of `--X` for the one route of a one-topic command.
[[nodiscard]] const std::vector<RouteOption>& route_options();
/// Those that exist for each column and parameter, as if these were called C and P.
[[nodiscard]] const std::vector<RouteOption>& route_option_patterns();

/// Absent (null) when there is none of that name.
[[nodiscard]] const Option* find_option(std::string_view name);
/// Also `column.C`, `column.C.unit`, ... and `parameter.P` for any C and P.
[[nodiscard]] std::optional<RouteOption> find_route_option(std::string_view name);

/// Begins the options of a column, and of a parameter.
inline constexpr std::string_view kColumnPrefix = "column.";
inline constexpr std::string_view kParameterPrefix = "parameter.";

/// `route.NAME.X` taken apart; both empty when `name` is not of that form.
struct RouteKey {
    std::string route;
    std::string option;
};
[[nodiscard]] RouteKey split_route_key(std::string_view name);

/// Of the column txsink_offsets.connector.
inline constexpr std::size_t kLongestConnector = 64;
inline constexpr std::string_view kKafkaPrefix = "kafka.";

/// Whether `name` is an option; any `kafka.X` is, librdkafka says later whether it knows X.
[[nodiscard]] bool is_option(std::string_view name);
/// Whether the value is a secret: of an option or of a property of librdkafka.
[[nodiscard]] bool is_secret(std::string_view name);
/// Every name to suggest for `name`: options, and those of the same route.
[[nodiscard]] std::vector<std::string> names_near(std::string_view name);

/// `mysql.tls-ca` -> `TXSINK_MYSQL_TLS_CA`.
[[nodiscard]] std::string variable_of(std::string_view name);

}  // namespace txsink::config
