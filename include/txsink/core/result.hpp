/// @file
/// Result<T>: a value, or why a record was refused. The record path never throws.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace txsink {

/// Why a record cannot be applied; the names are stable (dead letters store them).
enum class RecordErrorCode {
    not_json,           ///< the value or key is not the JSON that the format asks for
    too_deep,           ///< nested deeper than the limit
    duplicate_field,    ///< two fields with one name, or two fields for one column
    not_an_object,      ///< the value is JSON, but not an object
    not_an_array,       ///< for-each names something that is not an array
    not_an_envelope,    ///< not the schema/payload or change event that the format asks for
    schema_mismatch,    ///< a payload that is not what its own schema says
    bad_key,            ///< the key is not what key-format says
    no_route,           ///< no route of the topic takes the record
    schema_registry,    ///< framed by a schema registry (first byte 0, 4-byte id)
    unknown_field,      ///< a field without a column, and unknown-fields = error
    missing_key,        ///< no value for a primary key column
    missing_value,      ///< a NOT NULL column without default and without field
    null_value,         ///< null for a NOT NULL column
    wrong_kind,         ///< a JSON kind that the column's type does not take
    out_of_range,       ///< a number, date or length beyond the column's type
    would_lose_digits,  ///< the column would round or cut the value
    malformed_value,    ///< text that is not what the type needs (date, base64, number, ...)
    unsupported_type,   ///< a column type that is not supported
    tombstone,          ///< a tombstone that cannot name a row
    row_missing,        ///< an update or statement that found too few rows
    too_large,          ///< larger than one packet of the server
    refused_by_server,  ///< the server's own refusal (native code in the message)
};

/// `not_json` -> "not-json".
[[nodiscard]] const char* name_of(RecordErrorCode code) noexcept;

/// Why one record was refused. Never holds the record's values, but in `private_text`.
struct RecordError {
    RecordErrorCode code{};
    /// Column or field that the error is about; empty when it is about the record.
    std::string field;
    /// What is wrong and what would be right, lower-case, without values of the record.
    std::string message;
    /// refused_by_server: the server's error number; else 0.
    int native_code = 0;
    /// The message in full: it may hold values of the record, so it is for txsink_dead_letters
    /// alone, which holds the record itself. Empty: `message` is all there is.
    std::string private_text{};
};

/// A `T`, or a RecordError. std::expected is C++23.
template <typename T>
class [[nodiscard]] Result {
public:
    // Both conversions are implicit on purpose: `return value;` and `return RecordError{...};`.
    Result(T value) : state_{std::in_place_index<0>, std::move(value)} {}
    Result(RecordError error) : state_{std::in_place_index<1>, std::move(error)} {}

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] T& value() { return std::get<0>(state_); }
    [[nodiscard]] const T& value() const { return std::get<0>(state_); }
    [[nodiscard]] RecordError& error() { return std::get<1>(state_); }
    [[nodiscard]] const RecordError& error() const { return std::get<1>(state_); }

private:
    std::variant<T, RecordError> state_;
};

/// Success without a value.
struct Done {};

}  // namespace txsink
