/// @file
/// DeadLetter: a refused record, as it is kept; KeptRecords: the records of a batch, to make one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/core/consumer_record.hpp"
#include "txsink/core/offset_range.hpp"
#include "txsink/core/result.hpp"

namespace txsink::batch {

/// One row of txsink_dead_letters, but for connector, topic and partition.
struct DeadLetter {
    Offset offset{0};
    std::optional<std::string> key;
    std::optional<std::string> value;
    /// JSON: [{"name": text, "value": base64 or null}, ...]; empty: the record has none.
    std::string headers;
    /// Milliseconds since 1970 UTC, or -1.
    std::int64_t timestamp_ms = -1;
    /// error_code: name_of(RecordErrorCode); error_number: the server's, or 0.
    RecordError error;
    /// database.table, or the route's name where there is no table.
    std::string target;
};

/// What it takes of memory and of a statement, about.
[[nodiscard]] inline std::size_t bytes_of(const DeadLetter& letter) noexcept {
    return sizeof letter + (letter.key ? letter.key->size() : 0) +
           (letter.value ? letter.value->size() : 0) + letter.headers.size() +
           letter.error.message.size();
}

/// The dead letter of `record`.
[[nodiscard]] DeadLetter make_dead_letter(const ConsumerRecord& record,
                                          RecordError error,
                                          std::string target);

/// Copies of the records of one partition's part of a batch, so that one which the server refuses
/// can be kept whole. Reused: clear() keeps the memory. Threading: one thread.
class KeptRecords {
public:
    void add(const ConsumerRecord& record);
    /// A record that was added; its views live until the next add() or clear().
    /// Errors: SinkError internal: it was not added.
    [[nodiscard]] ConsumerRecord find(Offset offset) const;
    [[nodiscard]] std::size_t bytes() const noexcept { return text_.size(); }
    /// Memory held, in bytes, about.
    [[nodiscard]] std::size_t capacity() const noexcept {
        return text_.capacity() + entries_.capacity() * sizeof(Entry) +
               headers_.capacity() * sizeof(Header);
    }
    void clear() noexcept;

private:
    struct Entry {
        Offset offset{0};
        std::int64_t timestamp_ms = -1;
        /// Into text_; no key or value: npos.
        std::size_t key_begin = 0, key_size = 0;
        std::size_t value_begin = 0, value_size = 0;
        std::size_t first_header = 0, headers = 0;
        bool has_key = false, has_value = false;
    };
    struct Header {
        std::size_t name_begin = 0, name_size = 0;
        std::size_t value_begin = 0, value_size = 0;
        bool has_value = false;
    };

    std::string text_;
    std::vector<Entry> entries_;
    std::vector<Header> headers_;
    mutable std::vector<RecordHeader> found_headers_;
};

}  // namespace txsink::batch
