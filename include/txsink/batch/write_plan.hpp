/// @file
/// WritePlan: the row changes of a batch as the statements of its transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "txsink/batch/batch.hpp"

namespace txsink::batch {

/// How the server wants an upsert to name the incoming row.
enum class Dialect : std::uint8_t {
    row_alias,        ///< MySQL >= 8.0.19: INSERT ... AS alias ON DUPLICATE KEY UPDATE c = alias.c
    values_function,  ///< MariaDB and older MySQL: c = VALUES(c)
};

/// Server error of an upsert that met another row's unique key: the row's own primary key is free
/// or differs, but a further unique key of the table holds the value. A bad record; both servers
/// say "Subquery returns more than 1 row" (see append_update_list in write_plan.cpp).
inline constexpr int kAnotherRowsKeyCode = 1242;

/// Keys in one DELETE. Both servers look that many up by ranges of the primary key; beyond
/// range_optimizer_max_mem_size (8 MiB: about 17,000 keys of two columns) MySQL would read, and
/// lock, the whole table.
inline constexpr std::size_t kMaxKeysPerDelete = 1'000;
/// For keys of several columns, where the servers' time grows with the square of the number.
inline constexpr std::size_t kMaxCompositeKeysPerDelete = 200;

struct StatementLimits {
    /// Longest statement in bytes, below the server's max_allowed_packet. A server parses a
    /// statement as a whole: where that outgrows its processor's cache, a row costs a fifth more.
    std::size_t bytes = 64 * 1024;
    std::size_t rows = 1'000;
    /// Longest statement of one change alone, where that is more than `bytes`.
    std::size_t bytes_alone = 0;
};

/// Whether changes may share a statement, or change places.
enum class Merging : std::uint8_t {
    allowed,  ///< see WritePlan
    none,     ///< one statement a change, in their order: right whatever the tables have become
};

/// Position of one change in a batch.
struct ChangePosition {
    std::size_t partition = 0;  ///< index into Batch::partitions
    std::size_t change = 0;     ///< index into that partition's RowBuffer::changes()
    friend auto operator<=>(const ChangePosition&, const ChangePosition&) = default;
};

/// One statement, and the changes that it holds: all of one shape, one after another in the
/// order of the plan.
struct Statement {
    std::string sql;
    const mapping::RowShape* shape = nullptr;
    ChangePosition first;
    std::size_t changes = 0;
};

/// Renders row changes as multi-row statements, in an order whose effect equals one statement
/// per change, partition by partition: neighbours with one shape become one statement.
///
/// Changes of independent tables (TableDefinition::is_independent) are put together by table,
/// so that a record that fans out costs no statement of its own; nothing passes a change of
/// another table, or of none, as what that touches is not known. A removal from a table that is
/// not independent has a statement of its own: a server removes the rows of one DELETE in the
/// order of their keys, and checks foreign keys and runs triggers row by row.
///
/// An upsert never changes a row with another primary key: where the table has further unique
/// keys, the update list raises kAnotherRowsKeyCode for such a row.
/// Precondition: RowBuffer's; the shape of an upsert names every primary key column.
/// Statements are reused from build to build: no allocation once they have grown.
/// Threading: one thread.
class WritePlan {
public:
    WritePlan(Dialect dialect, StatementLimits limits) : dialect_{dialect}, limits_{limits} {}

    /// Plans the changes in [first, last) of `batch` in plan order (partition by partition); a
    /// statement may go on from one partition to the next.
    /// Returns the position of a change that alone is over the limit in bytes, if there is one
    /// (the plan is then of no use); else nothing.
    [[nodiscard]] std::optional<ChangePosition> build(const Batch& batch);
    [[nodiscard]] std::optional<ChangePosition> build(const Batch& batch,
                                                      ChangePosition first,
                                                      ChangePosition last);

    [[nodiscard]] std::size_t size() const noexcept { return used_; }
    [[nodiscard]] const Statement& operator[](std::size_t index) const {
        return statements_[index];
    }
    void set_limits(StatementLimits limits) noexcept { limits_ = limits; }
    void set_merging(Merging merging) noexcept { merging_ = merging; }

private:
    /// Neighbouring changes [begin, end) of one partition and one shape.
    struct Run {
        std::size_t partition = 0;
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    /// The runs of one table that wait to be put together.
    struct Group {
        const mapping::TableDefinition* table = nullptr;
        std::vector<Run> runs;
    };

    [[nodiscard]] std::optional<ChangePosition> place(const Batch& batch, Run run);
    [[nodiscard]] Group& group_of(const mapping::TableDefinition& table);
    [[nodiscard]] std::optional<ChangePosition> emit_groups(const Batch& batch);
    void forget_groups();
    [[nodiscard]] std::optional<ChangePosition> emit(const Batch& batch, Run run);
    [[nodiscard]] std::optional<ChangePosition> emit_statements(const Batch& batch, Run run);
    Statement& add_statement(const mapping::RowShape& shape, ChangePosition first);
    void start(const mapping::RowShape& shape, ChangePosition first);
    void give_room_for_one();
    /// Copies what fits of the changes [begin, end) into the open statement; returns how many.
    [[nodiscard]] std::size_t extend(const mapping::RowBuffer& rows,
                                     std::size_t begin,
                                     std::size_t end);
    [[nodiscard]] std::size_t extend_by_conditions(const mapping::RowBuffer& rows,
                                                   std::size_t begin,
                                                   std::size_t end);
    void finish();
    [[nodiscard]] bool stands_alone(const mapping::RowShape& shape) const;

    Dialect dialect_;
    StatementLimits limits_;
    Merging merging_ = Merging::allowed;
    std::vector<Statement> statements_;
    std::size_t used_ = 0;
    std::vector<Group> groups_;
    std::size_t used_groups_ = 0;
    /// The group of each definition: a table may be described by several.
    std::vector<std::pair<const mapping::TableDefinition*, std::size_t>> known_;
    /// Of the statement being built: its shape, what stands behind its tuples, and its room.
    const mapping::RowShape* open_shape_ = nullptr;
    std::string tail_;
    std::size_t rows_left_ = 0;
    std::size_t bytes_left_ = 0;
};

}  // namespace txsink::batch
