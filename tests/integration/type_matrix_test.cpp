/// @file
/// Every cell of tests/data/types.tsv on a real server: stored and read back exactly, or refused
/// with its code. Once by the encoders alone, once through the binary and Kafka.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "integration/cli_fixture.hpp"
#include "mapping/column_encoder.hpp"
#include "mysql/table_reader.hpp"
#include "support/type_cells.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/decode/json_decoder.hpp"

namespace txsink::test {
namespace {

using mapping::ColumnDefinition;
using mapping::ColumnType;

constexpr const char* kCells = TXSINK_SOURCE_DIR "/tests/data/types.tsv";

/// An SQL expression that shows all of the column `name`.
std::string shown(const ColumnDefinition& column, const std::string& name, bool is_mariadb) {
    switch (column.type) {
        case ColumnType::binary:
        case ColumnType::varbinary:
        case ColumnType::blob:
        case ColumnType::vector:
            return "HEX(" + name + ")";
        case ColumnType::bit:
            return name + " + 0";
        case ColumnType::float_single:
            return name + " + 0e0";
        case ColumnType::geometry:
            return fmt::format("CONCAT('SRID=', ST_SRID({0}), ';', ST_AsText({0}{1}))",
                               name,
                               is_mariadb ? "" : ", 'axis-order=long-lat'");
        default:
            return name;
    }
}

/// As the file writes it.
std::string escaped(const std::optional<std::string>& cell) {
    if (!cell) {
        return "NULL";
    }
    std::string text;
    for (const char c : *cell) {
        text += c == '\0' ? "\\0" : c == '\n' ? "\\n" : std::string{c};
    }
    return text;
}

std::string name_of_cell(const TypeCell& cell) {
    std::string text = cell.column + " <- " + cell.json + " " + cell.meaning;
    for (const auto& [name, value] : cell.rules) {
        text += " " + name + "=" + value;
    }
    return text;
}

bool is_mandatory(const TypeCell& cell) {
    return cell.column.find("NOT NULL") != std::string::npos &&
           cell.column.find("DEFAULT") == std::string::npos;
}

class TypeMatrix : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        if (!is_ready() || IsSkipped()) {
            return;
        }
        for (auto& cell : read_type_cells(kCells)) {
            if (cell.goes_for(db().is_mariadb())) {
                cells.push_back(std::move(cell));
            }
        }
    }

    /// Where a type of column is.
    struct Place {
        std::string table;
        std::string name;
        ColumnDefinition column;
    };

    /// One table with all types that may be left out, and one for each of the others; by type.
    std::map<std::string, Place> make_columns() {
        std::map<std::string, Place> places;
        std::string sql = "CREATE TABLE wide (id INT PRIMARY KEY";
        for (const auto& cell : cells) {
            const auto name = fmt::format("c{}", places.size());
            const auto table = is_mandatory(cell) ? "only_" + name : "wide";
            if (!places.try_emplace(cell.column, Place{table, name, {}}).second) {
                continue;
            }
            if (is_mandatory(cell)) {
                db().execute(fmt::format(
                    "CREATE TABLE {} (id INT PRIMARY KEY, {} {})", table, name, cell.column));
            } else {
                sql += ", " + name + " " + cell.column;
            }
        }
        db().execute(sql + ") CHARACTER SET utf8mb4");
        auto session = db().connect();
        std::map<std::string, mapping::TableDefinition> tables;
        for (auto& [type, place] : places) {
            auto& table = tables[place.table];
            if (table.columns.empty()) {
                table = mysql::read_table(session, {"", place.table});
            }
            for (const auto& column : table.columns) {
                if (column.name == place.name) {
                    place.column = column;
                }
            }
        }
        return places;
    }

    std::vector<TypeCell> cells;
};

TEST_F(TypeMatrix, EncodersAndServerAgree) {
    auto places = make_columns();
    auto session = db().connect();
    session.execute("START TRANSACTION");
    decode::JsonDecoder decoder;
    for (const auto& cell : cells) {
        SCOPED_TRACE(name_of_cell(cell));
        const auto& [table, name, column] = places[cell.column];
        const auto document = decoder.decode(cell.json);
        ASSERT_TRUE(document) << document.error().message;
        std::vector<decode::Value> values(document.value().begin(), document.value().end());
        values.front().meaning = meaning_of(cell).meaning;
        values.front().scale = meaning_of(cell).scale;
        std::string literal;
        const mapping::ColumnEncoder encoder{column, rules_of(cell)};
        const auto done = encoder.append(values, literal);
        if (!done) {
            EXPECT_TRUE(cell.is_refused) << done.error().message;
            EXPECT_EQ(name_of(done.error().code), cell.stored) << done.error().message;
            continue;
        }
        try {
            session.execute("DELETE FROM " + table);
            session.execute(
                fmt::format("INSERT INTO {} (id, {}) VALUES (1, {})", table, name, literal));
        } catch (const SinkError& error) {
            EXPECT_TRUE(cell.is_refused) << literal << ": " << error.what() << error.detail;
            EXPECT_EQ(cell.stored, "refused-by-server") << literal << ": " << error.what();
            continue;
        }
        ASSERT_FALSE(cell.is_refused) << literal;
        const auto rows = session.query(
            fmt::format("SELECT {} FROM {}", shown(column, name, db().is_mariadb()), table));
        ASSERT_EQ(rows.size(), 1u);
        EXPECT_EQ(escaped(rows[0].at(0)), cell.stored) << literal;
    }
}

/// One of each kind of value and form of text, for all columns and all meanings.
constexpr const char* kSamples[] = {"true",
                                    "0",
                                    "1",
                                    "-1",
                                    "2024",
                                    "1.5",
                                    "1e2",
                                    "19723",
                                    "1709287200123",
                                    "1709287200123456",
                                    "9007199254740993",
                                    "18446744073709551615",
                                    "1e400",
                                    "[]",
                                    "{}",
                                    "[1,2,3]",
                                    "[\"a\"]",
                                    "{\"scale\":1,\"value\":\"AQ==\"}",
                                    "{\"type\":\"Point\",\"coordinates\":[1,2]}",
                                    "{\"wkb\":\"AQEAAAAAAAAAAADwPwAAAAAAAABA\",\"srid\":4326}",
                                    "\"\"",
                                    "\"1\"",
                                    "\"-1.5\"",
                                    "\"AQ==\"",
                                    "\"AAE=\"",
                                    "\"AAEC\"",
                                    "\"a\"",
                                    "\"new\"",
                                    "\"2024\"",
                                    "\"2024-03-01\"",
                                    "\"2024-03-01T10:00:00.123456Z\"",
                                    "\"10:20:30.5\"",
                                    "\"POINT(1 2)\"",
                                    "\"[1,2]\"",
                                    "\"1.2.3.4\"",
                                    "\"::1\"",
                                    "\"6ccd780c-baba-1026-9564-5b8c656024db\"",
                                    "\"\\ud83d\\ude00\"",
                                    "\"\\u00e9\"",
                                    "\"it's \\\\ \\u0000\"",
                                    "\"0000-00-00\""};

TEST_F(TypeMatrix, WhatIsTakenIsStoredWithoutAWarning) {
    auto places = make_columns();
    auto session = db().connect();
    session.execute("START TRANSACTION");
    decode::JsonDecoder decoder;
    int stored = 0;
    int refused = 0;
    for (const auto& [type, place] : places) {
        const mapping::ColumnEncoder encoder{place.column};
        std::set<std::string> literals;
        for (const char* json : kSamples) {
            const auto document = decoder.decode(json);
            ASSERT_TRUE(document) << json;
            std::vector<decode::Value> values(document.value().begin(), document.value().end());
            for (int i = 0; i <= static_cast<int>(decode::Meaning::geometry); ++i) {
                values.front().meaning = static_cast<decode::Meaning>(i);
                std::string literal;
                const auto done = encoder.append(values, literal);
                if (done) {
                    literals.insert(literal);
                    continue;
                }
                ++refused;
                EXPECT_TRUE(done.error().message.starts_with("column \"" + place.name + "\" (" +
                                                             place.column.type_text + "): "))
                    << done.error().message;
            }
        }
        for (const auto& literal : literals) {
            SCOPED_TRACE(type + " <- " + literal);
            session.execute("DELETE FROM " + place.table);
            try {
                session.execute(fmt::format(
                    "INSERT INTO {} (id, {}) VALUES (1, {})", place.table, place.name, literal));
            } catch (const SinkError& error) {
                // The one character set here that the client does not know.
                EXPECT_NE(type.find("gbk"), std::string::npos) << error.what() << error.detail;
                continue;
            }
            for (const auto& warning : session.query("SHOW WARNINGS")) {
                ADD_FAILURE() << warning.at(2).value_or("");
            }
            ++stored;
        }
    }
    EXPECT_GT(stored, 500);
    EXPECT_GT(refused, 5'000);
}

/// The schema of a value in Connect's JSON.
std::string schema_of(const TypeCell& cell, const std::string& field) {
    const auto simple = [&](const std::string& type, const std::string& name) {
        return fmt::format(R"({{"field":"{}","type":"{}","optional":true{}}})",
                           field,
                           type,
                           name.empty() ? "" : fmt::format(R"(,"name":"{}")", name));
    };
    static const std::map<std::string, std::pair<std::string, std::string>> kSimple{
        {"base64", {"bytes", ""}},
        {"bits", {"bytes", "io.debezium.data.Bits"}},
        {"days", {"int32", "io.debezium.time.Date"}},
        {"time-ms", {"int32", "io.debezium.time.Time"}},
        {"time-us", {"int64", "io.debezium.time.MicroTime"}},
        {"time-ns", {"int64", "io.debezium.time.NanoTime"}},
        {"epoch-ms", {"int64", "io.debezium.time.Timestamp"}},
        {"epoch-us", {"int64", "io.debezium.time.MicroTimestamp"}},
        {"epoch-ns", {"int64", "io.debezium.time.NanoTimestamp"}},
        {"json-text", {"string", "io.debezium.data.Json"}},
    };
    if (const auto at = kSimple.find(cell.meaning); at != kSimple.end()) {
        return simple(at->second.first, at->second.second);
    }
    if (cell.meaning == "variable-decimal") {
        return fmt::format(
            R"({{"field":"{}","type":"struct","optional":true,"name":"io.debezium.data.VariableScaleDecimal","fields":[{{"field":"scale","type":"int32"}},{{"field":"value","type":"bytes"}}]}})",
            field);
    }
    if (cell.meaning == "geometry") {
        return fmt::format(
            R"({{"field":"{}","type":"struct","optional":true,"name":"io.debezium.data.geometry.Geometry","fields":[{{"field":"wkb","type":"bytes"}},{{"field":"srid","type":"int32","optional":true}}]}})",
            field);
    }
    return fmt::format(
        R"({{"field":"{}","type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","parameters":{{"scale":"{}"}}}})",
        field,
        meaning_of(cell).scale);
}

/// One route of the matrix: a topic with records of one format under the same options.
struct MatrixRoute {
    std::string topic;
    std::string options;
    std::map<std::string, std::string> column_options;
    std::vector<std::string> records;
    /// Of each record: index of its cell, in the order of offsets.
    std::vector<std::size_t> cells;
};

bool is_rule_of_route(const std::string& name) {
    return name == "decimal-handling" || name == "time-precision";
}

TEST_F(TypeMatrix, B67_B68_B78_TheBinaryStoresOrRefusesEveryCell) {
    // A column for each type with each set of rules, in one table.
    std::map<std::pair<std::string, std::string>, std::string> columns;
    std::string sql = "CREATE TABLE matrix (id INT PRIMARY KEY";
    std::map<std::string, MatrixRoute> routes;
    std::vector<std::string> column_of(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto& cell = cells[i];
        if (is_mandatory(cell) || cell.meaning == "raw-bytes") {
            continue;
        }
        std::string of_route = cell.meaning.empty() ? "format = json\n" : "format = json-schema\n";
        std::string of_column;
        for (const auto& [name, value] : cell.rules) {
            (is_rule_of_route(name) ? of_route : of_column) += name + " = " + value + "\n";
        }
        auto [at, is_new] = columns.try_emplace({cell.column, of_route + of_column},
                                                fmt::format("c{}", columns.size()));
        column_of[i] = at->second;
        if (is_new) {
            sql += fmt::format(", {} {}", at->second, cell.column);
        }
        auto& route = routes[of_route];
        route.options = of_route;
        for (const auto& [name, value] : cell.rules) {
            if (!is_rule_of_route(name)) {
                route.column_options[fmt::format("column.{}.{}", at->second, name)] = value;
            }
        }
        std::string record = fmt::format(R"({{"id":{},"{}":{}}})", i, at->second, cell.json);
        if (!cell.meaning.empty()) {
            record = fmt::format(
                R"({{"schema":{{"type":"struct","fields":[{{"field":"id","type":"int32"}},{}]}},"payload":{}}})",
                schema_of(cell, at->second),
                record);
        }
        route.records.push_back(record);
        route.cells.push_back(i);
    }
    db().execute(sql + ") CHARACTER SET utf8mb4 ENGINE = InnoDB");
    const auto file = std::filesystem::temp_directory_path() / (unique_name("matrix") + ".ini");
    {
        std::ofstream ini{file};
        ini << "connector = matrix\n[kafka]\nbootstrap.servers = " << broker
            << "\n[mysql]\nuri = " << uri() << "\n[bad-record]\nlimit = 0\n";
        int number = 0;
        for (auto& [key, route] : routes) {
            route.topic = unique_name("matrix");
            create_topic(broker, route.topic, 1);
            TestProducer producer{broker};
            for (const auto& record : route.records) {
                producer.produce(route.topic, 0, std::nullopt, record);
            }
            producer.flush();
            ini << "[route.r" << number++ << "]\ntopic = " << route.topic
                << "\ntable = matrix\non-bad-record = dead-letter\n"
                << route.options;
            for (const auto& [name, value] : route.column_options) {
                ini << name << " = " << value << "\n";
            }
        }
    }
    const auto zone = db().value("SELECT @@GLOBAL.time_zone");
    db().execute("SET GLOBAL time_zone = '+08:00'");
    const auto ending = run_txsink({"run", "--config", file.string(), "--until-end"});
    db().execute("SET GLOBAL time_zone = '" + zone + "'");
    std::filesystem::remove(file);
    ASSERT_EQ(ending.code, 0) << ending.output;

    auto session = db().connect();
    const auto table = mysql::read_table(session, {"", "matrix"});
    std::map<std::string, std::string> expressions;
    for (const auto& column : table.columns) {
        expressions[column.name] = shown(column, column.name, db().is_mariadb());
    }
    for (const auto& [key, route] : routes) {
        std::map<std::string, std::string> refusals;
        for (const auto& row : session.query(
                 "SELECT record_offset, error_code FROM txsink_dead_letters WHERE topic = '" +
                 route.topic + "'")) {
            refusals[row.at(0).value_or("")] = row.at(1).value_or("");
        }
        for (std::size_t offset = 0; offset < route.cells.size(); ++offset) {
            const auto i = route.cells[offset];
            SCOPED_TRACE(name_of_cell(cells[i]));
            const auto rows = session.query(
                fmt::format("SELECT {} FROM matrix WHERE id = {}", expressions[column_of[i]], i));
            const auto refusal = refusals.find(std::to_string(offset));
            if (cells[i].is_refused) {
                EXPECT_TRUE(rows.empty()) << escaped(rows[0].at(0));
                ASSERT_NE(refusal, refusals.end());
                EXPECT_EQ(refusal->second, cells[i].stored);
                continue;
            }
            ASSERT_EQ(rows.size(), 1u) << (refusal == refusals.end() ? "lost" : refusal->second);
            EXPECT_EQ(refusal, refusals.end());
            EXPECT_EQ(escaped(rows[0].at(0)), cells[i].stored);
        }
    }
}

}  // namespace
}  // namespace txsink::test
