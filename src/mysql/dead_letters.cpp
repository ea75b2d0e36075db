#include "txsink/mysql/dead_letters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "mysql/dead_letters_sql.hpp"
#include "mysql/isolation.hpp"
#include "mysql/row_writer.hpp"
#include "mysql/server_error.hpp"
#include "mysql/session.hpp"
#include "txsink/core/failpoint.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {
namespace {

/// Keys of one DELETE: the servers' time grows with the square of the number.
constexpr std::size_t kKeysPerDelete = batch::kMaxCompositeKeysPerDelete;

template <typename Integer>
Integer to_integer(const std::optional<std::string>& text, Integer otherwise) {
    Integer value = otherwise;
    if (text) {
        std::from_chars(text->data(), text->data() + text->size(), value);
    }
    return value;
}

std::optional<std::uint64_t> to_size(const std::optional<std::string>& text) {
    return text ? std::optional{to_integer<std::uint64_t>(text, 0)} : std::nullopt;
}

DeadLetterRow to_dead_letter(Row& row, DeadLetterContent content) {
    DeadLetterRow letter;
    letter.key = {{row.at(0).value_or(""), to_integer<std::int32_t>(row.at(1), 0)},
                  Offset{to_integer<std::int64_t>(row.at(2), 0)}};
    letter.record_key = std::move(row.at(3));
    letter.record_value = std::move(row.at(4));
    letter.headers = row.at(5).value_or("");
    letter.timestamp_ms = to_integer<std::int64_t>(row.at(6), -1);
    letter.error_code = row.at(7).value_or("");
    letter.error_number = to_integer<int>(row.at(8), 0);
    letter.error_text = row.at(9).value_or("");
    letter.target = row.at(10).value_or("");
    letter.created_at = row.at(11).value_or("");
    letter.key_bytes = to_size(row.at(12));
    letter.value_bytes = to_size(row.at(13));
    letter.is_whole = !letter.error_text.ends_with(kLeftOut);
    if (content != DeadLetterContent::whole) {
        letter.error_text = without_values(letter.error_number, letter.error_text);
    }
    return letter;
}

/// Runs `action` in a transaction, which it ends; after an error none is open.
template <typename Action>
auto in_transaction(Session& session, const char* doing, Action&& action) {
    try {
        session.execute("START TRANSACTION");
        return action();
    } catch (const SinkError& error) {
        auto told = within(doing, error);
        if (told.outcome_unknown) {
            told.hint = "whether it was done is not known: look with txsink dead-letters list";
        } else if (!told.reconnect) {
            session.roll_back();
        }
        throw told;
    }
}

/// Removes what is there of `keys`, in the transaction that is open.
std::uint64_t remove(Session& session,
                     std::string_view connector,
                     std::span<const DeadLetterKey> keys) {
    std::uint64_t removed = 0;
    try {
        while (!keys.empty()) {
            const auto some = keys.first(std::min(keys.size(), kKeysPerDelete));
            removed += session.execute_update(delete_dead_letters_sql(connector, some));
            keys = keys.subspan(some.size());
        }
    } catch (const SinkError& error) {
        throw on_own_table(error);
    }
    return removed;
}

/// In the order in which a batch takes them: offset rows before dead letters, by partition.
StoredPositions lock_positions(Session& session,
                               std::string_view connector,
                               std::span<const DeadLetterKey> keys) {
    std::set<TopicPartition> partitions;
    for (const auto& key : keys) {
        partitions.insert(key.partition);
    }
    StoredPositions positions;
    for (const auto& partition : partitions) {
        const auto rows = session.query(lock_offset_sql({std::string{connector}, {}}, partition));
        if (!rows.empty()) {
            positions.emplace(partition, Offset{to_integer<std::int64_t>(rows.at(0).at(0), 0)});
        }
    }
    return positions;
}

/// All or, when records are refused, none.
std::vector<pipeline::RefusedRecord> apply(Session& session,
                                           const batch::Batch& records,
                                           RowWriter& writer) {
    constexpr auto kAll = static_cast<std::size_t>(-1);
    session.execute("SAVEPOINT txsink_replay");
    // Refused together, but not one by one: then without merging.
    for (const auto merging : {batch::Merging::allowed, batch::Merging::none}) {
        writer.set_merging(merging);
        try {
            // What no packet can hold: isolation knows how to say it.
            if (!writer.build(session, records)) {
                writer.write(session);
                return {};
            }
        } catch (const SinkError& error) {
            if (error.kind != ErrorKind::bad_record || error.reconnect) {
                throw;
            }
        }
        session.execute("ROLLBACK TO SAVEPOINT txsink_replay");
        auto refused = find_refused(session, records, writer, kAll);
        if (!refused.empty()) {
            return refused;
        }
        session.execute("ROLLBACK TO SAVEPOINT txsink_replay");
    }
    // Refused, and then not any more: the rows that it met have changed in between.
    throw SinkError{ErrorKind::replay, "the target tables change meanwhile"};
}

}  // namespace

std::vector<DeadLetterRow> read_dead_letters(Session& session,
                                             std::string_view connector,
                                             const DeadLetterFilter& filter,
                                             DeadLetterContent content,
                                             std::size_t most) {
    try {
        auto rows = session.query(select_dead_letters_sql(connector, filter, content, most));
        std::vector<DeadLetterRow> letters;
        letters.reserve(rows.size());
        for (auto& row : rows) {
            letters.push_back(to_dead_letter(row, content));
        }
        return letters;
    } catch (const SinkError& error) {
        throw within("reading dead letters", on_own_table(error));
    }
}

std::uint64_t count_dead_letters(Session& session,
                                 std::string_view connector,
                                 const DeadLetterFilter& filter) {
    try {
        const auto rows = session.query(count_dead_letters_sql(connector, filter));
        return to_integer<std::uint64_t>(rows.at(0).at(0), 0);
    } catch (const SinkError& error) {
        throw within("counting dead letters", on_own_table(error));
    }
}

std::map<std::string, std::uint64_t> count_dead_letters_by_code(Session& session,
                                                                std::string_view connector,
                                                                const DeadLetterFilter& filter) {
    try {
        std::map<std::string, std::uint64_t> counts;
        for (const auto& row : session.query(count_dead_letters_by_code_sql(connector, filter))) {
            counts[row.at(0).value_or("")] = to_integer<std::uint64_t>(row.at(1), 0);
        }
        return counts;
    } catch (const SinkError& error) {
        throw within("counting dead letters", on_own_table(error));
    }
}

std::uint64_t remove_dead_letters(Session& session,
                                  std::string_view connector,
                                  std::span<const DeadLetterKey> keys) {
    return in_transaction(session, "removing dead letters", [&] {
        const auto removed = remove(session, connector, keys);
        session.execute_commit();
        return removed;
    });
}

void note_refusals(Session& session,
                   std::string_view connector,
                   std::span<const RefusedLetter> letters) {
    in_transaction(session, "noting why dead letters are refused", [&] {
        for (const auto& letter : letters) {
            session.execute(note_refusal_sql(connector, letter));
        }
        session.execute_commit();
    });
}

ReplayOutcome replay_dead_letters(Session& session,
                                  std::string_view connector,
                                  const batch::Batch& records,
                                  std::span<const DeadLetterKey> keys,
                                  const ReplayApproval& approval) {
    RowWriter writer;
    return in_transaction(session, "applying dead letters again", [&] {
        if (approval && !approval(lock_positions(session, connector, keys))) {
            session.roll_back();
            return ReplayOutcome{false, {}, 0};
        }
        // Removed first: of two who replay the same letters, one waits here and then finds none.
        const auto removed = remove(session, connector, keys);
        if (removed != keys.size()) {
            throw SinkError{
                ErrorKind::configuration,
                fmt::format("{} of {} dead letters are gone", keys.size() - removed, keys.size()),
                "somebody else has replayed or purged them",
                "nothing was applied: list them again"};
        }
        ReplayOutcome outcome;
        outcome.refused = apply(session, records, writer);
        if (!outcome.refused.empty()) {
            session.roll_back();
            return outcome;
        }
        outcome.missed_rows = writer.missed_rows();
        TXSINK_FAILPOINT("replay-before-commit");
        session.execute_commit();
        return outcome;
    });
}

}  // namespace txsink::mysql
