/// @file
/// ColumnEncoder: one column; turns JSON values into SQL literals that the column stores exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/core/result.hpp"
#include "txsink/decode/value.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

/// How a column's character set bounds its text. The session speaks utf8mb4; what is not listed
/// here is left to the server, which refuses under strict sql_mode what it cannot store.
enum class Repertoire : std::uint8_t {
    unicode,        ///< utf8mb4
    basic_plane,    ///< utf8mb3: nothing beyond U+FFFF
    ascii,          ///< 7 bits
    left_to_server  ///< latin1, gbk, ...
};

/// What a value must keep to, worked out once from the column's definition.
struct ColumnLimits {
    ColumnType type = ColumnType::unsupported;
    bool is_unsigned = false;
    /// Integers: the largest magnitude of each sign.
    std::uint64_t max_negative = 0;
    std::uint64_t max_positive = 0;
    /// DECIMAL(precision, scale); FLOAT(M,D) and DOUBLE(M,D) round to a scale too.
    std::int64_t max_integer_digits = 0;
    std::int64_t max_fraction_digits = 0;
    bool has_scale = false;
    /// Text and binary.
    std::uint64_t max_characters = 0;
    std::uint64_t max_bytes = 0;
    Repertoire repertoire = Repertoire::unicode;
    /// ENUM, sorted by bytes; borrowed from the definition.
    std::vector<std::string_view> members;
    bool is_json_text = false;
};

/// Threading: immutable after construction.
class ColumnEncoder {
public:
    /// `column` must outlive the encoder.
    explicit ColumnEncoder(const ColumnDefinition& column);

    /// Appends the value at the front of `subtree` (a value and all below it) as a literal.
    ///
    /// Errors (naming column, type, limit and kind of value, never the value; a part may have
    /// been appended): null_value, wrong_kind, out_of_range, would_lose_digits, malformed_value,
    /// unsupported_type.
    [[nodiscard]] Result<Done> append(decode::Document subtree, std::string& sql) const;

private:
    using Encode = Result<Done> (*)(const ColumnLimits&, decode::Document, std::string&);

    [[nodiscard]] static Encode encode_for(ColumnType type) noexcept;
    [[nodiscard]] RecordError name_column(RecordError error) const;

    const ColumnDefinition* column_;
    ColumnLimits limits_;
    Encode encode_;
};

}  // namespace txsink::mapping
