/// @file
/// Moves a stored offset by hand: `txsink offsets set`.
#pragma once

#include <string>

#include "txsink/core/offset_range.hpp"
#include "txsink/core/topic_partition.hpp"

namespace txsink::mysql {

class Session;

/// What was there before an edit.
struct EditedOffset {
    Offset before{0};
};

/// Moves the row of `partition` to `to` under a new token, so that a worker that owns it notices;
/// a range that is skipped is recorded in txsink_gaps. One transaction.
/// Errors: configuration: there is no such row; outcome_unknown: read the row.
[[nodiscard]] EditedOffset set_offset(Session& session,
                                      const std::string& connector,
                                      const TopicPartition& partition,
                                      Offset to,
                                      const std::string& who);

}  // namespace txsink::mysql
