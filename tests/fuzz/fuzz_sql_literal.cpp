/// @file
/// Fuzzes string literals, identifiers and the encoders of all types of columns: whatever goes in
/// must come out, and a literal must end where it ends.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sql_lexer.hpp"
#include "mapping/column_encoder.hpp"
#include "txsink/decode/json_decoder.hpp"
#include "txsink/mapping/sql_literal.hpp"
#include "unit/columns.hpp"

namespace {

using namespace txsink::mapping;
using txsink::decode::Document;
using txsink::decode::Meaning;
using txsink::decode::Value;

struct Column {
    ColumnDefinition definition;
    ValueRules rules;
};

const std::vector<Column>& columns() {
    using namespace txsink::mapping::testing;
    static const std::vector<Column> kColumns{
        {integer_column(ColumnType::bigint, "bigint"), {}},
        {bit_column(12), {}},
        {make_column(ColumnType::year, "year"), {}},
        {decimal_column(65, 30), {}},
        {decimal_column(10, 2), {.decimals = DecimalHandling::precise}},
        {make_column(ColumnType::float_double, "double"), {}},
        {varchar_column(500), {}},
        {text_column(ColumnType::varchar, "varchar(50)", 50, "latin1"), {}},
        {binary_column(ColumnType::blob, "blob", 65'535), {}},
        {binary_column(ColumnType::blob, "blob", 65'535), {.binary = BinaryEncoding::hex}},
        {binary_column(ColumnType::blob, "blob", 65'535), {.binary = BinaryEncoding::text}},
        {temporal_column(ColumnType::date, "date"), {.unit = TimeUnit::days}},
        {temporal_column(ColumnType::time, "time(3)", 3),
         {.excess_fraction = OnExcessFraction::round, .unit = TimeUnit::nanoseconds}},
        {temporal_column(ColumnType::datetime, "datetime(3)", 3),
         {.excess_fraction = OnExcessFraction::round, .unit = TimeUnit::microseconds}},
        {temporal_column(ColumnType::timestamp, "timestamp"),
         {.excess_fraction = OnExcessFraction::truncate, .unit = TimeUnit::seconds}},
        {enum_column({"a", "it's"}), {}},
        {set_column({"a", "it's", "\\"}), {}},
        {json_column(false), {}},
        {json_column(true), {}},
        {geometry_column("geometry"), {}},
        {vector_column(3), {}},
        {make_column(ColumnType::uuid, "uuid"), {}},
        {make_column(ColumnType::inet4, "inet4"), {}},
        {make_column(ColumnType::inet6, "inet6"), {}},
    };
    return kColumns;
}

/// Each column either refuses the value or makes one literal of it.
void encode_everywhere(Document document, bool is_utf8) {
    std::vector<Value> values(document.begin(), document.end());
    for (const Column& column : columns()) {
        const ColumnEncoder encoder{column.definition, column.rules};
        for (auto meaning = static_cast<int>(is_utf8 ? Meaning::none : Meaning::raw_bytes);
             meaning <= static_cast<int>(is_utf8 ? Meaning::geometry : Meaning::raw_bytes);
             ++meaning) {
            values.front().meaning = static_cast<Meaning>(meaning);
            values.front().scale = 3;
            std::string sql;
            if (!encoder.append(values, sql)) {
                continue;
            }
            sql += ',';
            std::string_view rest = sql;
            if (!txsink::fuzz::take_literal(rest) || rest != ",") {
                std::abort();
            }
        }
    }
}

void check_literals(const std::string& text) {
    const std::string literal = string_literal(text);
    std::string_view rest = literal;
    if (txsink::fuzz::take_string(rest) != text || !rest.empty()) {
        std::abort();
    }
    const std::string name = identifier(text);
    std::string back;
    for (std::size_t i = 1; i + 1 < name.size(); ++i) {
        if (name[i] == '`' && name[++i] != '`') {
            std::abort();  // the identifier ends early
        }
        back += name[i];
    }
    if (back != text || name.front() != '`' || name.back() != '`') {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static txsink::decode::JsonDecoder decoder;
    const std::string text(bytes, bytes + size);
    check_literals(text);

    Value raw;
    raw.kind = txsink::decode::ValueKind::string;
    raw.text = text;
    encode_everywhere({&raw, 1}, false);
    if (const auto document = decoder.decode(text)) {
        encode_everywhere(document.value(), true);
    }
    return 0;
}
