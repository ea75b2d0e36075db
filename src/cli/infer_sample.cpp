#include "cli/infer_sample.hpp"

#include <algorithm>
#include <functional>

#include "cli/output.hpp"

namespace txsink::cli {
namespace {

using decode::Document;
using decode::Operation;
using decode::Value;
using decode::ValueKind;

/// What a registry's serializer puts before the data: a zero byte and a 4-byte id.
constexpr std::size_t kFrame = 5;

bool is_framed(std::string_view bytes) {
    return bytes.size() > kFrame && bytes.front() == '\0';
}

bool is_whole(const Value& value) {
    const auto number = decode::parse_number(value.text);
    return number && !number->has_exponent && number->fraction.empty();
}

bool is_bare(const Value& value) {
    return value.kind == ValueKind::string || value.kind == ValueKind::boolean ||
           (value.kind == ValueKind::number && is_whole(value));
}

/// Keeps of `same` the fields of `row` whose text is `key`.
void keep_same(std::optional<std::vector<std::string>>& same, Document row, std::string_view key) {
    const auto is_same = [&](const Value& value) {
        return (value.kind == ValueKind::string || value.kind == ValueKind::number ||
                value.kind == ValueKind::boolean) &&
               value.text == key;
    };
    if (!same) {
        same.emplace();
        decode::for_each_child(row, 0, [&](std::size_t, const Value& value) {
            if (is_same(value)) {
                same->emplace_back(value.name);
            }
        });
        return;
    }
    std::erase_if(*same, [&](const std::string& name) {
        const auto value = decode::member(row, name);
        return value.empty() || !is_same(value.front());
    });
}

}  // namespace

void Fields::observe(Document object) {
    decode::for_each_child(object, 0, [&](std::size_t at, const Value& value) {
        observe(value.name, decode::subtree(object, at));
    });
}

void Fields::observe(std::string_view name, Document value) {
    const std::string key{name};
    auto at = index_.find(key);
    if (at == index_.end()) {
        if (fields_.size() == kMost) {
            ++left_out_;
            return;
        }
        at = index_.emplace(key, fields_.size()).first;
        fields_.push_back({key, {}});
    }
    fields_[at->second].evidence.observe(value);
}

const FieldEvidence* Fields::find(std::string_view name) const {
    const auto at = index_.find(std::string{name});
    return at == index_.end() ? nullptr : &fields_[at->second].evidence;
}

Sample::Sample(decode::Format format)
    : format_{format}, decoder_{format}, key_decoder_{decode::KeyFormat::automatic, format} {}

void Sample::add(const ConsumerRecord& record) {
    ++records_;
    names_row_ = true;
    if (record.value && !record.value->empty() && !is_text(*record.value)) {
        ++binaries_;
        framed_ += is_framed(*record.value) ? 1 : 0;
    }
    const auto row = observe_value(record);
    if (names_row_) {
        observe_key(record, row);
    }
}

Document Sample::observe_value(const ConsumerRecord& record) {
    const auto decoded = decoder_.decode(record);
    if (!decoded) {
        ++refused_[name_of(decoded.error().code)];
        return {};
    }
    const auto& value = decoded.value();
    if (value.operation == Operation::tombstone || value.operation == Operation::remove) {
        ++removals_;
    }
    names_row_ = value.operation != Operation::none && value.operation != Operation::truncate;
    if (value.operation != Operation::write || value.row.empty()) {
        return {};
    }
    if (format_ == decode::Format::raw) {
        ++rows_;
        fields_.observe("value", value.row);
        return {};
    }
    if (value.row.front().kind != ValueKind::object) {
        ++refused_[name_of(RecordErrorCode::not_an_object)];
        return {};
    }
    ++rows_;
    fields_.observe(value.row);
    return value.row;
}

void Sample::observe_key(const ConsumerRecord& record, Document row) {
    if (!record.key) {
        ++key_.absent;
        return;
    }
    const auto key = *record.key;
    ++key_.present;
    key_.longest = std::max(key_.longest, key.size());
    key_.of_4_bytes += key.size() == 4 ? 1 : 0;
    key_.of_8_bytes += key.size() == 8 ? 1 : 0;
    key_.framed += is_framed(key) ? 1 : 0;
    if (key_hashes_.size() < FieldEvidence::kMostDistinct) {
        const bool is_new = key_hashes_.insert(std::hash<std::string_view>{}(key)).second;
        key_.has_repeats = key_.has_repeats || !is_new;
    }
    if (is_text(key)) {
        ++key_.texts;
        const Value text{ValueKind::string, key, {}};
        key_.text_value.observe({&text, 1});
        if (!row.empty()) {
            keep_same(key_.same_as_text, row, key);
        }
    }
    const auto decoded = key_decoder_.decode(key);
    if (!decoded || decoded.value().empty()) {
        return;
    }
    const auto& root = decoded.value().front();
    if (root.kind == ValueKind::object) {
        ++key_.objects;
        key_.members.observe(decoded.value());
    } else if (is_bare(root)) {
        ++key_.bare;
        key_.bare_value.observe(decoded.value());
        if (!row.empty()) {
            keep_same(key_.same_as_bare, row, root.text);
        }
    }
}

}  // namespace txsink::cli
