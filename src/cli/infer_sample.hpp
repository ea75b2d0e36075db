/// @file
/// Sample: what a number of records shows of a topic: the fields of its values, and its keys.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/infer_evidence.hpp"
#include "txsink/core/consumer_record.hpp"
#include "txsink/decode/record_decoder.hpp"

namespace txsink::cli {

/// Fields by name, in the order in which they were first seen.
class Fields {
public:
    /// Names beyond are counted, not looked at.
    static constexpr std::size_t kMost = 500;

    struct Field {
        std::string name;
        FieldEvidence evidence;
    };

    /// Observes each member of the object.
    void observe(decode::Document object);
    /// Observes one value as the field `name`.
    void observe(std::string_view name, decode::Document value);

    [[nodiscard]] const std::vector<Field>& all() const noexcept { return fields_; }
    [[nodiscard]] const FieldEvidence* find(std::string_view name) const;
    [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

private:
    std::vector<Field> fields_;
    std::unordered_map<std::string, std::size_t> index_;
    std::uint64_t left_out_ = 0;
};

/// What the keys of the records look like.
struct KeySample {
    std::uint64_t present = 0;
    std::uint64_t absent = 0;
    /// Keys that are a JSON object (or one in an envelope), and its members.
    std::uint64_t objects = 0;
    Fields members;
    /// Keys that are a JSON string, whole number or boolean.
    std::uint64_t bare = 0;
    FieldEvidence bare_value;
    /// Keys that are UTF-8 without control characters.
    std::uint64_t texts = 0;
    FieldEvidence text_value;
    std::uint64_t of_4_bytes = 0;
    std::uint64_t of_8_bytes = 0;
    /// First byte 0 and a 4-byte id, as a schema registry's serializers write.
    std::uint64_t framed = 0;
    std::size_t longest = 0;
    /// Two records had the same key.
    bool has_repeats = false;
    /// Fields of the value that hold what a bare key, or the key as text, says, in every record.
    std::optional<std::vector<std::string>> same_as_bare;
    std::optional<std::vector<std::string>> same_as_text;
};

/// Threading: one thread.
class Sample {
public:
    explicit Sample(decode::Format format);

    void add(const ConsumerRecord& record);

    [[nodiscard]] decode::Format format() const noexcept { return format_; }
    [[nodiscard]] const Fields& fields() const noexcept { return fields_; }
    [[nodiscard]] const KeySample& key() const noexcept { return key_; }
    [[nodiscard]] std::uint64_t records() const noexcept { return records_; }
    /// Records with a row: what the fields were taken from.
    [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
    /// Tombstones and deletes.
    [[nodiscard]] std::uint64_t removals() const noexcept { return removals_; }
    /// Values that are no text; of them those that a schema registry's serializer has framed.
    [[nodiscard]] std::uint64_t binaries() const noexcept { return binaries_; }
    [[nodiscard]] std::uint64_t framed() const noexcept { return framed_; }
    /// Records that could not be read, by the name of the reason.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& refused() const noexcept {
        return refused_;
    }

private:
    /// Empty: the record has no row.
    [[nodiscard]] decode::Document observe_value(const ConsumerRecord& record);
    void observe_key(const ConsumerRecord& record, decode::Document row);

    decode::Format format_;
    decode::RecordDecoder decoder_;
    decode::KeyDecoder key_decoder_;
    Fields fields_;
    KeySample key_;
    std::unordered_set<std::size_t> key_hashes_;
    std::uint64_t records_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t removals_ = 0;
    std::uint64_t binaries_ = 0;
    std::uint64_t framed_ = 0;
    /// The last record is about a row: its key is one of the table's keys.
    bool names_row_ = true;
    std::map<std::string, std::uint64_t> refused_;
};

}  // namespace txsink::cli
