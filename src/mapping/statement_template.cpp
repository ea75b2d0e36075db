#include "mapping/statement_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "mapping/utf8.hpp"
#include "txsink/decode/number.hpp"
#include "txsink/mapping/record_mapper.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Meaning;
using decode::Value;
using decode::ValueKind;

/// Digits of the servers' widest exact number.
constexpr std::size_t kMostDigits = 65;
/// Further ones they drop without a word.
constexpr std::size_t kMostFractionDigits = 30;

/// Stands for the column that a parameter goes to, which nobody knows here.
ColumnDefinition column_for(Meaning meaning) {
    ColumnDefinition column;
    column.name = "parameter";
    column.is_nullable = true;
    switch (meaning) {
        case Meaning::days:
            column.type = ColumnType::date;
            break;
        case Meaning::time_ms:
        case Meaning::time_us:
        case Meaning::time_ns:
            column.type = ColumnType::time;
            column.fraction_digits = 6;
            break;
        case Meaning::epoch_ms:
        case Meaning::epoch_us:
        case Meaning::epoch_ns:
            column.type = ColumnType::datetime;
            column.fraction_digits = 6;
            break;
        case Meaning::base64:
        case Meaning::bits:
            column.type = ColumnType::blob;
            column.max_bytes = std::uint64_t{1} << 32U;
            break;
        default:
            column.type = ColumnType::text;
            column.max_bytes = std::uint64_t{1} << 32U;
            column.character_set = "utf8mb4";
            break;
    }
    column.type_text = "parameter";
    return column;
}

constexpr std::size_t kMeanings = static_cast<std::size_t>(Meaning::geometry) + 1;

/// Whether the servers take the number as it is written.
bool is_plain_number(std::string_view token) {
    const auto number = decode::parse_number(token);
    if (!number) {
        return false;
    }
    if (number->has_exponent) {
        double value = 0;
        const auto parsed = std::from_chars(token.data(), token.data() + token.size(), value);
        return parsed.ec == std::errc{} && std::isfinite(value);
    }
    return number->integer.size() + number->fraction.size() <= kMostDigits &&
           number->fraction.size() <= kMostFractionDigits;
}

}  // namespace

StatementTemplates::StatementTemplates(const Route& route) : parsed_{parse_statements(route.sql)} {
    for (const auto& [name, source] : route.parameters) {
        if (std::find(parsed_.parameters.begin(), parsed_.parameters.end(), name) ==
            parsed_.parameters.end()) {
            refuse_statements(
                fmt::format("no statement of route {} has the parameter :{}", route.name, name),
                "take parameter.NAME out of the route, or use it");
        }
    }
    for (const std::string& name : parsed_.parameters) {
        Source source{{SourceTerm{Origin::row, {name}, {}}}};
        for (const auto& [given, given_source] : route.parameters) {
            source = given == name ? given_source : source;
        }
        readers_.emplace_back(std::move(source));
        needs_key_ = needs_key_ || readers_.back().needs_key();
    }
    literals_.resize(readers_.size());
    columns_.reserve(kMeanings);
    for (std::size_t i = 0; i < kMeanings; ++i) {
        columns_.push_back(column_for(static_cast<Meaning>(i)));
        encoders_.emplace_back(columns_.back());
    }
}

Result<Done> StatementTemplates::bind(const RecordView& view) {
    for (std::size_t i = 0; i < readers_.size(); ++i) {
        const std::string& name = parsed_.parameters[i];
        const Document value = readers_[i].read(view);
        if (value.empty() || value.front().meaning == Meaning::unavailable) {
            return RecordError{RecordErrorCode::missing_value,
                               name,
                               fmt::format("parameter :{}: no value for it", name)};
        }
        literals_[i].clear();
        if (auto done = append_value(value, literals_[i]); !done) {
            RecordError error = done.error();
            error.field = name;
            error.message = fmt::format("parameter :{}: {}", name, error.message);
            return error;
        }
    }
    return Done{};
}

Result<Done> StatementTemplates::append_value(Document value, std::string& sql) {
    const Value& front = value.front();
    if (front.kind == ValueKind::null) {
        sql += "NULL";
        return Done{};
    }
    if (front.kind == ValueKind::boolean) {
        sql += front.text == "true" ? "TRUE" : "FALSE";
        return Done{};
    }
    if (front.meaning == Meaning::decimal || front.meaning == Meaning::variable_decimal) {
        return append_exact(value, sql);
    }
    if (front.kind == ValueKind::number && front.meaning == Meaning::none) {
        if (!is_plain_number(front.text)) {
            return RecordError{
                RecordErrorCode::out_of_range,
                {},
                fmt::format(
                    "a number of more than {} digits, {} of them after the point, or beyond a "
                    "double",
                    kMostDigits,
                    kMostFractionDigits)};
        }
        // In parentheses, so that a minus before the parameter does not make a comment of it.
        const bool is_negative = front.text.starts_with('-');
        sql += is_negative ? "(" : "";
        sql += front.text;
        sql += is_negative ? ")" : "";
        return Done{};
    }
    if (front.kind == ValueKind::object || front.kind == ValueKind::array) {
        append_string(sql, front.text);
        return Done{};
    }
    if (front.meaning == Meaning::raw_bytes) {
        is_utf8(front.text) ? append_string(sql, front.text) : append_bytes(sql, front.text);
        return Done{};
    }
    const auto index = static_cast<std::size_t>(front.meaning);
    return encoders_[index].append(value, sql);
}

/// A decimal as a number: as a string it would be a double in arithmetic.
Result<Done> StatementTemplates::append_exact(Document value, std::string& sql) {
    digits_.clear();
    if (auto done = encoders_[static_cast<std::size_t>(Meaning::none)].append(value, digits_);
        !done) {
        return done;
    }
    std::string_view digits{digits_};
    if (digits.size() > 2 && digits.front() == '\'') {
        digits = digits.substr(1, digits.size() - 2);
    }
    if (!is_plain_number(digits)) {
        return RecordError{RecordErrorCode::out_of_range,
                           {},
                           fmt::format("a decimal of more than {} digits", kMostDigits)};
    }
    sql += '(';
    sql += digits;
    sql += ')';
    return Done{};
}

void StatementTemplates::append(std::size_t index, std::string& sql) const {
    const StatementTemplate& statement = parsed_.statements[index];
    sql += statement.texts.front();
    for (std::size_t i = 0; i < statement.parameters.size(); ++i) {
        sql += literals_[statement.parameters[i]];
        sql += statement.texts[i + 1];
    }
}

std::vector<std::string> statements_to_prepare(const Route& route) {
    const StatementTemplates checked{route};
    std::vector<std::string> prepared;
    for (const StatementTemplate& statement : parse_statements(route.sql).statements) {
        std::string& sql = prepared.emplace_back();
        for (std::size_t i = 0; i < statement.texts.size(); ++i) {
            sql += (i == 0 ? "" : "?") + statement.texts[i];
        }
    }
    return prepared;
}

}  // namespace txsink::mapping
