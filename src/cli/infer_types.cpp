#include "cli/infer_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>

#include "cli/output.hpp"

namespace txsink::cli {
namespace {

using decode::Meaning;

constexpr std::size_t kDecimalDigits = 65;
constexpr std::size_t kDecimalScale = 30;
constexpr std::size_t kBytesPerCharacter = 4;
/// InnoDB's longest key is 3072 bytes, shared by all columns of the key.
constexpr std::size_t kKeyCharacters = 512;

/// Whether the magnitude is at most `limit`.
bool is_within(const PlainNumber& number, std::string_view limit) {
    return number.integer.size() != limit.size() ? number.integer.size() < limit.size()
                                                 : number.integer <= limit;
}

TypeProposal decimal(std::size_t integer_digits, std::size_t scale) {
    const auto precision = std::min(integer_digits + scale, kDecimalDigits);
    return {fmt::format("DECIMAL({},{})", precision, scale), 30, true, {}};
}

TypeProposal text(const FieldEvidence& evidence, bool is_key) {
    constexpr std::array<std::size_t, 9> kLengths{16, 32, 64, 128, 255, 512, 1024, 2048, 4096};
    const auto wanted = evidence.characters + evidence.characters / 2;
    const auto* const at = std::lower_bound(kLengths.begin(), kLengths.end(), wanted);
    if (at == kLengths.end()) {
        return long_text(evidence);
    }
    TypeProposal type{fmt::format("VARCHAR({})", *at), *at * kBytesPerCharacter + 2, false, {}};
    if (is_key) {
        type.sql += " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
        type.fits_a_key = *at <= kKeyCharacters;
    }
    return type;
}

TypeProposal bytes(std::size_t longest) {
    constexpr std::array<std::size_t, 6> kLengths{16, 32, 64, 128, 255, 1024};
    const auto* const at =
        std::lower_bound(kLengths.begin(), kLengths.end(), longest + longest / 2);
    if (at == kLengths.end()) {
        return {longest * 2 < 65'535 ? "BLOB" : "LONGBLOB", 12, false, {}};
    }
    return {fmt::format("VARBINARY({})", *at), *at + 2, true, {}};
}

std::string day_of(std::int64_t seconds) {
    const std::chrono::sys_seconds at{std::chrono::seconds{seconds}};
    const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(at)};
    return fmt::format("{:04}-{:02}-{:02}",
                       static_cast<int>(day.year()),
                       static_cast<unsigned>(day.month()),
                       static_cast<unsigned>(day.day()));
}

std::int64_t to_integer(const PlainNumber& number) {
    std::int64_t value = 0;
    const auto text = number.text();
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// What whole numbers would be as times, when all of them lie between 2001 and 2096.
std::optional<std::string> epoch_note(std::string_view field, const FieldEvidence& evidence) {
    struct Unit {
        std::int64_t per_second;
        const char* name;
        const char* type;
    };
    constexpr std::int64_t kFirst = 1'000'000'000;
    constexpr std::int64_t kLast = 4'000'000'000;
    for (const auto& unit :
         {Unit{1'000, "ms", "DATETIME(3)"}, Unit{1'000'000, "us", "DATETIME(6)"}}) {
        const auto first = to_integer(*evidence.least) / unit.per_second;
        const auto last = to_integer(*evidence.greatest) / unit.per_second;
        if (kFirst <= first && last <= kLast) {
            return fmt::format("perhaps {} since 1970 ({} to {}): {} and column.{}.unit = {}",
                               unit.name,
                               day_of(first),
                               day_of(last),
                               unit.type,
                               printable(field),
                               unit.name);
        }
    }
    return std::nullopt;
}

TypeProposal whole(std::string_view field, const FieldEvidence& evidence, bool is_key) {
    const auto are_within = [&](std::string_view limit) {
        return is_within(*evidence.least, limit) && is_within(*evidence.greatest, limit);
    };
    // 2^31 / 16, 2^63 / 16.
    if (!is_key && are_within("134217728")) {
        return {"INT", 4, true, {}};
    }
    TypeProposal type{"BIGINT", 8, true, {}};
    if (are_within("576460752303423488")) {
        if (const auto note = epoch_note(field, evidence)) {
            type.notes.push_back(*note);
        }
        return type;
    }
    if (are_within("9223372036854775807")) {
        return type;
    }
    if (!evidence.least->is_negative && is_within(*evidence.greatest, "18446744073709551615")) {
        type.sql = "BIGINT UNSIGNED";
        return type;
    }
    if (evidence.integer_digits > kDecimalDigits) {
        type = text(evidence, is_key);
        type.notes.emplace_back("longer than the 65 digits of DECIMAL");
        return type;
    }
    return decimal(std::min(evidence.integer_digits + 4, kDecimalDigits), 0);
}

TypeProposal number(std::string_view field, const FieldEvidence& evidence, bool is_key) {
    if (evidence.has_exponent) {
        if (!evidence.has_beyond_double) {
            return {"DOUBLE", 8, false, {}};
        }
        auto type = text(evidence, false);
        type.notes.emplace_back("some are written with an exponent, some are not exactly a DOUBLE");
        return type;
    }
    if (!evidence.has_point) {
        return whole(field, evidence, is_key);
    }
    constexpr std::array<std::size_t, 7> kScales{2, 4, 6, 9, 12, 18, kDecimalScale};
    const auto* const scale =
        std::lower_bound(kScales.begin(), kScales.end(), evidence.fraction_digits);
    if (scale == kScales.end() || evidence.integer_digits + *scale > kDecimalDigits) {
        auto type = text(evidence, false);
        type.notes.emplace_back("more digits than DECIMAL has");
        return type;
    }
    auto type = decimal(std::max<std::size_t>(evidence.integer_digits + 4, 8), *scale);
    if (evidence.fraction_digits > 9) {
        type.notes.emplace_back("if these are binary floating point numbers: DOUBLE");
    }
    return type;
}

TypeProposal string(const FieldEvidence& evidence, bool is_key) {
    if (evidence.uuids == evidence.strings) {
        return {"CHAR(36) CHARACTER SET ascii COLLATE ascii_bin", 36, true, {}};
    }
    if (evidence.dates == evidence.strings) {
        return {"DATE", 3, true, {}};
    }
    if (evidence.dates + evidence.moments == evidence.strings) {
        if (evidence.second_digits <= 6) {
            const auto digits = evidence.second_digits;
            return {digits == 0   ? "DATETIME"
                    : digits <= 3 ? "DATETIME(3)"
                                  : "DATETIME(6)",
                    8,
                    true,
                    {"in UTC"}};
        }
        auto type = text(evidence, is_key);
        type.notes.emplace_back("times with more than the 6 fraction digits of DATETIME");
        return type;
    }
    return text(evidence, is_key);
}

/// Digits of the largest number that so many base64 characters can hold, at least.
std::size_t digits_of_base64(std::size_t characters) {
    return characters / 4 * 3 * 241 / 100 + 1;
}

/// What a schema says; absent: nothing that the JSON does not.
std::optional<TypeProposal> meant(const FieldEvidence& evidence) {
    switch (evidence.meaning) {
        case Meaning::days:
            return TypeProposal{"DATE", 3, true, {}};
        case Meaning::time_ms:
            return TypeProposal{"TIME(3)", 6, true, {}};
        case Meaning::time_us:
        case Meaning::time_ns:
            return TypeProposal{"TIME(6)", 6, true, {}};
        case Meaning::epoch_ms:
            return TypeProposal{"DATETIME(3)", 8, true, {"in UTC"}};
        case Meaning::epoch_us:
        case Meaning::epoch_ns:
            return TypeProposal{"DATETIME(6)", 8, true, {"in UTC"}};
        case Meaning::decimal: {
            const auto scale = static_cast<std::size_t>(std::max<int>(evidence.scale, 0));
            const auto digits = std::max(digits_of_base64(evidence.characters), scale + 8);
            return decimal(std::min(digits + 4 - std::min(digits, scale), kDecimalDigits - scale),
                           std::min(scale, kDecimalScale));
        }
        case Meaning::variable_decimal:
            return TypeProposal{"DECIMAL(65,30)", 30, false, {"the scale differs by record"}};
        case Meaning::raw_bytes:
            return bytes(evidence.bytes);
        case Meaning::base64:
            return bytes(evidence.bytes / 4 * 3);
        case Meaning::bits:
            return TypeProposal{
                fmt::format("BIT({})", std::min<std::size_t>(evidence.bytes / 4 * 24, 64)),
                8,
                false,
                {}};
        case Meaning::json_text:
            return TypeProposal{"JSON", 12, false, {}};
        case Meaning::geometry:
            return TypeProposal{"GEOMETRY", 12, false, {}};
        case Meaning::none:
        case Meaning::unavailable:
            break;
    }
    return std::nullopt;
}

TypeProposal nested(const FieldEvidence& evidence) {
    if (evidence.has_long_number) {
        return {"LONGTEXT", 12, false, {"JSON as text: MySQL's JSON would round its numbers"}};
    }
    TypeProposal type{"JSON", 12, false, {}};
    if (evidence.objects == evidence.values()) {
        type.notes.emplace_back("flatten = _ would make a column of each of its fields");
    }
    return type;
}

}  // namespace

TypeProposal long_text(const FieldEvidence& evidence) {
    const auto wanted = evidence.bytes * 2;
    return {wanted < 65'536       ? "TEXT"
            : wanted < 16'777'216 ? "MEDIUMTEXT"
                                  : "LONGTEXT",
            12,
            false,
            {}};
}

TypeProposal propose_type(std::string_view field, const FieldEvidence& evidence, bool is_key) {
    const auto values = evidence.values();
    if (values == 0) {
        return {"VARCHAR(255)", 1022, false, {"only nulls were seen: the type is a guess"}};
    }
    if (!evidence.has_meanings) {
        if (auto type = meant(evidence)) {
            type->notes.emplace_back("by the records' schema");
            return *type;
        }
    }
    if (evidence.objects + evidence.arrays > 0) {
        return nested(evidence);
    }
    if (evidence.booleans == values) {
        return {"BOOL", 1, true, {}};
    }
    if (evidence.numbers == values) {
        return number(field, evidence, is_key);
    }
    if (evidence.strings == values) {
        return string(evidence, is_key);
    }
    auto type = text(evidence, false);
    type.notes.emplace_back("of several kinds: kept as text");
    return type;
}

std::string describe(const FieldEvidence& evidence, std::uint64_t rows, bool with_examples) {
    const auto share = [&](std::uint64_t part) {
        return 100.0 * static_cast<double>(part) / static_cast<double>(evidence.count);
    };
    std::string line = fmt::format("in {} of {}", evidence.count, rows);
    if (evidence.count == 0) {
        return line;
    }
    line +=
        fmt::format(", {:.1f}% null, {} distinct", share(evidence.nulls), evidence.distinct_text());
    const bool is_plain = evidence.meaning == Meaning::none && !evidence.has_meanings;
    if (evidence.booleans > 0) {
        line += fmt::format("; true or false {:.1f}%", share(evidence.booleans));
    }
    if (evidence.numbers > 0) {
        line +=
            fmt::format("; {} {:.1f}%",
                        evidence.has_point || evidence.has_exponent ? "numbers" : "whole numbers",
                        share(evidence.numbers));
        if (evidence.least) {
            line +=
                fmt::format(" from {} to {}", evidence.least->text(), evidence.greatest->text());
        }
        if (evidence.has_point) {
            line += fmt::format(", up to {} digits after the point", evidence.fraction_digits);
        }
        line += evidence.has_exponent ? ", some with exponent" : "";
    }
    if (evidence.strings > 0) {
        const auto times = evidence.dates + evidence.moments;
        line += times == evidence.strings
                    ? fmt::format("; {} {:.1f}% from {} to {}",
                                  evidence.moments > 0 ? "times" : "dates",
                                  share(evidence.strings),
                                  evidence.first_date,
                                  evidence.last_date)
                    : fmt::format("; {} {:.1f}%",
                                  evidence.uuids == evidence.strings ? "UUIDs" : "strings",
                                  share(evidence.strings));
    }
    if (evidence.objects + evidence.arrays > 0) {
        line += fmt::format(
            "; objects {:.1f}%, arrays {:.1f}%", share(evidence.objects), share(evidence.arrays));
    }
    if (evidence.strings + evidence.objects + evidence.arrays > 0 && is_plain) {
        line +=
            fmt::format("; up to {} characters ({} bytes)", evidence.characters, evidence.bytes);
    }
    if (with_examples && !evidence.examples.empty()) {
        constexpr std::size_t kLongest = 40;
        line += "; for example";
        for (const auto& example : evidence.examples) {
            line += " " + json_string(std::string_view{example}.substr(0, kLongest));
        }
    }
    return line;
}

}  // namespace txsink::cli
