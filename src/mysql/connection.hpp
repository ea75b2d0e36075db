/// @file
/// Connections of the driver: how one is opened, and what its errors become.
#pragma once

#ifdef TXSINK_MYSQL_JDBC_H
#include <mysql/jdbc.h>
#else
#include <cppconn/connection.h>
#include <cppconn/exception.h>
#endif

#include <memory>
#include <type_traits>

#include "mysql/server_error.hpp"
#include "mysql/session.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/mysql_settings.hpp"

namespace txsink::mysql {

/// Each thread that uses the driver announces itself, once; when it ends it says so by itself.
void announce_thread();

/// Connects to `host` with the options that a session needs; nothing is set in it yet.
/// Errors: SinkError; configuration: a file of the TLS settings cannot be read, or this build
/// cannot do what they ask for. The driver's own errors come untranslated.
[[nodiscard]] std::unique_ptr<sql::Connection> open_connection(const MysqlSettings& settings,
                                                               const Host& host,
                                                               Packets packets);

/// A handshake fails for good when the certificate is refused or the server has no TLS, and for
/// now when the server goes down meanwhile; the number is the same.
[[nodiscard]] SinkError settle_tls(SinkError error);

[[nodiscard]] inline SinkError to_sink_error(const sql::SQLException& error) {
    return server_error(error.getErrorCode(), error.getSQLState(), error.what());
}

/// Runs `action`; whatever the driver throws becomes a SinkError.
template <typename Action>
auto translating(Action&& action) -> std::invoke_result_t<Action> {
    try {
        return action();
    } catch (const sql::SQLException& error) {
        throw to_sink_error(error);
    }
}

}  // namespace txsink::mysql
