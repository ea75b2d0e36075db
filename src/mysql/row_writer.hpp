/// @file
/// RowWriter: the row changes of a batch into the transaction that is open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mysql/packet_probe.hpp"
#include "mysql/session.hpp"
#include "txsink/batch/batch.hpp"
#include "txsink/batch/write_plan.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::mysql {

/// Longest packet of several statements, in bytes: larger ones are not faster.
inline constexpr std::size_t kPacketBytes = 1024 * 1024;

/// The longest packet that the session's server takes.
[[nodiscard]] std::size_t packet_limit(const Session& session);

/// Plans ranges of a batch and sends them, neighbouring statements in one packet.
///
/// It outlives sessions: what it learns about the size of packets stays.
/// Threading: one thread.
class RowWriter {
public:
    /// Plans the changes in [first, last) of `batch` for `session`, in statements of the usual
    /// length; only a row that is longer has one of its own, up to a packet.
    /// Returns a change that no packet can hold (there is no plan then); else nothing.
    [[nodiscard]] std::optional<batch::ChangePosition> build(
        const Session& session,
        const batch::Batch& batch,
        batch::ChangePosition first,
        batch::ChangePosition last,
        batch::Merging merging = batch::Merging::allowed);
    [[nodiscard]] std::optional<batch::ChangePosition> build(const Session& session,
                                                             const batch::Batch& batch);

    /// With Merging::none no plan from now on merges changes, whatever build() is told.
    void set_merging(batch::Merging merging) noexcept { merging_ = merging; }

    /// Runs the plan; `ahead`, where it is not empty, is a statement that is sent ahead of it, in
    /// its first packet. Precondition: it was built for this session.
    /// Errors: bad_record: the server refuses a row, or a statement found fewer rows than it
    /// requires (native_code 0): failed() tells. bad_record with `reconnect`: a statement of one
    /// change is too large for the server.
    void write(Session& session, std::string_view ahead = {});
    /// Runs one statement that is no part of the plan, with the same care for its size. Returns
    /// false when the server does not take one so large; the session is lost then.
    [[nodiscard]] bool write_other(Session& session, std::string_view sql);
    /// How long statements may be, as far as is known, where they can be made shorter.
    [[nodiscard]] std::size_t statement_bytes() const noexcept { return statement_bytes_; }

    /// Statements of the last write() that found fewer rows than they required, and may.
    [[nodiscard]] std::uint64_t missed_rows() const noexcept { return missed_; }
    /// After an error of write(): the statement that failed.
    [[nodiscard]] const batch::Statement& failed() const { return (*plan_)[failed_]; }

private:
    [[nodiscard]] std::size_t end_of_packet(std::size_t begin) const;
    void send(Session& session, std::size_t begin, std::size_t end, std::string_view ahead);
    void check_matches(std::size_t begin, std::size_t ahead);
    [[nodiscard]] SinkError too_large(const SinkError& error,
                                      std::size_t statements,
                                      std::size_t bytes);

    std::optional<batch::WritePlan> plan_;
    batch::Dialect dialect_{};
    batch::Merging merging_ = batch::Merging::allowed;
    PacketProbe probe_;
    /// Halved when the server, or a proxy, takes less than max_allowed_packet says.
    std::size_t statement_bytes_ = kPacketBytes;
    std::size_t packet_bytes_ = kPacketBytes;
    /// The packet that is being sent; reused.
    std::vector<PacketStatement> packet_;
    std::size_t failed_ = 0;
    std::uint64_t missed_ = 0;
};

}  // namespace txsink::mysql
