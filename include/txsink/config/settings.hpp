/// @file
/// Settings: everything that the options say, ready for use.
#pragma once

#include <chrono>
#include <string>

#include "txsink/kafka/kafka_settings.hpp"
#include "txsink/mysql/mysql_settings.hpp"
#include "txsink/observe/log.hpp"
#include "txsink/pipeline/pipeline.hpp"
#include "txsink/pipeline/supervisor.hpp"

namespace txsink::config {

/// The defaults of the options are the defaults of these structs; there is no second copy.
struct Settings {
    /// Connector name, routes, start, batch, retry: one copy for each pipeline.
    pipeline::PipelineSettings pipeline;
    kafka::KafkaSettings kafka;
    mysql::MysqlSettings mysql;
    int pipelines = pipeline::SupervisorSettings{}.pipelines;
    std::chrono::milliseconds shutdown_timeout = pipeline::SupervisorSettings{}.shutdown_timeout;
    /// Static membership: pipeline i is the member `<instance>-<i>`; empty: dynamic members.
    std::string instance;
    /// Kafka topic that dead letters are copied to; empty: none.
    std::string dead_letter_topic;
    observe::LogSettings log;
    /// A progress line this often; zero: none.
    std::chrono::milliseconds progress_interval{10'000};
};

/// Kafka settings of one pipeline's consumer; `index` counts from 0.
[[nodiscard]] kafka::KafkaSettings kafka_settings_of(const Settings& settings, int index);

}  // namespace txsink::config
