/// @file
/// Random tables, rules and records: what a batch leaves, and whom it refuses, equals one change
/// after another by an interpreter that knows neither multi-row statements nor update lists.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mysql/isolation.hpp"
#include "mysql/row_writer.hpp"
#include "mysql/session.hpp"
#include "mysql/table_reader.hpp"
#include "support/test_database.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/route.hpp"

namespace txsink::test {
namespace {

using mapping::ChangeKind;
using mapping::OnConflict;
using mapping::RowShape;
using mapping::TableDefinition;
using Int = std::optional<int>;

/// `{0}`: the table's name. Every table has v, w, ver; two have a further unique key u.
constexpr const char* kTables[] = {
    "CREATE TABLE {0} (k INT, v INT DEFAULT 7, w INT, ver INT, PRIMARY KEY (k))",
    "CREATE TABLE {0} (k VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, v INT "
    "DEFAULT 7, w INT, ver INT, u INT, PRIMARY KEY (k), UNIQUE (u))",
    "CREATE TABLE {0} (a INT, v INT DEFAULT 7, k VARCHAR(9) CHARACTER SET latin1 COLLATE "
    "latin1_swedish_ci, w INT, ver INT, u INT, PRIMARY KEY (k, a), UNIQUE (u))",
    // Its rows refer to one another: the order of removals decides who is refused.
    "CREATE TABLE {0} (k INT, v INT DEFAULT 7, w INT, ver INT, PRIMARY KEY (k), FOREIGN KEY (w) "
    "REFERENCES {0} (k))"};
constexpr std::size_t kTableCount = std::size(kTables);
constexpr const char* kTextKeys[] = {"'a'", "'A'", "'b'", "'\xC3\xA4'", "'c '", "'c'"};

/// One change: its shape, and what the tuple is made of.
struct Change {
    const RowShape* shape = nullptr;
    std::size_t table = 0;
    /// Literals of the key columns, and values, in the order of the shape's columns; a value of
    /// nothing is NULL, and kDefault the literal DEFAULT.
    std::vector<std::string> literals;
    std::vector<Int> values;
    /// Of a statement, with {0} for the table.
    std::string statement;
};
using Record = std::vector<Change>;

constexpr int kDefault = -77;

std::string literal(Int value) {
    return !value ? "NULL" : *value == kDefault ? "DEFAULT" : std::to_string(*value);
}

class RandomBatches : public MysqlTest, public ::testing::WithParamInterface<unsigned> {
protected:
    void SetUp() override {
        MysqlTest::SetUp();
        if (!is_ready()) {
            return;
        }
        session_.emplace(db().settings(), db().settings().hosts.front(), mysql::Packets::several);
        random_.seed(GetParam());
        for (std::size_t i = 0; i < kTableCount; ++i) {
            for (const char* prefix : {"t", "n"}) {
                db().execute(fmt::format(fmt::runtime(kTables[i]), fmt::format("{}{}", prefix, i)));
            }
            tables_.push_back(mysql::read_table(*session_, {"", fmt::format("t{}", i)}));
        }
    }

    std::size_t pick(std::size_t count) {
        return std::uniform_int_distribution<std::size_t>{0, count - 1}(random_);
    }
    bool chance(std::size_t one_in) { return pick(one_in) == 0; }

    // --- random shapes, changes, records ---

    static bool is_key(const TableDefinition& table, std::size_t column) {
        return std::count(table.primary_key.begin(), table.primary_key.end(), column) > 0;
    }

    const mapping::ConflictRules* make_rules(const TableDefinition& table, RowShape& shape) {
        // Newer MySQL checks the foreign keys of the incoming row also where the row that is there
        // would not take its values.
        if (chance(4) || &table == &tables_.back()) {
            return nullptr;
        }
        auto& rules = rules_.emplace_back();
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const bool is_unique = table.columns[i].name == "u";
            rules.by_column.push_back(static_cast<OnConflict>(pick(is_unique ? 2 : 5)));
            if (table.columns[i].name == "ver" && chance(2)) {
                rules.newer = i;
                if (std::count(shape.columns.begin(), shape.columns.end(), i) == 0) {
                    shape.columns.push_back(i);
                }
            }
        }
        std::sort(shape.columns.begin(), shape.columns.end());
        return &rules;
    }

    void make_shapes() {
        shapes_.clear();
        rules_.clear();
        for (std::size_t t = 0; t < kTableCount; ++t) {
            auto& table = tables_[t];
            table.is_independent = !chance(3) && t + 1 < kTableCount;
            for (const auto kind : {ChangeKind::upsert,
                                    ChangeKind::upsert,
                                    ChangeKind::upsert,
                                    ChangeKind::insert,
                                    ChangeKind::remove,
                                    ChangeKind::statement,
                                    ChangeKind::statement}) {
                RowShape& shape = shapes_.emplace_back();
                shape.table = &table;
                shape.kind = kind;
                if (kind == ChangeKind::statement) {
                    shape.table = chance(3) ? nullptr : &table;
                    shape.required_rows = pick(2);
                    shape.may_miss = chance(2);
                } else if (kind == ChangeKind::remove) {
                    shape.columns = table.primary_key;
                } else {
                    for (std::size_t i = 0; i < table.columns.size(); ++i) {
                        if (is_key(table, i) || !chance(3)) {
                            shape.columns.push_back(i);
                        }
                    }
                }
                shape.conflict = kind == ChangeKind::upsert ? make_rules(table, shape) : nullptr;
            }
        }
    }

    std::string key_literal(const TableDefinition& table, std::size_t column) {
        const bool is_text = table.columns[column].type == mapping::ColumnType::varchar;
        return is_text ? kTextKeys[pick(std::size(kTextKeys))] : std::to_string(pick(4));
    }

    Change make_change() {
        Change change;
        const std::size_t index = pick(shapes_.size());
        change.shape = &shapes_[index];
        change.table = index / (shapes_.size() / kTableCount);
        const auto& table = tables_[change.table];
        if (change.shape->kind == ChangeKind::statement) {
            change.statement =
                fmt::format("{} WHERE `k` = {}",
                            chance(3) ? "DELETE FROM {0}" : "UPDATE {0} SET v = v + 1, w = NULL",
                            key_literal(table, table.primary_key.front()));
            return change;
        }
        for (const auto column : change.shape->columns) {
            const bool is_default = table.columns[column].name == "v" && chance(5);
            change.values.push_back(is_default  ? Int{kDefault}
                                    : chance(4) ? std::nullopt
                                                : Int{static_cast<int>(pick(9)) - 2});
            change.literals.push_back(is_key(table, column) ? key_literal(table, column)
                                                            : literal(change.values.back()));
        }
        return change;
    }

    std::vector<Record> make_records() {
        std::vector<Record> records(30 + pick(40));
        for (auto& record : records) {
            record.resize(chance(2) ? 1 : 1 + pick(4));
            std::generate(record.begin(), record.end(), [&] { return make_change(); });
        }
        return records;
    }

    // --- the interpreter ---

    std::string where(const Change& change) const {
        const auto& table = tables_[change.table];
        std::string sql = " WHERE 1";
        for (std::size_t i = 0; i < change.literals.size(); ++i) {
            const auto column = change.shape->columns[i];
            if (is_key(table, column)) {
                sql += fmt::format(" AND {} = {}", table.columns[column].name, change.literals[i]);
            }
        }
        return sql;
    }

    static Int merged(OnConflict rule, Int stored, Int incoming) {
        switch (rule) {
            case OnConflict::replace:
                return incoming;
            case OnConflict::keep:
                return stored;
            case OnConflict::add:
                return stored && incoming ? Int{*stored + *incoming} : stored ? stored : incoming;
            case OnConflict::max:
                return stored && incoming ? std::max(stored, incoming) : stored ? stored : incoming;
            case OnConflict::min:
                return stored && incoming ? std::min(stored, incoming) : stored ? stored : incoming;
        }
        return {};
    }

    void interpret_update(const Change& change, const std::string& name, const mysql::Row& row) {
        const auto& table = tables_[change.table];
        const auto* rules = change.shape->conflict;
        const auto stored = [&](std::size_t column) {
            return row[column] ? Int{std::stoi(*row[column])} : std::nullopt;
        };
        const auto incoming = [&](std::size_t i) {
            return change.values[i] == kDefault ? Int{7} : change.values[i];
        };
        std::string sets;
        bool is_newer = true;
        for (std::size_t i = 0; i < change.values.size(); ++i) {
            const auto column = change.shape->columns[i];
            if (is_key(table, column)) {
                continue;
            }
            const bool decides = rules != nullptr && rules->newer == column;
            const auto rule =
                rules == nullptr || decides ? OnConflict::replace : rules->by_column[column];
            if (decides) {
                is_newer = !stored(column) || (incoming(i) && *incoming(i) > *stored(column));
            }
            sets += fmt::format("{}{} = {}",
                                sets.empty() ? " SET " : ", ",
                                table.columns[column].name,
                                literal(merged(rule, stored(column), incoming(i))));
        }
        if (is_newer && !sets.empty()) {
            session_->execute("UPDATE " + name + sets + where(change));
        }
    }

    void interpret(const Change& change) {
        const auto name = fmt::format("n{}", change.table);
        const auto& shape = *change.shape;
        if (shape.kind == ChangeKind::statement) {
            const auto rows =
                session_->execute_update(fmt::format(fmt::runtime(change.statement), name));
            if (rows < shape.required_rows && !shape.may_miss) {
                throw SinkError{ErrorKind::bad_record, "too few rows"};
            }
            return;
        }
        if (shape.kind == ChangeKind::remove) {
            session_->execute("DELETE FROM " + name + where(change));
            return;
        }
        if (shape.kind == ChangeKind::upsert) {
            const auto rows = session_->query("SELECT * FROM " + name + where(change));
            if (!rows.empty()) {
                interpret_update(change, name, rows.front());
                return;
            }
        }
        std::string names;
        for (const auto column : shape.columns) {
            names += (names.empty() ? "" : ", ") + tables_[change.table].columns[column].name;
        }
        session_->execute(fmt::format(
            "INSERT INTO {} ({}) VALUES ({})", name, names, fmt::join(change.literals, ", ")));
    }

    /// Applies the record, or nothing of it.
    bool interpret(const Record& record) {
        session_->execute("SAVEPOINT naive");
        try {
            for (const auto& change : record) {
                interpret(change);
            }
            return true;
        } catch (const SinkError& error) {
            EXPECT_EQ(error.kind, ErrorKind::bad_record) << error.what() << error.detail;
            session_->execute("ROLLBACK TO SAVEPOINT naive");
            return false;
        }
    }

    // --- the batch ---

    static batch::Batch to_batch(const std::vector<Record>& records, std::size_t partitions) {
        batch::Batch batch;
        for (std::size_t i = 0; i < partitions; ++i) {
            batch.partitions.emplace_back().partition = {"t", static_cast<std::int32_t>(i)};
        }
        for (std::size_t i = 0; i < records.size(); ++i) {
            auto& rows = batch.partitions[i * partitions / records.size()].rows;
            for (const auto& change : records[i]) {
                rows.open() += change.shape->kind == ChangeKind::statement
                                   ? fmt::format(fmt::runtime(change.statement),
                                                 fmt::format("t{}", change.table))
                                   : fmt::format("({})", fmt::join(change.literals, ","));
                rows.close(change.shape, Offset{static_cast<std::int64_t>(i)});
            }
        }
        return batch;
    }

    std::string dump(char prefix, std::size_t table) {
        std::string text;
        for (const auto& row : session_->query(
                 fmt::format("SELECT HEX(k), t.* FROM {}{} t ORDER BY k, v, w", prefix, table))) {
            for (const auto& cell : row) {
                text += cell.value_or("NULL") + ' ';
            }
            text += '\n';
        }
        return text;
    }

    /// One batch, both ways; returns how many records were refused.
    std::size_t run_round() {
        make_shapes();
        const auto records = make_records();
        auto batch = to_batch(records, 1 + pick(3));
        std::vector<std::int64_t> refused;
        session_->execute("START TRANSACTION");
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (!interpret(records[i])) {
                refused.push_back(static_cast<std::int64_t>(i));
            }
        }
        const auto found_of = [&](std::size_t most) {
            std::vector<std::int64_t> found;
            session_->execute("SAVEPOINT untouched");
            for (const auto& each : mysql::find_refused(*session_, batch, writer_, most)) {
                found.push_back(to_int(each.offset));
                EXPECT_GE(to_int(each.offset), 0);
            }
            session_->execute("ROLLBACK TO SAVEPOINT untouched");
            return found;
        };
        EXPECT_EQ(found_of(1'000), refused);
        const std::size_t most = pick(refused.size() + 1);
        EXPECT_EQ(found_of(most),
                  (std::vector<std::int64_t>{refused.begin(),
                                             refused.begin() + static_cast<std::ptrdiff_t>(most)}));
        for (auto& part : batch.partitions) {
            for (const auto offset : refused) {
                part.rows.remove(Offset{offset});
            }
        }
        EXPECT_EQ(writer_.build(*session_, batch), std::nullopt);
        EXPECT_NO_THROW(writer_.write(*session_));
        for (std::size_t table = 0; table < kTableCount; ++table) {
            EXPECT_EQ(dump('t', table), dump('n', table)) << table;
        }
        session_->execute("COMMIT");
        return refused.size();
    }

    std::optional<mysql::Session> session_;
    mysql::RowWriter writer_;
    std::mt19937 random_;
    std::vector<TableDefinition> tables_;
    std::deque<RowShape> shapes_;
    std::deque<mapping::ConflictRules> rules_;
};

TEST_P(RandomBatches, LeaveAndRefuseWhatSingleChangesDo) {  // B27, B28
    std::size_t refused = 0;
    for (int round = 0; round < 6; ++round) {
        SCOPED_TRACE(fmt::format("round {}", round));
        refused += run_round();
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(refused, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomBatches, ::testing::Values(1U, 2U, 3U, 4U));

}  // namespace
}  // namespace txsink::test
