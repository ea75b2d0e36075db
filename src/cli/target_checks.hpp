/// @file
/// Checks of what the routes write: target tables, and the statements of mode sql.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/findings.hpp"
#include "txsink/config/settings.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/kafka/kafka_admin.hpp"
#include "txsink/mapping/route.hpp"
#include "txsink/mapping/table_definition.hpp"
#include "txsink/mysql/database.hpp"

namespace txsink::cli {

/// That `user` lacks privileges on `table`, and how to grant them. Precondition: some are missing.
[[nodiscard]] SinkError denied(const std::string& user,
                               const mapping::TableName& table,
                               const std::vector<std::string>& missing);

/// Looks at each target that the routes have. Keeps what it is given by reference.
class TargetChecks {
public:
    /// `database` may be null: the server did not answer, and what needs it is skipped.
    TargetChecks(const config::Settings& settings,
                 mysql::Database* database,
                 const Findings& findings)
        : settings_{settings}, database_{database}, findings_{findings} {}

    /// The statements, and the tables that are known without asking Kafka.
    void check_known();
    /// The tables with a part of a topic's name in theirs; null: the topics are not known.
    void check_named_by_topics(const std::vector<kafka::TopicSize>* topics);

private:
    void check_table(const mapping::Route& route, const mapping::TableName& name);
    [[nodiscard]] bool check_privileges(const std::string& subject,
                                        const mapping::Route& route,
                                        const mapping::TableDefinition& table);
    void warn_of_unique_keys(const std::string& subject,
                             const mapping::Route& route,
                             const mapping::TableDefinition& table);
    void check_statements(const mapping::Route& route);

    const config::Settings& settings_;
    mysql::Database* database_;
    const Findings& findings_;
};

}  // namespace txsink::cli
