/// @file
/// What Debezium's messages ask for: change events, and those that go beside them.
#pragma once

#include "txsink/core/result.hpp"
#include "txsink/decode/record_decoder.hpp"

namespace txsink::decode {

/// Reads a message without its schema part. `row` and `before` are parts of `message`.
///
/// Heartbeats, schema changes, transaction metadata and messages (op m) are Operation::none.
/// Errors: not_an_envelope, with what is missing.
/// Source: https://debezium.io/documentation/reference/stable/connectors/mysql.html#mysql-events
[[nodiscard]] Result<DecodedRecord> read_change_event(Document message);

}  // namespace txsink::decode
