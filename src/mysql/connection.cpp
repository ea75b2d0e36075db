#include "mysql/connection.hpp"

#ifdef TXSINK_MYSQL_JDBC_H
#include <mysql/jdbc.h>
#else
#include <cppconn/driver.h>
#endif
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <mutex>
#include <string>

namespace txsink::mysql {
namespace {

sql::Driver& driver() {
    // The first call registers the driver and is not thread-safe; the driver is never destroyed.
    static std::mutex mutex;
    const std::lock_guard lock{mutex};
    return *get_driver_instance();
}

std::string address(const Host& host) {
    // Without the scheme the driver takes "localhost" for a socket file.
    const bool is_ipv6 = host.name.find(':') != std::string::npos;
    return is_ipv6 ? fmt::format("tcp://[{}]:{}", host.name, host.port)
                   : fmt::format("tcp://{}:{}", host.name, host.port);
}

int seconds(std::chrono::seconds value) {
    return static_cast<int>(value.count());
}

/// The library would take a missing file for a lost connection.
void add_file(sql::ConnectOptionsMap& options,
              const char* option,
              const char* name,
              const std::string& path) {
    if (path.empty()) {
        return;
    }
    if (!std::ifstream{path}) {
        throw SinkError{ErrorKind::configuration, fmt::format("{}: cannot read {}", name, path)};
    }
    options[option] = path;
}

void add_tls(sql::ConnectOptionsMap& options, const TlsSettings& tls) {
    if (tls.mode == TlsMode::disabled) {
        return;
    }
#ifndef TXSINK_MYSQL_JDBC_H
    if (tls.mode == TlsMode::verify_ca) {
        // libmariadb checks the certificate and the name together, or neither.
        throw SinkError{ErrorKind::configuration,
                        "this build cannot do mysql.tls = verify-ca",
                        "the client library checks the authority only together with the name",
                        "use mysql.tls = verify-identity"};
    }
    options["sslEnforce"] = true;
    if (tls.mode == TlsMode::verify_identity) {
        options["sslVerify"] = true;
    }
#else
    options["OPT_SSL_MODE"] =
        static_cast<int>(tls.mode == TlsMode::preferred   ? sql::SSL_MODE_PREFERRED
                         : tls.mode == TlsMode::required  ? sql::SSL_MODE_REQUIRED
                         : tls.mode == TlsMode::verify_ca ? sql::SSL_MODE_VERIFY_CA
                                                          : sql::SSL_MODE_VERIFY_IDENTITY);
#endif
    add_file(options, "sslCA", "mysql.tls-ca", tls.ca_file);
    add_file(options, "sslCert", "mysql.tls-cert", tls.certificate_file);
    add_file(options, "sslKey", "mysql.tls-key", tls.key_file);
}

sql::ConnectOptionsMap connect_options(const MysqlSettings& settings,
                                       const Host& host,
                                       Packets packets) {
    sql::ConnectOptionsMap options;
    options["hostName"] = address(host);
    options["userName"] = settings.user;
    options["password"] = settings.password.reveal();
    if (!settings.database.empty()) {
        options["schema"] = settings.database;
    }
    // A session that comes back by itself would have lost its transaction and its settings.
    options["OPT_RECONNECT"] = false;
    options["OPT_CONNECT_TIMEOUT"] = seconds(settings.connect_timeout);
    options["OPT_READ_TIMEOUT"] = seconds(settings.read_timeout);
    options["OPT_WRITE_TIMEOUT"] = seconds(settings.write_timeout);
    options["OPT_CHARSET_NAME"] = "utf8mb4";
    options["CLIENT_MULTI_STATEMENTS"] = packets == Packets::several;
    // An update that changes nothing has found its row all the same.
    options["CLIENT_FOUND_ROWS"] = true;
    add_tls(options, settings.tls);
    return options;
}

}  // namespace

void announce_thread() {
    struct Announcement {
        Announcement() { driver().threadInit(); }
        ~Announcement() {
            try {
                driver().threadEnd();
            } catch (...) {
                // The thread ends; there is nobody to tell.
            }
        }
    };
    thread_local const Announcement announcement;
}

std::unique_ptr<sql::Connection> open_connection(const MysqlSettings& settings,
                                                 const Host& host,
                                                 Packets packets) {
    auto options = connect_options(settings, host, packets);
    return std::unique_ptr<sql::Connection>{driver().connect(options)};
}

SinkError settle_tls(SinkError error) {
    constexpr int kTlsFailed = 2026;
    const auto says = [&](const char* word) {
        return error.detail.find(word) != std::string::npos;
    };
    if (error.native_code == kTlsFailed &&
        (says("certificate") || says("Certificate") || says("does not support"))) {
        error.kind = ErrorKind::configuration;
    }
    return error;
}

}  // namespace txsink::mysql
