#include "mysql/dead_letter_writer.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "mysql/dead_letters_sql.hpp"
#include "mysql/server_error.hpp"
#include "txsink/core/failpoint.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {

void DeadLetterWriter::claim(Session& session,
                             const Identity& who,
                             const TopicPartition& partition) {
    auto& last = last_[partition];
    last.reset();
    try {
        const auto text = session.query(last_dead_letter_sql(who, partition)).at(0).at(0);
        if (text) {
            std::int64_t offset = 0;
            std::from_chars(text->data(), text->data() + text->size(), offset);
            last = Offset{offset};
        }
    } catch (const SinkError& error) {
        if (error.kind != ErrorKind::access_denied && error.kind != ErrorKind::schema_drift) {
            throw;
        }
        spdlog::debug("looking for dead letters: {}", error.what());
    }
}

bool DeadLetterWriter::has_letters_from(const TopicPartition& partition, Offset offset) const {
    const auto last = last_.find(partition);
    return last != last_.end() && last->second && offset <= *last->second;
}

void DeadLetterWriter::build(const Session& session,
                             const Identity& who,
                             const batch::Batch& batch,
                             const RowWriter& writer) {
    statements_.clear();
    for (const auto& part : batch.partitions) {
        const auto last = last_.find(part.partition);
        if (last == last_.end() || (last->second && part.begin <= *last->second)) {
            statements_.push_back(forget_dead_letters_sql(who, part));
        }
    }
    const std::size_t packet = std::min(packet_limit(session), most_bytes_);
    auto inserts =
        insert_dead_letters_sql(who,
                                batch,
                                session.dialect(),
                                std::min({usual_bytes_, writer.statement_bytes(), packet}),
                                packet);
    std::move(inserts.begin(), inserts.end(), std::back_inserter(statements_));
}

void DeadLetterWriter::write(Session& session, RowWriter& writer) {
    for (const auto& statement : statements_) {
        write(session, writer, statement);
    }
    if (!statements_.empty()) {
        TXSINK_FAILPOINT("after-dead-letters");
    }
}

void DeadLetterWriter::write(Session& session, RowWriter& writer, const std::string& statement) {
    try {
        if (writer.write_other(session, statement)) {
            return;
        }
    } catch (const SinkError& error) {
        SinkError told = on_own_table(error);
        if (told.kind == ErrorKind::access_denied) {
            told.hint =
                "the account needs SELECT, INSERT, UPDATE and DELETE on txsink_dead_letters";
        }
        throw told;
    }
    shorten(statement.size());
    SinkError error{ErrorKind::connection, "the server takes no dead letters of this size"};
    error.reconnect = true;
    throw error;
}

/// First fewer letters in a statement, then less of each letter.
void DeadLetterWriter::shorten(std::size_t bytes) {
    auto& limit = bytes <= usual_bytes_ && usual_bytes_ > kSmallestStatementBytes ? usual_bytes_
                                                                                  : most_bytes_;
    limit = std::max(kSmallestStatementBytes, std::min(limit, bytes) / 2);
    spdlog::warn("the server takes no dead letters of {} bytes; going on with shorter ones", bytes);
}

void DeadLetterWriter::note(const batch::Batch& batch) {
    for (const auto& part : batch.partitions) {
        if (!part.dead_letters.empty()) {
            auto& last = last_[part.partition];
            last = std::max(last, std::optional{part.dead_letters.back().offset});
        }
    }
}

}  // namespace txsink::mysql
