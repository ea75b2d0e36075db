#include "mapping/temporal.hpp"

#include <optional>

#include "mapping/misfit.hpp"

namespace txsink::mapping {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kLongestSpan = 838h + 59min + 59s;

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

    /// One or more digits, without their trailing zeros.
    std::optional<std::string_view> fraction() noexcept {
        std::string_view digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
        rest_.remove_prefix(digits.size());
        if (digits.empty()) {
            return std::nullopt;
        }
        digits.remove_suffix(digits.size() - 1 - digits.find_last_not_of('0'));
        return digits;
    }

private:
    std::string_view rest_;
};

struct Clock {
    std::chrono::seconds time{0};
    std::string_view fraction;
};

/// `:mm[:ss[.f...]]` after the hours.
Result<Clock> read_clock(Reader& reader, int hours) {
    constexpr const char* kShape = "is not a time as hh:mm:ss.f";
    const std::optional<int> minutes = reader.take(':') ? reader.number(2) : std::nullopt;
    if (!minutes) {
        return malformed(kShape);
    }
    std::optional<int> seconds = 0;
    std::optional<std::string_view> fraction = std::string_view{};
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

bool is_storable(std::chrono::local_days day) noexcept {
    const std::chrono::year year = std::chrono::year_month_day{day}.year();
    return year >= std::chrono::year{1} && year <= std::chrono::year{9999};
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
void append_clock(std::string& sql, std::chrono::seconds time, std::string_view fraction) {
    const auto total = static_cast<unsigned>(time.count());
    if (total >= 360'000) {
        sql += static_cast<char>('0' + total / 360'000);
    }
    append_two(sql, total / 3'600 % 100);
    sql += ':';
    append_two(sql, total / 60 % 60);
    sql += ':';
    append_two(sql, total % 60);
    if (!fraction.empty()) {
        sql += '.';
        sql += fraction;
    }
}

}  // namespace

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
        clock.value().time == 0s && moment.fraction.empty() && offset.value() == 0s;
    if (!is_storable(std::chrono::floor<std::chrono::days>(moment.time))) {
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
    if (span.magnitude > kLongestSpan ||
        (span.magnitude == kLongestSpan && !span.fraction.empty())) {
        return misfit(RecordErrorCode::out_of_range, "is outside -838:59:59 to 838:59:59");
    }
    return span;
}

void append_date(std::string& sql, const Moment& moment) {
    append_day(sql, std::chrono::floor<std::chrono::days>(moment.time));
}

void append_date_time(std::string& sql, const Moment& moment) {
    const auto day = std::chrono::floor<std::chrono::days>(moment.time);
    append_day(sql, day);
    sql += ' ';
    append_clock(sql, moment.time - day, moment.fraction);
}

void append_time_span(std::string& sql, const TimeSpan& span) {
    if (span.is_negative && (span.magnitude != 0s || !span.fraction.empty())) {
        sql += '-';
    }
    append_clock(sql, span.magnitude, span.fraction);
}

}  // namespace txsink::mapping
