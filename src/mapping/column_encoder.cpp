#include "mapping/column_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "mapping/encode.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::ValueKind;

/// Bits of an integer type; 0 for any other.
unsigned bits_of(ColumnType type) noexcept {
    switch (type) {
        case ColumnType::tinyint:
            return 8;
        case ColumnType::smallint:
            return 16;
        case ColumnType::mediumint:
            return 24;
        case ColumnType::integer:
            return 32;
        case ColumnType::bigint:
            return 64;
        default:
            return 0;
    }
}

Repertoire repertoire_of(std::string_view character_set) noexcept {
    if (character_set.empty() || character_set == "utf8mb4") {
        return Repertoire::unicode;
    }
    if (character_set == "utf8mb3" || character_set == "utf8") {
        return Repertoire::basic_plane;
    }
    return character_set == "ascii" ? Repertoire::ascii : Repertoire::left_to_server;
}

/// The M and D of `float(M,D)` and `double(M,D) unsigned`: the server rounds to D digits.
bool read_scale(std::string_view type_text, ColumnLimits& limits) noexcept {
    const std::size_t open = type_text.find('(');
    const std::size_t comma = type_text.find(',');
    if (open == std::string_view::npos || comma == std::string_view::npos) {
        return false;
    }
    const char* const end = type_text.data() + type_text.size();
    std::int64_t precision = 0;
    std::int64_t scale = 0;
    if (std::from_chars(type_text.data() + open + 1, end, precision).ec != std::errc{} ||
        std::from_chars(type_text.data() + comma + 1, end, scale).ec != std::errc{}) {
        return false;
    }
    limits.max_integer_digits = precision - scale;
    limits.max_fraction_digits = scale;
    return true;
}

ColumnLimits limits_of(const ColumnDefinition& column) {
    ColumnLimits limits;
    limits.type = column.type;
    limits.is_unsigned = column.is_unsigned;
    if (const unsigned bits = bits_of(column.type); bits != 0) {
        const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
        limits.max_positive = column.is_unsigned ? all : all >> 1U;
        limits.max_negative = column.is_unsigned ? 0 : (all >> 1U) + 1;
    }
    if (column.type == ColumnType::decimal) {
        limits.max_integer_digits = std::int64_t{column.precision} - column.scale;
        limits.max_fraction_digits = column.scale;
    } else if (column.type == ColumnType::float_single || column.type == ColumnType::float_double) {
        limits.has_scale = read_scale(column.type_text, limits);
    } else {
        limits.max_fraction_digits = column.fraction_digits;
    }
    limits.max_characters = column.max_characters;
    limits.max_bytes = column.max_bytes;
    limits.repertoire = repertoire_of(column.character_set);
    limits.members.assign(column.members.begin(), column.members.end());
    std::sort(limits.members.begin(), limits.members.end());
    limits.is_json_text = column.is_json_text;
    return limits;
}

Result<Done> refuse_type(const ColumnLimits& /*limits*/, Document /*subtree*/, std::string&) {
    return RecordError{RecordErrorCode::unsupported_type, {}, "this type is not supported"};
}

}  // namespace

ColumnEncoder::ColumnEncoder(const ColumnDefinition& column)
    : column_{&column}, limits_{limits_of(column)}, encode_{encode_for(column.type)} {}

ColumnEncoder::Encode ColumnEncoder::encode_for(ColumnType type) noexcept {
    switch (type) {
        case ColumnType::tinyint:
        case ColumnType::smallint:
        case ColumnType::mediumint:
        case ColumnType::integer:
        case ColumnType::bigint:
            return encode_integer;
        case ColumnType::decimal:
            return encode_decimal;
        case ColumnType::float_single:
        case ColumnType::float_double:
            return encode_floating;
        case ColumnType::character:
        case ColumnType::varchar:
        case ColumnType::text:
            return encode_text;
        case ColumnType::binary:
        case ColumnType::varbinary:
        case ColumnType::blob:
            return encode_binary;
        case ColumnType::date:
        case ColumnType::datetime:
        case ColumnType::timestamp:
            return encode_moment;
        case ColumnType::time:
            return encode_time;
        case ColumnType::enumeration:
            return encode_enumeration;
        case ColumnType::json:
            return encode_json;
        case ColumnType::bit:
        case ColumnType::year:
        case ColumnType::set:
        case ColumnType::geometry:
        case ColumnType::vector:
        case ColumnType::uuid:
        case ColumnType::inet4:
        case ColumnType::inet6:
        case ColumnType::unsupported:
            break;
    }
    return refuse_type;
}

Result<Done> ColumnEncoder::append(Document subtree, std::string& sql) const {
    if (subtree.front().kind == ValueKind::null && encode_ != refuse_type) {
        if (!column_->is_nullable) {
            return name_column(
                {RecordErrorCode::null_value, {}, "null, but the column is NOT NULL"});
        }
        sql += "NULL";
        return Done{};
    }
    Result<Done> done = encode_(limits_, subtree, sql);
    if (!done) {
        return name_column(std::move(done.error()));
    }
    return done;
}

RecordError ColumnEncoder::name_column(RecordError error) const {
    error.field = column_->name;
    error.message =
        fmt::format("column \"{}\" ({}): {}", column_->name, column_->type_text, error.message);
    return error;
}

}  // namespace txsink::mapping
