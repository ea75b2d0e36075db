/// @file
/// Result<T>: a value, or why a record was refused. The record path never throws.
#pragma once

#include <memory>
#include <string>
#include <utility>

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

/// Throws std::logic_error: a result was asked for what it does not have.
[[noreturn]] void refuse_access();

/// A `T`, or a RecordError. std::expected is C++23.
///
/// An error is large and rare, so it stands elsewhere: a Result<Done> is a pointer, and a success
/// costs no more than what it carries. `T` has a default. A result that was moved from reads as a
/// success: nobody asks it anything any more.
template <typename T>
class [[nodiscard]] Result {
public:
    // Both conversions are implicit on purpose: `return value;` and `return RecordError{...};`.
    Result(T value) : value_{std::move(value)} {}
    Result(RecordError error) : error_{std::make_unique<RecordError>(std::move(error))} {}
    Result(const Result& other)
        : value_{other.value_},
          error_{other.error_ ? std::make_unique<RecordError>(*other.error_) : nullptr} {}
    Result(Result&&) noexcept = default;
    Result& operator=(const Result& other) { return *this = Result{other}; }
    Result& operator=(Result&&) noexcept = default;
    ~Result() = default;

    [[nodiscard]] bool has_value() const noexcept { return error_ == nullptr; }
    explicit operator bool() const noexcept { return has_value(); }

    /// Throws: std::logic_error: there is an error.
    [[nodiscard]] T& value() {
        check(has_value());
        return value_;
    }
    [[nodiscard]] const T& value() const {
        check(has_value());
        return value_;
    }
    /// Throws: std::logic_error: there is a value.
    [[nodiscard]] RecordError& error() {
        check(!has_value());
        return *error_;
    }
    [[nodiscard]] const RecordError& error() const {
        check(!has_value());
        return *error_;
    }

private:
    static void check(bool is_there) {
        if (!is_there) {
            refuse_access();
        }
    }

    T value_{};
    std::unique_ptr<RecordError> error_;
};

/// Success without a value.
struct Done {};

}  // namespace txsink
