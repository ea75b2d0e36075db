/// @file
/// RecordMapper: the routes of one topic, bound to their tables; turns records into row changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "txsink/core/consumer_record.hpp"
#include "txsink/core/result.hpp"
#include "txsink/mapping/route.hpp"
#include "txsink/mapping/row_buffer.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

/// What becomes of a record that no route takes, by its topic or by `when`.
enum class OnUnrouted : std::uint8_t { error, ignore };

/// A route and the table that it writes; mode = sql has none.
struct BoundRoute {
    Route route;
    TableDefinition table;
};

struct MapperSettings {
    /// $connector.
    std::string connector;
    OnUnrouted on_unrouted = OnUnrouted::error;
};

/// What became of a record that was not refused.
enum class Mapped : std::uint8_t {
    rows,      ///< row changes were appended, perhaps none (an empty array, an ignored tombstone)
    filtered,  ///< no route takes it, and that is allowed
    no_event,  ///< heartbeat, schema change, transaction metadata
};

/// Maps the records of one topic.
///
/// A field goes to the column of its name (exact match first, then without case); generated
/// columns are left out; a column without a field is left out of the statement. Values are
/// checked against the column's type here, so that nothing is cut, rounded or guessed later.
/// Shapes that it handed out live until forget_shapes().
/// Threading: one thread.
class RecordMapper {
public:
    /// Precondition: `routes` all take the topic; at least one.
    /// Errors: SinkError configuration: a table cannot be used by its route (upsert without a
    /// primary key, primary key column that is generated or of an unsupported type, a column that
    /// a rule names and the table lacks, ...).
    RecordMapper(std::vector<BoundRoute> routes, MapperSettings settings);
    RecordMapper(Route route, TableDefinition table);
    RecordMapper(RecordMapper&&) noexcept;
    RecordMapper& operator=(RecordMapper&&) noexcept;
    ~RecordMapper();

    /// Appends the row changes of `record` to `rows`, those of all routes that take it, in the
    /// routes' order. On an error `rows` is as before.
    [[nodiscard]] Result<Mapped> map(const ConsumerRecord& record, RowBuffer& rows);

    /// Whose policy decides about the record that map() has just refused: the route that refused
    /// it; before any could, the one with the strictest policy. nullptr: no route takes it.
    [[nodiscard]] const Route* refusing_route() const noexcept;

    /// Drops the shapes once there are very many (records with fields at random), so that memory
    /// stays bounded. Precondition: no row buffer holds a change that this mapper made before the
    /// call before this one.
    void forget_shapes() noexcept;

    /// Whether a route keeps refused records.
    [[nodiscard]] bool has_dead_letters() const noexcept;
    [[nodiscard]] const std::vector<BoundRoute>& routes() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The statements of a mode = sql route with `?` for each parameter, for a server to check.
/// Errors: SinkError configuration: not statements that can be part of a transaction; a parameter
/// of the route that no statement has.
[[nodiscard]] std::vector<std::string> statements_to_prepare(const Route& route);

}  // namespace txsink::mapping
