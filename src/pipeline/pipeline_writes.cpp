/// @file
/// Transactions: when a batch is written, what its errors mean, and the recovery table.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>
#include <utility>

#include "pipeline/pipeline_state.hpp"
#include "pipeline/verdict.hpp"
#include "txsink/core/failpoint.hpp"

namespace txsink::pipeline {
namespace {

/// How long one turn may spend on reading offset rows before Kafka is polled again.
constexpr std::chrono::milliseconds kVerifyBudget{500};

/// Of all spare parts together.
constexpr std::size_t kMostSpareBytes = 4 * 1024 * 1024;

[[nodiscard]] Clock::TimePoint after_heartbeats(Clock::TimePoint now,
                                                std::chrono::milliseconds heartbeat) {
    thread_local std::minstd_rand engine{std::random_device{}()};
    std::uniform_int_distribution<std::chrono::milliseconds::rep> jitter{0, heartbeat.count()};
    return now + 2 * heartbeat + std::chrono::milliseconds{jitter(engine)};
}

}  // namespace

void SpareParts::keep(batch::PartitionBatch part) {
    const std::size_t bytes = part.capacity();
    // One that took no record, of markers alone, was lent nothing: kept, it would be one more each
    // time. A large one may be the only one: what is kept passes the limit once.
    if (part.records > 0 && bytes_ < kMostSpareBytes) {
        bytes_ += bytes;
        clear(part, Offset{0});
        parts_.push_back(std::move(part));
    }
}

void SpareParts::lend(batch::PartitionBatch& part) {
    if (parts_.empty() || part.capacity() > parts_.back().capacity()) {
        return;
    }
    auto spare = std::move(parts_.back());
    parts_.pop_back();
    bytes_ -= spare.capacity();
    spare.partition = part.partition;
    spare.fence = part.fence;
    spare.begin = part.begin;
    spare.end = part.end;
    part = std::move(spare);
}

/// Moves what was read into the pending batch. Precondition: nothing is pending.
void Pipeline::State::flush() {
    for (const auto& slot : slots) {
        auto& building = slot->building;
        if (slot->stage != Stage::reading || !building.moves()) {
            continue;
        }
        const Offset end = building.end;
        pending.partitions.push_back(std::move(building));
        building = {};
        clear(building, end);
        building.partition = slot->partition;
        building.fence = slot->fence;
        slot->letter_bytes = 0;
    }
    std::sort(pending.partitions.begin(),
              pending.partitions.end(),
              [](const auto& a, const auto& b) { return a.partition < b.partition; });
    building_rows = 0;
    building_bytes = 0;
    building_since.reset();
    copied.clear();
}

/// One try at the pending batch: begins it.
void Pipeline::State::attempt() {
    judge_refusals();
    if (pending.is_empty()) {
        return;
    }
    try {
        copy_dead_letters();
    } catch (const SinkError& error) {
        on_error(error);
        return;
    }
    sink.start_write(pending);
    is_writing = true;
    writing_since = clock.now();
    settle_write(std::chrono::milliseconds{0});
}

/// Does what the end of the write asks for, if it comes within `timeout`.
void Pipeline::State::settle_write(std::chrono::milliseconds timeout) {
    try {
        const auto outcome = sink.finish_write(timeout);
        if (!outcome) {
            return;
        }
        end_write(*outcome == WriteOutcome::committed);
        switch (*outcome) {
            case WriteOutcome::committed:
                on_committed();
                break;
            case WriteOutcome::offsets_differ:
                if (!pending.is_empty()) {
                    back_off(
                        SinkError{ErrorKind::replay, "the offset rows differ from what was read"});
                }
                verify_all();
                break;
        }
    } catch (const SinkError& error) {
        end_write(false);
        on_write_error(error);
    }
}

/// The write has ended: what was taken back meanwhile leaves the batch. What became of that, the
/// next owner has read from the offset row.
void Pipeline::State::end_write(bool is_committed) {
    is_writing = false;
    for (const auto& partition : lost) {
        if (const auto* part = pending.find(partition); part != nullptr && is_committed) {
            count(*part);
        }
        pending.drop(partition);
    }
    lost.clear();
}

/// The batch loses a partition; now, or when its write has ended.
void Pipeline::State::drop_pending(const TopicPartition& partition) {
    if (is_writing) {
        lost.push_back(partition);
    } else {
        pending.drop(partition);
    }
}

/// An error that is about the batch's records has nobody left to tell when all its partitions were
/// taken back.
void Pipeline::State::on_write_error(const SinkError& error) {
    const bool is_about_records = error.kind == ErrorKind::bad_record ||
                                  error.kind == ErrorKind::too_big ||
                                  error.kind == ErrorKind::schema_drift;
    if (!pending.is_empty() || !is_about_records) {
        on_error(error);
    } else if (error.reconnect || error.outcome_unknown) {
        verify_all();
    }
}

void Pipeline::State::on_committed() {
    TXSINK_FAILPOINT("after-commit");
    run = run_with(pending);
    for (auto& part : pending.partitions) {
        Slot& slot = *slot_of.at(part.partition);
        note_committed(slot, part);
        spares.keep(std::move(part));
    }
    TXSINK_FAILPOINT("after-acknowledge");
    const auto summary = sink.last_write();
    ++statistics.commits;
    statistics.missed_rows += summary.missed_rows;
    statistics.statement_time_us += static_cast<std::uint64_t>(summary.statements.count());
    statistics.commit_time_us += static_cast<std::uint64_t>(summary.commit.count());
    const auto took = summary.statements + summary.commit;
    write_time = write_time ? (3 * *write_time + took) / 4 : took;
    grow_row_limit();
    pending.partitions.clear();
    for (auto& [route, mapper] : mappers) {
        mapper.forget_shapes();
    }
    on_contact();
}

/// The servers did what they were asked.
void Pipeline::State::on_contact() {
    attempts = 0;
    if (failing_since) {
        failing_since.reset();
        --statistics.pipelines_waiting;
        spdlog::info("going on");
    }
}

/// Nothing is left to be tried again: what failed is no longer ours.
void Pipeline::State::on_idle() {
    const auto is_waiting = [](const auto& slot) {
        return slot->stage == Stage::to_claim || slot->is_out_of_range;
    };
    if (failing_since && !is_settling() && std::none_of(slots.begin(), slots.end(), is_waiting)) {
        on_contact();
    }
}

/// What an error of the sink or the source asks for; throws when there is nothing left to try.
void Pipeline::State::on_error(const SinkError& error) {
#ifndef TXSINK_MUTATION_TOKEN_ONLY  // with it: a COMMIT in doubt is blindly repeated
    if (error.reconnect || error.outcome_unknown) {
        verify_all();
    }
#endif
    switch (error.kind) {
        case ErrorKind::replay:
        case ErrorKind::connection:
        case ErrorKind::fail_over:
            back_off(error);
            return;
        case ErrorKind::bad_record:
            on_bad_record(error);
            return;
        case ErrorKind::too_big:
            on_too_big(error);
            return;
        case ErrorKind::schema_drift:
            if (pending.is_empty() || has_drifted_before()) {
                throw SinkError{error};
            }
            for (const auto& part : pending.partitions) {
                drifted.insert(part.partition);
            }
            spdlog::warn("{}; reading the tables' definitions again", error.what());
            back_off(error);
            claim_everything_again();
            return;
        default:
            throw SinkError{error};
    }
}

bool Pipeline::State::has_drifted_before() const {
    return std::any_of(pending.partitions.begin(), pending.partitions.end(), [&](const auto& part) {
        return drifted.contains(part.partition);
    });
}

/// Notes when to try again; throws when the deadline has passed.
void Pipeline::State::back_off(const SinkError& error) {
    const auto now = clock.now();
    ++statistics.retries;
    ++attempts;
    if (!failing_since) {
        failing_since = now;
        ++statistics.pipelines_waiting;
    }
    const bool is_first_session = !has_been_open;
    const auto since = is_first_session ? started : *failing_since;
    const auto deadline = is_first_session ? settings.connect_deadline : settings.retry.deadline;
    if (deadline.count() > 0 && now - since >= deadline) {
        SinkError gone{ErrorKind::unavailable, error.what(), error.detail, error.hint};
        gone.native_code = error.native_code;
        throw gone;
    }
    const auto wait = settings.retry.wait_before(attempts);
    retry_at = now + wait;
    // The first repetitions are everyday (a deadlock, a restarted server) and not worth a look.
    const auto level = attempts <= 3 ? spdlog::level::info : spdlog::level::warn;
    spdlog::log(level, "{}; attempt {} in {} ms", error.what(), attempts + 1, wait.count());
}

/// Every own row is read again before anything else is written.
void Pipeline::State::verify_all() {
    to_verify.clear();
    for (const auto& slot : slots) {
        if (slot->stage == Stage::reading) {
            to_verify.push_back(slot->tag.slot);
        }
    }
}

/// The rows that MySQL was not asked about for a while, each by itself: a neighbour that always has
/// something to write must not hide that one was edited, or went back in time.
void Pipeline::State::verify_idle(Clock::TimePoint now) {
    for (const auto& slot : slots) {
        if (slot->stage == Stage::reading && now - slot->seen_at >= settings.idle_check) {
            to_verify.push_back(slot->tag.slot);
        }
    }
}

void Pipeline::State::verify() {
    const auto started_at = clock.now();
    try {
        while (!to_verify.empty() && clock.now() - started_at < kVerifyBudget) {
            Slot& slot = *slots[to_verify.front()];
            if (slot.stage == Stage::reading) {
                verify(slot);
            }
            to_verify.pop_front();
        }
        if (to_verify.empty() && pending.is_empty()) {
            on_contact();
        }
    } catch (const SinkError& error) {
        on_error(error);
    }
}

void Pipeline::State::verify(Slot& slot) {
    auto* part = pending.find(slot.partition);
    const Offset begin = slot.committed;
    const Offset end = part != nullptr ? part->end : begin;
    const auto row = sink.read_offset(slot.partition);
    slot.seen_at = clock.now();
    switch (judge(row, slot.fence, begin, end)) {
        case Verdict::committed:
            if (part != nullptr) {
                ++statistics.commits_settled;  // its reply was lost, but it did happen
                run = part->rows.changes().empty() ? run : RefusalRun{};
                note_committed(slot, *part);
                pending.drop(slot.partition);
            }
            break;
        case Verdict::not_committed:
            break;
        case Verdict::taken:
            on_taken(slot, !row.has_value());
            break;
        case Verdict::moved:
            ++statistics.rewinds;
            spdlog::warn(
                "{}: the stored offset is {}, not {}: the database went back in time, or "
                "was edited; reading from there",
                to_string(slot.partition),
                to_int(row->next),
                to_int(end));
            pending.drop(slot.partition);
            begin_reading(slot, row->next);
            forget_stop(slot.partition);
            break;
    }
}

void Pipeline::State::count(const batch::PartitionBatch& part) {
    statistics.records += part.records;
    statistics.rows += part.rows.changes().size();
    statistics.filtered += part.filtered.size();
    note_refused(part);
}

/// MySQL holds this part of a batch.
void Pipeline::State::note_committed(Slot& slot, const batch::PartitionBatch& part) {
    count(part);
    slot.committed = part.end;
    slot.seen_at = clock.now();
    slot.takeovers.clear();
    drifted.erase(part.partition);
    rounds_without_culprit.erase(part.partition);
    source.acknowledge(part.partition, part.end);
    if (on_progress) {
        on_progress(part.partition, part.end);
    }
}

void Pipeline::State::on_taken(Slot& slot, bool row_is_missing) {
    ++statistics.takeovers;
    const auto now = clock.now();
    slot.takeovers.push_back(now);
    while (now - slot.takeovers.front() > settings.fenced_window) {
        slot.takeovers.pop_front();
    }
    if (static_cast<int>(slot.takeovers.size()) >= settings.fenced_limit) {
        throw SinkError{
            ErrorKind::fenced,
            fmt::format("{}: another process uses this connector name ({})",
                        to_string(slot.partition),
                        settings.connector),
            fmt::format("its offset row was taken over {} times without a commit of ours",
                        slot.takeovers.size()),
            "give each deployment its own connector, or let them share kafka.group.id"};
    }
    topics_with_offsets.erase(slot.partition.topic);
    spdlog::warn("{}: {}; claiming it again if Kafka still says that it is ours",
                 to_string(slot.partition),
                 row_is_missing ? "the offset row is missing" : "the offset row was taken over");
    give_up(slot, after_heartbeats(now, settings.heartbeat));
}

/// Reads everything again from the offset rows, under tables' definitions read anew.
void Pipeline::State::claim_everything_again() {
    stop_with.reset();  // a record before which we were to stop is met again, too
    for (const auto& slot : slots) {
        if (slot->stage == Stage::reading) {
            give_up(*slot, retry_at);
        }
    }
    to_verify.clear();
    building_since.reset();
    mappers.clear();
}

}  // namespace txsink::pipeline
