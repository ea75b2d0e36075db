#include "mapping/temporal.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "mapping/exact_decimal.hpp"
#include "mapping/misfit.hpp"

namespace txsink::mapping {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kLongestSpan = 838h + 59min + 59s;
constexpr std::int64_t kFractionDigits = 9;
constexpr std::uint64_t kMostSeconds = 1'000'000'000'000;

constexpr std::array<std::uint32_t, kFractionDigits + 1> kNanoseconds{
    1'000'000'000, 100'000'000, 10'000'000, 1'000'000, 100'000, 10'000, 1'000, 100, 10, 1};

/// Nanoseconds of the last of `digits` digits.
std::uint32_t step_of(std::int64_t digits) noexcept {
    return kNanoseconds[static_cast<std::size_t>(
        std::clamp<std::int64_t>(digits, 0, kFractionDigits))];
}

RecordError malformed(const char* what) {
    return misfit(RecordErrorCode::malformed_value, what);
}

/// A reader of fixed-width digits and marks.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_{text} {}

    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
    [[nodiscard]] char peek() const noexcept { return rest_.empty() ? '\0' : rest_.front(); }

    bool take(char mark) noexcept {
        if (peek() != mark || rest_.empty()) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    /// Exactly `width` digits.
    std::optional<int> number(std::size_t width) noexcept {
        if (rest_.size() < width) {
            return std::nullopt;
        }
        int value = 0;
        for (const char c : rest_.substr(0, width)) {
            if (c < '0' || c > '9') {
                return std::nullopt;
            }
            value = value * 10 + (c - '0');
        }
        rest_.remove_prefix(width);
        return value;
    }

    /// One or more digits.
    std::optional<Fraction> fraction() noexcept {
        const std::string_view digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
        rest_.remove_prefix(digits.size());
        if (digits.empty()) {
            return std::nullopt;
        }
        Fraction fraction;
        for (std::size_t i = 0; i < kFractionDigits; ++i) {
            const char digit = i < digits.size() ? digits[i] : '0';
            fraction.nanoseconds =
                fraction.nanoseconds * 10 + static_cast<std::uint32_t>(digit - '0');
        }
        fraction.is_finer =
            digits.find_first_not_of('0', kFractionDigits) != std::string_view::npos;
        return fraction;
    }

private:
    std::string_view rest_;
};

struct Clock {
    std::chrono::seconds time{0};
    Fraction fraction;
};

/// `:mm[:ss[.f...]]` after the hours.
Result<Clock> read_clock(Reader& reader, int hours) {
    constexpr const char* kShape = "is not a time as hh:mm:ss.f";
    const std::optional<int> minutes = reader.take(':') ? reader.number(2) : std::nullopt;
    if (!minutes) {
        return malformed(kShape);
    }
    std::optional<int> seconds = 0;
    std::optional<Fraction> fraction = Fraction{};
    if (reader.take(':')) {
        seconds = reader.number(2);
        if (reader.take('.')) {
            fraction = reader.fraction();
        }
    }
    if (!seconds || !fraction) {
        return malformed(kShape);
    }
    if (*seconds == 60 && *minutes < 60) {
        return misfit(RecordErrorCode::out_of_range,
                      "is a leap second (:60), which MySQL cannot store");
    }
    if (*minutes > 59 || *seconds > 59) {
        return malformed("is no time of the clock");
    }
    const auto time =
        std::chrono::hours{hours} + std::chrono::minutes{*minutes} + std::chrono::seconds{*seconds};
    return Clock{time, *fraction};
}

/// Nothing, `Z`, `+hh`, `+hhmm` or `+hh:mm`, and then the end.
Result<std::chrono::seconds> read_offset(Reader& reader) {
    constexpr const char* kShape = "ends in what is no offset (Z, +hh:mm, +hhmm or +hh)";
    if (reader.is_at_end()) {
        return std::chrono::seconds{0};
    }
    if (reader.take('Z') || reader.take('z')) {
        return reader.is_at_end() ? Result<std::chrono::seconds>{std::chrono::seconds{0}}
                                  : malformed(kShape);
    }
    const bool is_west = reader.peek() == '-';
    if (!reader.take('+') && !reader.take('-')) {
        return malformed(kShape);
    }
    const std::optional<int> hours = reader.number(2);
    std::optional<int> minutes = 0;
    if (reader.take(':') || !reader.is_at_end()) {
        minutes = reader.number(2);
    }
    if (!hours || !minutes || !reader.is_at_end() || *hours > 23 || *minutes > 59) {
        return malformed(kShape);
    }
    const std::chrono::seconds offset = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
    return is_west ? -offset : offset;
}

RecordError beyond_years() {
    return misfit(RecordErrorCode::out_of_range, "is outside the years 0001 to 9999 in UTC");
}

Result<std::chrono::local_days> read_day(Reader& reader) {
    constexpr const char* kShape = "is not a date as YYYY-MM-DD";
    const std::optional<int> year = reader.number(4);
    const std::optional<int> month = year && reader.take('-') ? reader.number(2) : std::nullopt;
    const std::optional<int> day = month && reader.take('-') ? reader.number(2) : std::nullopt;
    if (!day) {
        return malformed(kShape);
    }
    if (*year == 0 && *month == 0 && *day == 0) {
        return malformed("is a zero date, which is no date");
    }
    const std::chrono::year_month_day date{std::chrono::year{*year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok()) {
        return malformed("is no day of the calendar");
    }
    if (*year == 0) {
        return beyond_years();
    }
    return std::chrono::local_days{date};
}

void append_two(std::string& sql, unsigned value) {
    sql += static_cast<char>('0' + value / 10);
    sql += static_cast<char>('0' + value % 10);
}

void append_day(std::string& sql, std::chrono::local_days day) {
    const std::chrono::year_month_day date{day};
    const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
    append_two(sql, year / 100);
    append_two(sql, year % 100);
    sql += '-';
    append_two(sql, static_cast<unsigned>(date.month()));
    sql += '-';
    append_two(sql, static_cast<unsigned>(date.day()));
}

/// hh:mm:ss.f; the hours take a third digit when they need it.
void append_clock(std::string& sql, std::chrono::seconds time, const Fraction& fraction) {
    const auto total = static_cast<unsigned>(time.count());
    if (total >= 360'000) {
        sql += static_cast<char>('0' + total / 360'000);
    }
    append_two(sql, total / 3'600 % 100);
    sql += ':';
    append_two(sql, total / 60 % 60);
    sql += ':';
    append_two(sql, total % 60);
    if (fraction.nanoseconds != 0) {
        sql += '.';
        for (std::uint32_t rest = fraction.nanoseconds, i = 1; rest != 0; ++i) {
            sql += static_cast<char>('0' + rest / kNanoseconds[i]);
            rest %= kNanoseconds[i];
        }
    }
}

/// The number that two digits make; 100 or more when they are none.
unsigned two_digits(const char* at) noexcept {
    const auto tens = static_cast<unsigned char>(at[0] - '0');
    const auto ones = static_cast<unsigned char>(at[1] - '0');
    return tens <= 9 && ones <= 9 ? tens * 10U + ones : 100U;
}

bool is_calendar_day(unsigned year, unsigned month, unsigned day) noexcept {
    // Every month has 28, which spares most dates the calendar.
    return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 &&
           (day <= 28 || std::chrono::year_month_day{std::chrono::year{static_cast<int>(year)},
                                                     std::chrono::month{month},
                                                     std::chrono::day{day}}
                             .ok());
}

}  // namespace

std::optional<PlainMoment> read_plain_moment(std::string_view text) noexcept {
    constexpr std::size_t kDateSize = 10;
    constexpr std::size_t kTimeAt = kDateSize + 1;
    constexpr std::size_t kEnd = kTimeAt + 8;
    if (text.size() < kEnd) {
        return std::nullopt;
    }
    const char* const at = text.data();
    const bool has_marks =
        at[4] == '-' && at[7] == '-' && at[10] == 'T' && at[13] == ':' && at[16] == ':';
    const unsigned century = two_digits(at);
    const unsigned year = two_digits(at + 2);
    if (!has_marks || century > 99 || year > 99 ||
        !is_calendar_day(century * 100 + year, two_digits(at + 5), two_digits(at + 8)) ||
        two_digits(at + 11) > 23 || two_digits(at + 14) > 59 || two_digits(at + 17) > 59) {
        return std::nullopt;
    }
    std::string_view rest = text.substr(kEnd);
    if (rest.ends_with('Z')) {
        rest.remove_suffix(1);
    }
    if (!rest.empty()) {
        if (rest.front() != '.' || rest.size() < 2 || rest.size() > 1 + kFractionDigits) {
            return std::nullopt;
        }
        rest.remove_prefix(1);
        for (const char c : rest) {
            if (c < '0' || c > '9') {
                return std::nullopt;
            }
        }
        while (rest.ends_with('0')) {
            rest.remove_suffix(1);
        }
    }
    return PlainMoment{
        century * 100 + year, text.substr(0, kDateSize), text.substr(kTimeAt, 8), rest};
}

Result<Moment> parse_moment(std::string_view text) {
    Reader reader{text};
    const Result<std::chrono::local_days> day = read_day(reader);
    if (!day) {
        return day.error();
    }
    if (reader.is_at_end()) {
        return Moment{day.value(), {}, true};
    }
    if (!reader.take('T') && !reader.take('t') && !reader.take(' ')) {
        return malformed("is neither a date nor a date and time of ISO 8601");
    }
    const std::optional<int> hours = reader.number(2);
    if (!hours || *hours > 23) {
        return malformed("is no time of the clock after its date");
    }
    const Result<Clock> clock = read_clock(reader, *hours);
    if (!clock) {
        return clock.error();
    }
    const Result<std::chrono::seconds> offset = read_offset(reader);
    if (!offset) {
        return offset.error();
    }
    Moment moment;
    moment.time = day.value() + clock.value().time - offset.value();
    moment.fraction = clock.value().fraction;
    moment.is_date_only =
        clock.value().time == 0s && moment.fraction.is_zero() && offset.value() == 0s;
    if (!is_storable(moment)) {
        return beyond_years();
    }
    return moment;
}

Result<TimeSpan> parse_time_span(std::string_view text) {
    Reader reader{text};
    TimeSpan span;
    span.is_negative = reader.take('-');
    const bool has_three = text.find(':') == (span.is_negative ? 4 : 3);
    const std::optional<int> hours = reader.number(has_three ? 3 : 2);
    if (!hours) {
        return malformed("is not a time as hh:mm:ss.f");
    }
    const Result<Clock> clock = read_clock(reader, *hours);
    if (!clock) {
        return clock.error();
    }
    span.magnitude = clock.value().time;
    span.fraction = clock.value().fraction;
    const Result<std::chrono::seconds> offset = read_offset(reader);
    if (!offset) {
        return offset.error();
    }
    if (offset.value() != 0s) {
        return malformed("has an offset, which a time without a date cannot be converted by");
    }
    return span;
}

bool TimeSpan::is_storable() const noexcept {
    return magnitude < kLongestSpan || (magnitude == kLongestSpan && fraction.is_zero());
}

bool is_storable(const Moment& moment) noexcept {
    constexpr std::chrono::local_days kFirst{std::chrono::year{1} / 1 / 1};
    constexpr std::chrono::local_days kEnd{std::chrono::year{10'000} / 1 / 1};
    return moment.time >= kFirst && moment.time < kEnd;
}

std::optional<TimeSpan> to_time_span(const decode::Number& count, int exponent) {
    decode::Number in_seconds = count;
    in_seconds.exponent -= exponent;
    const ExactDecimal decimal{in_seconds};
    const std::optional<std::uint64_t> seconds = decimal.to_magnitude();
    if (!seconds || *seconds > kMostSeconds) {
        return std::nullopt;
    }
    TimeSpan span;
    span.is_negative = decimal.is_negative();
    span.magnitude = std::chrono::seconds{*seconds};
    for (std::int64_t i = 0; i < kFractionDigits; ++i) {
        span.fraction.nanoseconds = span.fraction.nanoseconds * 10 +
                                    static_cast<std::uint32_t>(decimal.fraction_digit(i) - '0');
    }
    span.fraction.is_finer = decimal.fraction_digits() > kFractionDigits;
    return span;
}

Moment to_moment(const TimeSpan& since_1970) noexcept {
    Moment moment;
    moment.fraction = since_1970.fraction;
    if (since_1970.is_negative) {
        moment.time = std::chrono::local_seconds{-since_1970.magnitude};
        if (!moment.fraction.is_zero()) {
            moment.time -= 1s;
            moment.fraction.nanoseconds =
                kNanoseconds[0] - moment.fraction.nanoseconds - (moment.fraction.is_finer ? 1 : 0);
        }
    } else {
        moment.time = std::chrono::local_seconds{since_1970.magnitude};
    }
    moment.is_date_only = moment.fraction.is_zero() &&
                          moment.time == std::chrono::floor<std::chrono::days>(moment.time);
    return moment;
}

bool Fraction::fits(std::int64_t digits) const noexcept {
    return !is_finer && nanoseconds % step_of(digits) == 0;
}

void Fraction::truncate(std::int64_t digits) noexcept {
    nanoseconds -= nanoseconds % step_of(digits);
    is_finer = false;
}

bool Fraction::round(std::int64_t digits) noexcept {
    const std::uint32_t step = step_of(digits);
    const std::uint32_t rest = nanoseconds % step;
    truncate(digits);
    if (rest * 2 >= step) {
        nanoseconds += step;
    }
    if (nanoseconds < kNanoseconds[0]) {
        return false;
    }
    nanoseconds = 0;
    return true;
}

void append_date(std::string& sql, const Moment& moment) {
    append_day(sql, std::chrono::floor<std::chrono::days>(moment.time));
}

void append_date_time(std::string& sql, const Moment& moment, char separator) {
    const auto day = std::chrono::floor<std::chrono::days>(moment.time);
    append_day(sql, day);
    sql += separator;
    append_clock(sql, moment.time - day, moment.fraction);
}

void append_time_span(std::string& sql, const TimeSpan& span) {
    if (span.is_negative && (span.magnitude != 0s || !span.fraction.is_zero())) {
        sql += '-';
    }
    append_clock(sql, span.magnitude, span.fraction);
}

}  // namespace txsink::mapping
