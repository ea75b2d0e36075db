/// @file
/// What becomes of a JSON value in a column: helpers of the tests of the encoders.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "mapping/column_encoder.hpp"
#include "txsink/decode/json_decoder.hpp"
#include "unit/columns.hpp"

namespace txsink::mapping::testing {

using Code = RecordErrorCode;
using decode::Meaning;

/// What becomes of one JSON value in one column: a literal, or an error.
struct Case {
    std::string json;
    std::string literal;
    std::optional<Code> code = {};
    Meaning meaning = Meaning::none;
    std::int16_t scale = 0;
};

inline Result<std::string> encode(const ColumnDefinition& column,
                                  const Case& given,
                                  const ValueRules& rules = {}) {
    decode::JsonDecoder decoder;
    const Result<decode::Document> document = decoder.decode(given.json);
    if (!document) {
        return document.error();
    }
    std::vector<decode::Value> values(document.value().begin(), document.value().end());
    values.front().meaning = given.meaning;
    values.front().scale = given.scale;
    std::string sql;
    const Result<Done> done = ColumnEncoder{column, rules}.append(values, sql);
    if (!done) {
        return done.error();
    }
    return sql;
}

inline void expect_all(const ColumnDefinition& column,
                       const std::vector<Case>& cases,
                       const ValueRules& rules = {}) {
    for (const Case& c : cases) {
        SCOPED_TRACE(column.type_text + " <- " + c.json.substr(0, 80));
        const Result<std::string> result = encode(column, c, rules);
        if (!c.code) {
            ASSERT_TRUE(result) << result.error().message;
            EXPECT_EQ(result.value(), c.literal);
            continue;
        }
        ASSERT_FALSE(result) << result.value();
        EXPECT_STREQ(name_of(result.error().code), name_of(*c.code)) << result.error().message;
        EXPECT_EQ(result.error().field, "c");
        if (!c.literal.empty()) {
            EXPECT_EQ(result.error().message,
                      "column \"c\" (" + column.type_text + "): " + c.literal);
        }
    }
}

inline Case ok(std::string json, std::string literal) {
    return {std::move(json), std::move(literal)};
}
/// The message after the column and its type is checked when it is given.
inline Case bad(std::string json, Code code, std::string message = {}) {
    return {std::move(json), std::move(message), code};
}
/// The same value with a meaning.
inline Case meant(Meaning meaning, Case given, std::int16_t scale = 0) {
    given.meaning = meaning;
    given.scale = scale;
    return given;
}

}  // namespace txsink::mapping::testing
