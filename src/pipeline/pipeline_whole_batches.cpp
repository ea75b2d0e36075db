/// @file
/// What the server refuses as a whole: batches that are too big, and those of which no record
/// alone is to blame.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/pipeline_state.hpp"

namespace txsink::pipeline {
namespace {

/// Refused as a whole so often without a commit between, a batch is not tried again.
constexpr int kRoundsWithoutCulprit = 3;
/// Commits after which a batch may have twice as many rows again.
constexpr int kCommitsBeforeGrowth = 16;

/// What one record asks of a transaction.
struct Weight {
    TopicPartition partition;
    Offset offset{0};
    std::size_t rows = 0;
    std::size_t bytes = 0;
    bool is_first_of_partition = false;
};

/// The records that have rows or are dead letters, by partition and offset.
[[nodiscard]] std::vector<Weight> weights_of(const batch::Batch& batch) {
    std::vector<Weight> weights;
    for (const auto& part : batch.partitions) {
        std::map<Offset, Weight> by_offset;
        for (const auto& change : part.rows.changes()) {
            auto& weight = by_offset[change.offset];
            ++weight.rows;
            weight.bytes += change.size + 1;
        }
        for (const auto& letter : part.dead_letters) {
            by_offset[letter.offset].bytes += bytes_of(letter) + 1;
        }
        bool is_first = true;
        for (auto& [offset, weight] : by_offset) {
            weights.push_back({part.partition,
                               offset,
                               weight.rows,
                               weight.bytes,
                               std::exchange(is_first, false)});
        }
    }
    return weights;
}

/// Where half of the bytes are before. Precondition: no record has half of them or more.
[[nodiscard]] const Weight& middle_of(const std::vector<Weight>& weights, std::size_t total) {
    std::size_t before = 0;
    const auto at = std::find_if(weights.begin(), weights.end(), [&](const Weight& weight) {
        before += weight.bytes;
        return before * 2 > total;
    });
    return *at;
}

/// The route whose policy decides about a record that is refused because of all of its rows: the
/// strictest.
[[nodiscard]] const mapping::Route* strictest_route(const batch::PartitionBatch& part,
                                                    Offset offset) {
    const mapping::Route* strictest = nullptr;
    for (const auto& change : part.rows.changes()) {
        const auto* route = change.shape->route;
        if (change.offset == offset && route != nullptr &&
            (strictest == nullptr || route->on_bad_record < strictest->on_bad_record)) {
            strictest = route;
        }
    }
    return strictest;
}

[[nodiscard]] std::string ranges_of(const batch::Batch& batch) {
    const auto& first = batch.partitions.front();
    const auto others = batch.partitions.size() - 1;
    return fmt::format("{} from offset {} to before {}{}",
                       to_string(first.partition),
                       to_int(first.begin),
                       to_int(first.end),
                       others == 0 ? "" : fmt::format(", and {} other partitions", others));
}

}  // namespace

/// A transaction over a limit of the server: a part of the pending batch is tried at once, the
/// rest is read again. A record that is too big alone is refused.
void Pipeline::State::on_too_big(const SinkError& error) {
    if (error.outcome_unknown) {
        verify();  // what is cut now must be what the row is compared with
        if (!to_verify.empty()) {
            back_off(error);
            return;
        }
        if (pending.is_empty()) {
            return;
        }
    }
    const auto weights = weights_of(pending);
    if (weights.empty() || (weights.size() == 1 && weights.front().rows == 0)) {
        throw SinkError{error};
    }
    ++statistics.retries;
    if (weights.size() == 1) {
        const auto& record = weights.front();
        const auto& part = *pending.find(record.partition);
        RefusedRecord refused{record.partition,
                              record.offset,
                              {RecordErrorCode::too_large,
                               {},
                               fmt::format("the record's {} rows are too big for a transaction: {}",
                                           record.rows,
                                           error.what()),
                               error.native_code},
                              strictest_route(part, record.offset)};
        static_cast<void>(take_out(refused));
        return;
    }
    std::size_t total = 0;
    std::size_t rows = 0;
    for (const auto& weight : weights) {
        total += weight.bytes;
        rows += std::max<std::size_t>(weight.rows, 1);
    }
    const auto& heaviest = *std::max_element(
        weights.begin(), weights.end(), [](auto& a, auto& b) { return a.bytes < b.bytes; });
    if (heaviest.bytes * 2 < total) {
        row_limit = std::max<std::size_t>(1, std::min(row_limit, rows) / 2);
        commits_at_limit = 0;
        spdlog::warn("{}; going on with at most {} rows a batch", error.what(), row_limit);
        const auto& middle = middle_of(weights, total);
        cut_pending_at(middle.partition, middle.offset);
    } else if (heaviest.is_first_of_partition) {
        spdlog::warn(
            "{}; trying {} alone",
            error.what(),
            record_name(heaviest.partition.topic, heaviest.partition.partition, heaviest.offset));
        std::erase_if(pending.partitions,
                      [&](const auto& part) { return part.partition != heaviest.partition; });
        cut_pending(heaviest.partition, next(heaviest.offset));
    } else {
        cut_pending(heaviest.partition, heaviest.offset);
    }
    read_on_from_pending();
}

/// Ends the pending batch before a record, in the order of partition and offset.
void Pipeline::State::cut_pending_at(const TopicPartition& partition, Offset offset) {
    std::erase_if(pending.partitions, [&](const auto& part) { return partition < part.partition; });
    cut_pending(partition, offset);
}

/// Reads again what the pending batch lost, and all behind it. A record before which we were to
/// stop is met again, too.
void Pipeline::State::read_on_from_pending() {
    for (const auto& slot : slots) {
        if (slot->stage == Stage::reading) {
            const auto* part = pending.find(slot->partition);
            read_from(*slot, part != nullptr ? part->end : slot->committed);
        }
    }
    building_since.reset();
    stop_with.reset();
}

/// One odd batch must not slow the pipeline down for ever.
void Pipeline::State::grow_row_limit() {
    if (row_limit < settings.batch.rows && ++commits_at_limit >= kCommitsBeforeGrowth) {
        row_limit = std::min(row_limit * 2, settings.batch.rows);
        commits_at_limit = 0;
    }
}

/// The server refused the pending batch, but none of its records when they were tried one after
/// another. Another session's row may have been in the way, or a definition has changed.
void Pipeline::State::on_no_culprit(const SinkError& error) {
    int rounds = 0;
    for (const auto& part : pending.partitions) {
        rounds = std::max(rounds, ++rounds_without_culprit[part.partition]);
    }
    if (rounds >= kRoundsWithoutCulprit) {
        SinkError stop{
            ErrorKind::bad_record,
            "the tables refuse a batch as a whole, but none of its records alone",
            fmt::format("{}; {} times without a commit between; the server's words: {}{}{}",
                        ranges_of(pending),
                        rounds,
                        error.what(),
                        error.detail.empty() ? "" : ": ",
                        error.detail),
            "nothing of this batch is stored; look for triggers, constraints or other writers that "
            "make a row's fate depend on its neighbours; batch.rows = 1 writes record by record"};
        stop.native_code = error.native_code;
        throw stop;
    }
    back_off(error);
    if (rounds == 1) {
        spdlog::warn("{}, but no record alone is; reading the tables' definitions again",
                     error.what());
        claim_everything_again();
    } else {
        // The offset rows may have moved, which write() does not see where it fails before them.
        verify_all();
    }
}

}  // namespace txsink::pipeline
