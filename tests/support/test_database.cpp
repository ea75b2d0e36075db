#include "support/test_database.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/skip.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::test {
namespace {

/// The statements of a migration; its comments may hold semicolons.
std::vector<std::string> statements(const std::filesystem::path& path) {
    std::ifstream file{path};
    std::string text;
    for (std::string line; std::getline(file, line);) {
        if (const auto first = line.find_first_not_of(' ');
            first != std::string::npos && line.compare(first, 2, "--") != 0) {
            text += line + '\n';
        }
    }
    std::vector<std::string> result;
    std::istringstream stream{text};
    for (std::string statement; std::getline(stream, statement, ';');) {
        if (statement.find_first_not_of(" \n") != std::string::npos) {
            result.push_back(statement);
        }
    }
    return result;
}

std::vector<std::filesystem::path> migrations() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator{TXSINK_SQL_DIR}) {
        if (entry.is_regular_file() && entry.path().extension() == ".sql") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

std::optional<mysql::MysqlSettings> test_server() {
    const char* uri = std::getenv("TXSINK_TEST_MYSQL");
    if (uri == nullptr) {
        return std::nullopt;
    }
    auto settings = mysql::parse_mysql_uri(uri);
    settings.lock_wait_timeout = std::chrono::seconds{15};
    settings.read_timeout = std::chrono::seconds{20};
    settings.write_timeout = std::chrono::seconds{20};
    return settings;
}

bool eventually(const std::function<bool()>& holds, std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    do {
        if (holds()) {
            return true;
        }
    } while (std::chrono::steady_clock::now() < deadline);
    return false;
}

TestDatabase::TestDatabase() : settings_{test_server().value()} {
    static std::atomic<int> count{0};
    name_ = fmt::format("txsink_test_{}_{}", ::getpid(), ++count);
    mysql::Session server{settings_, settings_.hosts.front()};
    server.execute("DROP DATABASE IF EXISTS " + name_);
    server.execute("CREATE DATABASE " + name_ + " CHARACTER SET utf8mb4");
    settings_.database = name_;
    admin_.emplace(settings_, settings_.hosts.front());
    for (const auto& file : migrations()) {
        for (const auto& statement : statements(file)) {
            admin_->execute(statement);
        }
    }
}

TestDatabase::~TestDatabase() {
    try {
        for (const auto id : other_sessions()) {
            kill(id);
        }
        admin_->execute("DROP DATABASE " + name_);
    } catch (const SinkError& error) {
        ADD_FAILURE() << "dropping " << name_ << ": " << error.what() << ": " << error.detail;
    }
}

mysql::MysqlSettings TestDatabase::hasty_settings() const {
    auto hasty = settings_;
    hasty.lock_wait_timeout = std::chrono::seconds{1};
    return hasty;
}

mysql::Session TestDatabase::connect() const {
    return mysql::Session{settings_, settings_.hosts.front()};
}

std::string TestDatabase::value(std::string_view sql) {
    const auto rows = admin_->query(sql);
    return rows.empty() ? "(no row)" : rows.front().front().value_or("NULL");
}

std::uint64_t TestDatabase::wait_for_lock_wait() {
    std::uint64_t found = 0;
    static_cast<void>(eventually([&] {
        // The server refreshes this table only when nobody has read it for 0.1 s.
        static_cast<void>(admin_->query("SELECT SLEEP(0.12)"));
        const auto rows = admin_->query(fmt::format(
            "SELECT p.id FROM information_schema.processlist p JOIN information_schema.innodb_trx "
            "t ON t.trx_mysql_thread_id = p.id WHERE p.db = '{}' AND t.trx_state = 'LOCK WAIT'",
            name_));
        if (!rows.empty()) {
            found = std::stoull(rows.front().front().value());
        }
        return found != 0;
    }));
    return found;
}

std::vector<std::uint64_t> TestDatabase::other_sessions() {
    std::vector<std::uint64_t> ids;
    for (const auto& row : admin_->query(
             fmt::format("SELECT id FROM information_schema.processlist WHERE db = '{}' AND id <> "
                         "CONNECTION_ID()",
                         name_))) {
        ids.push_back(std::stoull(row.front().value()));
    }
    return ids;
}

void TestDatabase::kill(std::uint64_t connection_id) {
    try {
        admin_->execute(fmt::format("KILL {}", connection_id));
    } catch (const SinkError& error) {
        constexpr int kNoSuchThread = 1094;
        if (error.native_code != kNoSuchThread) {
            throw;
        }
    }
}

void MysqlTest::SetUp() {
    if (!test_server()) {
        TXSINK_SKIP("no MySQL server; run this under tools/with-services");
    }
    database_.emplace();
}

}  // namespace txsink::test
