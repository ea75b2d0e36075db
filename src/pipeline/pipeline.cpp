/// @file
/// The pipeline's loop, and what it does with each event from Kafka.
#include "txsink/pipeline/pipeline.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "pipeline/pipeline_state.hpp"

namespace txsink::pipeline {
namespace {

using std::chrono::milliseconds;

/// Records handled between two looks at the clock.
constexpr int kRecordsPerTurn = 1'000;
/// How long a request to stop may go unnoticed.
constexpr milliseconds kLongestWait{100};
/// A batch waits for more records as long as so many writes take: it is soon written where little
/// comes, and no more than a quarter of the time goes into small transactions.
constexpr int kWaitInWrites = 4;
/// A write that lasts so long is not waited for with a full batch: the group must be served.
constexpr milliseconds kPatience{5'000};

}  // namespace

Pipeline::Pipeline(PipelineSettings settings,
                   RecordSource& source,
                   Sink& sink,
                   const Clock& clock,
                   Statistics& statistics,
                   ProgressListener on_progress)
    : state_{std::make_unique<State>(
          std::move(settings), source, sink, clock, statistics, std::move(on_progress))} {}

Pipeline::~Pipeline() = default;

void Pipeline::turn(milliseconds timeout) {
    state_->turn(timeout);
}

void Pipeline::run(std::stop_token stop) {
    try {
        state_->source.start();
        while (!stop.stop_requested()) {
            state_->turn(kLongestWait);
        }
    } catch (...) {
        state_->finish(false);
        throw;
    }
    state_->finish(true);
}

Pipeline::State::State(PipelineSettings settings_in,
                       RecordSource& source_in,
                       Sink& sink_in,
                       const Clock& clock_in,
                       Statistics& statistics_in,
                       ProgressListener on_progress_in)
    : settings{std::move(settings_in)},
      source{source_in},
      sink{sink_in},
      clock{clock_in},
      statistics{statistics_in},
      on_progress{std::move(on_progress_in)},
      row_limit{settings.batch.rows},
      started{clock.now()} {}

void Pipeline::State::turn(milliseconds timeout) {
    const auto now = clock.now();
    if (is_writing && waits_for_sink(now)) {
        // Paused, nothing but rebalances can come.
        const bool may_read = !is_full() || is_paused;
        const bool has_more = may_read && read(milliseconds{0}) && !is_full();
        settle_write(has_more ? milliseconds{0} : std::min(timeout, kLongestWait));
    } else {
        read(std::min(timeout, longest_wait(now)));
    }
    work();
}

/// Takes what has come from Kafka, and waits for the first of it. Returns whether there may be
/// more.
bool Pipeline::State::read(milliseconds timeout) {
    const SourceEvent* event = &source.poll(timeout);
    handle(*event);
    for (int i = 1; i < kRecordsPerTurn && event->kind == EventKind::record && !is_full(); ++i) {
        event = &source.poll(milliseconds{0});
        handle(*event);
    }
    return event->kind != EventKind::none;
}

/// Something is to be done that the sink has no time for until its write ends.
bool Pipeline::State::waits_for_sink(Clock::TimePoint now) {
    return is_due(now) || std::any_of(slots.begin(), slots.end(), [&](const auto& slot) {
               return slot->is_out_of_range ||
                      (slot->stage == Stage::to_claim && slot->claim_at <= now);
           });
}

/// The batch that is being built should be written.
bool Pipeline::State::is_due(Clock::TimePoint now) const {
    return building_since && (is_full() || stop_with || now - *building_since >= wait_for_more());
}

std::chrono::microseconds Pipeline::State::wait_for_more() const {
    const std::chrono::microseconds linger = settings.batch.linger;
    return write_time ? std::min(linger, kWaitInWrites * *write_time) : linger;
}

milliseconds Pipeline::State::longest_wait(Clock::TimePoint now) const {
    auto until = now + kLongestWait;
    if (is_settling() && !is_writing) {
        until = std::min(until, retry_at);
    } else {
        if (building_since) {
            until = std::min(until, *building_since + wait_for_more());
        }
        for (const auto& slot : slots) {
            if (slot->stage == Stage::to_claim && !source.is_assignment_lost()) {
                until = std::min(until, std::max(slot->claim_at, retry_at));
            }
        }
    }
    if (is_full() || stop_with) {
        return milliseconds{is_settling() ? 10 : 0};
    }
    return std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(until - now));
}

void Pipeline::State::handle(const SourceEvent& event) {
    switch (event.kind) {
        case EventKind::none:
            break;
        case EventKind::record:
            on_record(event);
            break;
        case EventKind::end_of_partition:
            on_end_of_partition(event);
            break;
        case EventKind::out_of_range:
            on_out_of_range(event);
            break;
        case EventKind::assigned:
            on_assigned(event.partitions);
            break;
        case EventKind::revoked:
            on_revoked(event.partitions);
            break;
        case EventKind::topic_missing:
            throw SinkError{ErrorKind::configuration,
                            event.message,
                            {},
                            "a deleted topic keeps its rows in txsink_offsets; create the topic "
                            "again, or take it out of the routes"};
    }
}

void Pipeline::State::on_assigned(const std::vector<TopicPartition>& partitions) {
    const auto now = clock.now();
    for (const auto& partition : partitions) {
        Slot*& slot = slot_of[partition];
        if (slot == nullptr) {
            slots.push_back(std::make_unique<Slot>());
            slot = slots.back().get();
            slot->partition = partition;
            slot->tag.slot = static_cast<std::uint32_t>(slots.size() - 1);
        }
        drop_pending(partition);
        forget_building(*slot, slot->committed);
        slot->stage = Stage::to_claim;
        slot->claim_at = now;
    }
    spdlog::info("assigned {} partitions", partitions.size());
}

/// A pending batch loses the revoked partitions, and is not waited for. A transaction that is open
/// holds their offset rows: the next owner's claim waits for it, and finds what it committed.
void Pipeline::State::on_revoked(const std::vector<TopicPartition>& partitions) {
    for (const auto& partition : partitions) {
        const auto at = slot_of.find(partition);
        if (at == slot_of.end()) {
            continue;
        }
        Slot& slot = *at->second;
        drop_pending(partition);
        forget_building(slot, slot.committed);
        slot.stage = Stage::unowned;
        slot.is_out_of_range = false;
        slot.takeovers.clear();
        drifted.erase(partition);
        rounds_without_culprit.erase(partition);
        forget_stop(partition);
    }
    spdlog::info("{} partitions were revoked", partitions.size());
}

/// The slot that waits for events of this assignment, or null: an event from before the last
/// (re)assignment of its partition.
Slot* Pipeline::State::expecting(const AssignmentTag& tag) {
    Slot& slot = *slots.at(tag.slot);
    return slot.stage == Stage::reading && slot.tag == tag ? &slot : nullptr;
}

void Pipeline::State::on_record(const SourceEvent& event) {
    if (stop_with) {
        return;
    }
    Slot* slot = expecting(event.tag);
    const ConsumerRecord& record = event.record;
#ifdef TXSINK_MUTATION_KEEP_STALE
    if (slot == nullptr) {
        slot = slots.at(event.tag.slot).get();
    }
#else
    if (slot == nullptr || record.offset < slot->building.end) {
        ++statistics.stale_records_dropped;
        return;
    }
#endif
    const BuildingSize before = size_of_building(*slot);
    const bool is_taken = take(*slot, record);
    auto& building = slot->building;
    if (is_taken) {
        building.end = next(record.offset);
        ++building.records;
        building.last_timestamp_ms = std::max(building.last_timestamp_ms, record.timestamp_ms);
        const BuildingSize after = size_of_building(*slot);
        building_rows += after.rows - before.rows;
        building_bytes += after.bytes - before.bytes;
    } else if (building.end < record.offset) {
        // What precedes the record is committed before we stop, so that the stored offset names
        // the record itself: an operator who steps over it skips nothing else.
        building.end = record.offset;
    }
    if (!building_since) {
        building_since = clock.now();
    }
}

/// Puts what becomes of a record into the batch. Returns false when we have to stop before it.
bool Pipeline::State::take(Slot& slot, const ConsumerRecord& record) {
    auto& building = slot.building;
    if (building.records == 0) {
        spares.lend(building);
    }
    const std::size_t rows_before = building.rows.changes().size();
    if (slot.mapper != nullptr) {
        auto mapped = slot.mapper->map(record, building.rows);
        if (!mapped) {
            return take_refused(slot, record, std::move(mapped.error()));
        }
    }
    if (building.rows.changes().size() == rows_before) {
        building.filtered.push_back(record.offset);
    } else if (slot.keeps_records) {
        building.kept.add(record);
    }
    return true;
}

void Pipeline::State::on_end_of_partition(const SourceEvent& event) {
    if (stop_with) {
        return;
    }
    Slot* slot = expecting(event.tag);
    if (slot == nullptr || event.offset < slot->building.end) {
        ++statistics.stale_records_dropped;
        return;
    }
    if (on_progress && event.offset == slot->committed) {
        on_progress(slot->partition, slot->committed);
    }
    if (event.offset > slot->building.end) {
        // Transaction markers, or records of aborted transactions: nothing to apply up to here.
        slot->building.end = event.offset;
        if (!building_since) {
            building_since = clock.now();
        }
    }
}

void Pipeline::State::on_out_of_range(const SourceEvent& event) {
    if (Slot* slot = expecting(event.tag); slot != nullptr) {
        slot->is_out_of_range = true;
    }
}

bool Pipeline::State::is_full() const noexcept {
    return building_rows >= row_limit || building_bytes >= settings.batch.bytes;
}

void Pipeline::State::set_paused(bool paused) {
    if (paused != is_paused) {
        paused ? source.pause() : source.resume();
        is_paused = paused;
    }
}

/// What is due between two polls. Nothing in here runs inside a rebalance callback.
void Pipeline::State::work() {
    if (is_writing) {
        settle_write(milliseconds{0});
    }
    auto now = clock.now();
    if (!to_verify.empty() && now >= retry_at) {
        verify();
    }
    if (!pending.is_empty() && !is_writing && to_verify.empty() && now >= retry_at) {
        attempt();
    }
    if (!is_settling()) {
        for (const auto& slot : slots) {
            if (slot->is_out_of_range && slot->stage == Stage::reading && now >= retry_at) {
                settle_out_of_range(*slot);
            }
        }
        claim_all_due();
    }
    now = clock.now();
    if (!is_settling()) {
        verify_idle(now);
        on_idle();
    }
    if (!is_settling() && is_due(now)) {
        flush();
        attempt();
    }
    if (stop_with && !is_settling()) {
        throw SinkError{*stop_with};
    }
    // Pausing throws away what librdkafka has fetched, so only when there is no other way: a write
    // that lasts is waited for.
    if (!is_settling() && !stop_with) {
        set_paused(false);
    } else if (stop_with ||
               (is_full() && (!is_writing || clock.now() - writing_since >= kPatience))) {
        set_paused(true);
    }
}

/// Writes what is left, if the database is there, and leaves. What the last batch was refused for
/// is thrown after that; a database that is away is no error here: the batch is read again.
void Pipeline::State::finish(bool may_write) {
    std::exception_ptr failure;
    if (may_write) {
        try {
            write_last_batch();
        } catch (...) {
            failure = std::current_exception();
        }
    }
    // What it says of the records before it is true only when these are committed.
    if (may_write && !failure && stop_with && !is_settling() && !failing_since) {
        failure = std::make_exception_ptr(*stop_with);
    }
    if (failing_since) {
        --statistics.pipelines_waiting;
    }
    source.close();
    sink.close();
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void Pipeline::State::write_last_batch() {
    write_pending();
    if (!is_settling() && !failing_since) {
        flush();
        write_pending();
    }
    if (!pending.is_empty()) {
        spdlog::warn("the last batch was not written; it is read again at the next start");
    }
}

/// Waits for the write that lasts, and goes on without the records that are refused.
void Pipeline::State::write_pending() {
    for (;;) {
        while (is_writing) {
            settle_write(kLongestWait);
        }
        if (pending.is_empty() || !to_verify.empty() || failing_since) {
            return;
        }
        attempt();
    }
}

}  // namespace txsink::pipeline
