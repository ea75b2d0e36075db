#include "txsink/decode/record_decoder.hpp"

#include <optional>
#include <span>
#include <utility>

#include "decode/change_event.hpp"
#include "decode/envelope_decoder.hpp"
#include "decode/unavailable_marker.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::decode {

struct RecordDecoder::State {
    State(Format record_format, DecodeOptions options)
        : format{record_format}, marker{std::move(options.unavailable_marker)} {}

    [[nodiscard]] Result<DecodedRecord> decode(std::string_view text);
    [[nodiscard]] Result<DecodedRecord> decode_json(std::string_view text);
    [[nodiscard]] Result<DecodedRecord> decode_json_schema(std::string_view text);
    [[nodiscard]] Result<DecodedRecord> decode_debezium(std::string_view text);

    Format format;
    UnavailableMarker marker;
    JsonDecoder json;
    EnvelopeDecoder envelopes{json};
    Value raw{.kind = ValueKind::string, .meaning = Meaning::raw_bytes};
};

RecordDecoder::RecordDecoder(Format format, DecodeOptions options)
    : state_{std::make_unique<State>(format, std::move(options))} {}
RecordDecoder::RecordDecoder(RecordDecoder&&) noexcept = default;
RecordDecoder& RecordDecoder::operator=(RecordDecoder&&) noexcept = default;
RecordDecoder::~RecordDecoder() = default;

Result<DecodedRecord> RecordDecoder::decode(const ConsumerRecord& record) {
    if (!record.value) {
        return DecodedRecord{Operation::tombstone, {}, {}, {}};
    }
    return state_->decode(*record.value);
}

Result<DecodedRecord> RecordDecoder::State::decode(std::string_view text) {
    switch (format) {
        case Format::json:
            return decode_json(text);
        case Format::json_schema:
            return decode_json_schema(text);
        case Format::debezium:
            return decode_debezium(text);
        case Format::raw:
            break;
    }
    raw.text = text;
    const Document value{&raw, 1};
    return DecodedRecord{Operation::write, value, value, {}};
}

Result<DecodedRecord> RecordDecoder::State::decode_json(std::string_view text) {
    Result<Document> value = json.decode(text);
    if (!value) {
        return std::move(value.error());
    }
    marker.mark(json.values(), 0);
    return DecodedRecord{Operation::write, value.value(), value.value(), {}};
}

Result<DecodedRecord> RecordDecoder::State::decode_json_schema(std::string_view text) {
    Result<std::span<Value>> payload = envelopes.decode(text);
    if (!payload) {
        return std::move(payload.error());
    }
    const std::span<Value> values = payload.value();
    if (values[0].kind == ValueKind::null) {
        return DecodedRecord{Operation::tombstone, {}, {}, {}};
    }
    marker.mark(values, 0);
    return DecodedRecord{Operation::write, values, values, {}};
}

Result<DecodedRecord> RecordDecoder::State::decode_debezium(std::string_view text) {
    const bool has_schema = begins_as_envelope(text);
    if (has_schema) {
        if (Result<std::span<Value>> payload = envelopes.decode(text); !payload) {
            return std::move(payload.error());
        }
    } else if (Result<Document> message = json.decode(text); !message) {
        return std::move(message.error());
    }
    const std::span<Value> values = json.values();
    if (has_schema && values[0].kind == ValueKind::null) {
        return DecodedRecord{Operation::tombstone, {}, {}, {}};
    }
    Result<DecodedRecord> event = read_change_event(values);
    if (event) {
        for (const Document state : {event.value().row, event.value().before}) {
            if (!state.empty()) {
                marker.mark(values, static_cast<std::size_t>(state.data() - values.data()));
            }
        }
    }
    return event;
}

}  // namespace txsink::decode
