#include "mysql/server_error.hpp"

#include <fmt/format.h>

#include <string>

#include "mysql/error_table.hpp"

namespace txsink::mysql {

SinkError server_error(int code, std::string_view sqlstate, std::string_view message) {
    const auto& meaning = classify(code);
    const auto text = mask(code, message);
    SinkError error{
        meaning.kind,
        meaning.meaning,
        fmt::format("MySQL error {} ({}){}{}", code, sqlstate, text.empty() ? "" : ": ", text),
        meaning.hint};
    error.native_code = code;
    error.sqlstate = sqlstate;
    error.reconnect = meaning.reconnect;
    return error;
}

SinkError at_commit(SinkError error) {
    error.outcome_unknown = true;
    // A session whose COMMIT failed may still have the transaction open, and a START TRANSACTION
    // would commit it: the server rolls back when the session goes.
    error.reconnect = true;
    if (error.kind != ErrorKind::connection && error.kind != ErrorKind::fail_over &&
        error.kind != ErrorKind::too_big) {
        error.kind = ErrorKind::replay;
    }
    return error;
}

SinkError on_own_table(SinkError error) {
    if (error.kind == ErrorKind::bad_record || error.kind == ErrorKind::schema_drift) {
        error.kind = ErrorKind::configuration;
        error.hint = "txsink's own tables are not as it needs them: run txsink migrate";
    }
    return error;
}

SinkError within(std::string_view doing, const SinkError& error) {
    SinkError result{
        error.kind, fmt::format("{}: {}", doing, error.what()), error.detail, error.hint};
    result.native_code = error.native_code;
    result.sqlstate = error.sqlstate;
    result.reconnect = error.reconnect;
    result.outcome_unknown = error.outcome_unknown;
    return result;
}

}  // namespace txsink::mysql
