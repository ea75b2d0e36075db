/// @file
/// A dead letter as the record that it was.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "txsink/core/consumer_record.hpp"
#include "txsink/mysql/dead_letters.hpp"

namespace txsink::cli {

/// Name and value; absent: null.
using StoredHeader = std::pair<std::string, std::optional<std::string>>;

/// The headers of a letter that was read whole. What is not as txsink writes it is left out.
[[nodiscard]] std::vector<StoredHeader> headers_of(const mysql::DeadLetterRow& letter);

/// Calls `use` with the record, which lives until it returns.
template <typename Use>
auto with_record(const mysql::DeadLetterRow& letter, Use use) {
    const auto stored = headers_of(letter);
    std::vector<RecordHeader> headers;
    for (const auto& [name, value] : stored) {
        headers.push_back({name, value ? std::optional<std::string_view>{*value} : std::nullopt});
    }
    ConsumerRecord record;
    record.topic = letter.key.partition.topic;
    record.partition = letter.key.partition.partition;
    record.offset = letter.key.offset;
    record.timestamp_ms = letter.timestamp_ms;
    if (letter.record_key) {
        record.key = *letter.record_key;
    }
    if (letter.record_value) {
        record.value = *letter.record_value;
    }
    record.headers = headers;
    return use(record);
}

}  // namespace txsink::cli
