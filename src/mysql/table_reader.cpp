/// @file
/// Reads the definition of a target table from information_schema.
#include "mysql/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "mysql/table_independence.hpp"
#include "txsink/core/ascii.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mysql {
namespace {

using mapping::ColumnDefinition;
using mapping::ColumnType;
using mapping::string_literal;
using mapping::TableDefinition;
using mapping::TableName;

using Cell = std::optional<std::string>;

SinkError unusable(std::string what, std::string detail, std::string hint) {
    return SinkError{ErrorKind::configuration, what, std::move(detail), std::move(hint)};
}

SinkError hidden(const TableName& table, const std::string& what) {
    return unusable(fmt::format("{} in {} cannot be seen", what, to_string(table)),
                    "the server shows what the account has privileges on",
                    "grant SELECT, INSERT, UPDATE and DELETE on the table");
}

template <typename Number>
Number to_number(const Cell& cell) {
    Number number = 0;
    if (cell) {
        std::from_chars(cell->data(), cell->data() + cell->size(), number);
    }
    return number;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// information_schema compares names by collations of its own, which pad with spaces and on some
/// servers ignore case, so what it finds is compared again here.
bool is_name(const std::string& found, const std::string& wanted, bool tells_case_apart) {
    return tells_case_apart ? found == wanted : equals_without_case(found, wanted);
}

/// Where `name` was not found: is it elsewhere, or spelled otherwise?
std::string hint_for_missing(Session& session, const TableName& name) {
    const auto tables = session.query(
        "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES "
        "WHERE LOWER(TABLE_NAME) = LOWER(" +
        string_literal(name.table) + ") ORDER BY TABLE_SCHEMA = " + string_literal(name.database) +
        " DESC, TABLE_SCHEMA LIMIT 1");
    if (!tables.empty()) {
        const TableName other{tables[0].at(0).value_or(""), tables[0].at(1).value_or("")};
        return fmt::format("there is {}: write that if it is the one that you mean",
                           to_string(other));
    }
    return "create the table, or grant the account privileges on it: without any it stays "
           "invisible";
}

/// The table's name as the server has it; fills in the engine.
TableName locate(Session& session, const TableName& name, std::string& engine) {
    const auto rows = session.query(
        "SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_TYPE, t.ENGINE, @@lower_case_table_names "
        "FROM information_schema.TABLES t WHERE t.TABLE_SCHEMA = " +
        string_literal(name.database) + " AND t.TABLE_NAME = " + string_literal(name.table));
    for (const auto& row : rows) {
        const bool tells_case_apart = row.at(4) == "0";
        TableName found{row.at(0).value_or(""), row.at(1).value_or("")};
        if (!is_name(found.database, name.database, tells_case_apart) ||
            !is_name(found.table, name.table, tells_case_apart)) {
            continue;
        }
        const auto type = row.at(2).value_or("");
        if (type != "BASE TABLE" && type != "SYSTEM VERSIONED") {
            throw unusable(fmt::format("{} is not a table", to_string(found)),
                           fmt::format("the server calls it a {}", type),
                           "name the table that the records go into");
        }
        engine = row.at(3).value_or("");
        return found;
    }
    if (session
            .query("SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = " +
                   string_literal(name.database))
            .empty()) {
        throw unusable(fmt::format("there is no database {}", name.database),
                       fmt::format("looking for the table {} on {}:{}",
                                   to_string(name),
                                   session.host().name,
                                   session.host().port),
                       "create it, or grant the account privileges on it: without any it stays "
                       "invisible");
    }
    throw unusable(fmt::format("there is no table {}", to_string(name)),
                   fmt::format("looked in the database {} on {}:{}, and nowhere else",
                               name.database,
                               session.host().name,
                               session.host().port),
                   hint_for_missing(session, name));
}

ColumnType type_of(std::string_view data_type) {
    struct Named {
        std::string_view name;
        ColumnType type;
    };
    static constexpr Named kTypes[] = {
        {"tinyint", ColumnType::tinyint},
        {"smallint", ColumnType::smallint},
        {"mediumint", ColumnType::mediumint},
        {"int", ColumnType::integer},
        {"bigint", ColumnType::bigint},
        {"decimal", ColumnType::decimal},
        {"float", ColumnType::float_single},
        {"double", ColumnType::float_double},
        {"char", ColumnType::character},
        {"varchar", ColumnType::varchar},
        {"tinytext", ColumnType::text},
        {"text", ColumnType::text},
        {"mediumtext", ColumnType::text},
        {"longtext", ColumnType::text},
        {"binary", ColumnType::binary},
        {"varbinary", ColumnType::varbinary},
        {"tinyblob", ColumnType::blob},
        {"blob", ColumnType::blob},
        {"mediumblob", ColumnType::blob},
        {"longblob", ColumnType::blob},
        {"date", ColumnType::date},
        {"time", ColumnType::time},
        {"datetime", ColumnType::datetime},
        {"timestamp", ColumnType::timestamp},
        {"enum", ColumnType::enumeration},
        {"set", ColumnType::set},
        {"json", ColumnType::json},
        {"bit", ColumnType::bit},
        {"year", ColumnType::year},
        {"vector", ColumnType::vector},
        {"uuid", ColumnType::uuid},
        {"inet4", ColumnType::inet4},
        {"inet6", ColumnType::inet6},
        {"geometry", ColumnType::geometry},
        {"point", ColumnType::geometry},
        {"linestring", ColumnType::geometry},
        {"polygon", ColumnType::geometry},
        {"multipoint", ColumnType::geometry},
        {"multilinestring", ColumnType::geometry},
        {"multipolygon", ColumnType::geometry},
        {"geomcollection", ColumnType::geometry},
        {"geometrycollection", ColumnType::geometry},
    };
    const auto at = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Named& each) {
        return each.name == data_type;
    });
    return at == std::end(kTypes) ? ColumnType::unsupported : at->type;
}

/// MariaDB's JSON is LONGTEXT with CHECK (json_valid(`column`)): the text that tells.
/// information_schema.CHECK_CONSTRAINTS would be empty for an account with privileges on the table
/// alone.
std::string checks_of(Session& session, const TableName& name) {
    const auto rows = session.query("SHOW CREATE TABLE " + mapping::identifier(name.database) +
                                    '.' + mapping::identifier(name.table));
    return rows.at(0).at(1).value_or("");
}

/// Columns of the query in read_columns.
enum : std::size_t {
    kTableSchema,
    kTableName,
    kName,
    kDataType,
    kColumnType,
    kNullable,
    kDefault,
    kExtra,
    kExpression,
    kCharacters,
    kBytes,
    kPrecision,
    kScale,
    kFraction,
    kCharacterSet,
    kCollation,
    kSrid,
};

/// The N of `bit(N)` and `vector(N)`.
std::uint32_t width_of(std::string_view column_type) {
    std::uint32_t width = 0;
    const auto open = column_type.find('(');
    if (open != std::string_view::npos) {
        const char* const end = column_type.data() + column_type.size();
        std::from_chars(column_type.data() + open + 1, end, width);
    }
    return width;
}

/// What only one family of types has.
void read_particulars(const Row& row, ColumnDefinition& column) {
    switch (column.type) {
        case ColumnType::decimal:
            column.precision = to_number<std::uint32_t>(row.at(kPrecision));
            column.scale = to_number<std::uint32_t>(row.at(kScale));
            break;
        case ColumnType::float_single:
        case ColumnType::float_double:
            if (row.at(kScale).has_value()) {
                column.type = ColumnType::unsupported;
            }
            break;
        case ColumnType::bit:
        case ColumnType::vector:
            column.precision = width_of(column.type_text);
            break;
        case ColumnType::enumeration:
        case ColumnType::set:
            column.members = enum_members(column.type_text);
            break;
        case ColumnType::geometry:
            if (row.at(kSrid).has_value()) {
                column.srid = to_number<std::uint32_t>(row.at(kSrid));
            }
            break;
        default:
            break;
    }
}

ColumnDefinition to_column(const Row& row) {
    ColumnDefinition column;
    column.name = row.at(kName).value_or("");
    column.type = type_of(row.at(kDataType).value_or(""));
    column.type_text = row.at(kColumnType).value_or("");
    column.is_unsigned = contains(column.type_text, " unsigned");
    column.is_nullable = row.at(kNullable) == "YES";
    const auto extra = row.at(kExtra).value_or("");
    column.is_auto_increment = contains(extra, "auto_increment");
    // Not MySQL's DEFAULT_GENERATED, which is a default that is an expression.
    column.is_generated =
        contains(extra, "VIRTUAL GENERATED") || contains(extra, "STORED GENERATED");
    column.has_default = row.at(kDefault).has_value() || column.is_nullable ||
                         column.is_auto_increment || contains(extra, "DEFAULT_GENERATED");
    column.character_set = row.at(kCharacterSet).value_or("");
    column.collation = row.at(kCollation).value_or("");
    if (!column.character_set.empty()) {
        column.max_characters = to_number<std::uint64_t>(row.at(kCharacters));
    }
    column.max_bytes = to_number<std::uint64_t>(row.at(kBytes));
    column.fraction_digits = to_number<std::uint32_t>(row.at(kFraction));
    read_particulars(row, column);
    return column;
}

struct ReadColumn {
    ColumnDefinition definition;
    bool is_invisible = false;
    /// MariaDB, system-versioned tables: a part of every unique key, and nothing that we name.
    bool is_row_end = false;
};

/// MariaDB keeps REF_SYSTEM_ID to itself, and does not hold values to it.
bool has_srid(const Session& session) {
    constexpr int kMysql8 = 80'000;
    return !session.is_mariadb() && session.version_number() >= kMysql8;
}

std::vector<ReadColumn> read_columns(Session& session, const TableName& name) {
    const auto rows = session.query(
        "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, "
        "COLUMN_DEFAULT, EXTRA, GENERATION_EXPRESSION, CHARACTER_MAXIMUM_LENGTH, "
        "CHARACTER_OCTET_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, "
        "CHARACTER_SET_NAME, COLLATION_NAME, " +
        std::string{has_srid(session) ? "SRS_ID" : "NULL"} +
        " FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = " + string_literal(name.database) +
        " AND TABLE_NAME = " + string_literal(name.table) + " ORDER BY ORDINAL_POSITION");
    std::vector<ReadColumn> columns;
    std::optional<std::string> checks;
    for (const auto& row : rows) {
        if (row.at(kTableSchema) != name.database || row.at(kTableName) != name.table) {
            continue;
        }
        columns.push_back({to_column(row),
                           contains(row.at(kExtra).value_or(""), "INVISIBLE"),
                           row.at(kExpression) == "ROW END"});
        if (session.is_mariadb() && row.at(kDataType) == "longtext") {
            if (!checks) {
                checks = checks_of(session, name);
            }
            auto& column = columns.back().definition;
            column.is_json_text =
                contains(*checks, "CHECK (json_valid(" + mapping::identifier(column.name) + "))");
            column.type = column.is_json_text ? ColumnType::json : column.type;
        }
    }
    return columns;
}

/// One unique index as read; `is_whole`: every part is a column, and all of it.
struct ReadKey {
    std::string name;
    std::vector<std::string> columns;
    bool is_whole = true;
};

std::vector<ReadKey> read_unique_keys(Session& session, const TableName& name) {
    const auto rows = session.query(
        "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART FROM "
        "information_schema.STATISTICS WHERE TABLE_SCHEMA = " +
        string_literal(name.database) + " AND TABLE_NAME = " + string_literal(name.table) +
        " AND NON_UNIQUE = 0 ORDER BY INDEX_NAME, SEQ_IN_INDEX");
    std::vector<ReadKey> keys;
    for (const auto& row : rows) {
        if (row.at(0) != name.database || row.at(1) != name.table) {
            continue;
        }
        const auto index = row.at(2).value_or("");
        if (keys.empty() || keys.back().name != index) {
            keys.push_back({index, {}, true});
        }
        if (row.at(3).has_value() && !row.at(4).has_value()) {
            keys.back().columns.push_back(*row.at(3));
        } else {
            keys.back().is_whole = false;
        }
    }
    return keys;
}

void add_key(TableDefinition& table, const std::vector<ReadColumn>& columns, const ReadKey& key) {
    std::vector<std::size_t> indexes;
    for (const auto& part : key.columns) {
        const auto at = std::find_if(columns.begin(), columns.end(), [&](const auto& column) {
            return column.definition.name == part;
        });
        if (at == columns.end()) {
            throw hidden(table.name, "the column " + part);
        }
        if (key.is_whole && !at->is_row_end) {
            indexes.push_back(static_cast<std::size_t>(at - columns.begin()));
        }
    }
    if (key.name == "PRIMARY" && key.is_whole) {
        table.primary_key = std::move(indexes);
    } else {
        table.unique_keys.push_back({key.name, std::move(indexes)});
    }
}

/// The key that MySQL adds by itself under sql_generate_invisible_primary_key: no record has it.
bool is_servers_own_key(const ReadKey& key, const std::vector<ReadColumn>& columns) {
    return key.name == "PRIMARY" && key.columns == std::vector<std::string>{"my_row_id"} &&
           !columns.empty() && columns.front().definition.name == "my_row_id" &&
           columns.front().is_invisible && columns.front().definition.is_auto_increment;
}

}  // namespace

mapping::TableDefinition read_table(Session& session, const mapping::TableName& name) {
    TableName wanted = name;
    if (wanted.database.empty()) {
        wanted.database = session.query("SELECT DATABASE()").at(0).at(0).value_or("");
    }
    TableDefinition table;
    table.name = locate(session, wanted, table.engine);
    if (table.engine != "InnoDB") {
        throw unusable(
            fmt::format("the table {} cannot take part in a transaction", to_string(table.name)),
            fmt::format("its engine is {}, and only InnoDB rolls back",
                        table.engine.empty() ? "not known" : table.engine),
            fmt::format("ALTER TABLE {}.{} ENGINE = InnoDB",
                        mapping::identifier(table.name.database),
                        mapping::identifier(table.name.table)));
    }
    auto columns = read_columns(session, table.name);
    auto keys = read_unique_keys(session, table.name);
    const auto own_key = std::find_if(keys.begin(), keys.end(), [&](const auto& key) {
        return is_servers_own_key(key, columns);
    });
    if (own_key != keys.end()) {
        keys.erase(own_key);
        columns.erase(columns.begin());
    }
    if (columns.empty()) {
        throw hidden(table.name, "the columns");
    }
    for (const auto& key : keys) {
        add_key(table, columns, key);
    }
    for (auto& column : columns) {
        table.columns.push_back(std::move(column.definition));
    }
    table.is_independent = is_independent(session, table.name);
    return table;
}

std::vector<std::string> enum_members(std::string_view column_type) {
    std::vector<std::string> members;
    bool is_inside = false;
    for (std::size_t i = 0; i < column_type.size(); ++i) {
        const char c = column_type[i];
        const char following = i + 1 < column_type.size() ? column_type[i + 1] : '\0';
        if (!is_inside) {
            if (c == '\'') {
                is_inside = true;
                members.emplace_back();
            }
        } else if (c == '\'' && following != '\'') {
            is_inside = false;
        } else if (c == '\'' || c == '\\') {
            // The servers print '' and \\ \n \r \0.
            members.back() += c == '\''          ? '\''
                              : following == 'n' ? '\n'
                              : following == 'r' ? '\r'
                              : following == '0' ? '\0'
                                                 : following;
            ++i;
        } else {
            members.back() += c;
        }
    }
    return members;
}

}  // namespace txsink::mysql
