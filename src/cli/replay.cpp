#include "cli/replay.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/dead_letter_record.hpp"
#include "cli/patience.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/replay_lock.hpp"

namespace txsink::cli {
namespace {

using mysql::DeadLetterContent;
using mysql::DeadLetterRow;
using std::chrono::seconds;

/// Letters of one transaction: by number, and by bytes of their records.
constexpr std::size_t kChunkLetters = 500;
constexpr std::uint64_t kChunkBytes = 8U << 20U;
/// Letters that newer records are looked for at once: by number, and by bytes of their keys.
constexpr std::size_t kRoundLetters = 50'000;
constexpr std::uint64_t kRoundBytes = 32U << 20U;
constexpr std::size_t kPage = 1'000;
/// Of one chunk: each but the last finds letters to leave out, or a deadlock.
constexpr int kAttempts = 10;
/// Sessions that may be lost one after another.
constexpr int kLosses = 3;
/// That a server takes to end a session.
constexpr seconds kSlack{5};

bool is_session_lost(const SinkError& error) {
    return error.reconnect || error.outcome_unknown;
}

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
      database_{database},
      newer_{newer},
      listener_{std::move(listener)},
      mappers_{settings, database} {}

void Replayer::replay(mysql::DeadLetterFilter filter, std::uint64_t most) {
    mysql::lock_replays(database_.session(), settings_.pipeline.connector, seconds{0});
    while (most > 0) {
        try {
            if (!replay_round(filter, most)) {
                return;
            }
        } catch (const SinkError& error) {
            const bool has_given_up = error.outcome_unknown || error.kind == ErrorKind::unavailable;
            if (!is_session_lost(error) || has_given_up) {
                throw;
            }
            reconnect(error);
        }
    }
}

bool Replayer::replay_round(mysql::DeadLetterFilter& filter, std::uint64_t& most) {
    const auto round = read_round(filter, most);
    if (newer_ != nullptr && !round.empty()) {
        newer_->look_at(round);
    }
    is_outdated_ = false;
    for (std::size_t at = 0; at < round.size() && !is_outdated_;) {
        const auto length = chunk_length(std::span{round}.subspan(at));
        auto letters = mysql::read_dead_letters(database_.session(),
                                                settings_.pipeline.connector,
                                                filter,
                                                DeadLetterContent::whole,
                                                length);
        const auto& last = round[at + length - 1].key;
        // Where some were purged meanwhile, those of the next chunk came up.
        std::erase_if(letters, [&](const auto& each) { return last < each.key; });
        if (!replay_chunk(std::move(letters))) {
            break;
        }
        filter.after = last;
        at += length;
        most -= length;
        losses_ = 0;
    }
    return !round.empty();
}

std::vector<DeadLetterRow> Replayer::read_round(mysql::DeadLetterFilter filter,
                                                std::uint64_t most) {
    std::vector<DeadLetterRow> round;
    std::uint64_t bytes = 0;
    const auto limit = std::min<std::uint64_t>(most, kRoundLetters);
    while (round.size() < limit && bytes < kRoundBytes) {
        auto page = mysql::read_dead_letters(database_.session(),
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

bool Replayer::replay_chunk(std::vector<DeadLetterRow> letters) {
    Chunk chunk;
    chunk.letters = std::move(letters);
    chunk.decisions.resize(chunk.letters.size());
    if (!settle(chunk)) {
        return false;
    }
    try {
        note_refusals(chunk);
    } catch (const SinkError&) {
        report(chunk);  // what was applied is so
        throw;
    }
    report(chunk);
    return true;
}

bool Replayer::settle(Chunk& chunk) {
    for (int attempt = 1;; ++attempt) {
        try {
            build(chunk);
            if (chunk.keys.empty() || apply(chunk)) {
                return true;
            }
        } catch (const SinkError& error) {
            if (is_session_lost(error)) {
                reconnect(error);
                return error.outcome_unknown && are_gone(chunk.keys);
            }
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
}

/// They are removed together: where one is there, none was.
bool Replayer::are_gone(std::span<const mysql::DeadLetterKey> keys) {
    return std::none_of(keys.begin(), keys.end(), [&](const auto& key) {
        mysql::DeadLetterFilter filter;
        filter.topic = key.partition.topic;
        filter.partition = key.partition.partition;
        filter.first = key.offset;
        filter.last = key.offset;
        return mysql::count_dead_letters(
                   database_.session(), settings_.pipeline.connector, filter) > 0;
    });
}

void Replayer::reconnect(const SinkError& error) {
    is_outdated_ = true;
    if (++losses_ > kLosses) {
        throw SinkError{error};
    }
    spdlog::warn("{}; going on with a new session", error.what());
    try {
        database_ = ask_patiently([&] { return mysql::Database{settings_.mysql}; },
                                  settings_.pipeline.retry,
                                  settings_.pipeline.connect_deadline,
                                  {});
        // The old session has the lock until the server has ended it, and its transaction.
        mysql::lock_replays(database_.session(),
                            settings_.pipeline.connector,
                            settings_.mysql.wait_timeout + kSlack);
    } catch (const SinkError& cause) {
        if (!error.outcome_unknown) {
            throw;
        }
        auto told = error;
        told.detail += fmt::format("{}then: {}", told.detail.empty() ? "" : "; ", cause.what());
        throw told;
    }
}

void Replayer::note_refusals(const Chunk& chunk) {
    std::vector<mysql::RefusedLetter> refused;
    for (const auto& decision : chunk.decisions) {
        if (decision.refused) {
            refused.push_back(*decision.refused);
        }
    }
    while (!refused.empty()) {
        try {
            mysql::note_refusals(database_.session(), settings_.pipeline.connector, refused);
            return;
        } catch (const SinkError& error) {
            if (!is_session_lost(error)) {
                throw;
            }
            reconnect(error);  // done or not: once more does no harm
        }
    }
}

void Replayer::build(Chunk& chunk) {
    chunk.batch = {};
    mappers_.forget_shapes();
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
    decision.no_rows.clear();
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
    if (begin == rows.changes().end()) {
        decision.no_rows =
            mapped.value() == mapping::Mapped::filtered   ? "no route takes it any more"
            : mapped.value() == mapping::Mapped::no_event ? "it is about no row"
                                                          : "its routes make no row of it";
    }
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
    if (newer_ != nullptr) {
        newer_->follow();
    }
    const auto outcome = mysql::replay_dead_letters(
        database_.session(),
        settings_.pipeline.connector,
        chunk.batch,
        chunk.keys,
        [&](const mysql::StoredPositions& positions) { return approve(chunk, positions); });
    refuse(chunk, outcome.refused);
    counts_.missed_rows += outcome.missed_rows;
    return outcome.is_approved && outcome.refused.empty();
}

bool Replayer::approve(Chunk& chunk, const mysql::StoredPositions& positions) {
    if (newer_ != nullptr && !newer_->follow_briefly(positions)) {
        return false;
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
        } else if (!decision.no_rows.empty()) {
            ++counts_.no_rows;
            listener_(key, ReplayResult::no_rows, {}, decision.no_rows);
        } else {
            ++counts_.replayed;
            listener_(key, ReplayResult::replayed, {}, {});
        }
    }
}

}  // namespace txsink::cli
