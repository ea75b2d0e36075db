/// @file
/// What `txsink infer` proposes: a table and the route into it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/infer_sample.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::cli {

struct ColumnProposal {
    std::string name;
    /// Type and character set.
    std::string type;
    bool is_key = false;
    std::size_t row_bytes = 0;
    /// What the sample shows, one line each.
    std::vector<std::string> notes;
};

struct Proposal {
    mapping::TableName table;
    /// About the whole sample.
    std::vector<std::string> notes;
    std::vector<ColumnProposal> columns;
    /// Columns of the primary key, in order; empty: none.
    std::vector<std::string> key;
    /// The options of the route, in order, without `route.NAME.`.
    std::vector<std::pair<std::string, std::string>> options;
    /// X of [route.X].
    std::string route;
};

struct ProposalSettings {
    std::string topic;
    /// Empty: named after the topic.
    mapping::TableName table;
    bool with_examples = false;
};

/// Every record of the sample that could be read fits the table, by the route.
[[nodiscard]] Proposal propose(const Sample& sample, const ProposalSettings& settings);

/// CREATE TABLE with the evidence as comments; as valid on MySQL as on MariaDB.
[[nodiscard]] std::string table_text(const Proposal& proposal);
/// The section [route.X].
[[nodiscard]] std::string route_text(const Proposal& proposal);

}  // namespace txsink::cli
