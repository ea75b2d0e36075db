#include "decode/envelope_decoder.hpp"

#include <optional>
#include <utility>

#include "decode/json_text.hpp"

namespace txsink::decode {

namespace {

RecordError not_an_envelope(const char* what) {
    return {RecordErrorCode::not_an_envelope, {}, what};
}

/// The parts of an envelope as written.
struct Parts {
    std::string_view head;
    std::string_view payload;
};

/// `whole` is an object of two members, and `schema`, its value of that name, a part of it.
Parts split(std::string_view whole, std::string_view schema, bool is_schema_first) {
    const auto begin = static_cast<std::size_t>(schema.data() - whole.data());
    if (is_schema_first) {
        // Between the two values stands nothing but a name without a colon.
        std::size_t at = whole.find(':', begin + schema.size()) + 1;
        while (is_blank(whole[at])) {
            ++at;
        }
        return {whole.substr(0, at), whole.substr(at, whole.size() - 1 - at)};
    }
    const std::size_t colon = whole.rfind(':', begin);
    const std::size_t quote = whole.rfind('"', whole.rfind('"', colon) - 1);
    const std::size_t comma = whole.rfind(',', quote);
    const std::size_t at = whole.find(':') + 1;
    return {{}, without_blanks(whole.substr(at, comma - at))};
}

}  // namespace

bool begins_as_envelope(std::string_view text) noexcept {
    text = without_leading_blanks(text);
    if (!text.starts_with('{')) {
        return false;
    }
    text = without_leading_blanks(text.substr(1));
    return text.starts_with("\"schema\"") || text.starts_with("\"payload\"");
}

Result<std::span<Value>> EnvelopeDecoder::decode(std::string_view text) {
    if (const Known* known = find_by_head(text)) {
        std::string_view payload = without_trailing_blanks(text.substr(known->head.size()));
        if (payload.ends_with('}')) {
            payload.remove_suffix(1);
            if (payloads_.decode(payload)) {
                std::optional<RecordError> error = known->schema.apply(payloads_.values());
                return error ? Result<std::span<Value>>{*std::move(error)} : payloads_.values();
            }
        }
    }
    // Also for what is refused: only the whole text tells why, and where.
    return decode_whole(text);
}

Result<std::span<Value>> EnvelopeDecoder::decode_whole(std::string_view text) {
    const Result<Document> whole = envelopes_.decode(text);
    if (!whole) {
        return whole.error();
    }
    const Document root = whole.value();
    if (root[0].kind != ValueKind::object) {
        return not_an_envelope("not an envelope: not an object with \"schema\" and \"payload\"");
    }
    const Document schema = member(root, "schema");
    const Document payload = member(root, "payload");
    if (schema.empty() || payload.empty()) {
        return not_an_envelope(schema.empty() ? "not an envelope: \"schema\" is missing"
                                              : "not an envelope: \"payload\" is missing");
    }
    if (1 + schema.size() + payload.size() != root.size()) {
        return not_an_envelope("not an envelope: members beside \"schema\" and \"payload\"");
    }
    if (schema[0].kind != ValueKind::object && schema[0].kind != ValueKind::null) {
        return not_an_envelope("not an envelope: \"schema\" is neither an object nor null");
    }
    const Parts parts = split(root[0].text, schema[0].text, schema.data() < payload.data());
    if (const Known* known = find_by_schema(schema[0].text, parts.head)) {
        return decode_payload(parts.payload, known->schema);
    }
    Result<ConnectSchema> compiled = ConnectSchema::compile(schema);
    if (!compiled) {
        return std::move(compiled.error());
    }
    Known fresh{std::string{parts.head}, std::string{schema[0].text}, std::move(compiled.value())};
    if (known_.size() < kMostKnown) {
        last_ = known_.size();
        known_.push_back(std::move(fresh));
    } else {
        last_ = oldest_;
        oldest_ = (oldest_ + 1) % kMostKnown;
        known_[last_] = std::move(fresh);
    }
    return decode_payload(parts.payload, known_[last_].schema);
}

Result<std::span<Value>> EnvelopeDecoder::decode_payload(std::string_view payload,
                                                         const ConnectSchema& schema) {
    Result<Document> decoded = payloads_.decode(payload);
    if (!decoded) {
        return std::move(decoded.error());
    }
    if (std::optional<RecordError> error = schema.apply(payloads_.values())) {
        return *std::move(error);
    }
    return payloads_.values();
}

const EnvelopeDecoder::Known* EnvelopeDecoder::find_by_head(std::string_view text) {
    for (std::size_t tried = 0; tried < known_.size(); ++tried) {
        const std::size_t at = (last_ + tried) % known_.size();
        if (!known_[at].head.empty() && text.starts_with(known_[at].head)) {
            last_ = at;
            return &known_[at];
        }
    }
    return nullptr;
}

/// Where the same schema stands in another frame, as after other blanks.
const EnvelopeDecoder::Known* EnvelopeDecoder::find_by_schema(std::string_view schema_text,
                                                              std::string_view head) {
    for (const Known& known : known_) {
        if (known.schema_text == schema_text && known.head == head) {
            return &known;
        }
    }
    return nullptr;
}

}  // namespace txsink::decode
