#include "script.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "mysql/offsets_sql.hpp"
#include "reading.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "txsink/mapping/topic_routes.hpp"
#include "txsink/mysql/database.hpp"

namespace txsink::bench {
namespace {

/// Collects records into batches, and each full one into a transaction of the script.
class ScriptWriter {
public:
    ScriptWriter(const config::Settings& settings,
                 mapping::RecordMapper mapper,
                 batch::Dialect dialect)
        : policy_{settings.pipeline.batch},
          who_{settings.pipeline.connector, "bench"},
          mapper_{std::move(mapper)},
          plan_{dialect, {}} {}

    void add(const ConsumerRecord& record) {
        auto& part = building_[record.partition];
        const auto rows = part.rows.changes().size();
        const auto bytes = part.rows.bytes();
        const auto mapped = mapper_.map(record, part.rows);
        if (!mapped) {
            throw SinkError{ErrorKind::internal,
                            "a record of the benchmark is refused: " + mapped.error().message};
        }
        part.partition.topic = record.topic;
        part.partition.partition = record.partition;
        part.end = next(record.offset);
        ++part.records;
        part.last_timestamp_ms = std::max(part.last_timestamp_ms, record.timestamp_ms);
        rows_ += part.rows.changes().size() - rows;
        bytes_ += part.rows.bytes() - bytes;
        if (rows_ >= policy_.rows || bytes_ >= policy_.bytes) {
            flush();
        }
    }

    Script finish() {
        flush();
        return std::move(script_);
    }

private:
    void flush() {
        batch::Batch batch;
        for (auto& [number, part] : building_) {
            if (part.moves()) {
                batch.partitions.push_back(std::move(part));
            }
        }
        if (batch.is_empty()) {
            return;
        }
        auto& transaction = script_.emplace_back();
        transaction.partitions = batch.partitions.size();
        mysql::render_compare_and_set(transaction.offsets, who_, batch);
        if (plan_.build(batch)) {
            throw SinkError{ErrorKind::internal, "a record of the benchmark is too large"};
        }
        for (std::size_t i = 0; i < plan_.size(); ++i) {
            transaction.statements.push_back(
                {plan_[i].sql, plan_[i].shape->required_rows > 0, take_apart(plan_[i].sql)});
        }
        for (auto& part : batch.partitions) {
            auto& again = building_[part.partition.partition];
            again = batch::PartitionBatch{};
            again.begin = again.end = part.end;
        }
        rows_ = bytes_ = 0;
    }

    batch::BatchPolicy policy_;
    mysql::Identity who_;
    mapping::RecordMapper mapper_;
    batch::WritePlan plan_;
    /// By number, so that a batch has them sorted.
    std::map<std::int32_t, batch::PartitionBatch> building_;
    std::size_t rows_ = 0;
    std::size_t bytes_ = 0;
    Script script_;
};

}  // namespace

Script render_script(const config::Settings& settings,
                     const std::string& topic,
                     const std::vector<TopicPartition>& partitions,
                     batch::Dialect dialect) {
    mysql::Database database{settings.mysql};
    mapping::RecordMapper mapper{
        mapping::bind_routes(settings.pipeline.routes,
                             topic,
                             [&](const auto& table) { return database.load_table(table); }),
        {settings.pipeline.connector, settings.pipeline.on_unrouted}};
    ScriptWriter writer{settings, std::move(mapper), dialect};
    TopicReader reader{settings.kafka, partitions};
    reader.read([&](const ConsumerRecord& record) { writer.add(record); });
    return writer.finish();
}

}  // namespace txsink::bench
