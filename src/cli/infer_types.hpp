/// @file
/// The column type that holds what a sample shows of a field, and why.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/infer_evidence.hpp"

namespace txsink::cli {

struct TypeProposal {
    /// `VARCHAR(64)`, with its character set where that matters.
    std::string sql;
    /// Bytes that it may take of the 65535 of a row.
    std::size_t row_bytes = 8;
    /// A primary key may hold it.
    bool fits_a_key = false;
    std::vector<std::string> notes;
};

/// Types are wider than the sample, as the next record may be larger than all before: whole numbers
/// have room for 16 times the largest, decimals for four more digits, strings for half as many
/// characters again. Valid on MySQL and MariaDB.
/// `is_key`: for a primary key, where texts must differ whenever their bytes do.
[[nodiscard]] TypeProposal propose_type(std::string_view field,
                                        const FieldEvidence& evidence,
                                        bool is_key);

/// A text column for what does not fit into `evidence`'s VARCHAR.
[[nodiscard]] TypeProposal long_text(const FieldEvidence& evidence);

/// The evidence on one line: counts, null share, range, lengths, distinct values; no value but the
/// ends of ranges of numbers and dates.
[[nodiscard]] std::string describe(const FieldEvidence& evidence,
                                   std::uint64_t rows,
                                   bool with_examples);

}  // namespace txsink::cli
