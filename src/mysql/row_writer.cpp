#include "mysql/row_writer.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "mysql/statement_text.hpp"
#include "txsink/core/failpoint.hpp"
#include "txsink/mapping/row_buffer.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mysql {
namespace {

using batch::ChangePosition;
using batch::Statement;

constexpr std::size_t kSmallestStatementBytes = 4 * 1024;
/// What a packet holds beside its statements, and room for what a proxy adds.
constexpr std::size_t kPacketSlack = 1024;

/// Whether a packet of `bytes` was lost because it is too large for the server. Some servers say
/// so; others just close the connection.
bool is_lost_to_size(const SinkError& error, std::size_t bytes, const Session& session) {
    constexpr int kPacketTooLarge = 1153;
    constexpr int kServerGone = 2006;
    constexpr int kServerLost = 2013;
    return error.native_code == kPacketTooLarge ||
           ((error.native_code == kServerGone || error.native_code == kServerLost) &&
            bytes >= session.max_allowed_packet() / 4 * 3);
}

/// Whether others can stand in a packet with it.
bool is_sociable(const Statement& statement) {
    return statement.shape->kind != mapping::ChangeKind::statement || has_one_result(statement.sql);
}

SinkError row_missing(const mapping::RowShape& shape, std::uint64_t matched) {
    return {ErrorKind::bad_record,
            "a statement found too few rows",
            fmt::format("it has to find {} {}{}, and found {}",
                        shape.required_rows,
                        shape.required_rows == 1 ? "row" : "rows",
                        shape.table == nullptr ? "" : " of " + to_string(shape.table->name),
                        matched)};
}

}  // namespace

std::size_t packet_limit(const Session& session) {
    const std::size_t packet = session.max_allowed_packet();
    return packet > 2 * kPacketSlack ? packet - kPacketSlack : packet / 2;
}

std::optional<ChangePosition> RowWriter::build(const Session& session, const batch::Batch& batch) {
    return build(session, batch, {0, 0}, {batch.partitions.size(), 0});
}

std::optional<ChangePosition> RowWriter::build(const Session& session,
                                               const batch::Batch& batch,
                                               ChangePosition first,
                                               ChangePosition last) {
    if (!plan_ || dialect_ != session.dialect()) {
        dialect_ = session.dialect();
        plan_.emplace(dialect_, batch::StatementLimits{});
    }
    const std::size_t packet = packet_limit(session);
    batch::StatementLimits limits;
    limits.bytes = packet_bytes_ = std::min(statement_bytes_, packet);
    plan_->set_limits(limits);
    auto too_large = plan_->build(batch, first, last);
    if (too_large && limits.bytes < packet) {
        limits.bytes = packet;
        plan_->set_limits(limits);
        too_large = plan_->build(batch, first, last);
    }
    return too_large;
}

void RowWriter::write(Session& session) {
    missed_ = 0;
    for (std::size_t begin = 0; begin < plan_->size();) {
        if (begin > 0) {
            TXSINK_FAILPOINT("between-rows");
        }
        const std::size_t end = end_of_packet(begin);
        send(session, begin, end);
        check_matches(begin);
        begin = end;
    }
}

std::size_t RowWriter::end_of_packet(std::size_t begin) const {
    const auto bytes_of = [&](std::size_t index) {
        return (*plan_)[index].sql.size() + kPacketStatementBytes;
    };
    std::size_t end = begin + 1;
    if (!is_sociable((*plan_)[begin])) {
        return end;
    }
    for (std::size_t bytes = bytes_of(begin); end < plan_->size(); ++end) {
        bytes += bytes_of(end);
        if (bytes > packet_bytes_ || !is_sociable((*plan_)[end])) {
            break;
        }
    }
    return end;
}

void RowWriter::send(Session& session, std::size_t begin, std::size_t end) {
    packet_.clear();
    std::size_t bytes = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const Statement& statement = (*plan_)[i];
        packet_.push_back({statement.sql, statement.shape->required_rows > 0});
        bytes += statement.sql.size();
    }
    try {
        session.execute_each(packet_);
    } catch (const SinkError& error) {
        const auto failed = std::find_if(
            packet_.begin(), packet_.end(), [](const auto& each) { return !each.has_run; });
        failed_ = begin + static_cast<std::size_t>(failed - packet_.begin());
        if (is_lost_to_size(error, bytes, session)) {
            throw too_large(error, bytes);
        }
#ifdef TXSINK_MUTATION_RETRY_STATEMENT_1213
        // Breaks the protocol on purpose: 1213 has rolled back the whole transaction.
        if (error.native_code == 1213) {
            session.execute_each({failed, packet_.end()});
            return;
        }
#endif
        throw;
    }
}

void RowWriter::check_matches(std::size_t begin) {
    for (std::size_t i = 0; i < packet_.size(); ++i) {
        const auto& shape = *(*plan_)[begin + i].shape;
        if (packet_[i].matched >= shape.required_rows) {
            continue;
        }
        if (!shape.may_miss) {
            failed_ = begin + i;
            throw row_missing(shape, packet_[i].matched);
        }
        ++missed_;
    }
}

/// What it means that the server did not take a packet of this size.
SinkError RowWriter::too_large(const SinkError& error, std::size_t bytes) {
    SinkError told{error};
    told.reconnect = true;
    if (packet_.size() == 1 && failed().changes == 1) {
        told.kind = ErrorKind::bad_record;
    } else if (statement_bytes_ > kSmallestStatementBytes) {
        statement_bytes_ = std::max(kSmallestStatementBytes, std::min(statement_bytes_, bytes) / 2);
        spdlog::warn(
            "the server closed the connection at a packet of {} bytes; going on with at most {} "
            "bytes a packet",
            bytes,
            statement_bytes_);
        told.kind = ErrorKind::connection;
    } else {
        told.kind = ErrorKind::too_big;
    }
    return told;
}

}  // namespace txsink::mysql
