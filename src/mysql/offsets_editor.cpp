#include "txsink/mysql/offsets_editor.hpp"

#include <fmt/format.h>

#include <string>

#include "mysql/offsets_sql.hpp"
#include "mysql/server_error.hpp"
#include "mysql/session.hpp"
#include "txsink/core/fence.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mysql {
namespace {

std::string update_sql(const Identity& who, const TopicPartition& partition, Offset to) {
    // The new token makes a live worker read the row again instead of moving it on. A row that is
    // set back before its start must start there, should a fail-over lose it.
    return fmt::format(
        "UPDATE txsink_offsets SET next_offset = {}, start_offset = LEAST(start_offset, {}), "
        "fence = {}, owner = {} "
        "WHERE connector = {} AND topic = {} AND partition_id = {}",
        to_int(to),
        to_int(to),
        to_int(random_fence()),
        mapping::string_literal(who.owner),
        mapping::string_literal(who.connector),
        mapping::string_literal(partition.topic),
        partition.partition);
}

EditedOffset edit(Session& session,
                  const Identity& who,
                  const TopicPartition& partition,
                  Offset to) {
    const auto rows = session.query(lock_offset_sql(who, partition));
    if (rows.empty()) {
        throw SinkError{
            ErrorKind::configuration,
            fmt::format(
                "connector {} has no stored offset of {}", who.connector, to_string(partition)),
            {},
            "txsink offsets list shows those that it has; a topic gets its rows when it is first "
            "read"};
    }
    const Offset before{std::stoll(rows.front().at(0).value_or("0"))};
    session.execute(update_sql(who, partition, to));
    if (before < to) {
        session.execute(gap_sql(who, partition, {before, to, "set by an operator"}));
    }
    return {before};
}

}  // namespace

EditedOffset set_offset(Session& session,
                        const std::string& connector,
                        const TopicPartition& partition,
                        Offset to,
                        const std::string& who) {
    try {
        session.execute("START TRANSACTION");
        const auto edited = edit(session, {connector, who}, partition, to);
        session.execute_commit();
        return edited;
    } catch (const SinkError& error) {
        auto first = on_own_table(error);
        if (first.outcome_unknown) {
            first.hint = "whether it was set is not known: look with txsink offsets list";
        } else if (!first.reconnect) {
            session.roll_back();
        }
        throw within("setting an offset", first);
    }
}

}  // namespace txsink::mysql
