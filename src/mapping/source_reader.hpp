/// @file
/// SourceReader and FilterReader: what sources and filters are about one record.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "txsink/core/consumer_record.hpp"
#include "txsink/decode/record_decoder.hpp"
#include "txsink/decode/value.hpp"
#include "txsink/mapping/source.hpp"

namespace txsink::mapping {

/// What sources are read from: one record, and one element of for-each.
struct RecordView {
    const ConsumerRecord* record = nullptr;
    const decode::DecodedRecord* decoded = nullptr;
    decode::Document key;   ///< empty: the record has none, or key-format = none
    decode::Document item;  ///< empty outside for-each
    std::size_t index = 0;
    std::string_view connector;
};

/// Reads one Source. Owns the memory of what stands in no document (topic, offset, header, ...).
/// Threading: one thread.
class SourceReader {
public:
    explicit SourceReader(Source source);

    /// Empty: no value. Lives until the next read() of this reader, until it is moved, or as long
    /// as the documents. Headers are strings with Meaning::raw_bytes, $timestamp is a number with
    /// Meaning::epoch_ms, the other numbers ($partition, $offset, $index) and strings have none.
    [[nodiscard]] decode::Document read(const RecordView& view);

    [[nodiscard]] bool needs_key() const noexcept { return uses(Origin::key); }
    [[nodiscard]] bool uses(Origin origin) const noexcept;

private:
    decode::Document read_term(const SourceTerm& term, const RecordView& view);
    decode::Document read_header(std::string_view name, const ConsumerRecord& record);
    decode::Document keep_text(std::string_view text,
                               decode::Meaning meaning = decode::Meaning::none);
    decode::Document keep_number(std::int64_t number,
                                 decode::Meaning meaning = decode::Meaning::none);

    Source source_;
    decode::Value own_;
    std::array<char, 20> digits_{};  // of the smallest int64, sign included
};

/// Tells whether records match one Filter. Threading: one thread.
class FilterReader {
public:
    explicit FilterReader(Filter filter);

    [[nodiscard]] bool matches(const RecordView& view);
    /// Conditions.
    [[nodiscard]] std::size_t size() const noexcept { return checks_.size(); }

    [[nodiscard]] bool needs_key() const noexcept { return uses(Origin::key); }
    [[nodiscard]] bool uses(Origin origin) const noexcept;

private:
    struct Check {
        SourceReader source;
        Test test;
        std::vector<SourceReader> operands;
    };
    static bool holds(Check& check, const RecordView& view);

    std::vector<Check> checks_;
};

}  // namespace txsink::mapping
