/// @file
/// Fuzzes the record and key decoders in every format: a decoder that has seen many records, and
/// knows their schemas, must say the same as a new one, and parts must lie inside the whole.
///
/// Input: one byte that chooses the formats, the key, byte 0x1E, the value.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "txsink/decode/record_decoder.hpp"

namespace {

using namespace txsink;
using namespace txsink::decode;

void require(bool is_true) {
    if (!is_true) {
        std::abort();
    }
}

void expect_same(Document left, Document right) {
    require(left.size() == right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
        require(left[i].kind == right[i].kind && left[i].text == right[i].text &&
                left[i].name == right[i].name && left[i].size == right[i].size &&
                left[i].meaning == right[i].meaning && left[i].scale == right[i].scale);
    }
}

void expect_well_formed(Document document) {
    require(document.empty() || document[0].size == document.size());
    for (std::size_t i = 0; i < document.size(); ++i) {
        require(document[i].size > 0 && i + document[i].size <= document.size());
    }
}

void expect_inside(Document part, Document whole) {
    require(part.empty() || (part.data() >= whole.data() &&
                             part.data() + part.size() <= whole.data() + whole.size()));
}

void expect_same(const RecordError& left, const RecordError& right) {
    require(left.code == right.code && left.field == right.field && left.message == right.message &&
            !left.message.empty());
}

void check_record(Format format, RecordDecoder& reused, const ConsumerRecord& record) {
    RecordDecoder fresh{format};
    const auto decoded = reused.decode(record);
    const auto expected = fresh.decode(record);
    require(decoded.has_value() == expected.has_value());
    if (!decoded) {
        expect_same(decoded.error(), expected.error());
        return;
    }
    const DecodedRecord& found = decoded.value();
    require(found.operation == expected.value().operation);
    expect_well_formed(found.value);
    expect_well_formed(found.row);
    expect_well_formed(found.before);
    expect_inside(found.row, found.value);
    expect_inside(found.before, found.value);
    expect_same(found.value, expected.value().value);
    expect_same(found.row, expected.value().row);
    expect_same(found.before, expected.value().before);
    require(found.operation != Operation::write || !found.row.empty());
    require(found.operation != Operation::tombstone || found.value.empty());
}

void check_key(KeyFormat format, KeyDecoder& reused, std::string_view key) {
    KeyDecoder fresh{format, Format::debezium};
    const auto decoded = reused.decode(key);
    const auto expected = fresh.decode(key);
    require(decoded.has_value() == expected.has_value());
    if (!decoded) {
        expect_same(decoded.error(), expected.error());
        require(decoded.error().message.starts_with("record key: "));
        return;
    }
    expect_well_formed(decoded.value());
    expect_same(decoded.value(), expected.value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    constexpr unsigned kFormats = 4;
    constexpr unsigned kKeyFormats = 8;
    static std::vector<RecordDecoder> records;
    static std::vector<KeyDecoder> keys;
    for (unsigned i = static_cast<unsigned>(records.size()); i < kFormats; ++i) {
        records.emplace_back(static_cast<Format>(i));
    }
    for (unsigned i = static_cast<unsigned>(keys.size()); i < kKeyFormats; ++i) {
        keys.emplace_back(static_cast<KeyFormat>(i), Format::debezium);
    }
    if (size == 0) {
        return 0;
    }
    const unsigned format = bytes[0] % kFormats;
    const unsigned key_format = bytes[0] / kFormats % kKeyFormats;
    const std::string_view rest{reinterpret_cast<const char*>(bytes) + 1, size - 1};
    const std::size_t mark = rest.find('\x1E');
    ConsumerRecord record;
    if (mark == std::string_view::npos) {
        record.value = rest;
    } else {
        record.key = rest.substr(0, mark);
        record.value = rest.substr(mark + 1);
        check_key(static_cast<KeyFormat>(key_format), keys[key_format], *record.key);
    }
    check_record(static_cast<Format>(format), records[format], record);
    return 0;
}
