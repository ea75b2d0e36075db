/// @file
/// Isolation: which records of a batch the target tables refuse.
#pragma once

#include <cstddef>
#include <vector>

#include "mysql/row_writer.hpp"
#include "mysql/session.hpp"
#include "txsink/batch/batch.hpp"
#include "txsink/pipeline/sink.hpp"

namespace txsink::mysql {

/// Finds the first `most` records of `batch`, by partition and offset, that are refused when each
/// meets what the records before it, but for the refused ones, have left. A range of records is
/// applied as one plan and, when something in it is refused, taken back to a savepoint and halved:
/// a refused record costs about as much as applying the batch twice.
///
/// A record by itself is planned without merging; see RowWriter::set_merging() for the ranges.
///
/// What is not refused stays applied in the open transaction, and perhaps a part of what is: the
/// caller rolls back.
/// Where the session is lost at a record that is too large for the server, the search ends with
/// it, and the session is of no further use.
/// Errors: SinkError of any kind but bad_record, as it comes.
[[nodiscard]] std::vector<pipeline::RefusedRecord> find_refused(Session& session,
                                                                const batch::Batch& batch,
                                                                RowWriter& writer,
                                                                std::size_t most);

}  // namespace txsink::mysql
