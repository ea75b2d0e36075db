#include "mysql/server_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "mysql/error_table.hpp"

namespace txsink::mysql {
namespace {

std::string in_the_servers_words(int code, std::string_view sqlstate, std::string_view message) {
    return fmt::format(
        "MySQL error {} ({}){}{}", code, sqlstate, message.empty() ? "" : ": ", message);
}

}  // namespace

SinkError server_error(int code, std::string_view sqlstate, std::string_view message) {
    const auto& meaning = classify(code);
    const bool is_known = meaning.code == code;
    SinkError error{
        meaning.kind,
        is_known ? meaning.meaning
                 : fmt::format("the server reports error {}, which txsink does not know", code),
        in_the_servers_words(code, sqlstate, mask(code, message)),
        meaning.hint};
    error.native_code = code;
    error.sqlstate = sqlstate;
    error.private_text = message;
    error.reconnect = meaning.reconnect;
    return error;
}

std::string private_text(std::string_view meaning, const SinkError& error) {
    return fmt::format("{} ({})",
                       meaning,
                       in_the_servers_words(error.native_code, error.sqlstate, error.private_text));
}

std::string without_values(int code, std::string_view private_text) {
    constexpr std::string_view kBeforeMessage = "): ";
    const auto begin = private_text.find(fmt::format("(MySQL error {} (", code));
    const auto colon = private_text.find(kBeforeMessage, std::min(begin, private_text.size()));
    if (colon == std::string_view::npos) {
        return std::string{private_text};
    }
    const auto message = colon + kBeforeMessage.size();
    // Behind the last parenthesis stands what was left out of the letter.
    const auto end = std::max(private_text.rfind(')'), message);
    const auto shown = mask(code, private_text.substr(message, end - message));
    return fmt::format("{}{}{}{}",
                       private_text.substr(0, colon + 1),
                       shown.empty() ? "" : ": ",
                       shown,
                       private_text.substr(end));
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
    result.private_text = error.private_text;
    result.reconnect = error.reconnect;
    result.outcome_unknown = error.outcome_unknown;
    return result;
}

}  // namespace txsink::mysql
