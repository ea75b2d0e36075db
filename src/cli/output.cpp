#include "cli/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "txsink/core/base64.hpp"
#include "txsink/core/sink_error.hpp"

namespace txsink::cli {
namespace {

/// Length of the well-formed UTF-8 character that `text` begins with; 0 when there is none.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto is_tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const auto lead = byte(0);
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead < 0xE0) {
        return is_tail(1) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead < 0xF0) {
        const bool is_overlong = lead == 0xE0 && byte(1) < 0xA0;
        const bool is_surrogate = lead == 0xED && byte(1) >= 0xA0;
        return is_tail(1) && is_tail(2) && !is_overlong && !is_surrogate ? 3 : 0;
    }
    if (lead >= 0xF0 && lead < 0xF5) {
        const bool is_overlong = lead == 0xF0 && byte(1) < 0x90;
        const bool is_beyond = lead == 0xF4 && byte(1) >= 0x90;
        return is_tail(1) && is_tail(2) && is_tail(3) && !is_overlong && !is_beyond ? 4 : 0;
    }
    return 0;
}

std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

}  // namespace

std::string json_string(std::string_view text) {
    std::string json{"\""};
    while (!text.empty()) {
        const auto length = character_length(text);
        const char first = text.front();
        if (length == 0) {
            json += "\\ufffd";
        } else if (first == '"' || first == '\\') {
            json += '\\';
            json += first;
        } else if (static_cast<unsigned char>(first) < 0x20 || first == 0x7f) {
            json += fmt::format("\\u{:04x}", first);
        } else {
            json += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return json + "\"";
}

void JsonObject::add_raw(std::string_view name, std::string_view json) {
    members_ += fmt::format("{}{}:{}", members_.empty() ? "" : ",", json_string(name), json);
}

JsonObject& JsonObject::add(std::string_view name, std::string_view text) {
    add_raw(name, json_string(text));
    return *this;
}

JsonObject& JsonObject::add(std::string_view name, std::int64_t number) {
    add_raw(name, std::to_string(number));
    return *this;
}

JsonObject& JsonObject::add(std::string_view name, std::optional<std::int64_t> number) {
    add_raw(name, number ? std::to_string(*number) : "null");
    return *this;
}

JsonObject& JsonObject::add(std::string_view name, const std::vector<JsonObject>& array) {
    std::string json;
    for (const auto& object : array) {
        json += (json.empty() ? "" : ",") + object.text();
    }
    add_raw(name, "[" + json + "]");
    return *this;
}

JsonObject& JsonObject::add_text_or_null(std::string_view name,
                                         const std::optional<std::string>& text) {
    add_raw(name, text ? json_string(*text) : "null");
    return *this;
}

ShownBytes show_bytes(std::string_view bytes) {
    if (is_text(bytes)) {
        return {std::string{bytes}, true};
    }
    return {to_base64(bytes), false};
}

bool is_text(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto length = character_length(bytes);
        const char first = bytes.front();
        const bool is_control = static_cast<unsigned char>(first) < 0x20 || first == 0x7f;
        if (length == 0 || (is_control && first != '\t' && first != '\n' && first != '\r')) {
            return false;
        }
        bytes.remove_prefix(length);
    }
    return true;
}

std::string printable(std::string_view text) {
    std::string result{text};
    std::replace_if(
        result.begin(),
        result.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; },
        '?');
    return result;
}

void print_out(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
        throw SinkError{ErrorKind::internal,
                        "cannot write to standard output",
                        std::generic_category().message(errno)};
    }
}

std::string TextTable::text() const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        widths.push_back(width(columns_[i].heading));
        for (const auto& row : rows_) {
            widths[i] = std::max(widths[i], width(row[i]));
        }
    }
    std::string text;
    const auto add_line = [&](const auto& cell_of) {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::string& cell = cell_of(i);
            const std::string padding(widths[i] - width(cell), ' ');
            line +=
                (i == 0 ? "" : "  ") + (columns_[i].is_number ? padding + cell : cell + padding);
        }
        line.resize(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    };
    add_line([&](std::size_t i) -> const std::string& { return columns_[i].heading; });
    for (const auto& row : rows_) {
        add_line([&](std::size_t i) -> const std::string& { return row[i]; });
    }
    return text;
}

std::string brief_age(std::int64_t milliseconds) {
    const auto seconds = std::max<std::int64_t>(milliseconds, 0) / 1000;
    if (seconds < 120) {
        return fmt::format("{}s", seconds);
    }
    if (seconds < 2 * 3600) {
        return fmt::format("{}m", seconds / 60);
    }
    return seconds < 2 * 86'400 ? fmt::format("{}h", seconds / 3600)
                                : fmt::format("{}d", seconds / 86'400);
}

}  // namespace txsink::cli
