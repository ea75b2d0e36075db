/// @file
/// RowMapper: one route bound to one table definition; turns records into row changes.
#pragma once

#include <memory>

#include "txsink/core/consumer_record.hpp"
#include "txsink/core/result.hpp"
#include "txsink/mapping/route.hpp"
#include "txsink/mapping/row_buffer.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

/// Maps the records of one route.
///
/// A field goes to the column of its name (exact match first, then without case); generated
/// columns are left out; a column without a field is left out of the statement. Values are
/// checked against the column's type here, so that nothing is cut, rounded or guessed later.
/// Shapes that it handed out live until forget_shapes().
/// Threading: one thread.
class RowMapper {
public:
    /// Errors: SinkError configuration: the table cannot be used by the route (upsert without a
    /// primary key, primary key column that is generated or of an unsupported type).
    RowMapper(Route route, TableDefinition table);
    RowMapper(RowMapper&&) noexcept;
    RowMapper& operator=(RowMapper&&) noexcept;
    ~RowMapper();

    /// Appends the row changes of `record` to `rows` (none or one today).
    /// On an error `rows` is as before.
    [[nodiscard]] Result<Done> map(const ConsumerRecord& record, RowBuffer& rows);

    /// Drops the shapes once there are very many (records with fields at random), so that memory
    /// stays bounded. Precondition: no row buffer holds a change that this mapper made.
    void forget_shapes() noexcept;

    [[nodiscard]] const Route& route() const noexcept;
    [[nodiscard]] const TableDefinition& table() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace txsink::mapping
