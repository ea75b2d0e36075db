/// @file
/// ISO 8601 text and counts of units to MySQL's dates and times: pure day arithmetic, no zone
/// tables, no clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "txsink/core/result.hpp"
#include "txsink/decode/number.hpp"

namespace txsink::mapping {

/// What stands after the seconds.
struct Fraction {
    std::uint32_t nanoseconds = 0;
    /// Digits follow that are not zero.
    bool is_finer = false;

    [[nodiscard]] bool is_zero() const noexcept { return nanoseconds == 0 && !is_finer; }
    /// Whether `digits` (0 to 9) hold all of it.
    [[nodiscard]] bool fits(std::int64_t digits) const noexcept;
    /// Cuts it to `digits`.
    void truncate(std::int64_t digits) noexcept;
    /// Rounds it to `digits`, half up; true when it became a whole second, and is zero.
    [[nodiscard]] bool round(std::int64_t digits) noexcept;
};

/// A date and time of day of the proleptic Gregorian calendar (what MySQL uses), in UTC when the
/// text had an offset.
struct Moment {
    std::chrono::local_seconds time;
    Fraction fraction;
    /// Midnight as written, and nothing about an offset but UTC.
    bool is_date_only = false;
};

/// `YYYY-MM-DD`, or that with `Thh:mm[:ss[.f...]]` (a blank for the T is taken too) and `Z`,
/// `+hh`, `+hhmm` or `+hh:mm`. A date alone is its midnight.
/// Errors: malformed_value (not that, or no such day or time); out_of_range (year outside
/// 1..9999, as written or in UTC; a leap second).
[[nodiscard]] Result<Moment> parse_moment(std::string_view text);

/// A moment whose text is nearly what MySQL writes itself; its parts borrow from it.
struct PlainMoment {
    unsigned year = 0;
    std::string_view date;      ///< YYYY-MM-DD
    std::string_view time;      ///< hh:mm:ss
    std::string_view fraction;  ///< up to 9 digits, without zeros at the end; may be empty
};

/// The way most programs write a moment, `YYYY-MM-DDThh:mm:ss[.f...][Z]`, for which parse_moment()
/// and append_date_time() would give the same digits again. Absent: it is written in another way,
/// or is none.
[[nodiscard]] std::optional<PlainMoment> read_plain_moment(std::string_view text) noexcept;

/// Whether the year is one of 1 to 9999.
[[nodiscard]] bool is_storable(const Moment& moment) noexcept;

/// A span of time as MySQL's TIME: a time of day or up to 838 hours either way.
struct TimeSpan {
    bool is_negative = false;
    std::chrono::seconds magnitude{0};
    Fraction fraction;

    /// Not beyond 838:59:59.
    [[nodiscard]] bool is_storable() const noexcept;
};

/// `[-]hh:mm[:ss[.f...]]` with two or three digits for the hours; `Z` or a zero offset after it
/// changes nothing. Up to 999:59:59, whether or not it can be stored.
/// Errors: malformed_value; out_of_range (a leap second).
[[nodiscard]] Result<TimeSpan> parse_time_span(std::string_view text);

/// `count` / 10^`exponent` seconds, exactly; absent beyond 10^12 seconds, where no year is.
[[nodiscard]] std::optional<TimeSpan> to_time_span(const decode::Number& count, int exponent);
/// That long after (or before) 1970-01-01 00:00:00. The year may be one that cannot be stored.
[[nodiscard]] Moment to_moment(const TimeSpan& since_1970) noexcept;

/// 2024-03-01
void append_date(std::string& sql, const Moment& moment);
/// 2024-03-01 08:00:00.123456, with `separator` in the middle; no zeros at the end of the
/// fraction.
void append_date_time(std::string& sql, const Moment& moment, char separator = ' ');
/// -12:00:00.5
void append_time_span(std::string& sql, const TimeSpan& span);

}  // namespace txsink::mapping
