#include "txsink/mysql/replay_lock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "mysql/migration_history.hpp"
#include "mysql/server_error.hpp"
#include "mysql/session.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mysql {
namespace {

/// Names are the server's, not the database's, and at most 64 characters long: so a checksum.
std::string lock_name(Session& session, std::string_view connector) {
    const auto database = session.query("SELECT DATABASE()").at(0).at(0).value_or("");
    return mapping::string_literal("txsink.replay." +
                                   checksum_of(fmt::format("{}\n{}", database, connector)));
}

bool take(Session& session, const std::string& name, std::chrono::seconds wait) {
    const auto rows = session.query(
        fmt::format("SELECT IF(IS_USED_LOCK({0}) = CONNECTION_ID(), 1, GET_LOCK({0}, {1}))",
                    name,
                    wait.count()));
    return rows.at(0).at(0) == "1";
}

}  // namespace

void lock_replays(Session& session, std::string_view connector, std::chrono::seconds patience) {
    // In slices, so that the session's read timeout does not end the wait.
    constexpr std::chrono::seconds kSlice{5};
    try {
        const auto name = lock_name(session, connector);
        for (auto left = patience; !take(session, name, std::min(left, kSlice)); left -= kSlice) {
            if (left <= kSlice) {
                throw SinkError{
                    ErrorKind::configuration,
                    fmt::format("another replay of connector {} is running", connector),
                    fmt::format("it holds the lock {}", name),
                    "wait until it is done: together they could apply records of a key in the "
                    "wrong order"};
            }
        }
    } catch (const SinkError& error) {
        throw within("locking the connector's replays", error);
    }
}

}  // namespace txsink::mysql
