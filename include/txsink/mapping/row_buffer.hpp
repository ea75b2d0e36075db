/// @file
/// RowBuffer: row changes in offset order, their values already rendered as SQL.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/core/offset_range.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

enum class ChangeKind : std::uint8_t {
    insert,
    upsert,
    remove,     ///< by primary key
    statement,  ///< the text is a whole statement, not a tuple
};

struct Route;
enum class OnConflict : std::uint8_t;

/// What an upsert does to a row that exists.
struct ConflictRules {
    /// By column of the table.
    std::vector<OnConflict> by_column;
    /// The row changes only when the incoming value of this column is greater than the stored one,
    /// or the stored one is NULL.
    std::optional<std::size_t> newer;
};

/// The columns that a change names, and of which table: all changes with one shape can stand in
/// one statement. Interned by the RecordMapper: equal shapes have equal addresses.
struct RowShape {
    const TableDefinition* table = nullptr;
    ChangeKind kind = ChangeKind::insert;
    /// Indexes into table->columns, ascending; for `remove` the primary key in key order.
    std::vector<std::size_t> columns;
    /// upsert; nullptr: every column is replaced.
    const ConflictRules* conflict = nullptr;
    /// Whose row it is; lives as long as the shape.
    const Route* route = nullptr;
    /// statement: fewest rows that it has to match; with fewer the record is refused
    /// (row_missing), or counted where `may_miss`.
    std::uint64_t required_rows = 0;
    bool may_miss = false;
};

/// One row change of one record.
struct RowChange {
    const RowShape* shape = nullptr;
    Offset offset{0};
    /// Where its tuple `(literal,literal,...)`, or its statement, stands in RowBuffer::text(); a
    /// comma follows it.
    std::size_t begin = 0;
    std::size_t size = 0;
};

/// Row changes of one partition, in the order in which they must take effect.
///
/// The tuples stand one after another in one text, each followed by a comma, so that a run of
/// changes with one shape is a ready-made VALUES list. Reused: clear() keeps the memory.
/// Threading: one thread.
class RowBuffer {
public:
    /// The text of the tuple that is being rendered is appended here, between open() and close().
    [[nodiscard]] std::string& open() {
        open_at_ = text_.size();
        return text_;
    }
    /// Ends the tuple begun by open() as a change of `shape`.
    void close(const RowShape* shape, Offset offset) {
        changes_.push_back({shape, offset, open_at_, text_.size() - open_at_});
        text_ += ',';
    }
    /// Takes back what was appended since open(): the record was refused.
    void abandon() { text_.resize(open_at_); }

    /// Takes back every change after the first `count`: their record was refused.
    void shrink(std::size_t count) {
        while (changes_.size() > count) {
            text_.resize(changes_.back().begin);
            changes_.pop_back();
        }
    }
    /// Takes out every change of the record at `offset`.
    void remove(Offset offset);

    /// Drops every change of records at or after `offset`.
    void truncate(Offset offset) {
        while (!changes_.empty() && changes_.back().offset >= offset) {
            text_.resize(changes_.back().begin);
            changes_.pop_back();
        }
    }
    void clear() {
        text_.clear();
        changes_.clear();
    }

    [[nodiscard]] const std::vector<RowChange>& changes() const noexcept { return changes_; }
    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return text_.size(); }
    /// Memory held, in bytes, about.
    [[nodiscard]] std::size_t capacity() const noexcept {
        return text_.capacity() + changes_.capacity() * sizeof(RowChange);
    }

private:
    std::string text_;
    std::vector<RowChange> changes_;
    std::size_t open_at_ = 0;
};

inline void RowBuffer::remove(Offset offset) {
    const auto is_of_record = [&](const RowChange& change) { return change.offset == offset; };
    const auto first = std::find_if(changes_.begin(), changes_.end(), is_of_record);
    const auto last = std::find_if_not(first, changes_.end(), is_of_record);
    if (first == last) {
        return;
    }
    const std::size_t begin = first->begin;
    const std::size_t end = last == changes_.end() ? text_.size() : last->begin;
    text_.erase(begin, end - begin);
    for (auto later = changes_.erase(first, last); later != changes_.end(); ++later) {
        later->begin -= end - begin;
    }
}

}  // namespace txsink::mapping
