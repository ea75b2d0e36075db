/// @file
/// ISO 8601 text to MySQL's dates and times: pure day arithmetic, no zone tables, no clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "txsink/core/result.hpp"

namespace txsink::mapping {

/// A date and time of day of the proleptic Gregorian calendar (what MySQL uses), in UTC when the
/// text had an offset.
struct Moment {
    std::chrono::local_seconds time;
    /// Digits after the seconds, without trailing zeros; borrows from the text.
    std::string_view fraction;
    /// The text as written says midnight, and nothing about an offset but UTC.
    bool is_date_only = false;
};

/// `YYYY-MM-DD`, or that with `Thh:mm[:ss[.f...]]` (a blank for the T is taken too) and `Z`,
/// `+hh`, `+hhmm` or `+hh:mm`. A date alone is its midnight.
/// Errors: malformed_value (not that, or no such day or time); out_of_range (year outside
/// 1..9999, as written or in UTC; a leap second).
[[nodiscard]] Result<Moment> parse_moment(std::string_view text);

/// A span of time as MySQL's TIME: a time of day or up to 838 hours either way.
struct TimeSpan {
    bool is_negative = false;
    std::chrono::seconds magnitude{0};
    std::string_view fraction;
};

/// `[-]hh:mm[:ss[.f...]]` with two or three digits for the hours; `Z` or a zero offset after it
/// changes nothing.
/// Errors: malformed_value; out_of_range (beyond 838:59:59).
[[nodiscard]] Result<TimeSpan> parse_time_span(std::string_view text);

/// 2024-03-01
void append_date(std::string& sql, const Moment& moment);
/// 2024-03-01 08:00:00.123456
void append_date_time(std::string& sql, const Moment& moment);
/// -12:00:00.5
void append_time_span(std::string& sql, const TimeSpan& span);

}  // namespace txsink::mapping
