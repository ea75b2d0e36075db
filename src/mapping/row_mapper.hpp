/// @file
/// RowMapper: one route bound to one table; turns decoded records into row changes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mapping/row_statement.hpp"
#include "mapping/row_values.hpp"
#include "mapping/shape_set.hpp"
#include "mapping/source_reader.hpp"
#include "mapping/statement_template.hpp"
#include "txsink/core/result.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "txsink/mapping/row_buffer.hpp"

namespace txsink::mapping {

/// Rendered changes of one record and route: beyond it the record is refused, before memory ends.
inline constexpr std::size_t kMostBytesPerRecord = std::size_t{128} * 1024 * 1024;
[[nodiscard]] RecordError too_many_bytes();

/// Whether a route takes a record; perhaps: nobody can tell, as the record has no row.
enum class Takes : std::uint8_t { no, perhaps, yes };

/// Threading: one thread. Not movable: its parts refer to one another.
class RowMapper {
public:
    /// `bound` must outlive it. Errors: SinkError configuration: see RecordMapper.
    explicit RowMapper(const BoundRoute& bound);
    RowMapper(const RowMapper&) = delete;
    RowMapper& operator=(const RowMapper&) = delete;
    ~RowMapper() = default;

    [[nodiscard]] const Route& route() const noexcept { return route_; }
    /// Whether the record's key has to be decoded whatever the record is.
    [[nodiscard]] bool needs_key() const noexcept { return needs_key_; }

    /// Whether `when` reads the record's key.
    [[nodiscard]] bool when_needs_key() const noexcept { return when_.needs_key(); }

    /// Whether the route's `when` takes the record. A tombstone and a TRUNCATE have no row: of
    /// them only the other conditions are asked.
    [[nodiscard]] Takes takes(const RecordView& view);
    /// Whether `when` took the state before a change event and does not take the one after: the row
    /// is no longer one of the route's.
    [[nodiscard]] bool is_left_by(const RecordView& view);
    /// Whether the record would remove rows, and the route does nothing about that.
    [[nodiscard]] bool passes_over(const RecordView& view) const noexcept;

    /// Appends the row changes of the record. For a record that removes rows, view.key is decoded.
    /// On an error changes may have been appended.
    [[nodiscard]] Result<Done> map(const RecordView& view, RowBuffer& rows);

    void forget_shapes() noexcept;

private:
    [[nodiscard]] Result<Done> map_row(const RecordView& view, RowBuffer& rows);
    [[nodiscard]] Result<Done> map_elements(const RecordView& view, RowBuffer& rows);
    [[nodiscard]] Result<Done> map_element(const RecordView& view, RowBuffer& rows);
    [[nodiscard]] Result<Done> map_removal(const RecordView& view, RowBuffer& rows);
    [[nodiscard]] Result<Done> map_truncate(const RecordView& view, RowBuffer& rows);
    [[nodiscard]] Result<Done> map_statements(const RecordView& view, RowBuffer& rows);
    [[nodiscard]] Result<Done> map_changed_key(const RecordView& view, RowBuffer& rows);
    [[nodiscard]] Result<Done> gather_removal(const RecordView& view);
    [[nodiscard]] Result<Done> append_gathered(const RowValues& key,
                                               Offset offset,
                                               RowBuffer& rows);
    [[nodiscard]] Result<Done> append_tuple(const RowShape* shape,
                                            const RowValues& values,
                                            Offset offset,
                                            RowBuffer& rows) const;
    /// Renders one statement into `rows` by `render`, which appends it.
    template <typename Render>
    [[nodiscard]] Result<Done> append_statement(const RowShape& shape,
                                                Offset offset,
                                                RowBuffer& rows,
                                                Render&& render);
    [[nodiscard]] Result<Done> remove_children(const RecordView& view, RowBuffer& rows);
    [[nodiscard]] Result<Done> gather_parent(const RecordView& view);
    [[nodiscard]] Result<Done> leave_old_key(const RecordView& view, RowBuffer& rows);
    [[nodiscard]] Result<bool> key_has_changed();
    [[nodiscard]] bool lacks_unavailable() const;
    [[nodiscard]] Result<Done> check_version() const;
    [[nodiscard]] Result<const RowShape*> shape_of_row();
    [[nodiscard]] Result<Done> check_complete() const;
    [[nodiscard]] std::string_view mark_of(const RecordView& view);

    const Route& route_;
    const TableDefinition& table_;
    ConflictRules conflict_;
    RowValues values_;
    /// The key of the state before, or of the parent.
    RowValues others_;
    RowStatement statement_;
    std::optional<SourceReader> elements_;
    std::vector<std::size_t> parent_columns_;
    std::optional<std::size_t> soft_column_;
    FilterReader when_;
    FilterReader when_of_truncate_;
    FilterReader when_of_tombstone_;
    std::optional<FilterReader> delete_when_;
    std::optional<StatementTemplates> statements_;
    bool needs_key_ = false;
    bool can_remove_ = false;
    bool items_may_be_bare_ = false;

    ShapeSet shapes_;
    RowShape remove_shape_;
    /// UPDATE of mode = update: has to find its row.
    RowShape update_shape_;
    /// UPDATE of a row that has to be there.
    RowShape present_shape_;
    /// Statements that may find as many rows as they like.
    RowShape side_shape_;
    RowShape sql_shape_;
    std::string mark_;
    std::string literal_;
    std::string other_literal_;
};

template <typename Render>
Result<Done> RowMapper::append_statement(const RowShape& shape,
                                         Offset offset,
                                         RowBuffer& rows,
                                         Render&& render) {
    if (auto done = render(rows.open()); !done) {
        rows.abandon();
        return done;
    }
    rows.close(&shape, offset);
    return Done{};
}

}  // namespace txsink::mapping
