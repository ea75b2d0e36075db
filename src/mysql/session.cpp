#include "mysql/session.hpp"

#ifdef TXSINK_MYSQL_JDBC_H
#include <mysql/jdbc.h>
#else
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>
#include <cppconn/statement.h>
#endif
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "mysql/connection.hpp"
#include "mysql/server_error.hpp"
#include "mysql/session_settings.hpp"
#include "mysql/statement_text.hpp"
#include "txsink/core/failpoint.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mysql {
namespace {

constexpr std::string_view kRowCount = "SELECT ROW_COUNT()";

/// -1: the statement returned rows.
std::uint64_t matched_rows(const std::optional<std::string>& row_count) {
    const auto count = std::stoll(row_count.value_or("-1"));
    return count < 0 ? 0 : static_cast<std::uint64_t>(count);
}

}  // namespace

struct Session::State {
    std::unique_ptr<sql::Connection> connection;
    std::unique_ptr<sql::Statement> statement;
    Packets packets = Packets::single;
    /// Reused.
    std::string packet;
    Host host;
    bool is_mariadb = false;
    std::string version;
    int version_number = 0;
    std::size_t max_allowed_packet = 0;
    std::string tls_cipher;
    std::uint64_t connection_id = 0;

    /// A second statement in a text that is meant as one would leave its result unread.
    void expect_one(std::string_view sql) const {
        if (packets == Packets::several && !is_one_statement(sql)) {
            throw SinkError{ErrorKind::internal, "a statement of ours holds another one"};
        }
    }

    std::vector<Row> query(std::string_view sql) {
        expect_one(sql);
        return translating([&] {
            const std::unique_ptr<sql::ResultSet> found{statement->executeQuery(std::string{sql})};
            const unsigned columns = found->getMetaData()->getColumnCount();
            std::vector<Row> rows;
            while (found->next()) {
                Row& row = rows.emplace_back();
                row.reserve(columns);
                for (unsigned column = 1; column <= columns; ++column) {
                    if (found->isNull(column)) {
                        row.emplace_back();
                    } else {
                        row.emplace_back(found->getString(column).asStdString());
                    }
                }
            }
            return rows;
        });
    }

    /// Returns how many rows it returned.
    std::uint64_t execute(std::string_view sql) {
        expect_one(sql);
        return translating([&] {
            // Rows that nobody fetches would leave the session out of step.
            std::uint64_t returned = 0;
            bool has_rows = statement->execute(std::string{sql});
            while (has_rows) {
                const std::unique_ptr<sql::ResultSet> ignored{statement->getResultSet()};
                returned += ignored->rowsCount();
                has_rows = statement->getMoreResults();
            }
            return returned;
        });
    }

    void execute_alone(PacketStatement& only) {
        only.matched = execute(only.sql);
        if (only.is_counted) {
            only.matched = std::max(only.matched, matched_rows(query(kRowCount).at(0).at(0)));
        }
        only.has_run = true;
    }

    /// One result for each statement, in their order. getMoreResults() answers "no" both for a
    /// result without rows and for none at all, and the affected rows of any but the first result
    /// are not to be had: so the results are counted, and a statement tells its rows by another.
    void execute_packet(std::span<PacketStatement> statements) {
        packet.clear();
        for (const auto& each : statements) {
            // The line end closes a comment at the end of the statement.
            packet += packet.empty() ? "" : "\n;";
            packet += each.sql;
            if (each.is_counted) {
                packet += "\n;";
                packet += kRowCount;
            }
        }
        translating([&] {
            bool has_rows = statement->execute(packet);
            for (auto& each : statements) {
                read_result(each, has_rows);
                if (&each != &statements.back()) {
                    TXSINK_FAILPOINT("between-rows");
                    has_rows = statement->getMoreResults();
                }
            }
        });
    }

    void read_result(PacketStatement& of, bool has_rows) {
        std::uint64_t returned = 0;
        if (has_rows) {
            const std::unique_ptr<sql::ResultSet> rows{statement->getResultSet()};
            returned = rows->rowsCount();
        }
        of.has_run = true;
        if (of.is_counted) {
            if (!statement->getMoreResults()) {
                throw SinkError{ErrorKind::internal, "a statement has more results than one"};
            }
            const std::unique_ptr<sql::ResultSet> row{statement->getResultSet()};
            row->next();
            of.matched = std::max(returned, matched_rows(row->getString(1).asStdString()));
        }
    }

    void read_identity() {
        const auto row = query("SELECT VERSION(), CONNECTION_ID(), @@max_allowed_packet").at(0);
        version = row.at(0).value_or("");
        connection_id = std::stoull(row.at(1).value_or("0"));
        max_allowed_packet = std::stoull(row.at(2).value_or("0"));
        is_mariadb = version.find("MariaDB") != std::string::npos;
        // A MariaDB behind a proxy may call itself 5.5.5-10.11.19-MariaDB.
        std::string_view text{version};
        if (is_mariadb && text.starts_with("5.5.5-")) {
            text.remove_prefix(6);
        }
        for (int part = 0; part < 3; ++part) {
            int number = 0;
            const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
            version_number = version_number * 100 + number;
            text.remove_prefix(static_cast<std::size_t>(end - text.data()));
            text.remove_prefix(text.starts_with('.') ? 1 : 0);
        }
        const auto cipher = query("SHOW SESSION STATUS LIKE 'Ssl_cipher'");
        tls_cipher = cipher.empty() ? "" : cipher.front().at(1).value_or("");
    }

    void check_tls(TlsMode mode) const {
        if (mode != TlsMode::disabled && mode != TlsMode::preferred && tls_cipher.empty()) {
            throw SinkError{ErrorKind::configuration,
                            fmt::format("the connection to {}:{} is not encrypted, but mysql.tls "
                                        "asks for it",
                                        host.name,
                                        host.port),
                            "the server does not offer TLS",
                            "give the server a certificate, or set mysql.tls = preferred"};
        }
    }
};

Session::Session(const MysqlSettings& settings, const Host& host, Packets packets)
    : state_{std::make_unique<State>()} {
    check_timeouts(settings);
    announce_thread();
    state_->host = host;
    state_->packets = packets;
    try {
        translating([&] {
            state_->connection = open_connection(settings, host, packets);
            state_->statement.reset(state_->connection->createStatement());
        });
        state_->read_identity();
        state_->check_tls(settings.tls.mode);
        apply_settings(*this, settings);
    } catch (const SinkError& error) {
        throw within(fmt::format("opening a session on {}:{}", host.name, host.port),
                     settle_tls(error));
    }
    spdlog::debug("session {} on {}:{}: {}, {}",
                  state_->connection_id,
                  host.name,
                  host.port,
                  state_->version,
                  state_->tls_cipher.empty() ? "not encrypted" : state_->tls_cipher);
}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Session::~Session() {
    if (state_ == nullptr) {
        return;
    }
    try {
        announce_thread();
        state_->statement.reset();
        state_->connection.reset();
    } catch (const std::exception&) {
        // The text may be the server's: not shown.
        spdlog::debug("closing session {} failed", state_->connection_id);
    }
}

void Session::execute(std::string_view sql) {
    state_->execute(sql);
}

std::uint64_t Session::execute_update(std::string_view sql) {
    state_->expect_one(sql);
    return translating([&] {
        return static_cast<std::uint64_t>(state_->statement->executeUpdate(std::string{sql}));
    });
}

std::vector<Row> Session::query(std::string_view sql) {
    return state_->query(sql);
}

void Session::execute_each(std::span<PacketStatement> statements) {
    if (state_->packets == Packets::several && statements.size() > 0 &&
        has_one_result(statements.front().sql)) {
        state_->execute_packet(statements);
        return;
    }
    for (auto& each : statements) {
        state_->execute_alone(each);
    }
}

std::string Session::complaint_about(std::string_view statement) {
    constexpr int kFirstOfTheClient = 2000;
    constexpr int kLastOfTheClient = 2999;
    try {
        const auto text = mapping::string_literal(statement);
        state_->statement->execute("PREPARE txsink_check FROM " + text);
        state_->statement->execute("DEALLOCATE PREPARE txsink_check");
    } catch (const sql::SQLException& error) {
        const int code = error.getErrorCode();
        const auto told = to_sink_error(error);
        if (told.reconnect || (code >= kFirstOfTheClient && code <= kLastOfTheClient)) {
            throw told;
        }
        return error.what();
    }
    return {};
}

void Session::execute_commit() {
    try {
#ifdef TXSINK_MUTATION_DRIVER_COMMIT
        // Breaks the protocol on purpose: this method swallows errors.
        std::invoke(&sql::Connection::commit, *state_->connection);
#else
        state_->execute("COMMIT");
#endif
    } catch (const SinkError& error) {
        throw at_commit(error);
    }
}

void Session::roll_back() noexcept {
    try {
        state_->execute("ROLLBACK");
    } catch (const std::exception&) {
        spdlog::debug("rolling back failed in session {}", state_->connection_id);
    }
}

bool Session::is_writable() {
    // MySQL's super_read_only turns read_only on with it. Newer MariaDB answers by name.
    const auto value = query("SELECT @@GLOBAL.read_only").at(0).at(0).value_or("");
    return value == "0" || value == "OFF";
}

bool Session::is_mariadb() const noexcept {
    return state_->is_mariadb;
}

const std::string& Session::version() const noexcept {
    return state_->version;
}

int Session::version_number() const noexcept {
    return state_->version_number;
}

batch::Dialect Session::dialect() const noexcept {
    return !state_->is_mariadb && state_->version_number >= 80019 ? batch::Dialect::row_alias
                                                                  : batch::Dialect::values_function;
}

std::size_t Session::max_allowed_packet() const noexcept {
    return state_->max_allowed_packet;
}

const std::string& Session::tls_cipher() const noexcept {
    return state_->tls_cipher;
}

std::uint64_t Session::connection_id() const noexcept {
    return state_->connection_id;
}

const Host& Session::host() const noexcept {
    return state_->host;
}

}  // namespace txsink::mysql
