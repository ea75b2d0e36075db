/// @file
/// What commands print: tables for people, JSON for scripts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace txsink::cli {

/// `text` as a JSON string, in quotes. Well-formed whatever the bytes: what is not UTF-8 becomes
/// U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

/// A JSON object that is built member by member, in order.
class JsonObject {
public:
    JsonObject& add(std::string_view name, std::string_view text);
    JsonObject& add(std::string_view name, std::int64_t number);
    /// Absent: null.
    JsonObject& add(std::string_view name, std::optional<std::int64_t> number);
    JsonObject& add(std::string_view name, const std::vector<JsonObject>& array);
    /// Absent: null.
    JsonObject& add_text_or_null(std::string_view name, const std::optional<std::string>& text);
    [[nodiscard]] std::string text() const { return "{" + members_ + "}"; }

private:
    void add_raw(std::string_view name, std::string_view json);
    std::string members_;
};

/// Whether `bytes` are UTF-8 without control characters other than tab and line breaks.
[[nodiscard]] bool is_text(std::string_view bytes);

/// `text` on one line of a terminal: control characters become '?'.
[[nodiscard]] std::string printable(std::string_view text);

/// Writes `text` to standard output, at once: a full disk or a closed pipe must not pass for
/// success. Errors: SinkError internal.
void print_out(std::string_view text);

/// Columns that line up, under a heading. Columns of numbers stand to the right.
class TextTable {
public:
    struct Column {
        std::string heading;
        bool is_number = false;
    };
    explicit TextTable(std::vector<Column> columns) : columns_{std::move(columns)} {}
    /// Precondition: one cell for each column.
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    [[nodiscard]] std::string text() const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// Bytes for people: themselves when they are text, else their base64.
struct ShownBytes {
    std::string data;
    bool is_text = true;
};
[[nodiscard]] ShownBytes show_bytes(std::string_view bytes);

/// `3s`, `5m`, `2h`, `4d`: how long ago, for people.
[[nodiscard]] std::string brief_age(std::int64_t milliseconds);

}  // namespace txsink::cli
