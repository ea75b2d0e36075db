/// @file
/// The settings of a session that exactly-once rests on.
#pragma once

#include "mysql/session.hpp"
#include "txsink/mysql/mysql_settings.hpp"

namespace txsink::mysql {

/// Errors: configuration: a wait for a lock would look like a lost connection.
void check_timeouts(const MysqlSettings& settings);

/// Sets them all, and reads each of them back.
/// Errors: configuration: one of them did not take.
void apply_settings(Session& session, const MysqlSettings& settings);

}  // namespace txsink::mysql
