#include "cli/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/patience.hpp"
#include "txsink/kafka/kafka_admin.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "txsink/mysql/database.hpp"
#include "txsink/mysql/migrations.hpp"
#include "txsink/mysql/offsets_reader.hpp"

namespace txsink::cli {
namespace {

using mapping::Mode;
using mapping::Route;
using mapping::TableName;

std::string join(std::span<const std::string> parts, const char* between = ", ") {
    return fmt::format("{}", fmt::join(parts.begin(), parts.end(), between));
}

/// One run through the checks; keeps what the earlier ones found for the later ones.
class Run {
public:
    Run(const config::Settings& settings, const CheckPlan& plan, const FindingListener& found)
        : settings_{settings}, plan_{plan}, found_{found} {}

    void make_all() {
        check_mysql();
        check_own_tables();
        for (const auto& route : settings_.pipeline.routes) {
            if (route.mode == Mode::sql) {
                check_statements(route);
            } else if (!is_named_by_topic(route.table)) {
                check_target(route, route.table);
            }
        }
        check_kafka();
        check_topics();
        check_targets_of_topics();
        check_dead_letter_topic();
        if (!plan_.only_for_start) {
            check_offsets();
        }
    }

private:
    // --- findings ---

    void good(const std::string& subject, const std::string& what) {
        found_({subject, Status::good, what, {}, {}, {}});
    }
    void warn(const std::string& subject, const std::string& what, const std::string& hint) {
        found_({subject, Status::warning, what, {}, hint, {}});
    }
    void fail(const std::string& subject, const SinkError& error) {
        found_({subject, Status::failed, error.what(), error.detail, error.hint, error.kind});
    }
    void skip(const std::string& subject, const std::string& why) {
        found_({subject, Status::skipped, why, {}, {}, {}});
    }

    /// Runs one check; an error that it throws is a finding. Returns whether it went through.
    template <typename Check>
    bool attempt(const std::string& subject, const Check& check) {
        try {
            check();
            return true;
        } catch (const SinkError& error) {
            fail(subject, error);
            return false;
        }
    }

    // --- MySQL ---

    void check_mysql() {
        const std::string subject = "mysql server";
        auto mysql = settings_.mysql;
        mysql.connect_timeout =
            std::min(mysql.connect_timeout,
                     std::chrono::ceil<std::chrono::seconds>(settings_.pipeline.connect_deadline));
        attempt(subject, [&] {
            database_.emplace(ask_patiently([&] { return mysql::Database{mysql}; },
                                            settings_.pipeline.retry,
                                            plan_.patience,
                                            plan_.stop));
        });
        if (!database_) {
            return;
        }
        if (const auto needed = database_->version_needed(); !needed.empty()) {
            fail(subject,
                 SinkError{ErrorKind::configuration,
                           fmt::format("{} is too old", database_->server_name()),
                           {},
                           fmt::format("needs {} or newer", needed)});
        } else {
            good(subject, fmt::format("{}, writable", database_->server_name()));
        }
        if (!plan_.only_for_start) {
            attempt("mysql account", [&] { check_account(); });
        }
    }

    void check_account() {
        const auto privileges = database_->privileges_over_read_only();
        if (privileges.empty()) {
            good("mysql account",
                 fmt::format("{}, writes to no read-only server", settings_.mysql.user));
            return;
        }
        warn("mysql account",
             fmt::format(
                 "{} may write to a read-only server ({})", settings_.mysql.user, join(privileges)),
             "after a fail-over it could write to the old server: use an account without these "
             "privileges");
    }

    void check_own_tables() {
        const std::string subject = "txsink's tables";
        if (!database_) {
            skip(subject, "needs the mysql server");
            return;
        }
        attempt(subject, [&] {
            const auto faults = mysql::check_own_tables(database_->session());
            for (const auto& fault : faults) {
                fail(subject, SinkError{ErrorKind::configuration, fault.what, {}, fault.hint});
            }
            has_tables_ = faults.empty();
            if (!has_tables_) {
                return;
            }
            const bool may_offsets =
                has_privileges(subject, "txsink_offsets", {"SELECT", "INSERT", "UPDATE"});
            const bool may_dead_letters =
                !has_dead_letters() ||
                has_privileges(subject, "txsink_dead_letters", {"INSERT", "UPDATE"});
            if (has_privileges(subject, "txsink_gaps", {"INSERT"}) && may_offsets &&
                may_dead_letters) {
                good(subject, fmt::format("there, in {}", settings_.mysql.database));
            }
        });
    }

    bool has_privileges(const std::string& subject,
                        const std::string& table,
                        std::vector<std::string_view> needed) {
        const TableName name{settings_.mysql.database, table};
        const auto missing = database_->missing_privileges(name, needed);
        if (!missing.empty()) {
            fail(subject, denied(name, missing));
        }
        return missing.empty();
    }

    [[nodiscard]] SinkError denied(const TableName& table,
                                   const std::vector<std::string>& missing) const {
        return SinkError{
            ErrorKind::access_denied,
            fmt::format("{} has no {} privilege on {}",
                        settings_.mysql.user,
                        join(missing),
                        to_string(table)),
            {},
            fmt::format(
                "GRANT {} ON {} TO {}", join(missing), to_string(table), settings_.mysql.user)};
    }

    // --- targets ---

    /// A table name with ${topic} or ${1} in it: which tables that means, the topics say.
    static bool is_named_by_topic(const TableName& table) {
        return table.table.find("${") != std::string::npos ||
               table.database.find("${") != std::string::npos;
    }

    [[nodiscard]] bool has_dead_letters() const {
        const auto& routes = settings_.pipeline.routes;
        return std::any_of(routes.begin(), routes.end(), [](const Route& route) {
            return route.on_bad_record == mapping::OnBadRecord::dead_letter;
        });
    }

    void check_targets_of_topics() {
        for (const auto& route : settings_.pipeline.routes) {
            if (route.mode == Mode::sql || !is_named_by_topic(route.table)) {
                continue;
            }
            if (!has_topics_) {
                skip(fmt::format("target {}", to_string(route.table)), "needs the topics");
            }
            std::set<TableName> checked;
            for (const auto& [topic, partitions] : topics_) {
                if (route.takes(topic)) {
                    const auto table = route.table_for(topic);
                    if (checked.insert(table).second) {
                        check_target(route, table);
                    }
                }
            }
        }
    }

    void check_target(const Route& route, const TableName& name) {
        const auto subject = fmt::format("target {}", to_string(name));
        if (!database_) {
            skip(subject, "needs the mysql server");
            return;
        }
        attempt(subject, [&] {
            const auto table = database_->load_table(name);
            // Refuses a table that does not fit the route.
            const mapping::RecordMapper mapper{route, table};
            if (check_target_privileges(subject, route, table)) {
                good(subject, describe(route, table));
            }
            warn_of_unique_keys(subject, route, table);
        });
    }

    void check_statements(const Route& route) {
        const auto subject = fmt::format("statements of route.{}", route.name);
        attempt(subject, [&] {
            const auto statements = mapping::statements_to_prepare(route);
            if (!database_) {
                skip(subject, "needs the mysql server");
                return;
            }
            for (std::size_t i = 0; i < statements.size(); ++i) {
                if (const auto complaint = database_->complaint_about(statements[i]);
                    !complaint.empty()) {
                    throw SinkError{ErrorKind::configuration,
                                    fmt::format("statement {} is refused: {}", i + 1, complaint),
                                    statements[i],
                                    fmt::format("mend route.{}.sql", route.name)};
                }
            }
            good(subject,
                 fmt::format("{} statement{}, all taken by the server",
                             statements.size(),
                             statements.size() == 1 ? "" : "s"));
        });
    }

    /// What the route cannot do without; an inserting one may never meet a tombstone.
    static std::vector<std::string_view> privileges_of(const Route& route) {
        const bool removes =
            route.delete_when || !route.replace_children.empty() ||
            (route.mode != Mode::insert && route.tombstone == mapping::OnTombstone::remove);
        const bool changes =
            route.mode != Mode::insert || route.tombstone == mapping::OnTombstone::soft;
        std::vector<std::string_view> needed;
        if (changes || removes) {
            needed.push_back("SELECT");
        }
        if (route.mode != Mode::update) {
            needed.push_back("INSERT");
        }
        if (changes) {
            needed.push_back("UPDATE");
        }
        if (removes) {
            needed.push_back("DELETE");
        }
        return needed;
    }

    bool check_target_privileges(const std::string& subject,
                                 const Route& route,
                                 const mapping::TableDefinition& table) {
        const auto missing = database_->missing_privileges(table.name, privileges_of(route));
        if (!missing.empty()) {
            fail(subject, denied(table.name, missing));
            return false;
        }
        if (route.tombstone == mapping::OnTombstone::remove && !table.primary_key.empty()) {
            constexpr std::array<std::string_view, 2> kRemoval{"DELETE", "SELECT"};
            const auto for_removal = database_->missing_privileges(table.name, kRemoval);
            if (!for_removal.empty()) {
                warn(subject,
                     fmt::format("a tombstone would be refused: no {} privilege",
                                 join(for_removal, " and ")),
                     denied(table.name, for_removal).hint);
            }
        }
        return true;
    }

    static const char* name_of_mode(Mode mode) noexcept {
        switch (mode) {
            case Mode::upsert:
                return "upsert";
            case Mode::insert:
                return "insert";
            case Mode::update:
                return "update";
            case Mode::sql:
                return "sql";
        }
        return "";
    }

    static std::string describe(const Route& route, const mapping::TableDefinition& table) {
        std::vector<std::string> key;
        for (const auto column : table.primary_key) {
            key.push_back(table.columns[column].name);
        }
        return fmt::format(
            "{} of {} columns, {}",
            name_of_mode(route.mode),
            table.columns.size(),
            key.empty() ? "no primary key" : fmt::format("primary key ({})", join(key)));
    }

    void warn_of_unique_keys(const std::string& subject,
                             const Route& route,
                             const mapping::TableDefinition& table) {
        if (table.unique_keys.empty() || route.mode != Mode::upsert) {
            return;
        }
        std::vector<std::string> names;
        for (const auto& key : table.unique_keys) {
            names.push_back(key.name);
        }
        warn(subject,
             fmt::format("has further unique keys ({}): a record that meets another row there is "
                         "refused, that row is never changed",
                         join(names)),
             "drop them if the records may break them");
    }

    // --- Kafka ---

    void check_kafka() {
        attempt("kafka cluster", [&] {
            auto kafka = settings_.kafka;
            kafka.request_timeout =
                std::min(kafka.request_timeout, settings_.pipeline.connect_deadline);
            auto admin = std::make_unique<kafka::KafkaAdmin>(kafka);
            cluster_id_ = ask_patiently([&] { return admin->connect(); },
                                        settings_.pipeline.retry,
                                        plan_.patience,
                                        plan_.stop);
            admin_ = std::move(admin);
            good("kafka cluster", fmt::format("answers; its id is {}", cluster_id_));
        });
    }

    void check_topics() {
        if (!admin_) {
            skip("topics", "needs the kafka cluster");
            return;
        }
        has_topics_ = attempt("topics", [&] {
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
            good("topics", list);
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
            skip(subject, "needs the kafka cluster");
            return;
        }
        attempt(subject, [&] {
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
            static_cast<void>(kafka::KafkaAdmin{kafka}.topics());
            good(subject, fmt::format("{} is there", topic));
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
            skip(subject, "needs both servers, txsink's tables and the topics");
            return;
        }
        attempt(subject, [&] {
            const auto rows =
                mysql::read_offset_rows(database_->session(), settings_.pipeline.connector);
            check_starts(rows);
            if (rows.empty()) {
                good(subject,
                     fmt::format("none yet of connector {}", settings_.pipeline.connector));
                return;
            }
            const auto bad = check_range(subject, rows);
            if (bad == 0) {
                good(subject,
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
            if (!known.contains(topic) && (rows.empty() || !is_of_a_pattern(topic))) {
                static_cast<void>(admin_->start_offsets(topic, settings_.pipeline.start));
            }
        }
    }

    [[nodiscard]] bool is_of_a_pattern(const std::string& topic) const {
        const auto& routes = settings_.pipeline.routes;
        return std::any_of(routes.begin(), routes.end(), [&](const auto& route) {
            return route.is_regex() && route.takes(topic);
        });
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
        found_({subject,
                is_fatal ? Status::failed : Status::warning,
                what,
                detail,
                is_fatal ? fmt::format("{} says what to do; txsink offsets set moves it", option)
                         : fmt::format("{} is set: run will go on", option),
                ErrorKind::configuration});
        return false;
    }

    const config::Settings& settings_;
    const CheckPlan& plan_;
    const FindingListener& found_;
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
