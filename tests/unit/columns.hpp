/// @file
/// Column definitions as the catalog would read them, for tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping::testing {

inline ColumnDefinition make_column(ColumnType type, std::string type_text) {
    ColumnDefinition column;
    column.name = "c";
    column.type = type;
    column.is_unsigned = type_text.find("unsigned") != std::string::npos;
    column.type_text = std::move(type_text);
    column.is_nullable = true;
    column.has_default = true;
    return column;
}

inline ColumnDefinition integer_column(ColumnType type, std::string type_text) {
    return make_column(type, std::move(type_text));
}

inline ColumnDefinition decimal_column(std::uint32_t precision,
                                       std::uint32_t scale,
                                       const std::string& suffix = "") {
    ColumnDefinition column = make_column(
        ColumnType::decimal,
        "decimal(" + std::to_string(precision) + "," + std::to_string(scale) + ")" + suffix);
    column.precision = precision;
    column.scale = scale;
    return column;
}

inline ColumnDefinition text_column(ColumnType type,
                                    std::string type_text,
                                    std::uint64_t max_characters,
                                    std::string character_set = "utf8mb4",
                                    std::uint64_t max_bytes = 0) {
    ColumnDefinition column = make_column(type, std::move(type_text));
    column.max_characters = max_characters;
    column.max_bytes = max_bytes != 0 ? max_bytes : max_characters * 4;
    column.character_set = std::move(character_set);
    return column;
}

inline ColumnDefinition varchar_column(std::uint64_t max_characters) {
    return text_column(
        ColumnType::varchar, "varchar(" + std::to_string(max_characters) + ")", max_characters);
}

inline ColumnDefinition binary_column(ColumnType type,
                                      std::string type_text,
                                      std::uint64_t max_bytes) {
    ColumnDefinition column = make_column(type, std::move(type_text));
    column.max_bytes = max_bytes;
    return column;
}

inline ColumnDefinition temporal_column(ColumnType type,
                                        std::string type_text,
                                        std::uint32_t fraction_digits = 0) {
    ColumnDefinition column = make_column(type, std::move(type_text));
    column.fraction_digits = fraction_digits;
    return column;
}

inline ColumnDefinition enum_column(std::vector<std::string> members) {
    ColumnDefinition column = make_column(ColumnType::enumeration, "enum(...)");
    column.members = std::move(members);
    return column;
}

inline ColumnDefinition set_column(std::vector<std::string> members) {
    ColumnDefinition column = enum_column(std::move(members));
    column.type = ColumnType::set;
    column.type_text = "set(...)";
    return column;
}

inline ColumnDefinition bit_column(std::uint32_t bits) {
    ColumnDefinition column = make_column(ColumnType::bit, "bit(" + std::to_string(bits) + ")");
    column.precision = bits;
    return column;
}

inline ColumnDefinition vector_column(std::uint32_t dimensions) {
    ColumnDefinition column =
        make_column(ColumnType::vector, "vector(" + std::to_string(dimensions) + ")");
    column.precision = dimensions;
    return column;
}

/// `type_text`: `point`, `geometry`, ...
inline ColumnDefinition geometry_column(std::string type_text,
                                        std::optional<std::uint32_t> srid = {}) {
    ColumnDefinition column = make_column(ColumnType::geometry, std::move(type_text));
    column.srid = srid;
    return column;
}

inline ColumnDefinition json_column(bool is_json_text) {
    ColumnDefinition column = make_column(ColumnType::json, is_json_text ? "longtext" : "json");
    column.is_json_text = is_json_text;
    return column;
}

inline ColumnDefinition named(ColumnDefinition column, std::string name) {
    column.name = std::move(name);
    return column;
}

inline ColumnDefinition required(ColumnDefinition column) {
    column.is_nullable = false;
    column.has_default = false;
    return column;
}

}  // namespace txsink::mapping::testing
