/// @file
/// The one table for everything odd: what an own offset row, read again, says.
#pragma once

#include <cstdint>
#include <optional>

#include "txsink/pipeline/sink.hpp"

namespace txsink::pipeline {

enum class Verdict : std::uint8_t {
    taken,          ///< no row, or not our token: somebody claimed it, or the database went back
    committed,      ///< ours, at the end of the batch
    not_committed,  ///< ours, where the batch begins
    moved,          ///< ours, anywhere else: the database went back in time, or an edit
};

/// `begin` is what was claimed or last committed; `end` is where the batch in doubt ends, or
/// `begin` when the partition has no part in one.
[[nodiscard]] constexpr Verdict judge(const std::optional<StoredOffset>& row,
                                      Fence mine,
                                      Offset begin,
                                      Offset end) noexcept {
    if (!row || row->fence != mine) {
        return Verdict::taken;
    }
    if (row->next == end) {
        return Verdict::committed;
    }
    return row->next == begin ? Verdict::not_committed : Verdict::moved;
}

}  // namespace txsink::pipeline
