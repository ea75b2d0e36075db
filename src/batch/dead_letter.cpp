#include "txsink/batch/dead_letter.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string>
#include <utility>

#include "txsink/core/sink_error.hpp"

namespace txsink::batch {
namespace {

unsigned byte_at(std::string_view bytes, std::size_t at) {
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

/// Source: https://www.rfc-editor.org/rfc/rfc4648#section-4
void append_base64(std::string& text, std::string_view bytes) {
    constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const unsigned group =
            byte_at(bytes, at) << 16U | byte_at(bytes, at + 1) << 8U | byte_at(bytes, at + 2);
        const std::size_t left = bytes.size() - at;
        text += kAlphabet[group >> 18U];
        text += kAlphabet[(group >> 12U) & 63U];
        text += left > 1 ? kAlphabet[(group >> 6U) & 63U] : '=';
        text += left > 2 ? kAlphabet[group & 63U] : '=';
    }
}

/// Bytes of the well-formed UTF-8 character that begins at `at`; 0 where none does.
/// Source: https://www.rfc-editor.org/rfc/rfc3629#section-4
std::size_t character_size(std::string_view text, std::size_t at) {
    const unsigned first = byte_at(text, at);
    const unsigned second = byte_at(text, at + 1);
    const auto continues = [&](std::size_t from, std::size_t size) {
        for (std::size_t i = from; i < size; ++i) {
            if ((byte_at(text, at + i) & 0xC0U) != 0x80U) {
                return false;
            }
        }
        return true;
    };
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xC2 && first <= 0xDF) {
        return continues(1, 2) ? 2 : 0;
    }
    if ((first & 0xF0U) == 0xE0) {
        const bool is_in_range =
            second >= (first == 0xE0 ? 0xA0U : 0x80U) && second <= (first == 0xED ? 0x9FU : 0xBFU);
        return is_in_range && continues(2, 3) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const bool is_in_range =
            second >= (first == 0xF0 ? 0x90U : 0x80U) && second <= (first == 0xF4 ? 0x8FU : 0xBFU);
        return is_in_range && continues(2, 4) ? 4 : 0;
    }
    return 0;
}

/// A JSON string of `text`; what is not UTF-8 becomes U+FFFD, byte by byte.
void append_json_string(std::string& json, std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    json += '"';
    for (std::size_t at = 0; at < text.size();) {
        const auto size = character_size(text, at);
        const char c = text[at];
        if (size == 0) {
            json += "\\ufffd";
        } else if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (size == 1 && byte_at(text, at) < 0x20) {
            json += "\\u00";
            json += kDigits[byte_at(text, at) >> 4U];
            json += kDigits[byte_at(text, at) & 15U];
        } else {
            json += text.substr(at, size);
        }
        at += std::max<std::size_t>(size, 1);
    }
    json += '"';
}

std::string headers_as_json(std::span<const RecordHeader> headers) {
    std::string json;
    for (const auto& header : headers) {
        json += json.empty() ? "[" : ",";
        json += "{\"name\":";
        append_json_string(json, header.name);
        json += ",\"value\":";
        if (header.value) {
            json += '"';
            append_base64(json, *header.value);
            json += '"';
        } else {
            json += "null";
        }
        json += '}';
    }
    json += json.empty() ? "" : "]";
    return json;
}

std::optional<std::string> copy_of(const std::optional<std::string_view>& bytes) {
    return bytes ? std::optional<std::string>{*bytes} : std::nullopt;
}

}  // namespace

DeadLetter make_dead_letter(const ConsumerRecord& record, RecordError error, std::string target) {
    DeadLetter letter;
    letter.offset = record.offset;
    letter.key = copy_of(record.key);
    letter.value = copy_of(record.value);
    letter.headers = headers_as_json(record.headers);
    letter.timestamp_ms = record.timestamp_ms;
    letter.error = std::move(error);
    letter.target = std::move(target);
    return letter;
}

void KeptRecords::add(const ConsumerRecord& record) {
    assert(entries_.empty() || entries_.back().offset < record.offset);
    const auto keep = [&](std::string_view bytes, std::size_t& begin, std::size_t& size) {
        begin = text_.size();
        size = bytes.size();
        text_ += bytes;
    };
    Entry entry;
    entry.offset = record.offset;
    entry.timestamp_ms = record.timestamp_ms;
    entry.has_key = record.key.has_value();
    entry.has_value = record.value.has_value();
    keep(record.key.value_or(""), entry.key_begin, entry.key_size);
    keep(record.value.value_or(""), entry.value_begin, entry.value_size);
    entry.first_header = headers_.size();
    entry.headers = record.headers.size();
    for (const auto& header : record.headers) {
        Header& kept = headers_.emplace_back();
        kept.has_value = header.value.has_value();
        keep(header.name, kept.name_begin, kept.name_size);
        keep(header.value.value_or(""), kept.value_begin, kept.value_size);
    }
    entries_.push_back(entry);
}

ConsumerRecord KeptRecords::find(Offset offset) const {
    const auto entry = std::lower_bound(
        entries_.begin(), entries_.end(), offset, [](const Entry& each, Offset want) {
            return each.offset < want;
        });
    if (entry == entries_.end() || entry->offset != offset) {
        throw SinkError{ErrorKind::internal,
                        "the record at offset " + std::to_string(to_int(offset)) +
                            " was refused, but is not kept"};
    }
    const auto bytes = [&](bool is_there, std::size_t begin, std::size_t size) {
        return is_there ? std::optional{std::string_view{text_}.substr(begin, size)} : std::nullopt;
    };
    found_headers_.clear();
    for (std::size_t i = 0; i < entry->headers; ++i) {
        const Header& header = headers_[entry->first_header + i];
        found_headers_.push_back(
            {std::string_view{text_}.substr(header.name_begin, header.name_size),
             bytes(header.has_value, header.value_begin, header.value_size)});
    }
    ConsumerRecord record;
    record.offset = entry->offset;
    record.timestamp_ms = entry->timestamp_ms;
    record.key = bytes(entry->has_key, entry->key_begin, entry->key_size);
    record.value = bytes(entry->has_value, entry->value_begin, entry->value_size);
    record.headers = found_headers_;
    return record;
}

void KeptRecords::clear() noexcept {
    text_.clear();
    entries_.clear();
    headers_.clear();
    found_headers_.clear();
}

}  // namespace txsink::batch
