/// @file
/// ShapeSet: the row shapes that a table's records have had, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "txsink/mapping/row_buffer.hpp"

namespace txsink::mapping {

/// A set of columns, one bit each.
class ColumnSet {
public:
    explicit ColumnSet(std::size_t columns) : words_((columns + 63) / 64) {}

    void clear() noexcept { words_.assign(words_.size(), 0); }
    void add(std::size_t column) noexcept {
        words_[column / 64] |= std::uint64_t{1} << (column % 64);
    }
    [[nodiscard]] bool has(std::size_t column) const noexcept {
        return (words_[column / 64] >> (column % 64) & 1U) != 0;
    }

    friend bool operator==(const ColumnSet&, const ColumnSet&) = default;
    friend auto operator<=>(const ColumnSet&, const ColumnSet&) = default;

private:
    std::vector<std::uint64_t> words_;
};

/// Shapes of one kind for one table and route. Addresses are stable until forget_retired().
/// One more shape for each set of columns that is met: records of a topic have few.
class ShapeSet {
public:
    /// `model` has all but the columns; what it points to must outlive the set.
    explicit ShapeSet(RowShape model) : model_{std::move(model)} {}

    /// The shape with exactly `columns`; nullptr when it has not been added.
    [[nodiscard]] const RowShape* find(const ColumnSet& columns) noexcept;
    const RowShape* add(const ColumnSet& columns);

    [[nodiscard]] const RowShape& model() const noexcept { return model_; }
    [[nodiscard]] std::size_t size() const noexcept { return shapes_.size(); }
    /// Begins anew; the shapes that there are live until forget_retired().
    void retire() noexcept {
        retired_ = std::move(shapes_);
        shapes_.clear();
        last_ = shapes_.cend();
    }
    /// Precondition: no row change refers to a retired shape.
    void forget_retired() noexcept { retired_.clear(); }

private:
    using Shapes = std::map<ColumnSet, RowShape>;

    RowShape model_;
    Shapes shapes_;
    Shapes retired_;
    /// What the last record had, and mostly the next one has.
    Shapes::const_iterator last_ = shapes_.cend();
};

}  // namespace txsink::mapping
