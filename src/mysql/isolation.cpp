#include "mysql/isolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "mysql/server_error.hpp"
#include "txsink/core/failpoint.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {
namespace {

using batch::ChangePosition;
using mapping::RowShape;
using pipeline::RefusedRecord;

class Isolation {
public:
    Isolation(Session& session, const batch::Batch& batch, RowWriter& writer, std::size_t most)
        : session_{session}, batch_{batch}, writer_{writer}, most_{most} {
        for (std::size_t part = 0; part < batch.partitions.size(); ++part) {
            const auto& changes = batch.partitions[part].rows.changes();
            for (std::size_t i = 0; i < changes.size(); ++i) {
                if (i == 0 || changes[i].offset != changes[i - 1].offset) {
                    records_.push_back({part, i});
                }
            }
        }
    }

    std::vector<RefusedRecord> find() {
        // The batch is refused as a whole: that is why it is looked at.
        search(0, records_.size(), true);
        return std::move(found_);
    }

private:
    /// Applies the records [first, last) but for the refused ones; all before them are applied.
    /// `is_refused`: it is known that something in the range is.
    void search(std::size_t first, std::size_t last, bool is_refused) {
        if (first == last || is_done()) {
            return;
        }
        const bool is_one = last - first == 1;
        if (is_one || !is_refused) {
            // What one record asks for happens in its own order, whatever the tables have become
            // since their definitions were read.
            const auto too_large =
                writer_.build(session_,
                              batch_,
                              at(first),
                              at(last),
                              is_one ? batch::Merging::none : batch::Merging::allowed);
            if (too_large) {
                search_around(first, record_of(*too_large), last);
                return;
            }
            auto refusal = apply();
            if (!refusal) {
                return;
            }
            if (is_one || session_is_lost_) {
                found_.push_back(std::move(*refusal));
                return;
            }
        }
        const std::size_t middle = first + (last - first) / 2;
        const std::size_t before = found_.size();
        search(first, middle, false);
        // What was refused in the whole, and not in the first half, is in the second.
        search(middle, last, found_.size() == before);
    }

    /// No packet can hold the record at `index`.
    void search_around(std::size_t first, std::size_t index, std::size_t last) {
        search(first, index, false);
        if (!is_done()) {
            found_.push_back(refused(at(index), shape_at(at(index)), too_large_error()));
            search(index + 1, last, false);
        }
    }

    /// Runs the plan, or returns the record whose change was refused; what it left is taken back
    /// by the next call. So each takes one round trip.
    std::optional<RefusedRecord> apply() {
        TXSINK_FAILPOINT("isolating");
        try {
            writer_.write(session_,
                          must_go_back_ ? "ROLLBACK TO SAVEPOINT txsink_isolate"
                                        : "SAVEPOINT txsink_isolate");
            must_go_back_ = false;
            return std::nullopt;
        } catch (const SinkError& error) {
            if (error.kind != ErrorKind::bad_record) {
                throw;
            }
            session_is_lost_ = error.reconnect;
            must_go_back_ = true;
            const auto& failed = writer_.failed();
            return refused(failed.first, *failed.shape, error_of(error, *failed.shape));
        }
    }

    [[nodiscard]] bool is_done() const { return session_is_lost_ || found_.size() >= most_; }

    RecordError too_large_error() const {
        return {RecordErrorCode::too_large,
                {},
                fmt::format("the row is larger than the server's max_allowed_packet ({} bytes)",
                            session_.max_allowed_packet())};
    }

    RecordError error_of(const SinkError& error, const RowShape& shape) const {
        if (error.reconnect) {
            return too_large_error();
        }
        if (error.native_code == 0) {
            return {RecordErrorCode::row_missing,
                    {},
                    fmt::format("{} ({})", error.what(), error.detail)};
        }
        const auto* meaning = meaning_of(error, shape);
        RecordError told{RecordErrorCode::refused_by_server,
                         {},
                         fmt::format("{} ({})", meaning, error.detail),
                         error.native_code};
        told.private_text = private_text(meaning, error);
        return told;
    }

    /// Whether the error is what an upsert raises by itself depends on whose statement it was.
    static const char* meaning_of(const SinkError& error, const RowShape& shape) {
        const bool may_be_ours = error.native_code == batch::kAnotherRowsKeyCode &&
                                 shape.kind == mapping::ChangeKind::upsert &&
                                 !shape.table->unique_keys.empty();
        if (!may_be_ours) {
            return error.what();
        }
        return shape.table->is_independent
                   ? "the upsert would change a row with another primary key"
                   : "the upsert would change a row with another primary key, or a subquery of a "
                     "trigger returns more than one row";
    }

    RefusedRecord refused(ChangePosition position, const RowShape& shape, RecordError error) const {
        const auto& part = batch_.partitions[position.partition];
        return {part.partition,
                part.rows.changes()[position.change].offset,
                std::move(error),
                shape.route};
    }

    const RowShape& shape_at(ChangePosition position) const {
        return *batch_.partitions[position.partition].rows.changes()[position.change].shape;
    }

    /// Where the record at `index` begins.
    ChangePosition at(std::size_t index) const {
        return index < records_.size() ? records_[index]
                                       : ChangePosition{batch_.partitions.size(), 0};
    }

    /// Which record has the change.
    std::size_t record_of(ChangePosition position) const {
        const auto behind = std::upper_bound(records_.begin(), records_.end(), position);
        return static_cast<std::size_t>(behind - records_.begin()) - 1;
    }

    Session& session_;
    const batch::Batch& batch_;
    RowWriter& writer_;
    std::size_t most_;
    /// The first change of each record.
    std::vector<ChangePosition> records_;
    std::vector<RefusedRecord> found_;
    bool session_is_lost_ = false;
    /// What was refused last is still there.
    bool must_go_back_ = false;
};

}  // namespace

std::vector<RefusedRecord> find_refused(Session& session,
                                        const batch::Batch& batch,
                                        RowWriter& writer,
                                        std::size_t most) {
    return Isolation{session, batch, writer, most}.find();
}

}  // namespace txsink::mysql
