#include "txsink/mapping/sql_literal.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace txsink::mapping {
namespace {

using namespace std::string_literals;

/// Reads a string literal as MySQL's lexer does (without NO_BACKSLASH_ESCAPES).
std::string unescape(const std::string& literal) {
    EXPECT_GE(literal.size(), 2U);
    EXPECT_EQ(literal.front(), '\'');
    std::string text;
    std::size_t i = 1;
    for (; i < literal.size() && literal[i] != '\''; ++i) {
        if (literal[i] != '\\') {
            text += literal[i];
            continue;
        }
        switch (literal[++i]) {
            case '0':
                text += '\0';
                break;
            case 'n':
                text += '\n';
                break;
            case 'r':
                text += '\r';
                break;
            case 'Z':
                text += '\x1A';
                break;
            default:
                text += literal[i];
        }
    }
    EXPECT_EQ(i, literal.size() - 1) << "the literal ends early";
    return text;
}

TEST(SqlLiteral, EscapesWhatWouldEndOrChangeTheString) {
    EXPECT_EQ(string_literal("plain"), "'plain'");
    EXPECT_EQ(string_literal(""), "''");
    EXPECT_EQ(string_literal("it's"), "'it\\'s'");
    EXPECT_EQ(string_literal("a\0b\\c\nd\re\x1A"s), "'a\\0b\\\\c\\nd\\re\\Z'");
    EXPECT_EQ(string_literal("\t\b\"%_`;--"), "'\t\b\"%_`;--'");
    EXPECT_EQ(string_literal("\xF0\x9F\x98\x80"), "'\xF0\x9F\x98\x80'");
}

TEST(SqlLiteral, EscapesAtEveryPlaceOfEveryLength) {
    for (std::size_t size = 1; size <= 40; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            for (const char c : {'\'', '\\', '\n', '\0', '\x1F', '\x20', '\x7F', '\x80', '\xA7'}) {
                std::string text(size, 'x');
                text[at] = c;
                EXPECT_EQ(unescape(string_literal(text)), text) << size << ' ' << at;
            }
        }
    }
}

TEST(SqlLiteral, GivesAnyBytesBack) {
    std::mt19937 random{20240301};
    std::uniform_int_distribution<int> byte{0, 255};
    std::uniform_int_distribution<int> size{0, 200};
    for (int round = 0; round < 2'000; ++round) {
        std::string text(static_cast<std::size_t>(size(random)), '\0');
        for (char& c : text) {
            c = static_cast<char>(byte(random));
        }
        EXPECT_EQ(unescape(string_literal(text)), text);
    }
    std::string all;
    for (int c = 0; c < 256; ++c) {
        all += static_cast<char>(c);
    }
    EXPECT_EQ(unescape(string_literal(all)), all);
}

TEST(SqlLiteral, QuotesIdentifiers) {  // B55
    EXPECT_EQ(identifier("order"), "`order`");
    EXPECT_EQ(identifier("a`b``"), "`a``b`````");
    EXPECT_EQ(identifier("x'; --\\"), "`x'; --\\`");
}

TEST(SqlLiteral, WritesBytesInHexadecimal) {
    std::string sql = "(";
    append_bytes(sql, "\0\x7F\xFF'"s);
    EXPECT_EQ(sql, "(x'007fff27'");
    sql.clear();
    append_bytes(sql, "");
    EXPECT_EQ(sql, "x''");
}

}  // namespace
}  // namespace txsink::mapping
