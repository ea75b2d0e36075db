/// @file
/// CliTest: runs the real binary, with servers or without, and looks at how it ends.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/process.hpp"
#include "support/skip.hpp"
#include "support/test_database.hpp"
#include "support/test_producer.hpp"
#include "support/test_topics.hpp"

namespace txsink::test {

using Arguments = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

/// How the binary ended, and all that it printed (both streams).
struct Ending {
    int code = -1;
    std::string output;

    [[nodiscard]] bool says(const std::string& text) const {
        return output.find(text) != std::string::npos;
    }
};

/// The binary under test: TXSINK_BIN, or the one of this build.
[[nodiscard]] inline std::string txsink_binary() {
    const char* given = std::getenv("TXSINK_BIN");
    return given != nullptr ? given : TXSINK_BIN_BUILT;
}

/// A child that writes to a file of its own.
class Txsink {
public:
    explicit Txsink(Arguments arguments, const Environment& environment = {})
        : file_{output_file()} {
        arguments.insert(arguments.begin(), txsink_binary());
        process_ = std::make_unique<Process>(std::move(arguments), environment, file_);
    }
    Txsink(const Txsink&) = delete;
    Txsink& operator=(const Txsink&) = delete;
    ~Txsink() {
        process_.reset();
        std::filesystem::remove(file_);
    }

    [[nodiscard]] Process& process() { return *process_; }
    [[nodiscard]] Ending end(std::chrono::seconds deadline = std::chrono::seconds{60}) {
        const auto status = process_->wait_for(deadline);
        EXPECT_TRUE(status.has_value()) << "still runs: " << process_->output();
        return {status ? status->code : -1, process_->output()};
    }

private:
    static std::string output_file() {
        auto pattern = (std::filesystem::temp_directory_path() / "txsink-cli-XXXXXX").string();
        const int file = mkstemp(pattern.data());
        close(file);
        return pattern;
    }

    std::string file_;
    std::unique_ptr<Process> process_;
};

[[nodiscard]] inline Ending run_txsink(const Arguments& arguments,
                                       const Environment& environment = {}) {
    return Txsink{arguments, environment}.end();
}

/// With a database and a topic of the test's own.
class CliTest : public MysqlTest {
protected:
    void SetUp() override {
        MysqlTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        const char* kafka = std::getenv("TXSINK_TEST_KAFKA");
        if (kafka == nullptr) {
            TXSINK_SKIP("no TXSINK_TEST_KAFKA; run under tools/with-services");
        }
        broker = kafka;
        topic = unique_name("cli");
        create_topic(broker, topic, 2);
        db().execute("CREATE TABLE items (id BIGINT PRIMARY KEY, v VARCHAR(10)) ENGINE = InnoDB");
    }

    [[nodiscard]] std::string uri(const std::string& user = {}, const std::string& database = {}) {
        const auto& settings = db().settings();
        return fmt::format("mysql://{}@{}:{}/{}",
                           user.empty() ? settings.user : user,
                           settings.hosts.front().name,
                           settings.hosts.front().port,
                           database.empty() ? db().name() : database);
    }

    /// `command` with all options of the one route; those in `other` instead or beside.
    [[nodiscard]] Arguments with_options(Arguments command,
                                         const std::map<std::string, std::string>& other = {}) {
        std::map<std::string, std::string> options{{"kafka.bootstrap.servers", broker},
                                                   {"mysql.uri", uri()},
                                                   {"topic", topic},
                                                   {"table", "items"},
                                                   {"connect.timeout", "5s"}};
        for (const auto& [name, value] : other) {
            options[name] = value;
        }
        for (const auto& [name, value] : options) {
            command.push_back("--" + name);
            command.push_back(value);
        }
        return command;
    }

    void produce(std::int32_t partition, const std::vector<std::string>& values) {
        TestProducer producer{broker};
        for (const auto& value : values) {
            producer.produce(topic, partition, std::nullopt, value);
        }
        producer.flush();
    }

    /// An account that may do what `grants` say on the test's database; dropped at the end.
    void make_account(const std::string& name,
                      const std::string& password,
                      const std::vector<std::string>& grants) {
        accounts_.push_back(name);
        db().execute(fmt::format("DROP USER IF EXISTS '{}'@'%'", name));
        db().execute(fmt::format("CREATE USER '{}'@'%' IDENTIFIED BY '{}'", name, password));
        for (const auto& grant : grants) {
            db().execute(fmt::format("GRANT {} TO '{}'@'%'", grant, name));
        }
    }

    void TearDown() override {
        for (const auto& account : accounts_) {
            db().execute(fmt::format("DROP USER '{}'@'%'", account));
        }
    }

    std::string broker;
    std::string topic;

private:
    std::vector<std::string> accounts_;
};

}  // namespace txsink::test
