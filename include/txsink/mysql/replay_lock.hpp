/// @file
/// The lock that lets one replay of dead letters run at a time.
#pragma once

#include <chrono>
#include <string_view>

namespace txsink::mysql {

class Session;

/// Takes the lock of `connector`'s replays in the session's database, or sees that the session has
/// it already; it goes with the session. So whoever holds it knows also that no transaction of a
/// replay before is still under way: the server ends a session's transaction before its locks.
/// Errors: configuration: another session had it for all of `patience`; those of the server.
void lock_replays(Session& session, std::string_view connector, std::chrono::seconds patience);

}  // namespace txsink::mysql
