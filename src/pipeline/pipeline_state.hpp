/// @file
/// Everything that a Pipeline remembers between two turns of its loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "txsink/pipeline/pipeline.hpp"

namespace txsink::pipeline {

enum class Stage : std::uint8_t {
    unowned,   ///< the group has not given it to us, or has taken it back
    to_claim,  ///< given to us; its row is not (or no longer) ours
    reading,   ///< claimed and assigned
};

/// One partition that this pipeline has met. Kept after a revoke: what was learnt about the
/// partition's start must outlive its assignment.
struct Slot {
    TopicPartition partition;
    Stage stage = Stage::unowned;
    Clock::TimePoint claim_at{};
    AssignmentTag tag;
    Fence fence{};
    /// What MySQL holds, as far as we know: claimed, or last committed.
    Offset committed{0};
    /// When MySQL last said so: at a claim, a commit, or a look at the row.
    Clock::TimePoint seen_at{};
    /// What has been read since, from the end of the pending batch; building.end is the next
    /// offset that we expect.
    batch::PartitionBatch building;
    /// Of building.dead_letters.
    std::size_t letter_bytes = 0;
    /// nullptr: no route takes the topic, and that is allowed.
    mapping::RecordMapper* mapper = nullptr;
    /// One of its routes keeps what the server refuses.
    bool keeps_records = false;
    /// The start that the row was made with: what a row that has vanished is made with again.
    std::optional<Offset> start;
    /// When other claims took the row from us, without a commit of ours in between.
    std::deque<Clock::TimePoint> takeovers;
    /// The broker refused our position; settled once all before it is committed.
    bool is_out_of_range = false;
    /// It was read anew because its row was of another cluster; a second time is a rival.
    bool has_changed_cluster = false;
};

/// What one slot adds to the batch that is being built.
struct BuildingSize {
    std::size_t rows = 0;   ///< row changes and dead letters
    std::size_t bytes = 0;  ///< of all that is remembered
};

/// Memory of batches that were written, to be filled again: as much as a batch has partitions, not
/// as much as there are partitions.
class SpareParts {
public:
    void keep(batch::PartitionBatch part);
    /// Gives `part`, which holds nothing, memory; the rest of it stays.
    void lend(batch::PartitionBatch& part);

private:
    std::vector<batch::PartitionBatch> parts_;
    std::size_t bytes_ = 0;
};

/// What makes two refusals alike: code, field, and the server's number.
using Cause = std::tuple<RecordErrorCode, std::string, int>;

/// Refusals alike, one after another.
struct RefusalRun {
    Cause cause;
    std::size_t length = 0;
};

struct Pipeline::State {
    PipelineSettings settings;
    RecordSource& source;
    Sink& sink;
    const Clock& clock;
    Statistics& statistics;
    ProgressListener on_progress;

    /// Index = AssignmentTag::slot. unique_ptr: addresses stay while the vector grows.
    std::vector<std::unique_ptr<Slot>> slots;
    std::map<TopicPartition, Slot*> slot_of;
    /// By topic; made at its first claim.
    std::map<std::string, mapping::RecordMapper> mappers;
    std::string cluster_id;
    std::set<std::string> topics_with_offsets;
    std::uint32_t generation = 0;

    /// What the slots are building, summed.
    std::size_t building_rows = 0;
    std::size_t building_bytes = 0;
    std::optional<Clock::TimePoint> building_since;
    /// At most this many rows a batch: shrinks when a server finds a transaction too big.
    std::size_t row_limit = 0;
    /// Since it last changed.
    int commits_at_limit = 0;

    /// The batch that is being written, is in doubt, or waits for its next attempt. While the sink
    /// writes it, it must not change: partitions that are taken back meanwhile are noted in `lost`,
    /// and leave it at the end of the write.
    batch::Batch pending;
    bool is_writing = false;
    Clock::TimePoint writing_since{};
    std::vector<TopicPartition> lost;
    SpareParts spares;
    /// How long a write takes, lately.
    std::optional<std::chrono::microseconds> write_time;
    /// Of the pending batch: the dead letters that were copied elsewhere.
    std::set<std::pair<TopicPartition, Offset>> copied;
    /// Slots whose rows must be read again before anything else is written.
    std::deque<std::uint32_t> to_verify;
    Clock::TimePoint retry_at{};
    int attempts = 0;
    std::optional<Clock::TimePoint> failing_since;
    bool has_been_open = false;
    /// Of the batches that met a changed definition; a second time before a commit of theirs is not
    /// cured by reading it again.
    std::set<TopicPartition> drifted;
    /// How often a batch was refused of which no record is, since a commit of the partition.
    std::map<TopicPartition, int> rounds_without_culprit;
    bool is_paused = false;
    Clock::TimePoint started{};
    /// The refusals alike of the last commits, none of which applied a record.
    RefusalRun run;
    /// Refused records that the log does not tell of yet, and when it last did.
    std::size_t refused_untold = 0;
    std::optional<Clock::TimePoint> refused_told_at;
    /// Thrown once all that precedes the refused record is committed; from then on records are
    /// dropped.
    std::optional<SinkError> stop_with;
    /// Whose records it is about: without them there is no reason to stop.
    std::vector<TopicPartition> stop_at;

    State(PipelineSettings settings_in,
          RecordSource& source_in,
          Sink& sink_in,
          const Clock& clock_in,
          Statistics& statistics_in,
          ProgressListener on_progress_in);

    // pipeline.cpp: the loop and what comes from Kafka
    void turn(std::chrono::milliseconds timeout);
    bool read(std::chrono::milliseconds timeout);
    [[nodiscard]] std::chrono::milliseconds longest_wait(Clock::TimePoint now) const;
    void handle(const SourceEvent& event);
    void on_assigned(const std::vector<TopicPartition>& partitions);
    void on_revoked(const std::vector<TopicPartition>& partitions);
    void on_record(const SourceEvent& event);
    [[nodiscard]] bool take(Slot& slot, const ConsumerRecord& record);
    void on_end_of_partition(const SourceEvent& event);
    void on_out_of_range(const SourceEvent& event);
    [[nodiscard]] Slot* expecting(const AssignmentTag& tag);
    void work();
    [[nodiscard]] bool is_full() const noexcept;
    [[nodiscard]] bool is_due(Clock::TimePoint now) const;
    [[nodiscard]] bool waits_for_sink(Clock::TimePoint now);
    [[nodiscard]] std::chrono::microseconds wait_for_more() const;
    [[nodiscard]] bool is_settling() const noexcept {
        return !pending.is_empty() || !to_verify.empty();
    }
    void set_paused(bool paused);
    void finish(bool may_write);
    void write_last_batch();
    void write_pending();

    // pipeline_claims.cpp: whose row it is and where reading starts
    void claim_all_due();
    bool claim_due(Clock::TimePoint now);
    void claim(Slot& slot);
    [[nodiscard]] mapping::RecordMapper* mapper_of(const std::string& topic);
    void create_offsets(const std::string& topic);
    [[nodiscard]] Offset start_of(const Slot& slot);
    void begin_reading(Slot& slot, Offset next);
    void read_from(Slot& slot, Offset next);
    [[nodiscard]] static BuildingSize size_of_building(const Slot& slot) noexcept;
    void forget_building(Slot& slot, Offset from);
    void give_up(Slot& slot, Clock::TimePoint claim_at);
    void settle_out_of_range(Slot& slot);
    [[nodiscard]] Offset resume_of(const Slot& slot, const Watermarks& watermarks) const;
    [[nodiscard]] Offset restart_of(const Slot& slot, const Watermarks& watermarks) const;
    bool jump(Slot& slot, Offset to, const std::string& reason, bool is_another_log);

    // pipeline_writes.cpp: transactions, what their errors mean, and the recovery table
    void flush();
    void attempt();
    void settle_write(std::chrono::milliseconds timeout);
    void end_write(bool is_committed);
    void drop_pending(const TopicPartition& partition);
    void on_committed();
    void on_write_error(const SinkError& error);
    void on_error(const SinkError& error);
    [[nodiscard]] bool has_drifted_before() const;
    void verify_all();
    void verify_idle(Clock::TimePoint now);
    void verify();
    void verify(Slot& slot);
    void note_committed(Slot& slot, const batch::PartitionBatch& part);
    void count(const batch::PartitionBatch& part);
    void on_taken(Slot& slot, bool row_is_missing);
    void claim_everything_again();
    void back_off(const SinkError& error);
    void on_contact();
    void on_idle();

    // pipeline_refusals.cpp: what becomes of refused records
    [[nodiscard]] bool take_refused(Slot& slot, const ConsumerRecord& record, RecordError error);
    void on_bad_record(const SinkError& error);
    [[nodiscard]] std::size_t most_to_find() const;
    [[nodiscard]] bool take_out(RefusedRecord& refused);
    void stop_before(const TopicPartition& partition, Offset offset, const RecordError& error);
    void cut_pending(const TopicPartition& partition, Offset offset);
    void forget_stop(const TopicPartition& partition);
    void judge_refusals();
    [[nodiscard]] RefusalRun run_with(const batch::Batch& batch) const;
    void copy_dead_letters();
    void note_refused(const batch::PartitionBatch& part);

    // pipeline_whole_batches.cpp: what the server refuses as a whole
    void on_too_big(const SinkError& error);
    void cut_pending_at(const TopicPartition& partition, Offset offset);
    void read_on_from_pending();
    void grow_row_limit();
    void on_no_culprit(const SinkError& error);
};

/// Empties a batch's part, which then begins and ends at `from`; keeps its memory.
void clear(batch::PartitionBatch& part, Offset from) noexcept;

}  // namespace txsink::pipeline
