/// @file
/// RowWriter: the row changes of a batch into the transaction that is open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mysql/session.hpp"
#include "txsink/batch/batch.hpp"
#include "txsink/batch/write_plan.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {

/// Longest statement, and longest packet of several, in bytes: larger ones are not faster.
inline constexpr std::size_t kStatementBytes = 1024 * 1024;

/// The longest packet that the session's server takes.
[[nodiscard]] std::size_t packet_limit(const Session& session);

/// Plans ranges of a batch and sends them, neighbouring statements in one packet.
///
/// It outlives sessions: what it learns about the size of packets stays.
/// Threading: one thread.
class RowWriter {
public:
    /// Plans the changes in [first, last) of `batch` for `session`, in statements of the usual
    /// length; only for a row that is longer, in statements as long as a packet.
    /// Returns a change that no packet can hold (there is no plan then); else nothing.
    [[nodiscard]] std::optional<batch::ChangePosition> build(const Session& session,
                                                             const batch::Batch& batch,
                                                             batch::ChangePosition first,
                                                             batch::ChangePosition last);
    [[nodiscard]] std::optional<batch::ChangePosition> build(const Session& session,
                                                             const batch::Batch& batch);

    /// Runs the plan. Precondition: it was built for this session.
    /// Errors: bad_record: the server refuses a row, or a statement found fewer rows than it
    /// requires (native_code 0): failed() tells. bad_record with `reconnect`: the session was
    /// lost at a statement of one change that may be too large for the server.
    void write(Session& session);

    /// Statements of the last write() that found fewer rows than they required, and may.
    [[nodiscard]] std::uint64_t missed_rows() const noexcept { return missed_; }
    /// After an error of write(): the statement that failed.
    [[nodiscard]] const batch::Statement& failed() const { return (*plan_)[failed_]; }

private:
    [[nodiscard]] std::size_t end_of_packet(std::size_t begin) const;
    void send(Session& session, std::size_t begin, std::size_t end);
    void check_matches(std::size_t begin);
    [[nodiscard]] SinkError too_large(const SinkError& error, std::size_t bytes);

    std::optional<batch::WritePlan> plan_;
    batch::Dialect dialect_{};
    /// Halved when the server, or a proxy, takes less than max_allowed_packet says.
    std::size_t statement_bytes_ = kStatementBytes;
    std::size_t packet_bytes_ = kStatementBytes;
    /// The packet that is being sent; reused.
    std::vector<PacketStatement> packet_;
    std::size_t failed_ = 0;
    std::uint64_t missed_ = 0;
};

}  // namespace txsink::mysql
