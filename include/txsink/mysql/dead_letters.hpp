/// @file
/// Dead letters as they are kept: reading, removing, and applying them again.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/batch/batch.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/result.hpp"
#include "txsink/core/topic_partition.hpp"
#include "txsink/pipeline/sink.hpp"

namespace txsink::mysql {

class Session;

/// One dead letter of a connector.
struct DeadLetterKey {
    TopicPartition partition;
    Offset offset{0};
    friend auto operator<=>(const DeadLetterKey&, const DeadLetterKey&) = default;
};

/// Which dead letters: all conditions at once; those that are empty take everything.
struct DeadLetterFilter {
    std::string topic;
    std::optional<std::int32_t> partition;
    /// Offsets in [first, last].
    std::optional<Offset> first;
    std::optional<Offset> last;
    /// Refused (txsink_dead_letters.created_at) in [since, until): ms since 1970 UTC.
    std::optional<std::int64_t> since_ms;
    std::optional<std::int64_t> until_ms;
    /// `out-of-range`: name_of(RecordErrorCode).
    std::string error_code;
    /// Only letters behind this one, in the order of reading: the next page.
    std::optional<DeadLetterKey> after;
};

/// A row of txsink_dead_letters.
struct DeadLetterRow {
    DeadLetterKey key;
    /// Absent: Kafka's null; or not asked for; or left out: see is_whole.
    std::optional<std::string> record_key;
    std::optional<std::string> record_value;
    /// JSON: [{"name": text, "value": base64 or null}, ...]; empty: the record had none.
    std::string headers;
    /// Of the record, ms since 1970 UTC, or -1.
    std::int64_t timestamp_ms = -1;
    std::string error_code;
    /// The server's, or 0.
    int error_number = 0;
    /// Values of the record stand in it only with DeadLetterContent::whole.
    std::string error_text;
    std::string target;
    /// When it was refused: UTC, 2024-01-31 23:59:59.123456.
    std::string created_at;
    /// Bytes of key and value as stored; nothing for NULL.
    std::optional<std::uint64_t> key_bytes;
    std::optional<std::uint64_t> value_bytes;
    /// False: key or value did not fit into a packet and was left out. To apply such a letter
    /// would take the record for a tombstone.
    bool is_whole = true;
};

enum class DeadLetterContent : std::uint8_t {
    summary,  ///< without key, value and headers: for lists
    key,      ///< with the record's key alone
    whole,
};

/// The first `most` dead letters of `connector` that `filter` takes, by topic, partition and
/// offset. Waits for no lock.
/// Errors: configuration: the table is not there.
[[nodiscard]] std::vector<DeadLetterRow> read_dead_letters(Session& session,
                                                           std::string_view connector,
                                                           const DeadLetterFilter& filter,
                                                           DeadLetterContent content,
                                                           std::size_t most);

/// How many dead letters of `connector` `filter` takes.
[[nodiscard]] std::uint64_t count_dead_letters(Session& session,
                                               std::string_view connector,
                                               const DeadLetterFilter& filter);

/// The same by error code.
[[nodiscard]] std::map<std::string, std::uint64_t> count_dead_letters_by_code(
    Session& session, std::string_view connector, const DeadLetterFilter& filter);

/// Removes dead letters, all in one transaction; returns how many were there.
/// Errors: outcome_unknown: read them again.
std::uint64_t remove_dead_letters(Session& session,
                                  std::string_view connector,
                                  std::span<const DeadLetterKey> keys);

/// A dead letter that stays, and why it is refused now.
struct RefusedLetter {
    DeadLetterKey key;
    RecordError error;
    /// As batch::DeadLetter::target.
    std::string target;
};

/// Gives letters their new reasons, in one transaction; those that are gone stay gone.
void note_refusals(Session& session,
                   std::string_view connector,
                   std::span<const RefusedLetter> letters);

/// next_offset of partitions; one without an offset row is not there.
using StoredPositions = std::map<TopicPartition, Offset>;

/// Decides about a replay in its transaction, before anything is changed. While it runs, and until
/// the transaction ends, the connector cannot move the partitions of the letters.
using ReplayApproval = std::function<bool(const StoredPositions&)>;

/// What replay_dead_letters() did.
struct ReplayOutcome {
    /// False: the approval said no, and nothing was done.
    bool is_approved = true;
    /// When there are any, nothing was applied and nothing removed: leave their rows out and try
    /// again, or give up.
    std::vector<pipeline::RefusedRecord> refused;
    /// RowShape::may_miss statements that found fewer rows than they required.
    std::uint64_t missed_rows = 0;
};

/// Applies the row changes of `records` (by partition; fences and offsets of its parts are not
/// looked at) and removes the dead letters `keys`, in one transaction. With an approval the offset
/// rows of the letters' partitions are locked first.
/// Errors: configuration: some of `keys` are not there (somebody else was faster): nothing was
/// done; outcome_unknown: read them again; any other of the server's: nothing was done.
[[nodiscard]] ReplayOutcome replay_dead_letters(Session& session,
                                                std::string_view connector,
                                                const batch::Batch& records,
                                                std::span<const DeadLetterKey> keys,
                                                const ReplayApproval& approval = {});

}  // namespace txsink::mysql
