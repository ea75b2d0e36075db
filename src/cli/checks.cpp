#include "cli/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/patience.hpp"
#include "cli/target_checks.hpp"
#include "txsink/kafka/kafka_admin.hpp"
#include "txsink/mapping/topic_routes.hpp"
#include "txsink/mysql/database.hpp"
#include "txsink/mysql/migrations.hpp"
#include "txsink/mysql/offsets_reader.hpp"

namespace txsink::cli {
namespace {

using mapping::Route;
using mapping::TableName;

/// One run through the checks; keeps what the earlier ones found for the later ones.
class Run {
public:
    Run(const config::Settings& settings, const CheckPlan& plan, const FindingListener& found)
        : settings_{settings}, plan_{plan}, findings_{found} {}

    void make_all() {
        check_mysql();
        check_own_tables();
        TargetChecks targets{settings_, database_ ? &*database_ : nullptr, findings_};
        targets.check_known();
        check_kafka();
        check_topics();
        targets.check_named_by_topics(has_topics_ ? &topics_ : nullptr);
        check_dead_letter_topic();
        if (!plan_.only_for_start) {
            check_offsets();
        }
    }

private:
    // --- MySQL ---

    void check_mysql() {
        const std::string subject = "mysql server";
        auto mysql = settings_.mysql;
        mysql.connect_timeout =
            std::min(mysql.connect_timeout,
                     std::chrono::ceil<std::chrono::seconds>(settings_.pipeline.connect_deadline));
        findings_.attempt(subject, [&] {
            database_.emplace(ask_patiently([&] { return mysql::Database{mysql}; },
                                            settings_.pipeline.retry,
                                            plan_.patience,
                                            plan_.stop));
        });
        if (!database_) {
            return;
        }
        if (const auto needed = database_->version_needed(); !needed.empty()) {
            findings_.fail(subject,
                           SinkError{ErrorKind::configuration,
                                     fmt::format("{} is too old", database_->server_name()),
                                     {},
                                     fmt::format("needs {} or newer", needed)});
        } else {
            findings_.good(subject, fmt::format("{}, writable", database_->server_name()));
        }
        if (!plan_.only_for_start) {
            findings_.attempt("mysql account", [&] { check_account(); });
        }
    }

    void check_account() {
        const auto privileges = database_->privileges_over_read_only();
        if (privileges.empty()) {
            findings_.good("mysql account",
                           fmt::format("{}, writes to no read-only server", settings_.mysql.user));
            return;
        }
        findings_.warn(
            "mysql account",
            fmt::format(
                "{} may write to a read-only server ({})", settings_.mysql.user, join(privileges)),
            "after a fail-over it could write to the old server: use an account without these "
            "privileges");
    }

    void check_own_tables() {
        const std::string subject = "txsink's tables";
        if (!database_) {
            findings_.skip(subject, "needs the mysql server");
            return;
        }
        findings_.attempt(subject, [&] {
            const auto faults = mysql::check_own_tables(database_->session());
            for (const auto& fault : faults) {
                findings_.fail(subject,
                               SinkError{ErrorKind::configuration, fault.what, {}, fault.hint});
            }
            has_tables_ = faults.empty();
            if (!has_tables_) {
                return;
            }
            const bool may_offsets =
                has_privileges(subject, "txsink_offsets", {"SELECT", "INSERT", "UPDATE"});
            const bool may_dead_letters =
                !has_dead_letters() ||
                has_privileges(
                    subject, "txsink_dead_letters", {"SELECT", "INSERT", "UPDATE", "DELETE"});
            if (has_privileges(subject, "txsink_gaps", {"INSERT"}) && may_offsets &&
                may_dead_letters) {
                findings_.good(subject, fmt::format("there, in {}", settings_.mysql.database));
            }
        });
    }

    bool has_privileges(const std::string& subject,
                        const std::string& table,
                        std::vector<std::string_view> needed) {
        const TableName name{settings_.mysql.database, table};
        const auto missing = database_->missing_privileges(name, needed);
        if (!missing.empty()) {
            findings_.fail(subject, denied(settings_.mysql.user, name, missing));
        }
        return missing.empty();
    }

    [[nodiscard]] bool has_dead_letters() const {
        const auto& routes = settings_.pipeline.routes;
        return std::any_of(routes.begin(), routes.end(), [](const Route& route) {
            return route.on_bad_record == mapping::OnBadRecord::dead_letter;
        });
    }

    // --- Kafka ---

    void check_kafka() {
        findings_.attempt("kafka cluster", [&] {
            auto kafka = settings_.kafka;
            kafka.request_timeout =
                std::min(kafka.request_timeout, settings_.pipeline.connect_deadline);
            auto admin = std::make_unique<kafka::KafkaAdmin>(kafka);
            cluster_id_ = ask_patiently([&] { return admin->connect(); },
                                        settings_.pipeline.retry,
                                        plan_.patience,
                                        plan_.stop);
            admin_ = std::move(admin);
            findings_.good("kafka cluster", fmt::format("answers; its id is {}", cluster_id_));
        });
    }

    void check_topics() {
        if (!admin_) {
            findings_.skip("topics", "needs the kafka cluster");
            return;
        }
        has_topics_ = findings_.attempt("topics", [&] {
            topics_ = admin_->topics();
            std::string list;
            for (const auto& [topic, partitions] : topics_) {
                list += fmt::format("{}{} ({} partition{})",
                                    list.empty() ? "" : ", ",
                                    topic,
                                    partitions,
                                    partitions == 1 ? "" : "s");
            }
            check_assigned();
            findings_.good("topics", list);
        });
    }

    /// Where dead letters are copied to; read by ourselves they would come back for ever.
    void check_dead_letter_topic() {
        const auto& topic = settings_.dead_letter_topic;
        if (topic.empty()) {
            return;
        }
        const std::string subject = "dead letter topic";
        if (!admin_) {
            findings_.skip(subject, "needs the kafka cluster");
            return;
        }
        findings_.attempt(subject, [&] {
            for (const auto& route : settings_.pipeline.routes) {
                if (route.takes(topic)) {
                    throw SinkError{ErrorKind::configuration,
                                    fmt::format("route.{} takes the topic {} that dead letters are "
                                                "copied to",
                                                route.name,
                                                topic),
                                    {},
                                    "a refused record would come back for ever: let one of them "
                                    "name another topic"};
                }
            }
            auto kafka = settings_.kafka;
            kafka.topics = {topic};
            kafka.assign.clear();
            try {
                static_cast<void>(kafka::KafkaAdmin{kafka}.topics());
            } catch (const SinkError& error) {
                if (error.kind != ErrorKind::configuration) {
                    throw;
                }
                throw SinkError{error.kind,
                                fmt::format("dead-letter.topic: {}", error.what()),
                                error.detail,
                                "create it, or correct dead-letter.topic"};
            }
            findings_.good(subject, fmt::format("{} is there", topic));
        });
    }

    void check_assigned() const {
        for (const auto& partition : settings_.kafka.assign) {
            const auto at = std::find_if(topics_.begin(), topics_.end(), [&](const auto& size) {
                return size.topic == partition.topic;
            });
            if (at != topics_.end() && partition.partition >= at->partitions) {
                throw SinkError{ErrorKind::configuration,
                                fmt::format("assign: there is no {}", to_string(partition)),
                                fmt::format("the topic has {} partition{}",
                                            at->partitions,
                                            at->partitions == 1 ? "" : "s"),
                                {}};
            }
        }
    }

    // --- offsets ---

    void check_offsets() {
        const std::string subject = "stored offsets";
        if (!database_ || !has_tables_ || !admin_ || !has_topics_) {
            findings_.skip(subject, "needs both servers, txsink's tables and the topics");
            return;
        }
        findings_.attempt(subject, [&] {
            const auto rows =
                mysql::read_offset_rows(database_->session(), settings_.pipeline.connector);
            check_starts(rows);
            if (rows.empty()) {
                findings_.good(
                    subject, fmt::format("none yet of connector {}", settings_.pipeline.connector));
                return;
            }
            const auto bad = check_range(subject, rows);
            if (bad == 0) {
                findings_.good(subject,
                               fmt::format("of {} partition{}, all in range",
                                           rows.size(),
                                           rows.size() == 1 ? "" : "s"));
            }
        });
    }

    /// Topics that are yet to be given their first rows must have a start; one that a pattern finds
    /// later starts at its beginning, whatever the option says.
    void check_starts(const std::vector<mysql::OffsetRow>& rows) {
        std::set<std::string> known;
        for (const auto& row : rows) {
            known.insert(row.partition.topic);
        }
        for (const auto& [topic, partitions] : topics_) {
            if (!known.contains(topic) &&
                (rows.empty() || !mapping::is_found_by_pattern(settings_.pipeline.routes, topic))) {
                static_cast<void>(admin_->start_offsets(topic, settings_.pipeline.start));
            }
        }
    }

    /// Returns how many rows are not as they should be.
    std::size_t check_range(const std::string& subject, const std::vector<mysql::OffsetRow>& rows) {
        std::set<TopicPartition> present;
        for (const auto& [topic, partitions] : topics_) {
            for (std::int32_t i = 0; i < partitions; ++i) {
                present.insert({topic, i});
            }
        }
        std::vector<TopicPartition> stored;
        for (const auto& row : rows) {
            if (present.contains(row.partition)) {
                stored.push_back(row.partition);
            }
        }
        const auto logs = admin_->watermarks(stored);
        std::size_t bad = 0;
        for (const auto& row : rows) {
            const auto log = logs.find(row.partition);
            bad += log != logs.end() && !check_row(subject, row, log->second) ? 1 : 0;
        }
        return bad;
    }

    bool check_row(const std::string& subject,
                   const mysql::OffsetRow& row,
                   const pipeline::Watermarks& log) {
        using pipeline::OnOutOfRange;
        using pipeline::OnTopicRecreated;
        const bool is_foreign = row.cluster_id != cluster_id_ && !cluster_id_.empty();
        const bool is_beyond = row.next > log.high;
        if (!is_foreign && !is_beyond && row.next >= log.low) {
            return true;
        }
        const bool is_recreated = is_foreign || is_beyond;
        const char* option = is_recreated ? "on-topic-recreated" : "on-out-of-range";
        const bool is_fatal = is_recreated
                                  ? settings_.pipeline.on_topic_recreated == OnTopicRecreated::fail
                                  : settings_.pipeline.on_out_of_range == OnOutOfRange::fail;
        const auto what = fmt::format("{}: the stored offset {} {}",
                                      to_string(row.partition),
                                      to_int(row.next),
                                      is_foreign  ? "is of another cluster"
                                      : is_beyond ? "lies beyond the end of the log"
                                                  : "is no longer in the log");
        const auto detail =
            is_foreign ? fmt::format("stored for {}, this one is {}", row.cluster_id, cluster_id_)
                       : fmt::format("the log has {} to {}", to_int(log.low), to_int(log.high));
        findings_.tell({subject,
                        is_fatal ? Status::failed : Status::warning,
                        what,
                        detail,
                        is_fatal
                            ? fmt::format("{} says what to do; txsink offsets set moves it", option)
                            : fmt::format("{} is set: run will go on", option),
                        ErrorKind::configuration});
        return false;
    }

    const config::Settings& settings_;
    const CheckPlan& plan_;
    const Findings findings_;
    std::optional<mysql::Database> database_;
    std::unique_ptr<kafka::KafkaAdmin> admin_;
    std::string cluster_id_;
    std::vector<kafka::TopicSize> topics_;
    bool has_tables_ = false;
    bool has_topics_ = false;
};

}  // namespace

const char* name_of(Status status) noexcept {
    switch (status) {
        case Status::good:
            return "ok";
        case Status::warning:
            return "warn";
        case Status::failed:
            return "fail";
        case Status::skipped:
            return "skip";
    }
    return "";
}

void make_checks(const config::Settings& settings,
                 const CheckPlan& plan,
                 const FindingListener& found) {
    Run{settings, plan, found}.make_all();
}

}  // namespace txsink::cli
