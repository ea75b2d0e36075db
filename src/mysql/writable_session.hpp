/// @file
/// The first host of mysql.uri that takes writes.
#pragma once

#include <cstddef>

#include "mysql/session.hpp"
#include "txsink/mysql/mysql_settings.hpp"

namespace txsink::mysql {

struct WritableSession {
    Session session;
    /// Index into MysqlSettings::hosts.
    std::size_t host = 0;
};

/// Tries the hosts in order, from `first_host` on and around, until one is writable.
/// Errors: SinkError connection or fail_over, with `reconnect`: none is; its detail names what
/// each of them said. Others at once: a wrong password is wrong everywhere.
[[nodiscard]] WritableSession open_writable_session(const MysqlSettings& settings,
                                                    std::size_t first_host = 0,
                                                    Packets packets = Packets::single);

}  // namespace txsink::mysql
