/// @file
/// Inference: what a sample shows, and which table and route it suggests.
#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/infer_evidence.hpp"
#include "cli/infer_sample.hpp"
#include "cli/infer_table.hpp"
#include "cli/infer_types.hpp"
#include "cli/preview_rows.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::cli {
namespace {

using Kind = TextShape::Kind;

TEST(TextShape, KnowsDatesThatExist) {
    for (const char* text : {"2024-02-29", "0002-01-01", "9998-12-31"}) {
        EXPECT_EQ(shape_of(text).kind, Kind::date) << text;
    }
    for (const char* text :
         {"2023-02-29", "2024-13-01", "2024-00-10", "0000-00-00", "2024-1-01", "20240101", ""}) {
        EXPECT_EQ(shape_of(text).kind, Kind::other) << text;
    }
}

struct MomentText {
    const char* text;
    bool is_moment;
    std::size_t digits;
};

TEST(TextShape, KnowsMomentsAndTheirFractions) {
    const MomentText texts[] = {
        {"2024-03-01T10:00", true, 0},
        {"2024-03-01T10:00:00", true, 0},
        {"2024-03-01 10:00:00Z", true, 0},
        {"2024-03-01T10:00:00.5+02:00", true, 1},
        {"2024-03-01T10:00:00.000Z", true, 3},
        {"2024-03-01T10:00:00.123456000Z", true, 6},
        {"2024-03-01T10:00:00.123456789-0330", true, 9},
        {"2024-03-01T10:00:00+02", true, 0},
        {"2024-03-01T10:00:60Z", false, 0},
        {"2024-03-01T24:00:00Z", false, 0},
        {"2024-03-01T10:00:00.Z", false, 0},
        {"2024-03-01T10:00:00 CET", false, 0},
        {"2024-03-01T", false, 0},
    };
    for (const auto& [text, is_moment, digits] : texts) {
        EXPECT_EQ(shape_of(text).kind, is_moment ? Kind::moment : Kind::other) << text;
        EXPECT_EQ(shape_of(text).fraction_digits, digits) << text;
    }
}

TEST(TextShape, KnowsUuids) {
    EXPECT_EQ(shape_of("123e4567-e89b-12d3-a456-426614174000").kind, Kind::uuid);
    EXPECT_EQ(shape_of("123e4567-e89b-12d3-a456-42661417400g").kind, Kind::other);
    EXPECT_EQ(shape_of("123e4567ae89b-12d3-a456-426614174000").kind, Kind::other);
}

/// The evidence of these JSON values.
FieldEvidence evidence_of(const std::vector<std::string>& values) {
    FieldEvidence evidence;
    decode::JsonDecoder decoder;
    for (const auto& value : values) {
        evidence.observe(decoder.decode(value).value());
    }
    return evidence;
}

TEST(FieldEvidence, KeepsTheExactRangeOfNumbers) {
    const auto evidence =
        evidence_of({"9007199254740993", "-2", "-10.50", "9007199254740992", "0"});
    EXPECT_EQ(evidence.least->text(), "-10.5");
    EXPECT_EQ(evidence.greatest->text(), "9007199254740993");
    EXPECT_EQ(evidence.integer_digits, 16U);
    EXPECT_EQ(evidence.fraction_digits, 1U);
    EXPECT_EQ(evidence_of({"-0.0", "0.5"}).least->text(), "0");
}

TEST(FieldEvidence, CountsNullsKindsAndDistinctValues) {
    const auto evidence = evidence_of({"1", "\"1\"", "null", "true", "1"});
    EXPECT_EQ(evidence.count, 5U);
    EXPECT_EQ(evidence.nulls, 1U);
    EXPECT_EQ(evidence.distinct_text(), "3") << "a string is not the number";
    EXPECT_FALSE(evidence.is_distinct());
    EXPECT_TRUE(evidence_of({"1", "2"}).is_distinct());
    EXPECT_FALSE(evidence_of({"null"}).is_distinct());
}

struct TypeCase {
    std::vector<std::string> values;
    const char* type;
    friend std::ostream& operator<<(std::ostream& out, const TypeCase& each) {
        return out << each.values.front() << " -> " << each.type;
    }
};

class ProposedType : public ::testing::TestWithParam<TypeCase> {};

TEST_P(ProposedType, HoldsTheSampleWithRoomToSpare) {
    EXPECT_EQ(propose_type("f", evidence_of(GetParam().values), false).sql, GetParam().type);
}

INSTANTIATE_TEST_SUITE_P(
    Types,
    ProposedType,
    ::testing::Values(TypeCase{{"1", "-5"}, "INT"},
                      TypeCase{{"134217728"}, "INT"},
                      TypeCase{{"134217729"}, "BIGINT"},
                      TypeCase{{"-9223372036854775807"}, "BIGINT"},
                      TypeCase{{"18446744073709551615"}, "BIGINT UNSIGNED"},
                      TypeCase{{"9223372036854775808", "-1"}, "DECIMAL(23,0)"},
                      TypeCase{{"18446744073709551616"}, "DECIMAL(24,0)"},
                      TypeCase{{std::string(66, '9')}, "VARCHAR(128)"},
                      TypeCase{{"9.99", "12"}, "DECIMAL(10,2)"},
                      TypeCase{{"1.0"}, "DECIMAL(10,2)"},
                      TypeCase{{"123456.789"}, "DECIMAL(14,4)"},
                      TypeCase{{"0.1234567890123456789012345678901"}, "VARCHAR(64)"},
                      TypeCase{{"1e-7", "2.5"}, "DOUBLE"},
                      TypeCase{{"1e23"}, "VARCHAR(16)"},
                      TypeCase{{"1e2", "9007199254740993"}, "VARCHAR(32)"},
                      TypeCase{{"true", "false"}, "BOOL"},
                      TypeCase{{"true", "1"}, "VARCHAR(16)"},
                      TypeCase{{"\"2024-03-01\""}, "DATE"},
                      TypeCase{{"\"2024-03-01\"", "\"2024-03-01T10:00:00\""}, "DATETIME"},
                      TypeCase{{"\"2024-03-01T10:00:00.5Z\""}, "DATETIME(3)"},
                      TypeCase{{"\"2024-03-01T10:00:00.123456+01:00\""}, "DATETIME(6)"},
                      TypeCase{{"\"2024-03-01T10:00:00.123456789Z\""}, "VARCHAR(64)"},
                      TypeCase{{"\"0000-00-00\""}, "VARCHAR(16)"},
                      TypeCase{{"\"123e4567-e89b-12d3-a456-426614174000\""},
                               "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin"},
                      TypeCase{{"\"\""}, "VARCHAR(16)"},
                      TypeCase{{"\"" + std::string(11, 'x') + "\""}, "VARCHAR(16)"},
                      TypeCase{{"\"" + std::string(12, 'x') + "\""}, "VARCHAR(32)"},
                      TypeCase{{"\"" + std::string(3000, 'x') + "\""}, "TEXT"},
                      TypeCase{{"\"" + std::string(40000, 'x') + "\""}, "MEDIUMTEXT"},
                      TypeCase{{"{\"a\":1}", "null"}, "JSON"},
                      TypeCase{{"[1]", "\"x\""}, "JSON"},
                      TypeCase{{"{\"a\":12345678901234567890}"}, "LONGTEXT"},
                      TypeCase{{"{\"a\":0.12345678901234567}"}, "LONGTEXT"},
                      TypeCase{{"null"}, "VARCHAR(255)"},
                      TypeCase{{"1", "\"a\""}, "VARCHAR(16)"}));

TEST(ProposedType, OfAKeyComparesBytesAndIsNarrowEnough) {  // B60
    const auto text = propose_type("k", evidence_of({"\"ab\""}), true);
    EXPECT_EQ(text.sql, "VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
    EXPECT_TRUE(text.fits_a_key);
    EXPECT_EQ(propose_type("k", evidence_of({"1"}), true).sql, "BIGINT");
    EXPECT_FALSE(propose_type("k", evidence_of({"{}"}), true).fits_a_key);
    EXPECT_FALSE(propose_type("k", evidence_of({"1e5"}), true).fits_a_key);
    EXPECT_FALSE(
        propose_type("k", evidence_of({"\"" + std::string(600, 'x') + "\""}), true).fits_a_key);
}

TEST(ProposedType, SaysWhatWholeNumbersMayMean) {
    const auto type = propose_type("at", evidence_of({"1700000000000", "1709251200000"}), false);
    EXPECT_EQ(type.sql, "BIGINT");
    ASSERT_EQ(type.notes.size(), 1U);
    EXPECT_EQ(type.notes[0],
              "perhaps ms since 1970 (2023-11-14 to 2024-03-01): DATETIME(3) and column.at.unit = "
              "ms");
    EXPECT_TRUE(propose_type("n", evidence_of({"1700000000000", "5"}), false).notes.empty());
}

TEST(ProposedType, FollowsTheRecordsSchema) {
    struct Meant {
        decode::Value value;
        const char* type;
    };
    using decode::Meaning;
    using decode::ValueKind;
    const Meant all[] = {
        {{ValueKind::number, "19000", {}, 1, Meaning::days}, "DATE"},
        {{ValueKind::number, "1700000000000", {}, 1, Meaning::epoch_ms}, "DATETIME(3)"},
        {{ValueKind::number, "1700000000000000", {}, 1, Meaning::epoch_us}, "DATETIME(6)"},
        {{ValueKind::number, "5", {}, 1, Meaning::time_us}, "TIME(6)"},
        {{ValueKind::string, "AQID", {}, 1, Meaning::decimal, 2}, "DECIMAL(14,2)"},
        {{ValueKind::string, "AQID", {}, 1, Meaning::base64}, "VARBINARY(16)"},
        {{ValueKind::string, "{}", {}, 1, Meaning::json_text}, "JSON"},
    };
    for (const auto& [value, expected] : all) {
        FieldEvidence evidence;
        evidence.observe({&value, 1});
        const auto type = propose_type("f", evidence, false);
        EXPECT_EQ(type.sql, expected);
        EXPECT_EQ(type.notes.back(), "by the records' schema");
    }
    const decode::Value unavailable{ValueKind::string, "marker", {}, 1, Meaning::unavailable};
    FieldEvidence evidence;
    evidence.observe({&unavailable, 1});
    EXPECT_EQ(evidence.count, 0U) << "the source did not send it";
}

TEST(Describe, ShowsCountsAndNoValueButTheEndsOfRanges) {
    const auto numbers = evidence_of({"1", "null", "7", "7"});
    EXPECT_EQ(describe(numbers, 5, false),
              "in 4 of 5, 25.0% null, 2 distinct; whole numbers 75.0% from 1 to 7");
    const auto texts = evidence_of({"\"geheim\"", "\"\\u00e4\""});
    EXPECT_EQ(describe(texts, 2, false),
              "in 2 of 2, 0.0% null, 2 distinct; strings 100.0%; up to 6 characters (6 bytes)");
    EXPECT_NE(describe(texts, 2, true).find("\"geheim\""), std::string::npos);
}

// --- keys, tables and routes ---

struct TestRecord {
    std::optional<std::string> key;
    std::optional<std::string> value;
};

Sample sample_of(const std::vector<TestRecord>& records) {
    Sample sample{decode::Format::json};
    std::int64_t offset = 0;
    for (const auto& [key, value] : records) {
        ConsumerRecord record{"shop.orders", 0, Offset{offset++}, -1, {}, {}};
        if (key) {
            record.key = *key;
        }
        if (value) {
            record.value = *value;
        }
        sample.add(record);
    }
    return sample;
}

Proposal proposal_of(const std::vector<TestRecord>& records) {
    return propose(sample_of(records), {"shop.orders", {}, false});
}

std::string option(const Proposal& proposal, const std::string& name) {
    for (const auto& [key, value] : proposal.options) {
        if (key == name) {
            return value;
        }
    }
    return "(none)";
}

using Names = std::vector<std::string>;

TEST(ProposedColumns, HaveNoNamesThatATerminalWouldObey) {
    const auto proposal = proposal_of({{"1", R"({"id":1,"a\u001b[2J":2,"b":3})"}});
    for (const auto& column : proposal.columns) {
        EXPECT_EQ(column.name.find('\x1b'), std::string::npos);
    }
    EXPECT_EQ(table_text(proposal).find('\x1b'), std::string::npos);
    EXPECT_EQ(proposal.columns.size(), 2U);
}

TEST(ProposedKey, IsTheRecordsKeyWhenItIsAnObject) {
    const auto proposal = proposal_of(
        {{R"({"shop":"a","no":1})", R"({"v":1,"no":1})"}, {R"({"shop":"b","no":1})", {}}});
    EXPECT_EQ(proposal.key, (Names{"shop", "no"}));
    EXPECT_EQ(option(proposal, "key"), "record");
    EXPECT_EQ(option(proposal, "key-format"), "(none)");
    EXPECT_EQ(option(proposal, "mode"), "upsert");
    ASSERT_EQ(proposal.columns.size(), 3U) << "no is there once";
    EXPECT_EQ(proposal.columns[2].name, "v");
}

TEST(ProposedKey, TakesTheNameOfTheFieldThatSaysTheSame) {
    const auto same = proposal_of({{"1", R"({"n":1,"no":1})"}, {"2", R"({"n":1,"no":2})"}});
    EXPECT_EQ(same.key, Names{"no"});
    EXPECT_EQ(option(same, "key"), "record");
    const auto other = proposal_of({{"1", R"({"n":5})"}, {"2", R"({"n":6})"}});
    EXPECT_EQ(other.key, Names{"id"});
    const auto taken = proposal_of({{"1", R"({"id":null})"}, {"2", R"({"id":6})"}});
    EXPECT_EQ(taken.key, Names{"record_key"});
}

TEST(ProposedKey, ReadsKeysThatAreNotJson) {
    const auto text = proposal_of({{"abc", R"({"v":1})"}, {"7", R"({"v":1})"}});
    EXPECT_EQ(option(text, "key-format"), "string");
    EXPECT_EQ(text.columns[0].type, "VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
    const auto eight = std::string("\0\0\0\0\0\0\0\7", 8);
    EXPECT_EQ(option(proposal_of({{eight, R"({"v":1})"}}), "key-format"), "int64");
    EXPECT_EQ(option(proposal_of({{eight.substr(4), R"({"v":1})"}}), "key-format"), "int32");
    const auto framed = proposal_of({{std::string("\0\0\0\0\1ab", 7), R"({"v":1})"}});
    EXPECT_EQ(framed.key, Names{});
    EXPECT_EQ(option(framed, "mode"), "insert");
    EXPECT_EQ(option(proposal_of({{"\xff\xfe", R"({"v":1})"}}), "key-format"), "raw");
}

TEST(ProposedKey, IsAnIdOfTheValueWithoutRecordKeys) {
    const auto by_id = proposal_of({{{}, R"({"v":1,"id":1})"}, {{}, R"({"v":1,"id":2})"}});
    EXPECT_EQ(by_id.key, Names{"id"});
    EXPECT_EQ(option(by_id, "key"), "(none)");
    const auto repeated = proposal_of({{{}, R"({"id":1})"}, {{}, R"({"id":1})"}});
    EXPECT_EQ(repeated.key, Names{});
    EXPECT_EQ(option(repeated, "mode"), "insert");
    const auto few = proposal_of({{{}, R"({"user_id":1})"}, {{}, R"({"user_id":2})"}});
    EXPECT_EQ(few.key, Names{}) << "distinct by chance";
    std::vector<TestRecord> many;
    for (int i = 0; i < 20; ++i) {
        many.push_back({{}, R"({"order_id":)" + std::to_string(i) + "}"});
    }
    EXPECT_EQ(proposal_of(many).key, Names{"order_id"});
}

TEST(ProposedKey, OfEventsIsTheirOwnIdAndNotTheRepeatedRecordKey) {
    const auto events =
        proposal_of({{"\"c1\"", R"({"id":1,"by":"c1"})"}, {"\"c1\"", R"({"id":2,"by":"c1"})"}});
    EXPECT_EQ(events.key, Names{"id"});
    EXPECT_EQ(option(events, "key"), "(none)");
    const auto states = proposal_of({{"1", R"({"id":1,"v":1})"}, {"1", R"({"id":1,"v":2})"}});
    EXPECT_EQ(states.key, Names{"id"});
    EXPECT_EQ(option(states, "key"), "record");
}

TEST(ProposedTable, LeavesOutNamesThatMysqlDoesNotTakeOrTellApart) {
    const auto proposal = proposal_of({{{}, R"({"a":1,"A":2,"b ":3,"":4})"}});
    ASSERT_EQ(proposal.columns.size(), 1U);
    EXPECT_EQ(option(proposal, "exclude-fields"), "A");
}

TEST(ProposedTable, KeepsARowWithinItsLimit) {
    std::string value = "{";
    for (int i = 0; i < 10; ++i) {
        value += (i == 0 ? "" : ",") + ("\"f" + std::to_string(i)) + "\":\"" +
                 std::string(static_cast<std::size_t>(600 + 50 * i), 'x') + "\"";
    }
    const auto proposal = proposal_of({{{}, value + "}"}});
    std::size_t bytes = 0;
    for (const auto& column : proposal.columns) {
        bytes += column.row_bytes;
    }
    EXPECT_LE(bytes, 60'000U);
    EXPECT_EQ(proposal.columns[0].type, "VARCHAR(1024)");
    EXPECT_EQ(proposal.columns[2].type, "TEXT") << "the first of the longest";
    EXPECT_EQ(proposal.columns[9].type, "VARCHAR(2048)");
}

TEST(ProposedTable, IsWrittenWithItsEvidence) {
    const auto proposal = proposal_of({{{}, R"({"id":1,"a`b":"x"})"}, {{}, "no json"}});
    EXPECT_EQ(table_text(proposal),
              "-- from 2 records of shop.orders: 1 rows, 0 removals\n"
              "-- 1 records cannot be read as json: not-json\n"
              "-- primary key: id, distinct in every record (the records have no key)\n"
              "CREATE TABLE `orders` (\n"
              "    -- in 1 of 1, 0.0% null, 1 distinct; whole numbers 100.0% from 1 to 1\n"
              "    `id` BIGINT NOT NULL,\n"
              "    -- in 1 of 1, 0.0% null, 1 distinct; strings 100.0%; up to 1 characters (1 "
              "bytes)\n"
              "    `a``b` VARCHAR(16) NULL,\n"
              "    PRIMARY KEY (`id`)\n"
              ") ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;\n");
    EXPECT_EQ(route_text(proposal),
              "[route.shop_orders]\ntopic = shop.orders\ntable = orders\nformat = json\n"
              "mode = upsert\n");
}

TEST(ProposedTable, LetsNoFieldNameOutOfItsComment) {
    const auto proposal = proposal_of({{{}, "{\"a\\nDROP TABLE x; \":1700000000000,\"b\":1}"}});
    for (const auto& note : proposal.notes) {
        EXPECT_EQ(note.find('\n'), std::string::npos) << note;
    }
    for (const auto& column : proposal.columns) {
        for (const auto& note : column.notes) {
            EXPECT_EQ(note.find('\n'), std::string::npos) << note;
        }
    }
}

// --- preview: rows as people read them ---

TEST(SplitTuple, KeepsCommasAndBracketsOfLiterals) {
    EXPECT_EQ(split_tuple("(1,'a,b',x'00ff',NULL)"), (Names{"1", "'a,b'", "x'00ff'", "NULL"}));
    EXPECT_EQ(split_tuple(R"(('it\'s','\\',2))"), (Names{R"('it\'s')", R"('\\')", "2"}));
    EXPECT_EQ(split_tuple("(ST_GeomFromText('POINT(1 2)',0),DEFAULT)"),
              (Names{"ST_GeomFromText('POINT(1 2)',0)", "DEFAULT"}));
}

}  // namespace
}  // namespace txsink::cli
