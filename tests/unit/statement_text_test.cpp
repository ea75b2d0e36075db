/// @file
/// What is told of a statement by its text.
#include "mysql/statement_text.hpp"

#include <gtest/gtest.h>

namespace txsink::mysql {
namespace {

TEST(StatementText, OneStatementEndsAtItsSemicolon) {
    for (const char* one : {"",
                            "DO 1",
                            "DO 1;",
                            "DO 1 -- ; more\n/* ; */ # ;",
                            "DO 1 ; \n",
                            "SELECT ';', \";\", `;`, 'it''s;', 'a\\';b'",
                            "SELECT 1 -- ; DO 2",
                            "SELECT 1--;"}) {
        EXPECT_TRUE(is_one_statement(one)) << one;
    }
    for (const char* two : {"DO 1;DO 2",
                            "DO 1;;",
                            "DO 1; -- empty",
                            "DO 1; 'x'",
                            "SELECT '\\\\';DO 2",
                            "SELECT `\\`;DO 2",
                            "SELECT 1--;DO 2",
                            "SELECT 1 -- x\n;DO 2",
                            "SELECT 1 /*! ;DO 2 */"}) {
        EXPECT_FALSE(is_one_statement(two)) << two;
    }
}

TEST(StatementText, KnowsStatementsByTheirFirstWord) {
    for (const char* one : {"INSERT INTO t VALUES (1)",
                            "update t set a = 1",
                            " /* x */ Delete FROM t",
                            "-- x\n(UPDATE t SET a = 1)",
                            "REPLACE t VALUES (1)",
                            "WITH x AS (SELECT 1) DELETE FROM t WHERE a IN (SELECT * FROM x)"}) {
        EXPECT_TRUE(is_row_statement(one)) << one;
    }
    for (const char* other : {"CALL p()",
                              "SELECT 1",
                              "INSERTED",
                              "COMMIT",
                              "SET @a = 1",
                              "DROP TABLE t",
                              "EXECUTE s",
                              "",
                              "/*! UPDATE t SET a = 1 */"}) {
        EXPECT_FALSE(is_row_statement(other)) << other;
    }
}

}  // namespace
}  // namespace txsink::mysql
