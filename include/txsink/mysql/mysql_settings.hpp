/// @file
/// MysqlSettings: where the server is, who we are there, and how long we wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/core/secret.hpp"

namespace txsink::mysql {

struct Host {
    std::string name;
    std::uint16_t port = 3306;
    friend bool operator==(const Host&, const Host&) = default;
};

enum class TlsMode : std::uint8_t { disabled, preferred, required, verify_ca, verify_identity };

struct TlsSettings {
    TlsMode mode = TlsMode::preferred;
    std::string ca_file;
    std::string certificate_file;
    std::string key_file;
};

/// Defaults are those of docs/options.md; times are per session.
struct MysqlSettings {
    /// Tried in order until one is writable. Never empty once configured.
    std::vector<Host> hosts;
    std::string user;
    Secret password;
    /// The database of unqualified tables, and of txsink's own tables.
    std::string database;
    TlsSettings tls;
    std::chrono::seconds connect_timeout{10};
    /// Client side: must be longer than lock_wait_timeout, or a lock wait becomes an unknown
    /// outcome.
    std::chrono::seconds read_timeout{30};
    std::chrono::seconds write_timeout{30};
    std::chrono::seconds lock_wait_timeout{10};
    /// Server side: how long a zombie's idle session may hold its locks.
    std::chrono::seconds wait_timeout{60};
};

/// Parses `mysql://user@host[:port][,host[:port]...]/database`; percent-encoding is decoded.
/// A password in it is taken too (a warning is for the caller: it shows in `ps`).
/// Errors: SinkError configuration, naming the part that is wrong; never quotes the password.
[[nodiscard]] MysqlSettings parse_mysql_uri(std::string_view uri);

}  // namespace txsink::mysql
