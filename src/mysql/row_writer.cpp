#include "mysql/row_writer.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "txsink/core/failpoint.hpp"
#include "txsink/mapping/row_buffer.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mysql {
namespace {

using batch::ChangePosition;
using batch::Statement;

/// What a packet holds beside its statements, and room for what a proxy adds.
constexpr std::size_t kPacketSlack = 1024;

/// As it is sent: see Session::execute_each.
std::size_t sent_bytes(const std::vector<PacketStatement>& packet) {
    constexpr std::size_t kSeparator = 2;
    constexpr std::size_t kCount = 20;
    std::size_t bytes = 0;
    for (const auto& each : packet) {
        bytes += (bytes == 0 ? 0 : kSeparator) + each.sql.size() + (each.is_counted ? kCount : 0);
    }
    return bytes;
}

SinkError packet_lost() {
    SinkError error{ErrorKind::connection, "the server takes no packet of this size"};
    error.reconnect = true;
    return error;
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
                                               ChangePosition last,
                                               batch::Merging merging) {
    if (!plan_ || dialect_ != session.dialect()) {
        dialect_ = session.dialect();
        plan_.emplace(dialect_, batch::StatementLimits{});
    }
    const std::size_t packet = packet_limit(session);
    batch::StatementLimits limits;
    packet_bytes_ = std::min(statement_bytes_, packet);
    limits.bytes = std::min(limits.bytes, packet_bytes_);
    limits.bytes_alone = packet;
    plan_->set_limits(limits);
    plan_->set_merging(merging_ == batch::Merging::none ? merging_ : merging);
    return plan_->build(batch, first, last);
}

void RowWriter::write(Session& session, std::string_view ahead) {
    missed_ = 0;
    for (std::size_t begin = 0; begin < plan_->size();) {
        if (begin > 0) {
            TXSINK_FAILPOINT("between-rows");
        }
        const std::size_t end = end_of_packet(begin);
        send(session, begin, end, ahead);
        check_matches(begin, ahead.empty() ? 0 : 1);
        begin = end;
        ahead = {};
    }
}

bool RowWriter::write_other(Session& session, std::string_view sql) {
    if (!probe_.allows(session, sql.size())) {
        return false;
    }
    try {
        session.execute(sql);
    } catch (const SinkError& error) {
        if (probe_.is_too_large(error, sql.size())) {
            return false;
        }
        throw;
    }
    return true;
}

std::size_t RowWriter::end_of_packet(std::size_t begin) const {
    const auto bytes_of = [&](std::size_t index) {
        return (*plan_)[index].sql.size() + kPacketStatementBytes;
    };
    std::size_t end = begin + 1;
    for (std::size_t bytes = bytes_of(begin); end < plan_->size(); ++end) {
        bytes += bytes_of(end);
        if (bytes > packet_bytes_) {
            break;
        }
    }
    return end;
}

void RowWriter::send(Session& session, std::size_t begin, std::size_t end, std::string_view ahead) {
    packet_.clear();
    if (!ahead.empty()) {
        packet_.push_back({ahead});
    }
    for (std::size_t i = begin; i < end; ++i) {
        const Statement& statement = (*plan_)[i];
        packet_.push_back({statement.sql, statement.shape->required_rows > 0});
    }
    const std::size_t bytes = sent_bytes(packet_);
    failed_ = begin;
    if (!probe_.allows(session, bytes)) {
        throw too_large(packet_lost(), end - begin, bytes);
    }
    try {
        session.execute_each(packet_);
    } catch (const SinkError& error) {
        const auto failed = std::find_if(
            packet_.begin(), packet_.end(), [](const auto& each) { return !each.has_run; });
        const auto done = static_cast<std::size_t>(failed - packet_.begin());
        failed_ = begin + done - (ahead.empty() || done == 0 ? 0 : 1);
        if (probe_.is_too_large(error, bytes)) {
            throw too_large(error, end - begin, bytes);
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

void RowWriter::check_matches(std::size_t begin, std::size_t ahead) {
    for (std::size_t i = ahead; i < packet_.size(); ++i) {
        const std::size_t index = begin + i - ahead;
        const auto& shape = *(*plan_)[index].shape;
        if (packet_[i].matched >= shape.required_rows) {
            continue;
        }
        if (!shape.may_miss) {
            failed_ = index;
            throw row_missing(shape, packet_[i].matched);
        }
        ++missed_;
    }
}

/// What it means that the server did not take a packet of this size.
SinkError RowWriter::too_large(const SinkError& error, std::size_t statements, std::size_t bytes) {
    SinkError told{error};
    told.reconnect = true;
    if (statements == 1 && failed().changes == 1) {
        told.kind = ErrorKind::bad_record;
    } else if (statement_bytes_ > kSmallestStatementBytes) {
        statement_bytes_ = std::max(kSmallestStatementBytes, std::min(statement_bytes_, bytes) / 2);
        spdlog::warn(
            "the server takes no packet of {} bytes; going on with at most {} bytes a packet",
            bytes,
            statement_bytes_);
        told.kind = ErrorKind::connection;
    } else {
        told.kind = ErrorKind::too_big;
    }
    return told;
}

}  // namespace txsink::mysql
