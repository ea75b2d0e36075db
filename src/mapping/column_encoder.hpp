/// @file
/// ColumnEncoder: one column; turns JSON values into SQL literals that the column stores exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/core/result.hpp"
#include "txsink/decode/value.hpp"
#include "txsink/mapping/route.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

/// How a column's character set bounds its text. The session speaks utf8mb4; what is not listed
/// here is left to the server, which refuses under strict sql_mode what it cannot store.
enum class Repertoire : std::uint8_t {
    unicode,        ///< utf8mb4
    basic_plane,    ///< utf8mb3: nothing beyond U+FFFF
    ascii,          ///< 7 bits
    latin1,         ///< MySQL's latin1: Windows-1252, its five unused bytes as U+0081, ...
    left_to_server  ///< gbk, utf16, ...
};

/// What a value must keep to, worked out once from the column's definition.
struct ColumnLimits {
    ColumnType type = ColumnType::unsupported;
    bool is_unsigned = false;
    /// TINYINT and BIT(1): true is 1, false is 0.
    bool takes_boolean = false;
    /// Integers, BIT and YEAR: the largest magnitude of each sign.
    std::uint64_t max_negative = 0;
    std::uint64_t max_positive = 0;
    /// All whole numbers of that many digits are within max_positive.
    std::size_t safe_digits = 0;
    /// DECIMAL(precision, scale); FLOAT(M,D) and DOUBLE(M,D) round to a scale too. Dates and times:
    /// digits after the seconds.
    std::int64_t max_integer_digits = 0;
    std::int64_t max_fraction_digits = 0;
    /// Text and binary.
    std::uint64_t max_characters = 0;
    std::uint64_t max_bytes = 0;
    Repertoire repertoire = Repertoire::unicode;
    /// ENUM, SET, sorted by bytes; borrowed from the definition.
    std::vector<std::string_view> members;
    bool is_json_text = false;
    /// VECTOR.
    std::uint32_t dimensions = 0;
    /// Geometry: the type in WKB, 0 for any; and the column's SRID.
    std::uint32_t geometry_type = 0;
    std::optional<std::uint32_t> srid;

    OnExcessFraction excess_fraction = OnExcessFraction::error;
    /// What a number without a meaning is in a column of dates or times.
    TimeUnit unit = TimeUnit::automatic;
    /// The unit was asked for, so that a string of digits is a number too.
    bool has_own_unit = false;
    BinaryEncoding binary = BinaryEncoding::base64;
};

/// Threading: immutable after construction.
class ColumnEncoder {
public:
    /// `column` must outlive the encoder. `rules`: those of the route with the column's own put
    /// in; `missing` is not looked at.
    explicit ColumnEncoder(const ColumnDefinition& column, const ValueRules& rules = {});

    /// Appends the value at the front of `subtree` (a value and all below it) as a literal that
    /// needs no function of the server and reads the same on MySQL and MariaDB. An explicit null
    /// under OnNull::fallback is the keyword DEFAULT, which only VALUES and SET take.
    ///
    /// Errors (naming column, type, limit and kind of value, never the value; a part may have
    /// been appended): null_value, wrong_kind, out_of_range, would_lose_digits, malformed_value,
    /// unsupported_type; missing_value: Meaning::unavailable, which is the caller's to leave out.
    [[nodiscard]] Result<Done> append(decode::Document subtree, std::string& sql) const;

private:
    using Encode = Result<Done> (*)(const ColumnLimits&, decode::Document, std::string&);

    [[nodiscard]] static Encode encode_for(ColumnType type, const ValueRules& rules) noexcept;
    [[nodiscard]] Result<Done> append_null(std::string& sql) const;
    [[nodiscard]] RecordError name_column(RecordError error) const;

    const ColumnDefinition* column_;
    ColumnLimits limits_;
    Encode encode_;
    OnNull null_;
    /// What a string without a schema means.
    decode::Meaning string_meaning_ = decode::Meaning::none;
};

}  // namespace txsink::mapping
