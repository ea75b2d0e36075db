/// @file
/// Claims: whose offset row it is, and where reading starts.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "pipeline/pipeline_state.hpp"
#include "txsink/mapping/topic_routes.hpp"

namespace txsink::pipeline {
namespace {

/// Before an offset that was out of range for a moment only is tried again.
constexpr std::chrono::seconds kRangeWait{1};
/// How long one turn may spend on claims before Kafka is polled again.
constexpr std::chrono::milliseconds kClaimBudget{200};

std::string hint_for_recreated() {
    return "if the topic was really made anew, start over with on-topic-recreated = restart; "
           "otherwise check kafka.bootstrap.servers and the connector's name";
}

std::string stored_and_log(const Slot& slot, const Watermarks& watermarks) {
    return fmt::format("stored {}, the log has {} to {}",
                       to_int(slot.committed),
                       to_int(watermarks.low),
                       to_int(watermarks.high));
}

}  // namespace

void Pipeline::State::claim_all_due() {
    const auto until = clock.now() + kClaimBudget;
    for (auto now = clock.now(); now < until && !is_settling() && claim_due(now);) {
        now = clock.now();
    }
}

/// Claims the partition that has waited longest. Returns whether it did.
bool Pipeline::State::claim_due(Clock::TimePoint now) {
    if (stop_with || now < retry_at) {
        return false;
    }
    Slot* due = nullptr;
    for (const auto& slot : slots) {
        if (slot->stage == Stage::to_claim && slot->claim_at <= now &&
            (due == nullptr || slot->claim_at < due->claim_at)) {
            due = slot.get();
        }
    }
    // A member that was already kicked must not fence the new owner.
    if (due == nullptr || source.is_assignment_lost()) {
        return false;
    }
    try {
        claim(*due);
        on_contact();
        return true;
    } catch (const SinkError& error) {
        on_error(error);
        // To the end of the line: one that has no leader, say, must not keep the others waiting.
        due->claim_at = std::max(due->claim_at, retry_at);
        return false;
    }
}

void Pipeline::State::claim(Slot& slot) {
    sink.open();
    has_been_open = true;
    if (cluster_id.empty()) {
        cluster_id = source.cluster_id();
    }
    if (cluster_id.empty()) {
        // Stored, or compared with what is stored, it would make ours another cluster.
        throw SinkError{ErrorKind::connection, "the brokers do not tell the id of their cluster"};
    }
    slot.mapper = mapper_of(slot.partition.topic);
    slot.keeps_records = slot.mapper != nullptr && slot.mapper->has_dead_letters();
    const Offset start = start_of(slot);
    const Fence fence = random_fence();
    const bool may_restart = settings.on_topic_recreated == OnTopicRecreated::restart;
    const ClaimedOffset claimed = sink.claim(slot.partition, fence, start, cluster_id, may_restart);
    if (!claimed.is_claimed) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("{}: the stored offset is of another Kafka cluster",
                                    to_string(slot.partition)),
                        fmt::format("stored for cluster \"{}\", connected to \"{}\"; nothing was "
                                    "changed",
                                    claimed.cluster_id,
                                    cluster_id),
                        hint_for_recreated()};
    }
    slot.fence = fence;
    slot.committed = claimed.next;
#ifdef TXSINK_MUTATION_WRONG_START
    slot.committed = Offset{std::max<std::int64_t>(0, to_int(claimed.next) - 2)};
#endif
    slot.start = claimed.start;
    if (claimed.cluster_id != cluster_id) {
        if (std::exchange(slot.has_changed_cluster, true)) {
            throw SinkError{
                ErrorKind::fenced,
                fmt::format("{}: another process uses this connector name ({}) with "
                            "another Kafka cluster",
                            to_string(slot.partition),
                            settings.connector),
                fmt::format("the offset row was of cluster \"{}\" again", claimed.cluster_id),
                "give each deployment its own connector"};
        }
        if (jump(slot, source.watermarks(slot.partition).low, "another cluster", true)) {
            begin_reading(slot, slot.committed);
        }
    } else {
        begin_reading(slot, slot.committed);
    }
}

/// One mapper for all routes that take the topic; nullptr: none does, and its records are filtered.
/// A table that is missing stops all topics: the message has to say whose it is.
static SinkError told_for(const std::string& topic, const SinkError& error) {
    if (error.kind != ErrorKind::configuration) {
        return error;
    }
    SinkError told{
        error.kind, fmt::format("topic {}: {}", topic, error.what()), error.detail, error.hint};
    told.native_code = error.native_code;
    return told;
}

mapping::RecordMapper* Pipeline::State::mapper_of(const std::string& topic) {
    if (const auto known = mappers.find(topic); known != mappers.end()) {
        return &known->second;
    }
    auto bound = mapping::bind_routes(settings.routes, topic, [&](const mapping::TableName& table) {
        try {
            return sink.load_table(table);
        } catch (const SinkError& error) {
            throw told_for(topic, error);
        }
    });
    if (!bound.empty()) {
        mapping::RecordMapper mapper{std::move(bound), {settings.connector, settings.on_unrouted}};
        return &mappers.emplace(topic, std::move(mapper)).first->second;
    }
    if (settings.on_unrouted == mapping::OnUnrouted::ignore) {
        return nullptr;
    }
    throw SinkError{ErrorKind::configuration, fmt::format("no route takes topic {}", topic)};
}

/// Where a row that is missing starts. Decided for all partitions of a topic at once and stored
/// before the first record, so that neither a crash nor a second worker decides again.
Offset Pipeline::State::start_of(const Slot& slot) {
    if (slot.start) {
        return *slot.start;
    }
    const std::string& topic = slot.partition.topic;
    if (!topics_with_offsets.contains(topic)) {
        if (!sink.has_offsets(topic)) {
            create_offsets(topic);
        }
        topics_with_offsets.insert(topic);
    }
    if (sink.read_offset(slot.partition)) {
        return Offset{0};  // the row says where; asking the broker would take longer than all else
    }
    // The topic has rows: a partition without one was added later, and is read from its start.
    return source.watermarks(slot.partition).low;
}

void Pipeline::State::create_offsets(const std::string& topic) {
    std::vector<std::string> topics{topic};
    StartPolicy policy = settings.start;
    if (!sink.has_offsets({})) {
        // The connector's very first rows: for every topic that there is, so that one found
        // later, by a regular expression, is known to be new.
        topics = source.topics();
        if (std::find(topics.begin(), topics.end(), topic) == topics.end()) {
            topics.push_back(topic);
        }
    } else if (mapping::is_found_by_pattern(settings.routes, topic)) {
        policy = StartPolicy{};
    }
    std::vector<PartitionStart> starts;
    for (const auto& name : topics) {
        const auto of_topic = source.start_offsets(name, policy);
        starts.insert(starts.end(), of_topic.begin(), of_topic.end());
    }
    std::sort(starts.begin(), starts.end(), [](const auto& a, const auto& b) {
        return a.partition < b.partition;
    });
    sink.create_offsets(starts, cluster_id);
    spdlog::info("stored the start of {} partitions", starts.size());
}

void Pipeline::State::begin_reading(Slot& slot, Offset next) {
    slot.committed = next;
    if (slot.start) {
        // Set back before its start, the row would have to be made with that, should it be lost.
        slot.start = std::min(*slot.start, next);
    }
    slot.seen_at = clock.now();
    slot.building.partition = slot.partition;
    slot.building.fence = slot.fence;
    read_from(slot, next);
    if (on_progress) {
        on_progress(slot.partition, next);
    }
    spdlog::debug("reading {} from {}", to_string(slot.partition), to_int(next));
}

/// Has the source deliver the partition from `next` on, under a tag of its own.
void Pipeline::State::read_from(Slot& slot, Offset next) {
    if (slot.stage == Stage::reading) {
        source.unassign(slot.partition);
    }
    forget_building(slot, next);
#ifdef TXSINK_MUTATION_REWIND_SEEK  // with it a rewind is a seek: the assignment stays the same
    if (slot.stage != Stage::reading)
#endif
        slot.tag.generation = ++generation;
    slot.is_out_of_range = false;
    slot.stage = Stage::reading;
    source.assign(slot.partition, next, slot.tag);
}

BuildingSize Pipeline::State::size_of_building(const Slot& slot) noexcept {
    const auto& part = slot.building;
    return {part.rows.changes().size() + part.dead_letters.size(),
            part.rows.bytes() + part.kept.bytes() + slot.letter_bytes +
                part.skipped.size() * sizeof(batch::SkippedRecord) +
                part.filtered.size() * sizeof(Offset)};
}

/// Drops what was read of a partition and not handed to a batch.
void Pipeline::State::forget_building(Slot& slot, Offset from) {
    const BuildingSize size = size_of_building(slot);
    building_rows -= size.rows;
    building_bytes -= size.bytes;
    slot.letter_bytes = 0;
    clear(slot.building, from);
}

void clear(batch::PartitionBatch& part, Offset from) noexcept {
    part.rows.clear();
    part.dead_letters.clear();
    part.skipped.clear();
    part.filtered.clear();
    part.kept.clear();
    part.records = 0;
    part.last_timestamp_ms = -1;
    part.begin = from;
    part.end = from;
}

/// Stops reading a partition that is still assigned to us, until it is claimed again.
void Pipeline::State::give_up(Slot& slot, Clock::TimePoint claim_at) {
    drop_pending(slot.partition);
    forget_building(slot, slot.committed);
    source.unassign(slot.partition);
    slot.stage = Stage::to_claim;
    slot.claim_at = claim_at;
    forget_stop(slot.partition);
}

/// What the broker refused is settled once all that was read before it is committed. That the
/// offset is out of range is the broker's word; the watermarks only tell which way.
void Pipeline::State::settle_out_of_range(Slot& slot) {
    if (slot.building.moves()) {
        return;
    }
    try {
        const Watermarks watermarks = source.watermarks(slot.partition);
        if (watermarks.low <= slot.committed && slot.committed <= watermarks.high) {
            give_up(slot, clock.now() + kRangeWait);  // it was so for a moment only
            return;
        }
        const bool is_recreated = slot.committed > watermarks.high;
        const Offset to = is_recreated ? restart_of(slot, watermarks) : resume_of(slot, watermarks);
        source.unassign(slot.partition);
        slot.stage = Stage::to_claim;
        if (jump(slot, to, is_recreated ? "topic recreated" : "out of range", is_recreated)) {
            begin_reading(slot, slot.committed);
        }
    } catch (const SinkError& error) {
        on_error(error);
    }
}

/// Where reading goes on behind records that Kafka has deleted; throws when it must not.
Offset Pipeline::State::resume_of(const Slot& slot, const Watermarks& watermarks) const {
    switch (settings.on_out_of_range) {
        case OnOutOfRange::earliest:
            return watermarks.low;
        case OnOutOfRange::latest:
            return watermarks.high;
        case OnOutOfRange::fail:
            break;
    }
    throw SinkError{ErrorKind::configuration,
                    fmt::format("{}: the stored offset is out of range: Kafka has deleted records "
                                "that were not yet read",
                                to_string(slot.partition)),
                    stored_and_log(slot, watermarks),
                    "on-out-of-range = earliest goes on behind the hole and records it in "
                    "txsink_gaps"};
}

/// Where a topic that was made anew is read from; throws when it must not be.
Offset Pipeline::State::restart_of(const Slot& slot, const Watermarks& watermarks) const {
    if (settings.on_topic_recreated == OnTopicRecreated::restart) {
        return watermarks.low;
    }
    throw SinkError{ErrorKind::configuration,
                    fmt::format("{}: the stored offset lies beyond the end of the log: the topic "
                                "was recreated, or the log lost its tail",
                                to_string(slot.partition)),
                    stored_and_log(slot, watermarks),
                    hint_for_recreated()};
}

/// Moves the stored offset over a hole. Returns false when the row turned out not to be ours:
/// then it is claimed again.
bool Pipeline::State::jump(Slot& slot, Offset to, const std::string& reason, bool is_another_log) {
    const Gap gap{slot.committed, to, reason, is_another_log};
    if (!sink.jump(slot.partition, slot.fence, gap, cluster_id)) {
        slot.claim_at = clock.now() + kRangeWait;
        return false;
    }
    ++statistics.gaps;
    spdlog::warn("{}: {}: went on at {} instead of {} (recorded in txsink_gaps)",
                 to_string(slot.partition),
                 reason,
                 to_int(to),
                 to_int(slot.committed));
    slot.committed = to;
    return true;
}

}  // namespace txsink::pipeline
