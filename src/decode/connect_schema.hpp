/// @file
/// ConnectSchema: the schema part of Kafka Connect's JSON, ready to be laid over payloads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "txsink/core/result.hpp"
#include "txsink/decode/value.hpp"

namespace txsink::decode {

/// Connect's types as far as JSON tells them apart.
enum class ConnectType : std::uint8_t {
    any,  ///< there is no schema
    integer,
    floating,
    boolean,
    string,
    bytes,
    structure,
    array,
    map,    ///< keys are strings: an object
    pairs,  ///< any other map: an array of [key, value]
};

/// Source: JsonConverter and JsonSchema of org.apache.kafka:connect-json; the `io.debezium` names:
/// https://debezium.io/documentation/reference/stable/connectors/mysql.html#mysql-data-types
struct ConnectSchema {
    ConnectType type = ConnectType::any;
    /// Optional, or with a default. The default itself is never put in: converters write every
    /// field, and what null means is up to the column.
    bool may_be_null = true;
    Meaning meaning = Meaning::none;
    std::int16_t scale = 0;
    /// Of a structure's field.
    std::string name;
    /// structure: its fields; array: its items; map, pairs: keys and values.
    std::vector<ConnectSchema> children;

    /// `schema`: an object, or null for no schema.
    /// Errors: not_an_envelope: this is no schema.
    [[nodiscard]] static Result<ConnectSchema> compile(Document schema);

    /// Sets meaning and scale of the values of `payload`, whose root is the first.
    /// A structure's field that is missing stays missing; one that its schema lacks is refused.
    /// Error: schema_mismatch, with the path of the field.
    [[nodiscard]] std::optional<RecordError> apply(std::span<Value> payload) const;
};

}  // namespace txsink::decode
