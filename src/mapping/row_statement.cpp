#include "mapping/row_statement.hpp"

#include <algorithm>

#include "mapping/route_checks.hpp"
#include "txsink/mapping/route.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mapping {

namespace {

constexpr std::string_view kNullLiteral = "NULL";
constexpr std::string_view kDefaultLiteral = "DEFAULT";

}  // namespace

void RowStatement::append_table(std::string& sql) const {
    append_identifier(sql, table_.name.database);
    sql += '.';
    append_identifier(sql, table_.name.table);
}

void RowStatement::append_name(std::size_t column, std::string& sql) const {
    append_identifier(sql, table_.columns[column].name);
}

Result<Done> RowStatement::append_where(const RowValues& row,
                                        std::span<const std::size_t> columns,
                                        std::string& sql) const {
    std::string_view separator = " WHERE ";
    for (const std::size_t column : columns) {
        sql += separator;
        separator = " AND ";
        append_name(column, sql);
        sql += " = ";
        if (auto done = row.append(column, sql); !done) {
            return done;
        }
    }
    return Done{};
}

/// `(v IS NULL OR v < literal)`
void RowStatement::append_is_newer(std::string_view version, std::string& sql) const {
    sql += '(';
    append_name(*conflict_.newer, sql);
    sql += " IS NULL OR ";
    append_name(*conflict_.newer, sql);
    sql += " < ";
    sql += version;
    sql += ')';
}

Result<Done> RowStatement::read_version(const RowValues& row) {
    version_.clear();
    return conflict_.newer ? row.append(*conflict_.newer, version_) : Done{};
}

/// `c = literal`, or what the column's conflict rule makes of it; nothing where the rule leaves
/// the column alone. A NULL adds nothing, and is neither greater nor less.
Result<Done> RowStatement::append_assignment(const RowValues& row,
                                             std::size_t column,
                                             std::string_view version,
                                             std::string& sql) {
    literal_.clear();
    if (auto done = row.append(column, literal_); !done) {
        return done;
    }
    const OnConflict rule = conflict_.by_column[column];
    const bool is_left_alone =
        rule == OnConflict::keep || (rule != OnConflict::replace && literal_ == kNullLiteral);
    if (literal_ == kDefaultLiteral && (rule != OnConflict::replace || !version.empty())) {
        // The bare word stands only where nothing is around it.
        literal_ += '(';
        append_name(column, literal_);
        literal_ += ')';
    }
    append_name(column, sql);
    sql += " = ";
    if (is_left_alone) {
        append_name(column, sql);
        return Done{};
    }
    if (!version.empty()) {
        sql += "IF(";
        append_is_newer(version, sql);
        sql += ", ";
    }
    switch (rule) {
        case OnConflict::add:
            sql += "COALESCE(";
            append_name(column, sql);
            sql += ", 0) + ";
            sql += literal_;
            break;
        case OnConflict::max:
        case OnConflict::min:
            sql += "IF(";
            append_name(column, sql);
            sql += " IS NULL OR ";
            append_name(column, sql);
            sql += rule == OnConflict::max ? " < " : " > ";
            sql += literal_;
            sql += ", ";
            sql += literal_;
            sql += ", ";
            append_name(column, sql);
            sql += ')';
            break;
        default:
            sql += literal_;
            break;
    }
    if (!version.empty()) {
        sql += ", ";
        append_name(column, sql);
        sql += ')';
    }
    return Done{};
}

Result<Done> RowStatement::append_update(const RowValues& row,
                                         const RowValues& key,
                                         std::string& sql) {
    if (auto done = read_version(row); !done) {
        return done;
    }
    const auto is_key = [this](std::size_t column) {
        return std::find(table_.primary_key.begin(), table_.primary_key.end(), column) !=
               table_.primary_key.end();
    };
    sql += "UPDATE ";
    append_table(sql);
    std::string_view separator = " SET ";
    for (std::size_t column = 0; column < table_.columns.size(); ++column) {
        const bool is_same_key = is_key(column) && &row == &key;
        if (!row.present().has(column) || is_same_key || conflict_.newer == column) {
            continue;
        }
        sql += separator;
        separator = ", ";
        if (auto done = append_assignment(row, column, version_, sql); !done) {
            return done;
        }
    }
    if (conflict_.newer) {
        // Last: the other assignments have to see the stored version.
        sql += separator;
        separator = ", ";
        if (auto done = append_assignment(row, *conflict_.newer, version_, sql); !done) {
            return done;
        }
    }
    if (separator == " SET ") {
        sql += separator;
        append_name(table_.primary_key.front(), sql);
        sql += " = ";
        append_name(table_.primary_key.front(), sql);
    }
    return append_where(key, table_.primary_key, sql);
}

/// A row that is marked already keeps the time of its first mark.
void RowStatement::append_marked(std::size_t column,
                                 std::string_view mark,
                                 std::string& sql) const {
    append_name(column, sql);
    sql += " = ";
    if (is_moment(table_.columns[column])) {
        sql += "COALESCE(";
        append_name(column, sql);
        sql += ", ";
        sql += mark;
        sql += ')';
    } else {
        sql += mark;
    }
}

Result<Done> RowStatement::append_move(const RowValues& row,
                                       const RowValues& key,
                                       std::string& sql) {
    if (auto done = read_version(row); !done) {
        return done;
    }
    sql += "UPDATE ";
    append_table(sql);
    std::string_view separator = " SET ";
    for (const std::size_t column : table_.primary_key) {
        sql += separator;
        separator = ", ";
        append_name(column, sql);
        sql += " = ";
        if (auto done = row.append(column, sql); !done) {
            return done;
        }
    }
    if (auto done = append_where(key, table_.primary_key, sql); !done) {
        return done;
    }
    if (conflict_.newer) {
        sql += " AND ";
        append_is_newer(version_, sql);
    }
    return Done{};
}

Result<Done> RowStatement::append_mark(
    const RowValues& key, std::size_t column, std::string_view mark, bool newer, std::string& sql) {
    sql += "UPDATE ";
    append_table(sql);
    sql += " SET ";
    append_marked(column, mark, sql);
    if (newer) {
        sql += ", ";
        append_name(*conflict_.newer, sql);
        sql += " = ";
        if (auto done = key.append(*conflict_.newer, sql); !done) {
            return done;
        }
    }
    if (auto done = append_where(key, table_.primary_key, sql); !done) {
        return done;
    }
    if (newer) {
        if (auto done = read_version(key); !done) {
            return done;
        }
        sql += " AND ";
        append_is_newer(version_, sql);
    }
    return Done{};
}

Result<Done> RowStatement::append_remove_if_newer(const RowValues& key, std::string& sql) {
    if (auto done = read_version(key); !done) {
        return done;
    }
    sql += "DELETE FROM ";
    append_table(sql);
    if (auto done = append_where(key, table_.primary_key, sql); !done) {
        return done;
    }
    sql += " AND ";
    append_is_newer(version_, sql);
    return Done{};
}

Result<Done> RowStatement::append_remove_where(const RowValues& row,
                                               std::span<const std::size_t> columns,
                                               std::string& sql) {
    sql += "DELETE FROM ";
    append_table(sql);
    return append_where(row, columns, sql);
}

void RowStatement::append_remove_all(std::string& sql) const {
    sql += "DELETE FROM ";
    append_table(sql);
}

void RowStatement::append_mark_all(std::size_t column,
                                   std::string_view mark,
                                   std::string& sql) const {
    sql += "UPDATE ";
    append_table(sql);
    sql += " SET ";
    append_marked(column, mark, sql);
}

}  // namespace txsink::mapping
