/// @file
/// Fuzzes whole statements: whatever a record holds, a statement is its template with literals in
/// place of the parameters, and nothing else.
///
/// Input: one byte that chooses the route, the key, byte 0x1E, the value.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sql_lexer.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "unit/columns.hpp"

namespace {

using namespace txsink;
using namespace txsink::mapping;
using namespace txsink::mapping::testing;

void require(bool is_true) {
    if (!is_true) {
        std::abort();
    }
}

/// `sql` is `pattern` with a literal, perhaps in parentheses, for each '?'.
bool fits(std::string_view sql, std::string_view pattern) {
    for (const char expected : pattern) {
        if (expected != '?') {
            if (!sql.starts_with(expected)) {
                return false;
            }
            sql.remove_prefix(1);
            continue;
        }
        const bool is_in_parentheses = sql.starts_with('(');
        sql.remove_prefix(is_in_parentheses ? 1 : 0);
        if (sql.starts_with("TRUE")) {
            sql.remove_prefix(4);
        } else if (sql.starts_with("FALSE")) {
            sql.remove_prefix(5);
        } else if (!fuzz::take_literal(sql)) {
            return false;
        }
        if (is_in_parentheses && !sql.starts_with(')')) {
            return false;
        }
        sql.remove_prefix(is_in_parentheses ? 1 : 0);
    }
    return sql.empty();
}

TableDefinition notes_table() {
    TableDefinition table;
    table.name = {"d", "t"};
    table.columns = {
        required(named(integer_column(ColumnType::bigint, "bigint"), "id")),
        named(text_column(ColumnType::text, "text", 65'535, "utf8mb4", 65'535), "s"),
        named(integer_column(ColumnType::integer, "int"), "n"),
    };
    table.primary_key = {0};
    return table;
}

/// A route, and the statements that it may make.
struct Target {
    RecordMapper mapper;
    std::vector<std::string> patterns;
};

Route route_of(Mode mode, Format format) {
    Route route;
    route.mode = mode;
    route.format = format;
    route.flatten = "_";
    route.unknown_fields = UnknownFields::error;
    return route;
}

std::vector<Target> make_targets() {
    std::vector<Target> targets;
    for (const Format format : {Format::json, Format::json_schema, Format::debezium}) {
        Route sql = route_of(Mode::sql, format);
        sql.sql =
            "UPDATE t SET s = :s, n = n - :n WHERE id = :id AND ':x' = 'y'; DELETE FROM u "
            "WHERE k = :k";
        sql.parameters = {{"k", parse_source("$key | $.s | 'none'")}};
        targets.push_back({RecordMapper{sql, {}},
                           {"UPDATE t SET s = ?, n = n - ? WHERE id = ? AND ':x' = 'y'",
                            "DELETE FROM u WHERE k = ?"}});
        Route update = route_of(Mode::update, format);
        update.columns.resize(1);
        update.columns[0].column = "n";
        update.columns[0].on_conflict = OnConflict::add;
        targets.push_back(
            {RecordMapper{update, notes_table()},
             {"UPDATE `d`.`t` SET `id` = `id` WHERE `id` = ?",
              "UPDATE `d`.`t` SET `s` = ? WHERE `id` = ?",
              "UPDATE `d`.`t` SET `n` = `n` WHERE `id` = ?",
              "UPDATE `d`.`t` SET `n` = COALESCE(`n`, 0) + ? WHERE `id` = ?",
              "UPDATE `d`.`t` SET `s` = ?, `n` = `n` WHERE `id` = ?",
              "UPDATE `d`.`t` SET `s` = ?, `n` = COALESCE(`n`, 0) + ? WHERE `id` = ?",
              // A change of the key.
              "UPDATE `d`.`t` SET `id` = ? WHERE `id` = ?",
              "UPDATE `d`.`t` SET `id` = ?, `s` = ? WHERE `id` = ?",
              "UPDATE `d`.`t` SET `id` = ?, `n` = `n` WHERE `id` = ?",
              "UPDATE `d`.`t` SET `id` = ?, `n` = COALESCE(`n`, 0) + ? WHERE `id` = ?",
              "UPDATE `d`.`t` SET `id` = ?, `s` = ?, `n` = `n` WHERE `id` = ?",
              "UPDATE `d`.`t` SET `id` = ?, `s` = ?, `n` = COALESCE(`n`, 0) + ? WHERE `id` = ?",
              "DELETE FROM `d`.`t`"}});
        Route elements = route_of(Mode::insert, format);
        elements.for_each = parse_source("$.items");
        elements.replace_children = {"s"};
        elements.columns.resize(2);
        elements.columns[0].column = "s";
        elements.columns[0].source = parse_source("$.id | $key");
        elements.columns[1].column = "id";
        elements.columns[1].source = parse_source("$index");
        targets.push_back({RecordMapper{elements, notes_table()},
                           {"DELETE FROM `d`.`t` WHERE `s` = ?", "DELETE FROM `d`.`t`"}});
    }
    return targets;
}

void check_tuple(std::string_view tuple) {
    require(tuple.starts_with('('));
    do {
        tuple.remove_prefix(1);
        require(fuzz::take_literal(tuple));
    } while (tuple.starts_with(','));
    require(tuple == ")");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static std::vector<Target> targets = make_targets();
    if (size == 0) {
        return 0;
    }
    const std::string_view rest{reinterpret_cast<const char*>(bytes) + 1, size - 1};
    const std::size_t mark = rest.find('\x1E');
    ConsumerRecord record;
    record.offset = Offset{1};
    record.value = rest.substr(mark == std::string_view::npos ? 0 : mark + 1);
    if (mark != std::string_view::npos) {
        record.key = rest.substr(0, mark);
    }
    Target& target = targets[bytes[0] % targets.size()];
    RowBuffer rows;
    const auto done = target.mapper.map(record, rows);
    require(done.has_value() || (rows.changes().empty() && rows.text().empty()));
    for (const RowChange& change : rows.changes()) {
        const std::string_view text = rows.text().substr(change.begin, change.size);
        if (change.shape->kind != ChangeKind::statement) {
            check_tuple(text);
            continue;
        }
        bool is_known = false;
        for (const std::string& pattern : target.patterns) {
            is_known = is_known || fits(std::string{text} + ';', pattern + ';');
        }
        require(is_known);
    }
    return 0;
}
