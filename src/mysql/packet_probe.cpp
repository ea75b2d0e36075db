#include "mysql/packet_probe.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace txsink::mysql {
namespace {

constexpr int kPacketTooLarge = 1153;
constexpr int kServerGone = 2006;
constexpr int kServerLost = 2013;
/// Lost probes that prove it.
constexpr int kProof = 2;

bool is_loss(const SinkError& error) {
    return error.native_code == kServerGone || error.native_code == kServerLost;
}

/// A statement of `bytes` that does nothing.
std::string idle_statement(std::size_t bytes) {
    constexpr std::string_view kHead = "DO LENGTH('";
    constexpr std::string_view kTail = "')";
    std::string sql{kHead};
    sql.append(bytes - std::min(bytes, kHead.size() + kTail.size()), 'x');
    return sql += kTail;
}

}  // namespace

bool PacketProbe::allows(Session& session, std::size_t bytes) {
    if (bytes < suspected_) {
        return true;
    }
    try {
        session.execute(idle_statement(bytes));
    } catch (const SinkError& error) {
        if (error.native_code == kPacketTooLarge) {
            lost_ = kProof;
            return false;
        }
        lost_ += is_loss(error) ? 1 : 0;
        if (!is_loss(error) || lost_ < kProof) {
            throw;
        }
        return false;
    }
    suspected_ = std::numeric_limits<std::size_t>::max();
    lost_ = 0;
    return true;
}

bool PacketProbe::is_too_large(const SinkError& error, std::size_t bytes) {
    if (is_loss(error) && bytes > kSmallestStatementBytes) {
        suspected_ = std::min(suspected_, bytes);
    }
    return error.native_code == kPacketTooLarge;
}

}  // namespace txsink::mysql
