/// @file
/// TestDatabase: a database of one test's own on the tests' server, with txsink's tables.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mysql/session.hpp"
#include "txsink/mysql/mysql_settings.hpp"

namespace txsink::test {

/// Settings of the server of TXSINK_TEST_MYSQL, without a database; nothing when there is none.
[[nodiscard]] std::optional<mysql::MysqlSettings> test_server();

/// Evaluates `holds` until it is true; false when `limit` has passed.
[[nodiscard]] bool eventually(const std::function<bool()>& holds,
                              std::chrono::milliseconds limit = std::chrono::seconds{20});

/// Made by the constructor, dropped by the destructor.
/// Precondition: test_server() has a value.
class TestDatabase {
public:
    TestDatabase();
    TestDatabase(const TestDatabase&) = delete;
    TestDatabase& operator=(const TestDatabase&) = delete;
    ~TestDatabase();

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// For sessions in this database; patient about locks.
    [[nodiscard]] const mysql::MysqlSettings& settings() const noexcept { return settings_; }
    /// The same, but giving up on a lock after a second.
    [[nodiscard]] mysql::MysqlSettings hasty_settings() const;
    /// A further session in this database.
    [[nodiscard]] mysql::Session connect() const;

    /// After the server was started anew.
    void reconnect() { admin_.emplace(connect()); }
    void execute(std::string_view sql) { admin_->execute(sql); }
    [[nodiscard]] std::vector<mysql::Row> query(std::string_view sql) { return admin_->query(sql); }
    /// First column of the first row; "NULL", or "(no row)".
    [[nodiscard]] std::string value(std::string_view sql);
    [[nodiscard]] std::int64_t number(std::string_view sql) { return std::stoll(value(sql)); }
    [[nodiscard]] bool is_mariadb() const { return admin_->is_mariadb(); }

    /// Waits until a session other than the admin's, in this database, waits for a lock; returns
    /// its connection id, or 0.
    [[nodiscard]] std::uint64_t wait_for_lock_wait();
    /// Ids of the other sessions in this database.
    [[nodiscard]] std::vector<std::uint64_t> other_sessions();
    void kill(std::uint64_t connection_id);

private:
    std::string name_;
    mysql::MysqlSettings settings_;
    std::optional<mysql::Session> admin_;
};

/// Base of the tests that need the server; without it they are skipped, or fail in CI.
class MysqlTest : public ::testing::Test {
protected:
    void SetUp() override;
    /// Whether SetUp() of a derived class may go on.
    [[nodiscard]] bool is_ready() const { return database_.has_value(); }
    TestDatabase& db() { return *database_; }

private:
    std::optional<TestDatabase> database_;
};

}  // namespace txsink::test
