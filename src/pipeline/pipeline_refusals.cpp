/// @file
/// Refused records: kept, skipped or stopped at; copies of dead letters; and when there are too
/// many of them.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "pipeline/pipeline_state.hpp"
#include "txsink/core/failpoint.hpp"

namespace txsink::pipeline {
namespace {

/// With fewer refused records than this, a batch tells nothing about the rest of the topic.
constexpr std::size_t kSystemicFrom = 20;
/// Between two lines of the log about refused records.
constexpr std::chrono::seconds kTellEvery{10};

[[nodiscard]] std::string name_of(const TopicPartition& partition, Offset offset) {
    return record_name(partition.topic, partition.partition, offset);
}

[[nodiscard]] mapping::OnBadRecord policy_of(const mapping::Route* route) noexcept {
    return route == nullptr ? mapping::OnBadRecord::fail : route->on_bad_record;
}

/// What a dead letter names as its target: the table, or the route where there is none.
[[nodiscard]] std::string target_of(const Slot& slot, const mapping::Route& route) {
    const auto& bound = slot.mapper->routes();
    const auto at = std::find_if(bound.begin(), bound.end(), [&](const auto& each) {
        return each.route.name == route.name;
    });
    return at == bound.end() || at->table.name.table.empty() ? route.name
                                                             : to_string(at->table.name);
}

/// Keeps `entries` in offset order.
template <typename Entry>
void insert(std::vector<Entry>& entries, Entry entry) {
    const auto at = std::upper_bound(
        entries.begin(), entries.end(), entry.offset, [](Offset offset, const Entry& other) {
            return offset < other.offset;
        });
    entries.insert(at, std::move(entry));
}

[[nodiscard]] std::size_t refused_of(const batch::PartitionBatch& part) noexcept {
    return part.dead_letters.size() + part.skipped.size();
}

[[nodiscard]] std::size_t refused_of(const batch::Batch& batch) noexcept {
    std::size_t count = 0;
    for (const auto& part : batch.partitions) {
        count += refused_of(part);
    }
    return count;
}

/// Records that a route wanted, whether they were refused or not.
[[nodiscard]] std::size_t wanted_of(const batch::Batch& batch) noexcept {
    std::size_t count = 0;
    for (const auto& part : batch.partitions) {
        count += static_cast<std::size_t>(part.records) - part.filtered.size();
    }
    return count;
}

/// Calls `act(offset, error)` for each refused record of `part`.
template <typename Act>
void for_each_refused(const batch::PartitionBatch& part, const Act& act) {
    for (const auto& letter : part.dead_letters) {
        act(letter.offset, letter.error);
    }
    for (const auto& skipped : part.skipped) {
        act(skipped.offset, skipped.error);
    }
}

[[nodiscard]] Cause cause_of(const RecordError& error) {
    return {error.code, error.field, error.native_code};
}

/// Why most of the records of `batch` are refused; nothing: they are not, or not for one cause.
[[nodiscard]] std::optional<Cause> systemic_cause(const batch::Batch& batch) {
    if (refused_of(batch) < kSystemicFrom) {
        return std::nullopt;
    }
    std::map<Cause, std::size_t> counts;
    for (const auto& part : batch.partitions) {
        for_each_refused(part,
                         [&](Offset, const RecordError& error) { ++counts[cause_of(error)]; });
    }
    const auto most = std::max_element(
        counts.begin(), counts.end(), [](auto& a, auto& b) { return a.second < b.second; });
    return most->second * 2 > wanted_of(batch) ? std::optional{most->first} : std::nullopt;
}

/// The refused records of a batch.
struct Refused {
    std::size_t count = 0;
    /// By partition; the part's end where there is none.
    std::vector<std::pair<TopicPartition, Offset>> first;
    /// Where and why the last of them is.
    std::string last;
};

/// Those refused for `cause`; nothing: all.
[[nodiscard]] Refused refused_for(const std::optional<Cause>& cause, const batch::Batch& batch) {
    Refused found;
    for (const auto& part : batch.partitions) {
        Offset first = part.end;
        for_each_refused(part, [&](Offset offset, const RecordError& error) {
            if (!cause || cause_of(error) == *cause) {
                ++found.count;
                first = std::min(first, offset);
                found.last = fmt::format("{}: {} (code {})",
                                         name_of(part.partition, offset),
                                         error.message,
                                         txsink::name_of(error.code));
            }
        });
        found.first.emplace_back(part.partition, first);
    }
    return found;
}

/// Drops what `part` has of records at or after `offset`, and ends it there.
void cut(batch::PartitionBatch& part, Offset offset) {
    part.rows.truncate(offset);
    std::erase_if(part.dead_letters, [&](const auto& each) { return each.offset >= offset; });
    std::erase_if(part.skipped, [&](const auto& each) { return each.offset >= offset; });
    std::erase_if(part.filtered, [&](Offset each) { return each >= offset; });
    part.records = refused_of(part) + part.filtered.size();
    const auto& changes = part.rows.changes();
    for (std::size_t i = 0; i < changes.size(); ++i) {
        part.records += i == 0 || changes[i].offset != changes[i - 1].offset ? 1 : 0;
    }
    part.end = offset;
}

}  // namespace

/// A record that the mapping refused. Returns false when we have to stop before it.
bool Pipeline::State::take_refused(Slot& slot, const ConsumerRecord& record, RecordError error) {
    const mapping::Route* route = slot.mapper->refusing_route();
    auto& building = slot.building;
    switch (policy_of(route)) {
        case mapping::OnBadRecord::fail:
            stop_before(slot.partition, record.offset, error);
            return false;
        case mapping::OnBadRecord::dead_letter:
            building.dead_letters.push_back(
                batch::make_dead_letter(record, std::move(error), target_of(slot, *route)));
            slot.letter_bytes += bytes_of(building.dead_letters.back());
            return true;
        case mapping::OnBadRecord::skip:
            building.skipped.push_back({record.offset, std::move(error)});
            return true;
    }
    return false;
}

/// The server refused a row: the records that it refuses are taken out, and the rest is tried
/// again at once.
void Pipeline::State::on_bad_record(const SinkError& error) {
    std::vector<RefusedRecord> refused;
    try {
        refused = sink.isolate(pending, most_to_find());
    } catch (const SinkError& failure) {
        if (failure.kind == ErrorKind::bad_record) {
            throw;
        }
        on_error(failure);
        return;
    }
    if (refused.empty()) {
        on_no_culprit(error);
        return;
    }
    for (auto& record : refused) {
        if (!take_out(record)) {
            break;  // those after it met rows that will not be there
        }
    }
    TXSINK_FAILPOINT("after-isolate");
}

/// So many refused records of the pending batch decide what becomes of it; to find more would
/// only take long.
std::size_t Pipeline::State::most_to_find() const {
    const bool all_fail =
        std::all_of(pending.partitions.begin(), pending.partitions.end(), [&](const auto& part) {
            const auto* mapper = slot_of.at(part.partition)->mapper;
            return mapper == nullptr ||
                   std::all_of(
                       mapper->routes().begin(), mapper->routes().end(), [](const auto& each) {
                           return policy_of(&each.route) == mapping::OnBadRecord::fail;
                       });
        });
    if (all_fail) {
        return 1;
    }
    const std::size_t for_cause = std::max(kSystemicFrom, wanted_of(pending) / 2 + 1);
    const std::size_t limit = settings.bad_record_limit.count;
    return limit == 0 ? for_cause : std::min(for_cause, limit + 1);
}

/// Takes a record that the server refuses out of the pending batch. Returns false when the batch
/// was cut off before it instead.
bool Pipeline::State::take_out(RefusedRecord& refused) {
    auto* part = pending.find(refused.partition);
    const std::size_t before = part == nullptr ? 0 : part->rows.changes().size();
    if (policy_of(refused.route) == mapping::OnBadRecord::fail) {
        stop_before(refused.partition, refused.offset, refused.error);
        return false;
    }
    if (part != nullptr) {
        part->rows.remove(refused.offset);
    }
    if (part == nullptr || part->rows.changes().size() == before) {
        throw SinkError{ErrorKind::internal,
                        fmt::format("{} was refused, but has no rows in the batch",
                                    name_of(refused.partition, refused.offset))};
    }
    if (refused.route->on_bad_record == mapping::OnBadRecord::skip) {
        insert(part->skipped, batch::SkippedRecord{refused.offset, std::move(refused.error)});
    } else {
        const Slot& slot = *slot_of.at(refused.partition);
        insert(part->dead_letters,
               batch::make_dead_letter(part->kept.find(refused.offset),
                                       std::move(refused.error),
                                       target_of(slot, *refused.route)));
    }
    return true;
}

/// Policy `fail`: everything before the record is committed, then the pipeline stops at it.
void Pipeline::State::stop_before(const TopicPartition& partition,
                                  Offset offset,
                                  const RecordError& error) {
    cut_pending(partition, offset);
    const bool has_no_route = error.code == RecordErrorCode::no_route;
    stop_with.emplace(
        ErrorKind::bad_record,
        fmt::format("{}: {}", name_of(partition, offset), error.message),
        fmt::format("code {}; {}; everything before this record is committed, nothing from it on",
                    txsink::name_of(error.code),
                    has_no_route ? "unrouted is error" : "the route's on-bad-record is fail"),
        fmt::format("mend the producer or the table and run again, or step over the "
                    "record: txsink offsets set --connector {} {}:{} {}",
                    settings.connector,
                    partition.topic,
                    partition.partition,
                    to_int(offset) + 1));
    stop_at = {partition};
    building_since = building_since ? building_since : clock.now();
}

/// The partition is no longer ours, or is read from elsewhere: a record of it is no reason to stop
/// any more. What the others have had since is read again.
void Pipeline::State::forget_stop(const TopicPartition& partition) {
    if (stop_with && std::erase(stop_at, partition) > 0 && stop_at.empty()) {
        read_on_from_pending();
    }
}

/// Drops what was read of the partition from `offset` on, where the pending batch holds it.
void Pipeline::State::cut_pending(const TopicPartition& partition, Offset offset) {
    auto* part = pending.find(partition);
    if (part == nullptr || offset >= part->end) {
        return;
    }
    cut(*part, offset);
    forget_building(*slot_of.at(partition), offset);
    if (!part->moves()) {
        pending.drop(partition);
    }
}

/// Stops before the refused records of the pending batch when there are too many of them, lately
/// or, for one cause, in the batch: rather than to fill the dead letters with a whole topic.
void Pipeline::State::judge_refusals() {
    const std::size_t refused = refused_of(pending);
    if (refused == 0) {
        return;
    }
    const auto now = clock.now();
    const auto& limit = settings.bad_record_limit;
    const bool is_over_limit =
        limit.count != 0 &&
        statistics.refused_lately.count(now, limit.window) + refused > limit.count;
    auto cause = systemic_cause(pending);
    const bool is_most = cause.has_value();
    const RefusalRun longer = run_with(pending);
    if (!is_most && longer.length >= kSystemicFrom) {
        cause = longer.cause;
    }
    if (!cause && !is_over_limit) {
        return;
    }
    const Refused found = refused_for(cause, pending);
    stop_with.emplace(
        ErrorKind::bad_record,
        is_most ? fmt::format("{} of {} records of a batch are refused alike: the last {}",
                              found.count,
                              wanted_of(pending),
                              found.last)
        : cause
            ? fmt::format(
                  "{} records in a row are refused alike: the last {}", longer.length, found.last)
            : fmt::format("more than {} records were refused within {} s: the last {}",
                          limit.count,
                          std::chrono::ceil<std::chrono::seconds>(limit.window).count(),
                          found.last),
        "in this batch nothing is stored from the first of them on",
        cause ? "this looks like a fault of the route, the table or the producer, not of single "
                "records: mend it and run again"
              : "mend the producer, the route or the table and run again; bad-record.limit allows "
                "more, 0 any number");
    stop_at.clear();
    for (const auto& [partition, first] : found.first) {
        if (first < pending.find(partition)->end) {
            stop_at.push_back(partition);
        }
        cut_pending(partition, first);
    }
    building_since = building_since ? building_since : now;
}

/// What the run of refusals alike is once `batch` is committed: of batches that apply a record
/// there is none, so that the few records of a slow topic count from batch to batch.
RefusalRun Pipeline::State::run_with(const batch::Batch& batch) const {
    RefusalRun longer = run;
    for (const auto& part : batch.partitions) {
        if (!part.rows.changes().empty()) {
            return {};
        }
        for_each_refused(part, [&](Offset, const RecordError& error) {
            auto cause = cause_of(error);
            if (longer.length == 0 || cause != longer.cause) {
                longer = {std::move(cause), 0};
            }
            ++longer.length;
        });
    }
    return longer;
}

/// Hands the pending batch's dead letters to whoever copies them, once each while all goes well.
void Pipeline::State::copy_dead_letters() {
    if (!settings.copy_dead_letters) {
        return;
    }
    std::vector<batch::DeadLetter> fresh;
    for (const auto& part : pending.partitions) {
        fresh.clear();
        std::copy_if(part.dead_letters.begin(),
                     part.dead_letters.end(),
                     std::back_inserter(fresh),
                     [&](const auto& letter) {
                         return !copied.contains({part.partition, letter.offset});
                     });
        if (!fresh.empty()) {
            settings.copy_dead_letters(part.partition, fresh);
            TXSINK_FAILPOINT("after-copy");
        }
        for (const auto& letter : fresh) {
            copied.emplace(part.partition, letter.offset);
        }
    }
}

/// Counts what a committed part had of refused records, and tells of it now and then.
void Pipeline::State::note_refused(const batch::PartitionBatch& part) {
    const std::size_t refused = refused_of(part);
    if (refused == 0) {
        return;
    }
    const auto now = clock.now();
    statistics.dead_letters += part.dead_letters.size();
    statistics.skipped += part.skipped.size();
    statistics.refused_lately.add(now, refused, settings.bad_record_limit.window);
    refused_untold += refused;
    if (refused_told_at && now - *refused_told_at < kTellEvery) {
        return;
    }
    const auto tell = [&](Offset offset, const RecordError& error, const char* fate) {
        spdlog::warn("{} record{} refused; the last: {}: {} (code {}), {}",
                     refused_untold,
                     refused_untold == 1 ? " was" : "s were",
                     name_of(part.partition, offset),
                     error.message,
                     txsink::name_of(error.code),
                     fate);
    };
    if (part.dead_letters.empty()) {
        tell(part.skipped.back().offset, part.skipped.back().error, "skipped");
    } else {
        const auto& letter = part.dead_letters.back();
        tell(letter.offset, letter.error, "kept in txsink_dead_letters");
    }
    refused_untold = 0;
    refused_told_at = now;
}

}  // namespace txsink::pipeline
