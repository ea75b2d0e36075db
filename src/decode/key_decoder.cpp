#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <utility>

#include "decode/envelope_decoder.hpp"
#include "decode/json_text.hpp"
#include "txsink/decode/json_decoder.hpp"
#include "txsink/decode/record_decoder.hpp"

namespace txsink::decode {

namespace {

RecordError bad_key(std::string what) {
    return {RecordErrorCode::bad_key, {}, std::move(what)};
}

bool has_schemas(Format format) noexcept {
    return format == Format::json_schema || format == Format::debezium;
}

/// Two's complement, most significant byte first, as Java's serializers write.
std::int64_t big_endian(std::string_view bytes) noexcept {
    std::uint64_t bits = 0;
    for (const char byte : bytes) {
        bits = (bits << 8U) | static_cast<unsigned char>(byte);
    }
    return bytes.size() == sizeof(std::int32_t)
               ? static_cast<std::int32_t>(static_cast<std::uint32_t>(bits))
               : static_cast<std::int64_t>(bits);
}

}  // namespace

struct KeyDecoder::State {
    State(KeyFormat key_format, Format format_of_value)
        : format{key_format}, may_have_schema{has_schemas(format_of_value)} {}

    [[nodiscard]] Result<Document> decode(std::string_view key);
    [[nodiscard]] Result<Document> decode_envelope(std::string_view key);
    [[nodiscard]] Result<Document> decode_string(std::string_view key);
    [[nodiscard]] Result<Document> decode_integer(std::string_view key, std::size_t size);
    [[nodiscard]] Document bare(Value value) {
        scalar = value;
        return {&scalar, 1};
    }

    KeyFormat format;
    bool may_have_schema;
    JsonDecoder json;
    EnvelopeDecoder envelopes{json};
    Value scalar;
    std::array<char, 24> digits{};
};

KeyDecoder::KeyDecoder(KeyFormat format, Format format_of_value)
    : state_{std::make_unique<State>(format, format_of_value)} {}
KeyDecoder::KeyDecoder(KeyDecoder&&) noexcept = default;
KeyDecoder& KeyDecoder::operator=(KeyDecoder&&) noexcept = default;
KeyDecoder::~KeyDecoder() = default;

Result<Document> KeyDecoder::decode(std::string_view key) {
    Result<Document> decoded = state_->decode(key);
    if (!decoded) {
        decoded.error().message.insert(0, "record key: ");
    }
    return decoded;
}

Result<Document> KeyDecoder::State::decode(std::string_view key) {
    switch (format) {
        case KeyFormat::automatic:
            return may_have_schema && begins_as_envelope(key) ? decode_envelope(key)
                                                              : json.decode(key);
        case KeyFormat::json:
            return json.decode(key);
        case KeyFormat::json_schema:
            return decode_envelope(key);
        case KeyFormat::string:
            return decode_string(key);
        case KeyFormat::raw:
            return bare({.kind = ValueKind::string, .text = key, .meaning = Meaning::raw_bytes});
        case KeyFormat::int32:
            return decode_integer(key, sizeof(std::int32_t));
        case KeyFormat::int64:
            return decode_integer(key, sizeof(std::int64_t));
        case KeyFormat::none:
            break;
    }
    return Document{};
}

Result<Document> KeyDecoder::State::decode_envelope(std::string_view key) {
    Result<std::span<Value>> payload = envelopes.decode(key);
    if (!payload) {
        return std::move(payload.error());
    }
    return Document{payload.value()};
}

Result<Document> KeyDecoder::State::decode_string(std::string_view key) {
    if (is_framed(key)) {
        return framed_by_schema_registry(key);
    }
    if (!simdjson::validate_utf8(key.data(), key.size())) {
        return bad_key("not UTF-8 text; key-format = raw takes any bytes");
    }
    return bare({.kind = ValueKind::string, .text = key});
}

Result<Document> KeyDecoder::State::decode_integer(std::string_view key, std::size_t size) {
    if (key.size() != size) {
        if (is_framed(key)) {
            return framed_by_schema_registry(key);
        }
        return bad_key(fmt::format(
            "{} bytes long, where an integer of {} bits has {}", key.size(), 8 * size, size));
    }
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), big_endian(key));
    return bare({.kind = ValueKind::number,
                 .text = {digits.data(), static_cast<std::size_t>(end - digits.data())}});
}

}  // namespace txsink::decode
