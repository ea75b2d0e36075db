#include "stages.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <map>
#include <optional>

#include "reading.hpp"
#include "txsink/batch/write_plan.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/decode/record_decoder.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "txsink/mapping/topic_routes.hpp"
#include "txsink/mysql/database.hpp"

namespace txsink::bench {
namespace {

double cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void expect(bool is_taken) {
    if (!is_taken) {
        throw SinkError{ErrorKind::internal, "a record of the benchmark is refused"};
    }
}

/// Maps records into the parts of a batch, by partition; full ones are planned, or thrown away.
class Mapping {
public:
    Mapping(const config::Settings& settings, const std::string& topic, bool plans)
        : policy_{settings.pipeline.batch}, plans_{plans}, database_{settings.mysql} {
        mapper_.emplace(
            mapping::bind_routes(settings.pipeline.routes,
                                 topic,
                                 [&](const auto& table) { return database_.load_table(table); }),
            mapping::MapperSettings{settings.pipeline.connector, settings.pipeline.on_unrouted});
        plan_.emplace(database_.dialect(), batch::StatementLimits{});
    }

    void add(const ConsumerRecord& record) {
        const auto number = static_cast<std::size_t>(record.partition);
        if (number >= batch_.partitions.size()) {
            batch_.partitions.resize(number + 1);
        }
        auto& rows = batch_.partitions[number].rows;
        const auto changes = rows.changes().size();
        const auto bytes = rows.bytes();
        expect(static_cast<bool>(mapper_->map(record, rows)));
        rows_ += rows.changes().size() - changes;
        bytes_ += rows.bytes() - bytes;
        if (rows_ >= policy_.rows || bytes_ >= policy_.bytes) {
            flush();
        }
    }

    void flush() {
        if (plans_) {
            expect(!plan_->build(batch_));
        }
        for (auto& part : batch_.partitions) {
            part.rows.clear();
        }
        rows_ = bytes_ = 0;
    }

private:
    batch::BatchPolicy policy_;
    bool plans_;
    mysql::Database database_;
    std::optional<mapping::RecordMapper> mapper_;
    std::optional<batch::WritePlan> plan_;
    batch::Batch batch_;
    std::size_t rows_ = 0;
    std::size_t bytes_ = 0;
};

template <typename Visitor>
StagePass pass(const config::Settings& settings,
               const std::string& topic,
               int partitions,
               Visitor&& visit) {
    const double before = cpu_seconds();
    StagePass done;
    {
        TopicReader reader{settings.kafka, every(topic, partitions)};
        done.records = reader.read(visit);
    }
    done.cpu_seconds = cpu_seconds() - before;
    return done;
}

}  // namespace

StagePass run_stage(Stage stage,
                    const config::Settings& settings,
                    const std::string& topic,
                    int partitions) {
    if (stage == Stage::poll) {
        return pass(settings, topic, partitions, [](const ConsumerRecord&) {});
    }
    if (stage == Stage::decode) {
        const auto& route = settings.pipeline.routes.front();
        decode::RecordDecoder decoder{route.format, {route.unavailable_marker}};
        return pass(settings, topic, partitions, [&](const ConsumerRecord& record) {
            expect(static_cast<bool>(decoder.decode(record)));
        });
    }
    Mapping mapping{settings, topic, stage == Stage::plan};
    auto done = pass(
        settings, topic, partitions, [&](const ConsumerRecord& record) { mapping.add(record); });
    mapping.flush();
    return done;
}

}  // namespace txsink::bench
