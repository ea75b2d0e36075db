#include "mapping/column_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "mapping/encode.hpp"
#include "mapping/geometry.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Meaning;
using decode::ValueKind;

constexpr std::uint64_t kLastYear = 2155;

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
    if (character_set == "latin1") {
        return Repertoire::latin1;
    }
    return character_set == "ascii" ? Repertoire::ascii : Repertoire::left_to_server;
}

void set_range(const ColumnDefinition& column, ColumnLimits& limits) noexcept {
    constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
    if (const unsigned bits = bits_of(column.type); bits != 0) {
        const std::uint64_t all = kAll >> (64 - bits);
        limits.max_positive = column.is_unsigned ? all : all >> 1U;
        limits.max_negative = column.is_unsigned ? 0 : (all >> 1U) + 1;
        limits.takes_boolean = column.type == ColumnType::tinyint;
    } else if (column.type == ColumnType::bit) {
        limits.max_positive = kAll >> (64 - std::clamp(column.precision, 1U, 64U));
        limits.takes_boolean = column.precision == 1;
    } else if (column.type == ColumnType::year) {
        limits.max_positive = kLastYear;
    }
    for (std::uint64_t rest = limits.max_positive; rest >= 10; rest /= 10) {
        ++limits.safe_digits;  // the digits of max_positive but one
    }
}

void set_digits(const ColumnDefinition& column, ColumnLimits& limits) noexcept {
    if (column.type == ColumnType::decimal) {
        limits.max_integer_digits = std::int64_t{column.precision} - column.scale;
        limits.max_fraction_digits = column.scale;
    } else {
        limits.max_fraction_digits = column.fraction_digits;
    }
}

/// What the route says about numbers in this column; Debezium's modes follow the type.
/// Source:
/// https://debezium.io/documentation/reference/stable/connectors/mysql.html#mysql-temporal-types
TimeUnit unit_of(const ColumnDefinition& column, const ValueRules& rules) noexcept {
    if (rules.unit != TimeUnit::automatic || rules.times == TimePrecision::none) {
        return rules.unit;
    }
    if (column.type == ColumnType::date) {
        return TimeUnit::days;
    }
    const bool is_fine = column.type == ColumnType::time || column.fraction_digits > 3;
    return rules.times == TimePrecision::adaptive && is_fine ? TimeUnit::microseconds
                                                             : TimeUnit::milliseconds;
}

ColumnLimits limits_of(const ColumnDefinition& column, const ValueRules& rules) {
    ColumnLimits limits;
    limits.type = column.type;
    limits.is_unsigned = column.is_unsigned;
    set_range(column, limits);
    set_digits(column, limits);
    limits.max_characters = column.max_characters;
    limits.max_bytes = column.max_bytes;
    limits.repertoire = repertoire_of(column.character_set);
    limits.members.assign(column.members.begin(), column.members.end());
    std::sort(limits.members.begin(), limits.members.end());
    limits.is_json_text = column.is_json_text;
    if (column.type == ColumnType::vector) {
        limits.dimensions = column.precision;
    } else if (column.type == ColumnType::geometry) {
        limits.geometry_type = geometry_type_of(column.type_text);
        limits.srid = column.srid;
    }
    limits.excess_fraction = rules.excess_fraction;
    limits.unit = unit_of(column, rules);
    limits.has_own_unit = rules.unit != TimeUnit::automatic;
    limits.binary = rules.binary;
    return limits;
}

Result<Done> refuse_type(const ColumnLimits& /*limits*/, Document /*subtree*/, std::string&) {
    return RecordError{RecordErrorCode::unsupported_type, {}, "this type is not supported"};
}

}  // namespace

ColumnEncoder::ColumnEncoder(const ColumnDefinition& column, const ValueRules& rules)
    : column_{&column},
      limits_{limits_of(column, rules)},
      encode_{encode_for(column.type, rules)},
      null_{rules.null} {
    if (rules.is_change_event && column.type == ColumnType::json) {
        string_meaning_ = Meaning::json_text;
    } else if (rules.is_change_event && column.type == ColumnType::bit) {
        string_meaning_ = Meaning::bits;
    }
}

ColumnEncoder::Encode ColumnEncoder::encode_for(ColumnType type, const ValueRules& rules) noexcept {
    switch (type) {
        case ColumnType::tinyint:
        case ColumnType::smallint:
        case ColumnType::mediumint:
        case ColumnType::integer:
        case ColumnType::bigint:
        case ColumnType::bit:
            return encode_integer;
        case ColumnType::year:
            return encode_year;
        case ColumnType::decimal:
            return rules.decimals == DecimalHandling::precise ? encode_precise_decimal
                                                              : encode_decimal;
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
        case ColumnType::set:
            return encode_set;
        case ColumnType::json:
            return encode_json;
        case ColumnType::geometry:
            return encode_geometry;
        case ColumnType::vector:
            return encode_vector;
        case ColumnType::uuid:
            return encode_uuid;
        case ColumnType::inet4:
        case ColumnType::inet6:
            return encode_address;
        case ColumnType::unsupported:
            break;
    }
    return refuse_type;
}

Result<Done> ColumnEncoder::append(Document subtree, std::string& sql) const {
    const decode::Value& value = subtree.front();
    if (value.kind == ValueKind::null && encode_ != refuse_type) {
        return append_null(sql);
    }
    if (string_meaning_ != Meaning::none && value.meaning == Meaning::none &&
        value.kind == ValueKind::string) {
        decode::Value meant{value};
        meant.meaning = string_meaning_;
        return append(Document{&meant, 1}, sql);
    }
    Result<Done> done = value.meaning == Meaning::none || encode_ == refuse_type
                            ? encode_(limits_, subtree, sql)
                            : encode_meant(limits_, encode_, subtree, sql);
    if (!done) {
        return name_column(std::move(done.error()));
    }
    return done;
}

Result<Done> ColumnEncoder::append_null(std::string& sql) const {
    if (null_ == OnNull::fallback && column_->has_default) {
        sql += "DEFAULT";
        return Done{};
    }
    if (column_->is_nullable) {
        sql += "NULL";
        return Done{};
    }
    return name_column({RecordErrorCode::null_value,
                        {},
                        null_ == OnNull::fallback
                            ? "null, but the column is NOT NULL and has no default"
                            : "null, but the column is NOT NULL"});
}

RecordError ColumnEncoder::name_column(RecordError error) const {
    error.field = column_->name;
    error.message =
        fmt::format("column \"{}\" ({}): {}", column_->name, column_->type_text, error.message);
    return error;
}

}  // namespace txsink::mapping
