/// @file
/// TopicMappers: the configured routes of each topic, bound to their tables as they are now.
#pragma once

#include <map>
#include <string>

#include "txsink/config/settings.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "txsink/mysql/database.hpp"

namespace txsink::cli {

/// Reads table definitions, and nothing else. Threading: one thread.
class TopicMappers {
public:
    TopicMappers(const config::Settings& settings, mysql::Database& database)
        : settings_{settings}, database_{database} {}

    /// nullptr: no route takes the topic. Errors: SinkError: RecordMapper's and load_table's.
    [[nodiscard]] mapping::RecordMapper* find(const std::string& topic);

    /// As RecordMapper's, of all. Precondition: no row buffer holds a change that they made.
    void forget_shapes() noexcept;

private:
    const config::Settings& settings_;
    mysql::Database& database_;
    std::map<std::string, mapping::RecordMapper> mappers_;
};

}  // namespace txsink::cli
