/// @file
/// Route: which topics go into which table, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "txsink/decode/record_decoder.hpp"
#include "txsink/mapping/source.hpp"
#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

using decode::Format;
using decode::KeyFormat;

enum class Mode : std::uint8_t {
    upsert,
    insert,
    update,  ///< changes the row of the key, and never makes one
    sql,     ///< the route's own statements
};
enum class UnknownFields : std::uint8_t { ignore, error };
enum class OnBadRecord : std::uint8_t { fail, dead_letter, skip };

/// Where the values of the primary key columns come from.
enum class KeySource : std::uint8_t {
    value,   ///< fields of the record's value (default)
    record,  ///< the record's key: an object, or a bare value for a one-column key
};

/// What a tombstone does.
enum class OnTombstone : std::uint8_t {
    remove,
    ignore,
    bad_record,
    soft,  ///< marks the row: Route::soft_delete_column
};

/// mode = update, and no row has the key.
enum class OnMissingRow : std::uint8_t { count, bad_record };

/// What the incoming value does to a column of a row that exists.
enum class OnConflict : std::uint8_t { replace, keep, add, max, min };

/// A column without a field.
enum class OnMissing : std::uint8_t {
    fallback,  ///< its default; on update it keeps what is stored
    null,
    error,
};
/// A field that is null.
enum class OnNull : std::uint8_t {
    keep,      ///< NULL
    fallback,  ///< the column's default
};
/// More digits after the seconds than the column has.
enum class OnExcessFraction : std::uint8_t { error, round, truncate };
/// What a number means in a column of dates or times. `automatic`: refused, unless the format
/// says it.
enum class TimeUnit : std::uint8_t {
    automatic,
    days,
    seconds,
    milliseconds,
    microseconds,
    nanoseconds,
};
/// How a string carries the bytes of a binary column.
enum class BinaryEncoding : std::uint8_t { base64, hex, text };
/// Debezium's decimal.handling.mode, for events without their schema.
enum class DecimalHandling : std::uint8_t {
    text,     ///< string or double: the digits
    precise,  ///< base64 of the unscaled number; the scale is the column's
};
/// Debezium's time.precision.mode, for events without their schema.
enum class TimePrecision : std::uint8_t {
    none,      ///< numbers are refused for dates and times
    adaptive,  ///< DATE days; TIME us; DATETIME up to 3 digits ms, above us
    connect,   ///< DATE days; all else ms
};

/// How values get into a column. A route has one for all; a column may differ.
struct ValueRules {
    OnMissing missing = OnMissing::fallback;
    OnNull null = OnNull::keep;
    OnExcessFraction excess_fraction = OnExcessFraction::error;
    TimeUnit unit = TimeUnit::automatic;
    BinaryEncoding binary = BinaryEncoding::base64;
    DecimalHandling decimals = DecimalHandling::text;
    TimePrecision times = TimePrecision::none;
    /// Of change events: a string without a schema is JSON text for a JSON column, and base64 of
    /// the bits for a BIT column.
    bool is_change_event = false;
};

/// `route.X.column.C...`
struct ColumnRule {
    std::string column;
    /// route.X.column.C: instead of the field of its name.
    std::optional<Source> source;
    std::optional<OnConflict> on_conflict;
    std::optional<OnMissing> missing;
    std::optional<OnNull> null;
    std::optional<OnExcessFraction> excess_fraction;
    std::optional<TimeUnit> unit;
    std::optional<BinaryEncoding> binary;
};

struct Route {
    /// The X of [route.X].
    std::string name;
    /// Exact topic names, or one regular expression that starts with '^'.
    std::vector<std::string> topics;
    /// Either name may hold ${topic} and ${1}, groups of the expression: see table_for().
    TableName table;

    Format format = Format::json;
    KeyFormat key_format = KeyFormat::automatic;
    std::string unavailable_marker = decode::DecodeOptions{}.unavailable_marker;

    /// Which records; nothing: all.
    Filter when;
    /// Takes what no other route of the topic takes, instead of `when`.
    bool is_otherwise = false;
    /// One row for each element of the array there.
    std::optional<Source> for_each;
    /// Columns that name the parent: its old rows go before the new ones come.
    std::vector<std::string> replace_children;

    Mode mode = Mode::upsert;
    KeySource key = KeySource::value;
    /// Fields that go to the column of their name; empty: all but `exclude_fields`.
    std::vector<std::string> fields;
    /// "*": none at all.
    std::vector<std::string> exclude_fields;
    /// Put between the names of nested objects' fields; empty: they are values by themselves.
    std::string flatten;
    UnknownFields unknown_fields = UnknownFields::ignore;
    ValueRules values;
    std::vector<ColumnRule> columns;

    OnConflict on_conflict = OnConflict::replace;
    /// A row changes only when the incoming value of this column is greater; empty: always.
    std::string if_newer;
    OnTombstone tombstone = OnTombstone::remove;
    std::string soft_delete_column;
    /// Records that remove the row of their key.
    std::optional<Filter> delete_when;
    OnMissingRow missing_row = OnMissingRow::count;

    /// mode = sql: statements separated by ';', with parameters `:name`.
    std::string sql;
    /// `route.X.parameter.NAME`; a parameter that is not here is the field `$.NAME`.
    std::vector<std::pair<std::string, Source>> parameters;
    /// Fewest rows that each statement has to find.
    std::uint64_t require_rows = 0;

    OnBadRecord on_bad_record = OnBadRecord::fail;

    [[nodiscard]] bool is_regex() const noexcept {
        return !topics.empty() && topics.front().starts_with('^');
    }
    /// Whether this route takes `topic`. POSIX extended syntax, as librdkafka's; the expression
    /// is searched for in the name, like there. Compiles the expression each time: not for each
    /// record.
    /// Errors: SinkError configuration: the expression cannot be read.
    [[nodiscard]] bool takes(std::string_view topic) const;
    /// The table of `topic`: `${topic}` and `${1}` to `${9}` put in, dots in them as they are.
    /// Empty for mode = sql. Compiles the expression each time: not for each record.
    /// Precondition: takes(topic).
    /// Errors: SinkError configuration: not an identifier of 1 to 64 characters; those of
    /// check_placeholders().
    [[nodiscard]] TableName table_for(std::string_view topic) const;
    /// Errors: SinkError configuration: a placeholder in `table` that nothing can be put in for.
    void check_placeholders() const;
};

}  // namespace txsink::mapping
