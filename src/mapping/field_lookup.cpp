#include "mapping/field_lookup.hpp"

#include <utility>

namespace txsink::mapping {

namespace {

/// Positions that are remembered, and the longest name: bounds on memory against odd records.
constexpr std::size_t kMostPositions = 1'024;
constexpr std::size_t kLongestName = 256;

void fold(std::string_view name, std::string& folded) {
    folded.assign(name);
    for (char& c : folded) {
        if (c >= 'A' && c <= 'Z') {
            c = static_cast<char>(c - 'A' + 'a');
        }
    }
}

}  // namespace

FieldLookup::FieldLookup(const std::vector<ColumnDefinition>& columns, FieldChoice choice)
    : choice_{std::move(choice)},
      only_{choice_.only.begin(), choice_.only.end()},
      except_{choice_.except.begin(), choice_.except.end()},
      used_{choice_.used.begin(), choice_.used.end()} {
    choice_.taken.resize(columns.size());
    std::string folded;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        exact_.emplace(columns[i].name, i);
        fold(columns[i].name, folded);
        folded_.emplace(folded, i);
    }
}

std::size_t FieldLookup::find_anew(std::size_t position, std::string_view name) {
    const std::size_t column = search(name);
    if (position < kMostPositions && name.size() <= kLongestName) {
        if (position >= seen_.size()) {
            seen_.resize(position + 1);
        }
        seen_[position].name.assign(name);
        seen_[position].column = column;
    }
    return column;
}

std::size_t FieldLookup::search(std::string_view name) {
    if (except_.contains(name)) {
        return kLeftOut;
    }
    const std::size_t column = column_of(name);
    if (column == kNoColumn) {
        return used_.contains(name) ? kUsed : kNoColumn;
    }
    if (choice_.taken[column] || (!only_.empty() && !only_.contains(name))) {
        return kLeftOut;
    }
    return column;
}

std::size_t FieldLookup::column_of(std::string_view name) {
    if (const auto found = exact_.find(name); found != exact_.end()) {
        return found->second;
    }
    if (name.size() > kLongestName) {
        return kNoColumn;
    }
    fold(name, folded_name_);
    const auto found = folded_.find(folded_name_);
    return found == folded_.end() ? kNoColumn : found->second;
}

}  // namespace txsink::mapping
