#include "mysql/isolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {
namespace {

using batch::ChangePosition;
using pipeline::RefusedRecord;

class Isolation {
public:
    Isolation(Session& session,
              const batch::Batch& batch,
              const batch::WritePlan& plan,
              const BuildPlan& build,
              const WriteStatement& write)
        : session_{session}, batch_{batch}, plan_{plan}, build_{build}, write_{write} {
        for (std::size_t part = 0; part < batch.partitions.size(); ++part) {
            for (std::size_t i = 0; i < batch.partitions[part].rows.changes().size(); ++i) {
                changes_.push_back({part, i});
            }
        }
    }

    /// Among all changes.
    std::optional<RefusedRecord> find() { return find(0, changes_.size()); }

private:
    /// Among the changes [first, last); all before them are applied.
    std::optional<RefusedRecord> find(std::size_t first, std::size_t last) {
        if (first == last) {
            return std::nullopt;
        }
        if (const auto too_large = build_(at(first), at(last))) {
            const std::size_t index = index_of(*too_large);
            auto earlier = find(first, index);
            return earlier ? earlier : refused(index, too_large_error());
        }
        for (std::size_t i = 0; i < plan_.size(); ++i) {
            const std::size_t begin = index_of(plan_[i].first);
            const std::size_t end = begin + plan_[i].changes;
            session_.execute("SAVEPOINT txsink_isolate");
            try {
                write_(plan_[i]);
            } catch (const SinkError& error) {
                if (error.kind != ErrorKind::bad_record) {
                    throw;
                }
                if (end - begin == 1) {
                    return refused(begin, server_refusal(error));
                }
                session_.execute("ROLLBACK TO SAVEPOINT txsink_isolate");
                // From here on the plan is built anew; this loop does not use it again.
                return find_in_halves(begin, end, last);
            }
        }
        return std::nullopt;
    }

    /// [begin, end) was refused as one statement; [end, last) comes after it.
    std::optional<RefusedRecord> find_in_halves(std::size_t begin,
                                                std::size_t end,
                                                std::size_t last) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (auto found = find(begin, middle)) {
            return found;
        }
        if (auto found = find(middle, end)) {
            return found;
        }
        return find(end, last);
    }

    RecordError too_large_error() const {
        return {RecordErrorCode::too_large,
                {},
                fmt::format("the row is larger than the server's max_allowed_packet ({} bytes)",
                            session_.max_allowed_packet())};
    }

    RecordError server_refusal(const SinkError& error) const {
        if (error.reconnect) {
            return too_large_error();
        }
        return {RecordErrorCode::refused_by_server,
                {},
                fmt::format("{} ({})", error.what(), error.detail)};
    }

    RefusedRecord refused(std::size_t index, RecordError error) const {
        const auto& part = batch_.partitions[changes_[index].partition];
        const auto& change = part.rows.changes()[changes_[index].change];
        return {part.partition, change.offset, std::move(error), change.shape->route};
    }

    ChangePosition at(std::size_t index) const {
        return index < changes_.size() ? changes_[index]
                                       : ChangePosition{batch_.partitions.size(), 0};
    }

    std::size_t index_of(ChangePosition position) const {
        return static_cast<std::size_t>(
            std::lower_bound(changes_.begin(), changes_.end(), position) - changes_.begin());
    }

    Session& session_;
    const batch::Batch& batch_;
    const batch::WritePlan& plan_;
    const BuildPlan& build_;
    const WriteStatement& write_;
    std::vector<ChangePosition> changes_;
};

}  // namespace

std::optional<RefusedRecord> find_refused(Session& session,
                                          const batch::Batch& batch,
                                          const batch::WritePlan& plan,
                                          const BuildPlan& build,
                                          const WriteStatement& write) {
    return Isolation{session, batch, plan, build, write}.find();
}

}  // namespace txsink::mysql
