/// @file
/// RecordDecoder and KeyDecoder: the bytes of a record as values, by the route's format.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "txsink/core/consumer_record.hpp"
#include "txsink/core/result.hpp"
#include "txsink/decode/value.hpp"

namespace txsink::decode {

enum class Format : std::uint8_t {
    json,
    json_schema,  ///< Kafka Connect's JsonConverter: {"schema": ..., "payload": ...}
    debezium,     ///< change events, with the schema part or without
    raw,          ///< the value's bytes, as one string
};

enum class KeyFormat : std::uint8_t {
    automatic,  ///< json; json_schema where the value's format has schemas and the key is one
    json,
    json_schema,
    string,  ///< UTF-8 text without quotes
    raw,     ///< bytes
    int32,   ///< 4 bytes, big-endian, signed (Java's IntegerSerializer)
    int64,   ///< 8 bytes (LongSerializer)
    none,    ///< the key is not looked at
};

/// What a record asks for.
enum class Operation : std::uint8_t {
    write,      ///< `row` is the new state
    remove,     ///< `row`, where there is one, is the last state (change event d)
    truncate,   ///< every row of the source table is gone (t)
    tombstone,  ///< no value: the row of the key is gone
    none,       ///< nothing for a table: message, heartbeat, schema change, transaction metadata
};

/// A decoded value; its documents live until the decoder's next decode().
struct DecodedRecord {
    Operation operation = Operation::write;
    /// The value without its schema part: a change event is whole. Empty for a tombstone.
    Document value;
    /// `value`, or the change event's state after (remove: before). Empty: none was sent.
    Document row;
    /// Change event u: the state before, if it was sent; else empty.
    Document before;
};

struct DecodeOptions {
    /// Stands for a value that the source did not send (Meaning::unavailable), in the shapes that
    /// Debezium gives it: also as base64, hex, array or map. Empty: nothing does.
    std::string unavailable_marker = "__debezium_unavailable_value";
};

/// Decodes one value at a time into reused buffers.
///
/// A record without a value is a tombstone in every format; so is an envelope whose payload is
/// null and may be by its schema, which Connect writes for a null that has a schema.
/// json_schema, debezium: values get the meaning that their schema gives them, and a payload that
/// is not what its own schema says is refused. Defaults of the schema are not put in: a field that
/// is missing or null stays so.
/// debezium: heartbeats, schema changes, transaction metadata and messages are Operation::none.
/// Members of the row that are the marker of unavailable values get that meaning, in every format
/// but raw: change events are often flattened on their way.
/// Threading: one thread.
class RecordDecoder {
public:
    explicit RecordDecoder(Format format, DecodeOptions options = {});
    RecordDecoder(RecordDecoder&&) noexcept;
    RecordDecoder& operator=(RecordDecoder&&) noexcept;
    ~RecordDecoder();

    /// Errors: JsonDecoder's; not_an_envelope; schema_mismatch, with the field's path. No
    /// allocation per record once the buffers have grown, as long as the schema part is one of the
    /// last eight, byte for byte.
    [[nodiscard]] Result<DecodedRecord> decode(const ConsumerRecord& record);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Decodes one key at a time. Threading: one thread.
class KeyDecoder {
public:
    /// `automatic` is settled by the format of the value.
    KeyDecoder(KeyFormat format, Format format_of_value);
    KeyDecoder(KeyDecoder&&) noexcept;
    KeyDecoder& operator=(KeyDecoder&&) noexcept;
    ~KeyDecoder();

    /// The document lives until the next call; empty for `none`.
    /// Errors: JsonDecoder's; bad_key: not what the format says. Messages begin "record key: ".
    [[nodiscard]] Result<Document> decode(std::string_view key);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace txsink::decode
