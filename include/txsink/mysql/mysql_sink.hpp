/// @file
/// MysqlSink: batches into MySQL or MariaDB, each in one transaction with its offset rows.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/mysql/mysql_settings.hpp"
#include "txsink/pipeline/sink.hpp"

namespace txsink::mysql {

/// The Sink on a server of `settings.hosts`, the first one that is writable.
///
/// It holds one session, opened when it is first needed, and drops it after every error that
/// leaves its state in doubt. It writes on a thread of its own.
/// Threading: one thread.
class MysqlSink final : public pipeline::Sink {
public:
    /// `connector`: key of the offset rows; ASCII. `owner`: who claims rows, for people to read.
    /// Errors: configuration: the connector's name is empty or not ASCII, or there is no host.
    MysqlSink(MysqlSettings settings, std::string connector, std::string owner);
    ~MysqlSink() override;

    void open() override;
    void close() noexcept override;
    [[nodiscard]] mapping::TableDefinition load_table(const mapping::TableName& name) override;
    [[nodiscard]] bool has_offsets(std::string_view topic) override;
    void create_offsets(std::span<const pipeline::PartitionStart> starts,
                        std::string_view cluster_id) override;
    [[nodiscard]] pipeline::ClaimedOffset claim(const TopicPartition& partition,
                                                Fence fence,
                                                Offset start,
                                                std::string_view cluster_id,
                                                bool any_cluster) override;
    [[nodiscard]] std::optional<pipeline::StoredOffset> read_offset(
        const TopicPartition& partition) override;
    void start_write(const batch::Batch& batch) override;
    [[nodiscard]] std::optional<pipeline::WriteOutcome> finish_write(
        std::chrono::milliseconds timeout) override;
    [[nodiscard]] pipeline::WriteSummary last_write() const noexcept override;
    [[nodiscard]] std::vector<pipeline::RefusedRecord> isolate(const batch::Batch& batch,
                                                               std::size_t most) override;
    [[nodiscard]] bool jump(const TopicPartition& partition,
                            Fence fence,
                            const pipeline::Gap& gap,
                            std::string_view cluster_id) override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace txsink::mysql
