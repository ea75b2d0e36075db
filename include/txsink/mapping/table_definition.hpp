/// @file
/// TableDefinition: a target table as the server describes it. The table is the schema.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace txsink::mapping {

/// `database`.`table`, unquoted, case as the server has it.
struct TableName {
    std::string database;
    std::string table;

    friend auto operator<=>(const TableName&, const TableName&) = default;
};

/// `database.table` for messages (not quoted: see sql_literal.hpp for SQL).
[[nodiscard]] std::string to_string(const TableName& name);

enum class ColumnType : std::uint8_t {
    tinyint,
    smallint,
    mediumint,
    integer,
    bigint,
    decimal,
    float_single,
    float_double,
    character,
    varchar,
    text,  ///< TINYTEXT to LONGTEXT: max_bytes tells
    binary,
    varbinary,
    blob,  ///< TINYBLOB to LONGBLOB: max_bytes tells
    date,
    time,
    datetime,
    timestamp,
    enumeration,
    json,
    bit,          ///< precision: bits
    year,         ///< 0000, 1901 to 2155
    set,          ///< members
    geometry,     ///< POINT to GEOMETRYCOLLECTION: type_text tells
    vector,       ///< precision: dimensions
    uuid,         ///< MariaDB
    inet4,        ///< MariaDB
    inet6,        ///< MariaDB
    unsupported,  ///< known to the server, not (yet) to us; a field for it is refused
};

struct ColumnDefinition {
    std::string name;
    ColumnType type = ColumnType::unsupported;
    /// COLUMN_TYPE as the server prints it, for messages: `decimal(10,2) unsigned`.
    std::string type_text;
    bool is_unsigned = false;
    bool is_nullable = false;
    /// Has a DEFAULT, or is AUTO_INCREMENT, or is nullable: may be left out of an INSERT.
    bool has_default = false;
    bool is_auto_increment = false;
    /// GENERATED ALWAYS: never written by us.
    bool is_generated = false;
    /// CHAR, VARCHAR, TEXT: characters; 0 where the type has none.
    std::uint64_t max_characters = 0;
    /// All string and binary types: bytes.
    std::uint64_t max_bytes = 0;
    /// DECIMAL(precision, scale); BIT: bits; VECTOR: dimensions.
    std::uint32_t precision = 0;
    std::uint32_t scale = 0;
    /// TIME, DATETIME, TIMESTAMP: digits of the fraction, 0 to 6.
    std::uint32_t fraction_digits = 0;
    std::string character_set;
    std::string collation;
    /// ENUM, SET: the members in order.
    std::vector<std::string> members;
    /// geometry: the one SRID that the server lets in (MySQL's SRID attribute).
    std::optional<std::uint32_t> srid;
    /// JSON only: stored as text (MariaDB: LONGTEXT with CHECK json_valid), so that numbers keep
    /// every digit; MySQL's binary JSON keeps 64-bit integers and doubles.
    bool is_json_text = false;
};

struct UniqueKey {
    std::string name;
    /// Indexes into TableDefinition::columns, in key order.
    std::vector<std::size_t> columns;
};

struct TableDefinition {
    TableName name;
    std::string engine;
    std::vector<ColumnDefinition> columns;
    /// Indexes into columns, in key order; empty: no primary key.
    std::vector<std::size_t> primary_key;
    /// Unique keys other than the primary key.
    std::vector<UniqueKey> unique_keys;
    /// No trigger, and no foreign key from it or to it: its changes and those of other tables may
    /// change places, as nobody can tell.
    bool is_independent = false;
};

}  // namespace txsink::mapping
