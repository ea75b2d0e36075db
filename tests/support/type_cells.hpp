/// @file
/// The cells of tests/data/types.tsv: what each value becomes in each type of column.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "txsink/decode/value.hpp"
#include "txsink/mapping/route.hpp"

namespace txsink::test {

/// One line of the file.
struct TypeCell {
    /// The heading that it stands under.
    std::string family;
    /// As in CREATE TABLE.
    std::string column;
    /// What the schema says about the value; empty: there is none.
    std::string meaning;
    /// Options of the column or its route, as written there.
    std::vector<std::pair<std::string, std::string>> rules;
    std::string json;
    /// What is read back, or the code of the refusal.
    std::string stored;
    bool is_refused = false;
    /// "both", "mysql" or "mariadb".
    std::string server;

    [[nodiscard]] bool goes_for(bool is_mariadb) const {
        return server == "both" || server == (is_mariadb ? "mariadb" : "mysql");
    }
};

/// Errors: std::runtime_error: a line cannot be read.
[[nodiscard]] std::vector<TypeCell> read_type_cells(const std::filesystem::path& file);

/// The cells as the tables of docs/types.md.
[[nodiscard]] std::string to_markdown(const std::vector<TypeCell>& cells);

/// `decimal(2)`: the meaning and the scale that a value of it has.
struct MeaningAndScale {
    decode::Meaning meaning = decode::Meaning::none;
    std::int16_t scale = 0;
};
[[nodiscard]] MeaningAndScale meaning_of(const TypeCell& cell);
[[nodiscard]] mapping::ValueRules rules_of(const TypeCell& cell);

}  // namespace txsink::test
