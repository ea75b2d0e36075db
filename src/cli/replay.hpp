/// @file
/// Replayer: applies dead letters again through the routes of today.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/newer_records.hpp"
#include "cli/topic_mappers.hpp"
#include "txsink/batch/batch.hpp"
#include "txsink/config/settings.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/database.hpp"
#include "txsink/mysql/dead_letters.hpp"

namespace txsink::cli {

enum class ReplayResult : std::uint8_t {
    replayed,  ///< applied, and removed from the dead letters
    no_rows,   ///< removed: the routes of today make no row of it
    refused,   ///< again: it stays, with its new reason
    held,      ///< it stays as it is
};

/// Called for each letter, once what is said is so. `text`: why it stays.
using ReplayListener = std::function<void(
    const mysql::DeadLetterKey&, ReplayResult, const std::string& code, const std::string& text)>;

struct ReplayCounts {
    std::uint64_t replayed = 0;
    std::uint64_t no_rows = 0;
    std::uint64_t refused = 0;
    std::uint64_t held = 0;
    /// Updates of replayed letters that found no row.
    std::uint64_t missed_rows = 0;
};

/// Applies letters in the order of topic, partition and offset, some of them at a time in one
/// transaction with their removal. A connector that runs meanwhile waits for it, but not longer;
/// a second replay of the connector is refused. A session that is lost is replaced, and where its
/// COMMIT went unanswered the dead letters say what became of it.
/// Errors: SinkError; what was told to the listener stands; outcome_unknown: some letters may have
/// been applied that it was not told of.
/// Threading: one thread.
class Replayer {
public:
    /// `newer` nullptr: newer records of the same key are no reason to hold a letter back.
    Replayer(const config::Settings& settings,
             mysql::Database& database,
             NewerRecords* newer,
             ReplayListener listener);

    /// At most `most` letters.
    void replay(mysql::DeadLetterFilter filter, std::uint64_t most);

    [[nodiscard]] const ReplayCounts& counts() const noexcept { return counts_; }

private:
    /// Why a letter of a chunk stays; neither: it is to be applied.
    struct Decision {
        std::optional<std::string> held;
        std::optional<mysql::RefusedLetter> refused;
        /// Why it leaves no row when it is applied; empty: it leaves some.
        std::string no_rows;
        [[nodiscard]] bool stays() const noexcept { return held || refused; }
    };
    struct Chunk {
        std::vector<mysql::DeadLetterRow> letters;
        std::vector<Decision> decisions;
        // Of what is to be applied.
        batch::Batch batch;
        std::vector<mysql::DeadLetterKey> keys;
        /// Index into `letters` of each key.
        std::vector<std::size_t> indexes;
    };

    /// Goes on with the letters behind `filter.after`. Returns false at the last one.
    [[nodiscard]] bool replay_round(mysql::DeadLetterFilter& filter, std::uint64_t& most);
    [[nodiscard]] std::vector<mysql::DeadLetterRow> read_round(mysql::DeadLetterFilter filter,
                                                               std::uint64_t most);
    /// Returns false when the session was lost, and nothing was done.
    [[nodiscard]] bool replay_chunk(std::vector<mysql::DeadLetterRow> letters);
    /// Returns whether the chunk is done; false: the session was lost.
    [[nodiscard]] bool settle(Chunk& chunk);
    [[nodiscard]] bool are_gone(std::span<const mysql::DeadLetterKey> keys);
    /// A new session instead of the one that `error` has ended.
    void reconnect(const SinkError& error);
    void note_refusals(const Chunk& chunk);
    void build(Chunk& chunk);
    void map(Chunk& chunk, std::size_t index);
    /// Returns whether all that was to be applied is.
    [[nodiscard]] bool apply(Chunk& chunk);
    [[nodiscard]] bool approve(Chunk& chunk, const mysql::StoredPositions& positions);
    void refuse(Chunk& chunk, const std::vector<pipeline::RefusedRecord>& refused);
    void report(const Chunk& chunk);

    const config::Settings& settings_;
    mysql::Database& database_;
    NewerRecords* newer_;
    ReplayListener listener_;
    TopicMappers mappers_;
    ReplayCounts counts_;
    /// Others may have replayed letters since newer records were looked for.
    bool is_outdated_ = false;
    /// Sessions lost since a chunk was done.
    int losses_ = 0;
};

}  // namespace txsink::cli
