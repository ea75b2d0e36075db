// Names and values made to break out of SQL text: the server reads back the same bytes, and
// nothing else happens.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "integration/cli_fixture.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::test {
namespace {

using mapping::identifier;
using mapping::string_literal;

std::string hex_of(std::string_view bytes) {
    std::string hex;
    for (const char c : bytes) {
        hex += fmt::format("{:02X}", static_cast<unsigned char>(c));
    }
    return hex;
}

/// JSON text of a string, every character outside ASCII letters and digits escaped or raw.
std::string json_string(std::string_view text) {
    std::string json{"\""};
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            json += c;
        }
    }
    return json + '"';
}

/// UTF-8 of a random code point that is no surrogate.
std::string random_character(std::minstd_rand& engine) {
    static constexpr std::string_view kOdd{"'\"`\\;-#/*%_\0\n\r\x1a\x08\t ()?:@", 24};
    if (engine() % 3 != 0) {
        return std::string{kOdd[engine() % kOdd.size()]};
    }
    unsigned code = static_cast<unsigned>(engine() % 0x110000);
    code = code >= 0xD800 && code < 0xE000 ? 0x1F600 : code;
    std::string text;
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0 | code >> 6);
        text += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        text += static_cast<char>(0xE0 | code >> 12);
        text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        text += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        text += static_cast<char>(0xF0 | code >> 18);
        text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
        text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        text += static_cast<char>(0x80 | (code & 0x3F));
    }
    return text;
}

std::string random_text(std::minstd_rand& engine) {
    std::string text;
    for (auto left = engine() % 40; left > 0; --left) {
        text += random_character(engine);
    }
    return text;
}

class HostileText : public CliTest {};

TEST_F(HostileText, LiteralsComeBackAsTheyWere) {
    std::minstd_rand engine{20261130};
    for (int round = 0; round < 20; ++round) {
        std::string sql{"SELECT "};
        std::vector<std::string> texts;
        for (int i = 0; i < 100; ++i) {
            texts.push_back(random_text(engine));
            sql += (i == 0 ? "HEX(" : ", HEX(") + string_literal(texts.back()) + ')';
        }
        const auto rows = db().query(sql);
        ASSERT_EQ(rows.size(), 1U);
        for (std::size_t i = 0; i < texts.size(); ++i) {
            ASSERT_EQ(rows[0].at(i), hex_of(texts[i]));
        }
    }
}

TEST_F(HostileText, RecordsAreStoredAndNothingElseHappens) {
    const std::string table{"t`; DROP TABLE items; -- '\""};
    const std::string column{"c`' = 1; DROP TABLE items; -- \\"};
    db().execute("INSERT INTO items VALUES (1, 'stays')");
    db().execute(
        fmt::format("CREATE TABLE {} (id BIGINT PRIMARY KEY, {} TEXT CHARACTER SET utf8mb4, extra "
                    "VARBINARY(400)"
                    ") ENGINE = InnoDB",
                    identifier(table),
                    identifier(column)));
    std::minstd_rand engine{7};
    std::vector<std::string> texts{"'; DROP TABLE items; -- ",
                                   "\\'; DROP TABLE items; -- ",
                                   "x' OR '1'='1",
                                   "\\",
                                   "'",
                                   "''",
                                   "`",
                                   "/*",
                                   "*/",
                                   ":id",
                                   "?",
                                   std::string{"\0'\0", 3},
                                   ""};
    for (int i = 0; i < 200; ++i) {
        texts.push_back(random_text(engine));
    }
    TestProducer producer{broker};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        producer.produce(
            topic,
            static_cast<std::int32_t>(i % 2),
            json_string(texts[i]),
            fmt::format("{{\"id\":{},{}:{}}}", i, json_string(column), json_string(texts[i])));
    }
    producer.flush();
    std::string quoted_table{"`"};
    for (const char c : table) {
        quoted_table += c == '`' ? "``" : std::string{c};
    }
    const auto path = testing::TempDir() + unique_name("hostile") + ".ini";
    std::ofstream{path} << fmt::format(
        "connector = hostile\n[kafka]\nbootstrap.servers = {}\n[mysql]\nuri = {}\n"
        "[route.rows]\ntopic = {}\ntable = {}`\ncolumn.extra = $key\ncolumn.extra.binary = text\n"
        "[route.sql]\ntopic = {}\nmode = sql\n"
        "sql = UPDATE items SET v = v WHERE :text = v AND id = :id\n"
        "parameter.text = $key\n",
        broker,
        uri(),
        topic,
        quoted_table,
        topic);
    const auto ending = run_txsink({"run", "--until-end", "--config", path});
    ASSERT_EQ(ending.code, 0) << ending.output;
    const auto rows = db().query(fmt::format(
        "SELECT HEX({}), HEX(extra) FROM {} ORDER BY id", identifier(column), identifier(table)));
    ASSERT_EQ(rows.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        EXPECT_EQ(rows[i].at(0), hex_of(texts[i])) << i;
        EXPECT_EQ(rows[i].at(1), hex_of(texts[i])) << i;
    }
    EXPECT_EQ(db().value("SELECT v FROM items"), "stays");
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace txsink::test
