/// @file
/// The primary key that a sample suggests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/infer_sample.hpp"

namespace txsink::cli {

struct KeyProposal {
    /// Columns with what they are to hold; empty: no primary key. The evidence is the sample's.
    std::vector<std::pair<std::string, const FieldEvidence*>> columns;
    /// Taken from the record's key (key = record), else from the value.
    bool is_of_record = false;
    /// Value of key-format; empty: the default.
    std::string format;
    /// Why.
    std::string note;
};

/// The record's key, if every record has one and all are alike; but where keys repeat and a field
/// named like an id never does, the records are events, and that field names them. Without a key
/// the field named like an id; else none.
[[nodiscard]] KeyProposal propose_key(const Sample& sample);

}  // namespace txsink::cli
