/// @file
/// EnvelopeDecoder: {"schema": ..., "payload": ...} into a payload whose values know what they
/// mean.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/connect_schema.hpp"
#include "txsink/core/result.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::decode {

/// Whether the first member of the object is one of the two that an envelope has.
[[nodiscard]] bool begins_as_envelope(std::string_view text) noexcept;

/// Reads what Kafka Connect's JsonConverter writes with schemas.enable = true.
///
/// The schema part is often ten times the payload and always the same, so a text that begins as
/// an earlier one did, byte for byte up to its payload, has only its payload read. A few schemas
/// are kept. Threading: one thread.
class EnvelopeDecoder {
public:
    /// `payloads` reads the payloads, and owns what decode() gives.
    explicit EnvelopeDecoder(JsonDecoder& payloads) : payloads_{payloads} {}

    /// The payload. Errors: JsonDecoder's; not_an_envelope; schema_mismatch.
    [[nodiscard]] Result<std::span<Value>> decode(std::string_view text);

private:
    struct Known {
        /// The text before the payload; empty where the payload came first.
        std::string head;
        std::string schema_text;
        ConnectSchema schema;
    };

    [[nodiscard]] const Known* find_by_head(std::string_view text);
    [[nodiscard]] const Known* find_by_schema(std::string_view schema_text, std::string_view head);
    [[nodiscard]] Result<std::span<Value>> decode_whole(std::string_view text);
    [[nodiscard]] Result<std::span<Value>> decode_payload(std::string_view payload,
                                                          const ConnectSchema& schema);

    JsonDecoder& payloads_;
    JsonDecoder envelopes_{JsonLimits{kEnvelopeDepth}};
    std::vector<Known> known_;
    /// Of `known_`: the last one used, and the next one to give way.
    std::size_t last_ = 0;
    std::size_t oldest_ = 0;

    /// A schema nests twice as deep as its payload, and is one level down.
    static constexpr std::size_t kEnvelopeDepth = 301;
    static constexpr std::size_t kMostKnown = 8;
};

}  // namespace txsink::decode
