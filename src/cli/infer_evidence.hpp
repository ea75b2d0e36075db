/// @file
/// FieldEvidence: what a sample of records shows of one field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "txsink/decode/number.hpp"
#include "txsink/decode/value.hpp"

namespace txsink::cli {

/// A number written out, so that numbers of any size compare exactly.
struct PlainNumber {
    bool is_negative = false;
    std::string integer;   ///< no leading zeros but "0"
    std::string fraction;  ///< no trailing zeros

    [[nodiscard]] std::string text() const;
    friend bool operator<(const PlainNumber& a, const PlainNumber& b);
};

/// The shape of a string that means something else.
struct TextShape {
    enum class Kind : std::uint8_t { other, date, moment, uuid };
    Kind kind = Kind::other;
    /// moment: digits after the seconds; zeros behind the sixth do not count.
    std::size_t fraction_digits = 0;
};

/// Recognises no more than what a DATE, DATETIME or CHAR(36) column takes.
[[nodiscard]] TextShape shape_of(std::string_view text);

/// Counts, ranges and lengths of the values of one field. Keeps no value but the least and the
/// greatest number and date, and `kExamples` examples.
struct FieldEvidence {
    static constexpr std::size_t kExamples = 3;
    /// Different values that are counted exactly.
    static constexpr std::size_t kMostDistinct = 20'000;

    void observe(decode::Document value);

    [[nodiscard]] std::uint64_t values() const noexcept { return count - nulls; }
    /// Every value was there once only, as far as they were counted.
    [[nodiscard]] bool is_distinct() const noexcept { return !has_repeats && values() > 0; }
    [[nodiscard]] std::string distinct_text() const;

    /// null included; what the source did not send is not counted.
    std::uint64_t count = 0;
    std::uint64_t nulls = 0;
    std::uint64_t booleans = 0;
    std::uint64_t numbers = 0;
    std::uint64_t strings = 0;
    std::uint64_t objects = 0;
    std::uint64_t arrays = 0;
    /// What schemas said, unless they differ.
    decode::Meaning meaning = decode::Meaning::none;
    bool has_meanings = false;  ///< several
    std::int16_t scale = 0;

    // Numbers.
    std::optional<PlainNumber> least;
    std::optional<PlainNumber> greatest;
    std::size_t integer_digits = 0;
    std::size_t fraction_digits = 0;
    /// One was written as 1.0: it is no integer by intent.
    bool has_point = false;
    bool has_exponent = false;
    /// Too large to be a whole number in a DOUBLE for sure.
    bool has_beyond_double = false;

    // The text of strings, and of all else as written.
    std::size_t characters = 0;
    std::size_t bytes = 0;
    bool has_nul = false;
    std::uint64_t dates = 0;
    std::uint64_t moments = 0;
    std::uint64_t uuids = 0;
    std::size_t second_digits = 0;
    std::string first_date;
    std::string last_date;

    /// A number, alone or within objects and arrays, that MySQL's JSON would round.
    bool has_long_number = false;

    std::unordered_set<std::size_t> hashes;
    bool has_repeats = false;
    std::vector<std::string> examples;

private:
    void observe_meaning(const decode::Value& value);
    void observe_number(const decode::Number& number, std::string_view text);
    void observe_text(std::string_view text);
    void observe_distinct(const decode::Value& value);
};

}  // namespace txsink::cli
