#include "mysql/writable_session.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {

WritableSession open_writable_session(const MysqlSettings& settings,
                                      std::size_t first_host,
                                      Packets packets) {
    std::optional<SinkError> failure;
    std::string tried;
    for (std::size_t i = 0; i < settings.hosts.size(); ++i) {
        const std::size_t index = (first_host + i) % settings.hosts.size();
        const Host& host = settings.hosts[index];
        tried += tried.empty() ? "" : "; ";
        try {
            Session session{settings, host, packets};
            if (session.is_writable()) {
                return {std::move(session), index};
            }
            failure.emplace(ErrorKind::fail_over, "no server is writable");
            tried += fmt::format("{}:{}: read_only is on", host.name, host.port);
        } catch (const SinkError& error) {
            if (error.kind != ErrorKind::connection && error.kind != ErrorKind::fail_over) {
                throw;
            }
            failure.emplace(error);
            tried += error.detail;
        }
    }
    if (!failure) {
        throw SinkError{ErrorKind::configuration, "mysql.uri names no host"};
    }
    failure->detail = tried;
    failure->reconnect = true;
    throw SinkError{*failure};
}

}  // namespace txsink::mysql
