/// @file
/// The error table, what may be shown of a message, and what the place adds to an error.
#include "mysql/error_table.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <tuple>

#include "mysql/server_error.hpp"

namespace txsink::mysql {
namespace {

struct Case {
    int code;
    ErrorKind kind;
    bool reconnect;
    friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.code; }
};

class ClassifyServerError : public ::testing::TestWithParam<Case> {};

TEST_P(ClassifyServerError, SaysWhatToDo) {
    const auto& meaning = classify(GetParam().code);
    EXPECT_EQ(meaning.kind, GetParam().kind);
    EXPECT_EQ(meaning.reconnect, GetParam().reconnect);
    EXPECT_STRNE(meaning.meaning, "");
    EXPECT_EQ(meaning.code, GetParam().code);
}

std::vector<Case> cases() {
    std::vector<Case> all;
    const auto add = [&](ErrorKind kind, bool reconnect, std::initializer_list<int> codes) {
        for (const int code : codes) {
            all.push_back({code, kind, reconnect});
        }
    };
    using enum ErrorKind;
    // 1020: also what MariaDB says under innodb_snapshot_isolation (B87).
    add(replay, false, {1213, 1205, 3572, 1020, 1412, 1615, 1206, 1969, 3024});
    add(connection,
        true,
        {2002,
         2003,
         2006,
         2013,
         2055,
         4031,
         1927,
         1053,
         1152,
         1158,
         1159,
         1160,
         1161,
         1040,
         1203,
         1226,
         1317,
         3169,
         1047});
    add(fail_over, true, {1290, 1836, 1792});
    add(too_big, true, {1153});
    add(too_big, false, {1390, 1197, 3100});
    add(schema_drift, false, {1054, 1136, 1146, 1364});
    add(bad_record, false, {1048, 1062, 1242, 1264, 1265, 1292, 1366, 1406, 1411, 1451, 1452,
                            1526, 1690, 1365, 1416, 3037, 3072, 3141, 3548, 3616, 3617, 3643,
                            4037, 4038, 4048, 6136, 6138, 3140, 3144, 3105, 1906, 3819, 4025});
    add(access_denied, false, {1044, 1045, 1142, 1227, 2059, 2061});
    add(configuration, false, {1049});
    add(internal, false, {0, 1064});
    return all;
}

INSTANTIATE_TEST_SUITE_P(Known,
                         ClassifyServerError,
                         ::testing::ValuesIn(cases()),
                         [](const auto& p) { return "Error" + std::to_string(p.param.code); });

TEST(ClassifyServerErrorUnknown, StopsAndSkipsNothing) {
    for (const int code : {1, 999, 1114, 1180, 9999, -5}) {
        EXPECT_EQ(classify(code).kind, ErrorKind::internal) << code;
        EXPECT_FALSE(classify(code).reconnect) << code;
    }
}

TEST(MaskServerMessage, KeepsNamesAndHidesValues) {
    EXPECT_EQ(mask(1062, "Duplicate entry 'a@x' for key 'users.email'"),
              "Duplicate entry '***' for key 'users.email'");
    EXPECT_EQ(mask(1366, "Incorrect integer value: 'abc' for column 'n' at row 3"),
              "Incorrect integer value: '***' for column 'n' at row 3");
    EXPECT_EQ(mask(1366, "Incorrect integer value: 'abc' for column `d`.`t`.`n` at row 3"),
              "Incorrect integer value: '***' for column `d`.`t`.`n` at row 3");
    EXPECT_EQ(mask(1411, "Incorrect datetime value: 'x' for function str_to_date"),
              "Incorrect datetime value: '***' for function str_to_date");
    EXPECT_EQ(mask(1292, "Truncated incorrect DOUBLE value: 'secret'"),
              "Truncated incorrect DOUBLE value: '***'");
    EXPECT_EQ(mask(1264, "Out of range value for column 'n' at row 1"),
              "Out of range value for column 'n' at row 1");
    EXPECT_EQ(mask(1048, "Column 'n' cannot be null"), "Column 'n' cannot be null");
    EXPECT_EQ(mask(1526, "Table has no partition for value 4711"), "");
    EXPECT_EQ(mask(1064, "You have an error ... near 'secret' at line 1"), "");
    EXPECT_EQ(mask(1644, "secret 4711 is refused"), "");
}

TEST(MaskServerMessage, IsNotFooledByQuotesInTheValue) {
    EXPECT_EQ(mask(1062, "Duplicate entry 'x' for key 'secret' for key 'users.email'"),
              "Duplicate entry '***' for key 'users.email'");
    EXPECT_EQ(mask(1366, "Incorrect string value: 'a' and \"b\" secret' for column 'c' at row 1"),
              "Incorrect string value: '***' for column 'c' at row 1");
    EXPECT_EQ(mask(1292, "Truncated incorrect DOUBLE value: 'x for key 'secret'"),
              "Truncated incorrect DOUBLE value: '***'");
    EXPECT_EQ(mask(1366, "Incorrect string value: \"secret 'x"), "Incorrect string value: '***'");
    EXPECT_EQ(mask(9999, "Something odd about 'secret' and so on"), "Something odd about '***'");
}

TEST(ServerError, HasAllPropertiesAndNoValue) {
    const auto error = server_error(1062, "23000", "Duplicate entry 'secret' for key 'k'");
    EXPECT_EQ(error.kind, ErrorKind::bad_record);
    EXPECT_EQ(error.native_code, 1062);
    EXPECT_EQ(error.sqlstate, "23000");
    EXPECT_FALSE(error.reconnect);
    EXPECT_FALSE(error.outcome_unknown);
    EXPECT_EQ(error.detail, "MySQL error 1062 (23000): Duplicate entry '***' for key 'k'");
    EXPECT_EQ(std::string{error.what()}.find("secret"), std::string::npos);
}

TEST(ServerError, OfTheConnectorItselfIsABug) {
    EXPECT_EQ(server_error(0, "HY000", "parameter 1 not set").kind, ErrorKind::internal);
}

TEST(ServerErrorAtCommit, B32IsUnknownWhateverTheCode) {
    for (const int code : {1213, 1180, 1290, 2013, 1205, 9999, 1062, 1045, 3101}) {
        const auto error = at_commit(server_error(code, "HY000", "text"));
        EXPECT_TRUE(error.outcome_unknown) << code;
        EXPECT_TRUE(error.reconnect) << code;
        EXPECT_EQ(error.native_code, code);
        // None of them stops or skips: the offset rows decide first.
        EXPECT_TRUE(error.kind == ErrorKind::replay || error.kind == ErrorKind::connection ||
                    error.kind == ErrorKind::fail_over)
            << code;
    }
}

TEST(ServerErrorOnOwnTable, IsNeverABadRecord) {
    for (const int code : {1062, 1406, 1264, 1366, 1054, 1146, 1364, 1048}) {
        const auto error = on_own_table(server_error(code, "HY000", "text"));
        EXPECT_EQ(error.kind, ErrorKind::configuration) << code;
        EXPECT_NE(error.hint.find("txsink migrate"), std::string::npos) << code;
    }
    EXPECT_EQ(on_own_table(server_error(1213, "40001", "text")).kind, ErrorKind::replay);
    EXPECT_EQ(on_own_table(server_error(2013, "HY000", "text")).kind, ErrorKind::connection);
}

TEST(ServerErrorWithin, KeepsTheProperties) {
    auto inner = at_commit(server_error(2013, "HY000", "Lost connection"));
    const auto outer = within("claiming t[0]", inner);
    EXPECT_STREQ(outer.what(), "claiming t[0]: the connection was lost");
    EXPECT_EQ(outer.kind, inner.kind);
    EXPECT_EQ(outer.detail, inner.detail);
    EXPECT_EQ(outer.native_code, 2013);
    EXPECT_EQ(outer.sqlstate, "HY000");
    EXPECT_TRUE(outer.reconnect);
    EXPECT_TRUE(outer.outcome_unknown);
}

TEST(PrivateText, HoldsTheValuesUntilItIsShown) {
    const auto of = [](int code, const char* message) {
        return private_text("why", server_error(code, "23000", message));
    };
    const auto duplicate = of(1062, "Duplicate entry 'a@x)' for key 'k'");
    EXPECT_EQ(duplicate, "why (MySQL error 1062 (23000): Duplicate entry 'a@x)' for key 'k')");
    EXPECT_EQ(without_values(1062, duplicate),
              "why (MySQL error 1062 (23000): Duplicate entry '***' for key 'k')");
    EXPECT_EQ(without_values(1062, duplicate + " [value of 9 bytes left out]"),
              "why (MySQL error 1062 (23000): Duplicate entry '***' for key 'k') [value of 9 bytes "
              "left out]");
    EXPECT_EQ(without_values(1644, of(1644, "secret")), "why (MySQL error 1644 (23000))");
    EXPECT_EQ(without_values(1048, of(1048, "Column 'n' cannot be null")),
              "why (MySQL error 1048 (23000): Column 'n' cannot be null)");
    EXPECT_EQ(without_values(0, "too large"), "too large");
}

}  // namespace
}  // namespace txsink::mysql
