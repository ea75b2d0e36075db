#include "txsink/mysql/mysql_sink.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "mysql/background_task.hpp"
#include "mysql/connection.hpp"
#include "mysql/dead_letter_writer.hpp"
#include "mysql/isolation.hpp"
#include "mysql/offsets_sql.hpp"
#include "mysql/row_writer.hpp"
#include "mysql/server_error.hpp"
#include "mysql/session.hpp"
#include "mysql/table_reader.hpp"
#include "mysql/writable_session.hpp"
#include "txsink/core/failpoint.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {
namespace {

using batch::Batch;
using pipeline::ClaimedOffset;
using pipeline::RefusedRecord;
using pipeline::StoredOffset;
using pipeline::WriteOutcome;

/// Width of txsink's columns for them.
constexpr std::size_t kLongestConnector = 64;
constexpr std::size_t kLongestOwner = 255;
/// Rows of txsink_offsets made by one statement.
constexpr std::size_t kOffsetRowsPerStatement = 1'000;

template <typename Integer>
Integer to_integer(const std::optional<std::string>& text) {
    Integer value{};
    if (!text ||
        std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc{}) {
        throw SinkError{ErrorKind::internal, "txsink_offsets has a value that is not a number"};
    }
    return value;
}

/// A row of lock_offset_sql().
struct LockedOffset {
    StoredOffset stored;
    Offset start{0};
    std::string cluster_id;
};

std::chrono::microseconds in_microseconds(std::chrono::steady_clock::duration time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time);
}

void check_identity(const MysqlSettings& settings, const Identity& who) {
    const auto is_plain = [](char c) { return c > ' ' && c <= '~'; };
    if (who.connector.empty() || who.connector.size() > kLongestConnector ||
        !std::all_of(who.connector.begin(), who.connector.end(), is_plain)) {
        throw SinkError{
            ErrorKind::configuration,
            "connector must be a name of 1 to 64 printable ASCII characters without spaces"};
    }
    if (settings.hosts.empty()) {
        throw SinkError{ErrorKind::configuration, "mysql.uri names no host"};
    }
    if (settings.database.empty()) {
        throw SinkError{ErrorKind::configuration, "mysql.uri names no database"};
    }
}

}  // namespace

struct MysqlSink::State {
    MysqlSettings settings;
    Identity who;
    std::optional<Session> session;
    RowWriter writer;
    DeadLetterWriter letters;
    pipeline::WriteSummary last_write;
    std::optional<WriteOutcome> outcome;
    /// Index into settings.hosts of the session, and of the first one to try for the next.
    std::size_t host = 0;
    std::size_t first_host = 0;
    /// Reused from batch to batch.
    std::string compare_and_set;

    // --- the session ---

    Session& open() {
        if (!session) {
            auto opened = open_writable_session(settings, first_host, Packets::several);
            host = opened.host;
            session.emplace(std::move(opened.session));
            spdlog::info("connected to {}:{} ({})",
                         settings.hosts[host].name,
                         settings.hosts[host].port,
                         session->version());
        }
        return *session;
    }

    /// Ends what a transaction left open; without an answer the session is dropped, and the
    /// server rolls back.
    void leave_transaction() noexcept {
        try {
            session->execute("ROLLBACK");
        } catch (const std::exception&) {
            session.reset();
        }
    }

    /// Runs `action` in a session; after an error no transaction is open.
    template <typename Action>
    auto run(const std::string& doing, Action&& action) {
        Session& current = open();
        try {
            return action(current);
        } catch (const SinkError& error) {
            SinkError told = within(doing, error);
            if (told.kind == ErrorKind::fail_over) {
                first_host = (host + 1) % settings.hosts.size();
            }
            if (told.reconnect) {
                session.reset();
#ifdef TXSINK_MUTATION_NO_ROLLBACK_1205
            } else if (told.native_code == 1205) {
                // Breaks the protocol on purpose: 1205 leaves the transaction open.
#endif
            } else {
                leave_transaction();
                told.reconnect = !session.has_value();
            }
            throw told;
        }
    }

    // --- txsink's own tables ---

    static std::uint64_t update_own(Session& current, std::string_view sql) {
        try {
            return current.execute_update(sql);
        } catch (const SinkError& error) {
            throw on_own_table(error);
        }
    }

    static std::vector<Row> query_own(Session& current, std::string_view sql) {
        try {
            return current.query(sql);
        } catch (const SinkError& error) {
            throw on_own_table(error);
        }
    }

    /// Reads and locks one offset row; waits for a transaction that holds it.
    /// Errors: fail_over: the server is read-only (an account that may write all the same would
    /// not notice otherwise).
    std::optional<LockedOffset> lock_offset(Session& current,
                                            const TopicPartition& partition) const {
        const auto rows = query_own(current, lock_offset_sql(who, partition));
        if (rows.empty()) {
            return std::nullopt;
        }
        const Row& row = rows.front();
        if (const auto read_only = row.at(4).value_or(""); read_only != "0" && read_only != "OFF") {
            SinkError error{ErrorKind::fail_over, "the server is read-only"};
            error.reconnect = true;
            throw error;
        }
        return LockedOffset{{Offset{to_integer<std::int64_t>(row.at(0))},
                             Fence{to_integer<std::uint64_t>(row.at(1))}},
                            Offset{to_integer<std::int64_t>(row.at(2))},
                            row.at(3).value_or("")};
    }

    // --- batches ---

    /// True when the offset rows of all partitions of the batch have moved.
    bool move_offsets(Session& current, const Batch& batch) const {
        return update_own(current, compare_and_set) == batch.partitions.size();
    }

    WriteOutcome write(Session& current, const Batch& batch) {
        // All SQL is made before the transaction begins, so that it is short.
        if (writer.build(current, batch)) {
            throw SinkError{
                ErrorKind::bad_record,
                "a record is larger than the server's max_allowed_packet",
                fmt::format("max_allowed_packet is {} bytes", current.max_allowed_packet())};
        }
        letters.build(current, who, batch, writer);
        render_compare_and_set(compare_and_set, who, batch);
        TXSINK_FAILPOINT("before-begin");
        const auto began = std::chrono::steady_clock::now();
        current.execute("START TRANSACTION");
        TXSINK_FAILPOINT("after-begin");
#ifdef TXSINK_MUTATION_OFFSETS_AFTER
        // Breaks the protocol on purpose: the offsets in a transaction of their own, after.
        writer.write(current);
        current.execute_commit();
        current.execute("START TRANSACTION");
#endif
        if (!move_offsets(current, batch)) {
            current.execute("ROLLBACK");
            return WriteOutcome::offsets_differ;
        }
        TXSINK_FAILPOINT("after-offsets");
#ifdef TXSINK_MUTATION_OFFSETS_BEFORE
        // Breaks the protocol on purpose: the offsets in a transaction of their own, before.
        current.execute_commit();
        current.execute("START TRANSACTION");
#endif
#ifndef TXSINK_MUTATION_DEAD_LETTERS_OUTSIDE
        letters.write(current, writer);
#endif
#ifndef TXSINK_MUTATION_OFFSETS_AFTER
        writer.write(current);
#endif
        TXSINK_FAILPOINT("before-commit");
        letters.note(batch);
        const auto ready = std::chrono::steady_clock::now();
        current.execute_commit();
        last_write = {writer.missed_rows(),
                      in_microseconds(ready - began),
                      in_microseconds(std::chrono::steady_clock::now() - ready)};
        writer.set_merging(batch::Merging::allowed);
        TXSINK_FAILPOINT("after-commit");
#ifdef TXSINK_MUTATION_DEAD_LETTERS_OUTSIDE
        // Breaks the protocol on purpose: the dead letters in a transaction of their own.
        letters.write(current, writer);
#endif
        return WriteOutcome::committed;
    }

    /// Last: it ends, with its task, before what the task uses.
    BackgroundTask task;
};

MysqlSink::MysqlSink(MysqlSettings settings, std::string connector, std::string owner)
    : state_{std::make_unique<State>()} {
    state_->settings = std::move(settings);
    owner.resize(std::min(owner.size(), kLongestOwner));
    state_->who = {std::move(connector), std::move(owner)};
    check_identity(state_->settings, state_->who);
}

MysqlSink::~MysqlSink() = default;

void MysqlSink::open() {
    state_->open();
}

void MysqlSink::close() noexcept {
    state_->task.wait();
    state_->session.reset();
}

mapping::TableDefinition MysqlSink::load_table(const mapping::TableName& name) {
    mapping::TableName full{name};
    if (full.database.empty()) {
        full.database = state_->settings.database;
    }
    return state_->run(fmt::format("reading the definition of {}", to_string(full)),
                       [&](Session& session) { return read_table(session, full); });
}

bool MysqlSink::has_offsets(std::string_view topic) {
    return state_->run("looking for offset rows", [&](Session& session) {
        return !State::query_own(session, has_offsets_sql(state_->who, topic)).empty();
    });
}

void MysqlSink::create_offsets(std::span<const pipeline::PartitionStart> starts,
                               std::string_view cluster_id) {
    state_->run("storing where reading starts", [&](Session& session) {
        session.execute("START TRANSACTION");
        while (!starts.empty()) {
            const auto some = starts.first(std::min(starts.size(), kOffsetRowsPerStatement));
            State::update_own(session, create_offsets_sql(state_->who, some, cluster_id));
            starts = starts.subspan(some.size());
        }
        TXSINK_FAILPOINT("create-offsets-before-commit");
        session.execute_commit();
    });
}

ClaimedOffset MysqlSink::claim(const TopicPartition& partition,
                               Fence fence,
                               Offset start,
                               std::string_view cluster_id,
                               bool any_cluster) {
    return state_->run("claiming " + to_string(partition), [&](Session& session) {
        session.execute("START TRANSACTION");
        // INSERT first: FOR UPDATE of a missing row would deadlock with a neighbour's.
        State::update_own(session, claim_sql(state_->who, partition, fence, start, cluster_id));
        const auto row = state_->lock_offset(session, partition);
        if (!row) {
            throw SinkError{ErrorKind::internal, "the offset row just written is not there"};
        }
        ClaimedOffset claimed{row->stored.next, row->start, row->cluster_id, true};
        if (row->cluster_id != cluster_id && !any_cluster) {
            session.execute("ROLLBACK");
            claimed.is_claimed = false;
            return claimed;
        }
        state_->letters.claim(session, state_->who, partition);
        TXSINK_FAILPOINT("claim-before-commit");
        session.execute_commit();
        TXSINK_FAILPOINT("claim-after-commit");
        return claimed;
    });
}

std::optional<StoredOffset> MysqlSink::read_offset(const TopicPartition& partition) {
    return state_->run("reading the offset of " + to_string(partition),
                       [&](Session& session) -> std::optional<StoredOffset> {
                           session.execute("START TRANSACTION");
                           const auto row = state_->lock_offset(session, partition);
                           session.execute("ROLLBACK");
                           return row ? std::optional{row->stored} : std::nullopt;
                       });
}

void MysqlSink::start_write(const Batch& batch) {
    state_->task.start([state = state_.get(), &batch] {
        announce_thread();
        state->outcome = batch.is_empty() ? WriteOutcome::committed
                                          : state->run("writing a batch", [&](Session& session) {
                                                return state->write(session, batch);
                                            });
    });
}

std::optional<WriteOutcome> MysqlSink::finish_write(std::chrono::milliseconds timeout) {
    return state_->task.is_over(timeout) ? state_->outcome : std::nullopt;
}

pipeline::WriteSummary MysqlSink::last_write() const noexcept {
    return state_->last_write;
}

std::vector<RefusedRecord> MysqlSink::isolate(const Batch& batch, std::size_t most) {
    if (batch.is_empty()) {
        return {};
    }
    return state_->run("looking for the refused records", [&](Session& session) {
        render_compare_and_set(state_->compare_and_set, state_->who, batch);
        session.execute("START TRANSACTION");
        std::vector<RefusedRecord> found;
        // Offsets that differ are for the next write() to find.
        if (state_->move_offsets(session, batch)) {
            found = find_refused(session, batch, state_->writer, most);
            if (found.empty() && most > 0) {
                // Refused together, but not one by one: a table may no longer be what its
                // definition says, so nothing is put together until a batch has committed.
                state_->writer.set_merging(batch::Merging::none);
            }
        }
        state_->leave_transaction();
        return found;
    });
}

bool MysqlSink::jump(const TopicPartition& partition,
                     Fence fence,
                     const pipeline::Gap& gap,
                     std::string_view cluster_id) {
    return state_->run("moving the offset of " + to_string(partition), [&](Session& session) {
        session.execute("START TRANSACTION");
        if (gap.is_another_log) {
            // They may have been replayed or purged since the claim.
            state_->letters.claim(session, state_->who, partition);
        }
        if (gap.is_another_log && state_->letters.has_letters_from(partition, gap.to)) {
            throw SinkError{
                ErrorKind::configuration,
                fmt::format("{} has dead letters of the topic as it was before",
                            to_string(partition)),
                fmt::format("it would go on at {} instead of {} ({}); nothing was changed",
                            to_int(gap.to),
                            to_int(gap.from),
                            gap.reason),
                fmt::format("apply or forget them first: txsink dead-letters replay "
                            "--even-if-newer, or purge, with --topic {}",
                            partition.topic)};
        }
        const auto sql = jump_sql(state_->who, partition, fence, gap, cluster_id);
        if (State::update_own(session, sql) != 1) {
            session.execute("ROLLBACK");
            return false;
        }
        State::update_own(session, gap_sql(state_->who, partition, gap));
        session.execute_commit();
        return true;
    });
}

}  // namespace txsink::mysql
