/// @file
/// Fuzzes decode and mapping into a table with a column of each type: a tuple must be a list of
/// whole literals, one a column; a refused record must leave nothing behind.
///
/// Input: one byte of options, the key, byte 0x1E, the value.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/sql_lexer.hpp"
#include "txsink/decode/json_decoder.hpp"
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

TableDefinition table_of_all_types() {
    TableDefinition table;
    table.name = {"d", "t"};
    table.columns = {
        required(named(integer_column(ColumnType::bigint, "bigint unsigned"), "id")),
        named(integer_column(ColumnType::tinyint, "tinyint(1)"), "b"),
        named(integer_column(ColumnType::mediumint, "mediumint"), "i"),
        named(decimal_column(12, 4), "n"),
        named(make_column(ColumnType::float_single, "float"), "f"),
        named(make_column(ColumnType::float_double, "double"), "d"),
        named(text_column(ColumnType::character, "char(4)", 4), "c"),
        named(text_column(ColumnType::text, "text", 65'535, "utf8mb4", 65'535), "s"),
        named(binary_column(ColumnType::blob, "blob", 65'535), "x"),
        named(temporal_column(ColumnType::date, "date"), "da"),
        named(temporal_column(ColumnType::time, "time(3)", 3), "ti"),
        named(temporal_column(ColumnType::datetime, "datetime(6)", 6), "dt"),
        named(temporal_column(ColumnType::timestamp, "timestamp"), "ts"),
        named(enum_column({"a", "b'"}), "e"),
        named(json_column(false), "j"),
        named(json_column(true), "jt"),
    };
    table.primary_key = {0};
    return table;
}

Route route_of(std::uint8_t options) {
    Route route;
    route.mode = (options & 1U) != 0 ? Mode::insert : Mode::upsert;
    route.key = (options & 2U) != 0 ? KeySource::record : KeySource::value;
    route.unknown_fields = (options & 4U) != 0 ? UnknownFields::error : UnknownFields::ignore;
    return route;
}

/// The text column must hold exactly the string that the record has.
void check_text(std::string_view tuple, const RowShape& shape, std::string_view value) {
    constexpr std::size_t kTextColumn = 7;
    decode::JsonDecoder decoder;
    const auto document = decoder.decode(value);
    require(document.has_value());
    for (const std::size_t column : shape.columns) {
        tuple.remove_prefix(1);  // ( or ,
        std::string_view rest = tuple;
        require(fuzz::take_literal(rest));
        if (column == kTextColumn && tuple.starts_with('\'')) {
            const std::string stored = fuzz::take_string(tuple).value();
            bool is_found = false;
            decode::for_each_child(
                document.value(), 0, [&](std::size_t, const decode::Value& field) {
                    is_found = is_found || field.text == stored;
                });
            require(is_found);
        }
        tuple = rest;
    }
    require(tuple == (shape.columns.empty() ? "()" : ")"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const TableDefinition table = table_of_all_types();
    static RecordMapper mappers[] = {RecordMapper{route_of(0), table},
                                     RecordMapper{route_of(1), table},
                                     RecordMapper{route_of(2), table},
                                     RecordMapper{route_of(3), table},
                                     RecordMapper{route_of(4), table},
                                     RecordMapper{route_of(5), table},
                                     RecordMapper{route_of(6), table},
                                     RecordMapper{route_of(7), table}};
    if (size == 0) {
        return 0;
    }
    const std::string_view rest{reinterpret_cast<const char*>(bytes) + 1, size - 1};
    const std::size_t mark = rest.find('\x1E');
    ConsumerRecord record;
    record.offset = Offset{1};
    if (mark != std::string_view::npos) {
        record.key = rest.substr(0, mark);
        record.value = rest.substr(mark + 1);
    } else if ((bytes[0] & 8U) != 0) {
        record.key = rest;  // a tombstone
    } else {
        record.value = rest;
    }
    RowBuffer rows;
    const auto done = mappers[bytes[0] & 7U].map(record, rows);
    if (!done) {
        require(rows.changes().empty() && rows.text().empty() && !done.error().message.empty());
        return 0;
    }
    require(rows.changes().size() == 1);
    const RowChange& change = rows.changes().front();
    require(change.begin == 0 && change.size + 1 == rows.text().size() &&
            rows.text().back() == ',');
    const std::string_view tuple = rows.text().substr(0, change.size);
    if (record.value) {
        check_text(tuple, *change.shape, *record.value);
    } else {
        std::string_view key = tuple.substr(1);
        require(fuzz::take_literal(key) && key == ")");
    }
    return 0;
}
