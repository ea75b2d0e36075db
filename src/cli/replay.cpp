#include "cli/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/dead_letter_record.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::cli {
namespace {

using mysql::DeadLetterContent;
using mysql::DeadLetterRow;

/// Letters of one transaction: by number, and by bytes of their records.
constexpr std::size_t kChunkLetters = 500;
constexpr std::uint64_t kChunkBytes = 8U << 20U;
/// Letters that newer records are looked for at once: by number, and by bytes of their keys.
constexpr std::size_t kRoundLetters = 50'000;
constexpr std::uint64_t kRoundBytes = 32U << 20U;
constexpr std::size_t kPage = 1'000;
/// Of one chunk: each but the last finds letters to leave out, or a deadlock.
constexpr int kAttempts = 10;

std::size_t chunk_length(std::span<const DeadLetterRow> letters) {
    std::size_t length = 0;
    std::uint64_t bytes = 0;
    for (const auto& letter : letters.first(std::min(letters.size(), kChunkLetters))) {
        bytes += letter.key_bytes.value_or(0) + letter.value_bytes.value_or(0);
        if (length > 0 && bytes > kChunkBytes) {
            break;
        }
        ++length;
    }
    return length;
}

/// As the dead letter names it.
std::string target_of(const mapping::Route* route, const std::string& topic) {
    if (route == nullptr) {
        return {};
    }
    return route->mode == mapping::Mode::sql ? route->name : to_string(route->table_for(topic));
}

batch::PartitionBatch& part_of(batch::Batch& batch, const TopicPartition& partition) {
    // The letters come in the order of their partitions.
    if (batch.partitions.empty() || batch.partitions.back().partition != partition) {
        batch.partitions.emplace_back();
        batch.partitions.back().partition = partition;
    }
    return batch.partitions.back();
}

}  // namespace

Replayer::Replayer(const config::Settings& settings,
                   mysql::Database& database,
                   NewerRecords* newer,
                   ReplayListener listener)
    : settings_{settings},
      session_{database.session()},
      newer_{newer},
      listener_{std::move(listener)},
      mappers_{settings, database} {}

void Replayer::replay(mysql::DeadLetterFilter filter, std::uint64_t most) {
    while (most > 0) {
        const auto round = read_round(filter, most);
        if (round.empty()) {
            return;
        }
        if (newer_ != nullptr) {
            newer_->look_at(round);
        }
        for (std::size_t at = 0; at < round.size();) {
            const auto length = chunk_length(std::span{round}.subspan(at));
            auto letters = mysql::read_dead_letters(
                session_, settings_.pipeline.connector, filter, DeadLetterContent::whole, length);
            filter.after = round[at + length - 1].key;
            // Where some were purged meanwhile, those of the next chunk came up.
            std::erase_if(letters, [&](const auto& each) { return *filter.after < each.key; });
            replay_chunk(std::move(letters));
            at += length;
        }
        most -= round.size();
    }
}

std::vector<DeadLetterRow> Replayer::read_round(mysql::DeadLetterFilter filter,
                                                std::uint64_t most) {
    std::vector<DeadLetterRow> round;
    std::uint64_t bytes = 0;
    const auto limit = std::min<std::uint64_t>(most, kRoundLetters);
    while (round.size() < limit && bytes < kRoundBytes) {
        auto page = mysql::read_dead_letters(session_,
                                             settings_.pipeline.connector,
                                             filter,
                                             DeadLetterContent::key,
                                             std::min<std::size_t>(limit - round.size(), kPage));
        if (page.empty()) {
            break;
        }
        filter.after = page.back().key;
        for (auto& letter : page) {
            bytes += letter.key_bytes.value_or(0);
            round.push_back(std::move(letter));
        }
    }
    return round;
}

void Replayer::replay_chunk(std::vector<DeadLetterRow> letters) {
    Chunk chunk;
    chunk.letters = std::move(letters);
    chunk.decisions.resize(chunk.letters.size());
    for (int attempt = 1;; ++attempt) {
        try {
            build(chunk);
            if (chunk.keys.empty() || apply(chunk)) {
                break;
            }
        } catch (const SinkError& error) {
            if (error.kind != ErrorKind::replay || attempt >= kAttempts) {
                throw;
            }
        }
        if (attempt == 2 * kAttempts) {
            throw SinkError{ErrorKind::replay,
                            "the target tables and the connector change too fast",
                            {},
                            "stop the connector, or try again later"};
        }
    }
    std::vector<mysql::RefusedLetter> refused;
    for (const auto& decision : chunk.decisions) {
        if (decision.refused) {
            refused.push_back(*decision.refused);
        }
    }
    if (!refused.empty()) {
        mysql::note_refusals(session_, settings_.pipeline.connector, refused);
    }
    report(chunk);
}

void Replayer::build(Chunk& chunk) {
    chunk.batch = {};
    chunk.keys.clear();
    chunk.indexes.clear();
    for (std::size_t i = 0; i < chunk.letters.size(); ++i) {
        if (!chunk.decisions[i].stays()) {
            map(chunk, i);
        }
    }
}

void Replayer::map(Chunk& chunk, std::size_t index) {
    const auto& letter = chunk.letters[index];
    auto& decision = chunk.decisions[index];
    const auto& topic = letter.key.partition.topic;
    auto* mapper = mappers_.find(topic);
    if (!letter.is_whole) {
        decision.held = "it is not whole: a part was too large and was left out";
    } else if (mapper == nullptr) {
        decision.held = "no route takes its topic";
    } else if (newer_ != nullptr) {
        decision.held = newer_->objection(letter.key, letter.record_key.has_value());
    }
    if (decision.held) {
        return;
    }
    auto& rows = part_of(chunk.batch, letter.key.partition).rows;
    const auto before = rows.changes().size();
    const auto mapped = with_record(
        letter, [&](const ConsumerRecord& record) { return mapper->map(record, rows); });
    if (!mapped) {
        decision.refused = {letter.key, mapped.error(), target_of(mapper->refusing_route(), topic)};
        return;
    }
    const auto begin = rows.changes().begin() + static_cast<std::ptrdiff_t>(before);
    const bool only_inserts = std::all_of(begin, rows.changes().end(), [](const auto& change) {
        return change.shape->route != nullptr && change.shape->route->mode == mapping::Mode::insert;
    });
    if (newer_ != nullptr && !letter.record_key && !only_inserts) {
        rows.shrink(before);
        decision.held = "it has no key, so newer records of its row cannot be ruled out";
        return;
    }
    chunk.keys.push_back(letter.key);
    chunk.indexes.push_back(index);
}

bool Replayer::apply(Chunk& chunk) {
    const auto outcome = mysql::replay_dead_letters(
        session_,
        settings_.pipeline.connector,
        chunk.batch,
        chunk.keys,
        [&](const mysql::StoredPositions& positions) { return approve(chunk, positions); });
    refuse(chunk, outcome.refused);
    counts_.missed_rows += outcome.missed_rows;
    return outcome.is_approved && outcome.refused.empty();
}

bool Replayer::approve(Chunk& chunk, const mysql::StoredPositions& positions) {
    if (newer_ != nullptr) {
        newer_->follow(positions);
    }
    bool all = true;
    for (std::size_t i = 0; i < chunk.keys.size(); ++i) {
        const auto& key = chunk.keys[i];
        const auto index = chunk.indexes[i];
        auto& held = chunk.decisions[index].held;
        const auto position = positions.find(key.partition);
        if (position != positions.end() && key.offset >= position->second) {
            held = "the stored offset lies before it: the connector reads it again by itself";
        } else if (newer_ != nullptr) {
            held = newer_->objection(key, chunk.letters[index].record_key.has_value());
        }
        all = all && !held;
    }
    return all;
}

void Replayer::refuse(Chunk& chunk, const std::vector<pipeline::RefusedRecord>& refused) {
    for (const auto& record : refused) {
        const mysql::DeadLetterKey key{record.partition, record.offset};
        const auto at = std::find(chunk.keys.begin(), chunk.keys.end(), key);
        if (at != chunk.keys.end()) {
            const auto index = chunk.indexes[static_cast<std::size_t>(at - chunk.keys.begin())];
            chunk.decisions[index].refused = {
                key, record.error, target_of(record.route, key.partition.topic)};
        }
    }
}

void Replayer::report(const Chunk& chunk) {
    for (std::size_t i = 0; i < chunk.letters.size(); ++i) {
        const auto& key = chunk.letters[i].key;
        const auto& decision = chunk.decisions[i];
        if (decision.refused) {
            ++counts_.refused;
            const auto& error = decision.refused->error;
            listener_(key, ReplayResult::refused, name_of(error.code), error.message);
        } else if (decision.held) {
            ++counts_.held;
            listener_(key, ReplayResult::held, {}, *decision.held);
        } else {
            ++counts_.replayed;
            listener_(key, ReplayResult::replayed, {}, {});
        }
    }
}

}  // namespace txsink::cli
