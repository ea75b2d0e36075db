/// @file
/// FieldLookup: from a field's name to its column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

/// Which fields go by their name.
struct FieldChoice {
    /// Only these; empty: all.
    std::vector<std::string> only;
    std::vector<std::string> except;
    /// Fields that are used otherwise: known, but not by their name.
    std::vector<std::string> used;
    /// Columns that do not take the field of their name, by index.
    std::vector<bool> taken;
};

/// Finds columns by name: first the exact bytes, then with A-Z as a-z. Other letters have to be
/// written as the column has them (the server would also take e for an accented e there).
///
/// Records of one topic mostly have the same fields in the same order, so it remembers what stood
/// at each position. Threading: one thread.
class FieldLookup {
public:
    static constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);
    /// The field is to be passed over, with all below it.
    static constexpr std::size_t kLeftOut = kNoColumn - 1;
    /// No column, but a source reads it, or something below it.
    static constexpr std::size_t kUsed = kNoColumn - 2;

    /// `columns` must outlive the lookup.
    explicit FieldLookup(const std::vector<ColumnDefinition>& columns, FieldChoice choice = {});

    /// Index of the column, or one of the three above. `position`: of the field in its record, from
    /// 0.
    [[nodiscard]] std::size_t find(std::size_t position, std::string_view name) {
        return position < seen_.size() && seen_[position].name == name ? seen_[position].column
                                                                       : find_anew(position, name);
    }

private:
    struct Seen {
        std::string name;
        std::size_t column = kNoColumn;
    };

    [[nodiscard]] std::size_t find_anew(std::size_t position, std::string_view name);
    [[nodiscard]] std::size_t search(std::string_view name);
    [[nodiscard]] std::size_t column_of(std::string_view name);

    std::unordered_map<std::string_view, std::size_t> exact_;
    std::unordered_map<std::string, std::size_t> folded_;
    FieldChoice choice_;
    std::unordered_set<std::string_view> only_;
    std::unordered_set<std::string_view> except_;
    std::unordered_set<std::string_view> used_;
    std::string folded_name_;
    std::vector<Seen> seen_;
};

}  // namespace txsink::mapping
