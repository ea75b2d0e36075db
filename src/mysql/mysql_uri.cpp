#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/mysql_settings.hpp"

namespace txsink::mysql {
namespace {

constexpr std::string_view kScheme = "mysql://";

[[noreturn]] void refuse(const std::string& what) {
    throw SinkError{ErrorKind::configuration,
                    "mysql.uri: " + what,
                    {},
                    "the form is mysql://user@host:port/database; hosts are separated by commas, "
                    "special characters written as %40 and the like"};
}

/// `%40` -> `@`. `part` names what is decoded; the text itself is not shown, as it may be the
/// password.
std::string decode(std::string_view text, std::string_view part) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        unsigned value = 0;
        const char* begin = text.data() + i + 1;
        if (text.size() - i < 3 || std::from_chars(begin, begin + 2, value, 16).ptr != begin + 2) {
            refuse(
                fmt::format("the {} has a % that is not followed by two hexadecimal digits", part));
        }
        result += static_cast<char>(value);
        i += 2;
    }
    return result;
}

std::uint16_t parse_port(std::string_view text, std::string_view host) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size() || port == 0) {
        refuse(fmt::format("the port of host '{}' must be a number from 1 to 65535", host));
    }
    return port;
}

/// `name`, `name:port`, `[ipv6]` or `[ipv6]:port`.
Host parse_host(std::string_view text) {
    std::string_view name = text;
    std::optional<std::string_view> port;
    if (text.starts_with('[')) {
        const auto close = text.find(']');
        if (close == std::string_view::npos) {
            refuse("an IPv6 address lacks its closing bracket");
        }
        name = text.substr(1, close - 1);
        const auto rest = text.substr(close + 1);
        if (!rest.empty() && !rest.starts_with(':')) {
            refuse("only a port may follow the bracket of an IPv6 address");
        }
        if (!rest.empty()) {
            port = rest.substr(1);
        }
    } else if (const auto colon = text.find(':'); colon != std::string_view::npos) {
        name = text.substr(0, colon);
        port = text.substr(colon + 1);
        if (port->find(':') != std::string_view::npos) {
            refuse("an IPv6 address must stand in brackets");
        }
    }
    if (name.empty()) {
        refuse("a host has no name");
    }
    Host host{decode(name, "host"), 3306};
    if (port) {
        host.port = parse_port(*port, host.name);
    }
    return host;
}

std::vector<Host> parse_hosts(std::string_view text) {
    std::vector<Host> hosts;
    while (true) {
        const auto comma = text.find(',');
        hosts.push_back(parse_host(text.substr(0, comma)));
        if (comma == std::string_view::npos) {
            return hosts;
        }
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

MysqlSettings parse_mysql_uri(std::string_view uri) {
    if (!uri.starts_with(kScheme)) {
        refuse("it must begin with mysql://");
    }
    uri.remove_prefix(kScheme.size());
    const auto slash = uri.find('/');
    const auto authority = uri.substr(0, slash);
    const auto database = slash == std::string_view::npos ? "" : uri.substr(slash + 1);
    if (database.find_first_of("/?#") != std::string_view::npos) {
        refuse("nothing may follow the database; options have names of their own (mysql.tls, ...)");
    }
    const auto at = authority.rfind('@');
    if (at == std::string_view::npos || at == 0) {
        refuse("the user is missing");
    }
    const auto account = authority.substr(0, at);
    const auto colon = account.find(':');
    MysqlSettings settings;
    settings.user = decode(account.substr(0, colon), "user");
    if (settings.user.empty()) {
        refuse("the user is missing");
    }
    if (colon != std::string_view::npos) {
        settings.password = Secret{decode(account.substr(colon + 1), "password")};
    }
    settings.hosts = parse_hosts(authority.substr(at + 1));
    settings.database = decode(database, "database");
    return settings;
}

}  // namespace txsink::mysql
