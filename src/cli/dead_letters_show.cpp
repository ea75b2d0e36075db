/// @file
/// `txsink dead-letters show`: one refused record, all of it.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/dead_letter_record.hpp"
#include "cli/dead_letters_filter.hpp"
#include "cli/output.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/database.hpp"

namespace txsink::cli {
namespace {

constexpr config::Flag kFlags[] = {kOutputFlag};

/// Key, value or header: text as it is, other bytes as base64.
std::string shown(const std::optional<std::string>& bytes) {
    if (!bytes) {
        return "null";
    }
    const auto text = show_bytes(*bytes);
    return text.is_text ? text.data : "base64 " + text.data;
}

std::string as_text(const mysql::DeadLetterRow& letter) {
    const auto& partition = letter.key.partition;
    const auto server = letter.error_number == 0
                            ? ""
                            : fmt::format(" (error {} of the server)", letter.error_number);
    std::string text = fmt::format(
        "record     {}\nrefused    {} UTC\ncode       {}{}\ntarget     {}\ntext       {}\n",
        printable(record_name(partition.topic, partition.partition, letter.key.offset)),
        letter.created_at,
        letter.error_code,
        server,
        printable(letter.target),
        printable(letter.error_text));
    if (letter.timestamp_ms >= 0) {
        text += fmt::format("timestamp  {} ms since 1970\n", letter.timestamp_ms);
    }
    for (const auto& [name, value] : headers_of(letter)) {
        text += fmt::format("header     {} = {}\n", printable(name), shown(value));
    }
    if (!letter.is_whole) {
        text += "incomplete: what was too large for a packet was left out\n";
    }
    return text + fmt::format("key        {}\nvalue      {}\n",
                              shown(letter.record_key),
                              shown(letter.record_value));
}

void add_bytes(JsonObject& object,
               const std::string& name,
               const std::optional<std::string>& bytes) {
    std::optional<std::string> data;
    bool is_text = true;
    if (bytes) {
        const auto text = show_bytes(*bytes);
        data = text.data;
        is_text = text.is_text;
    }
    object.add_text_or_null(name, data).add(name + "_encoding", is_text ? "text" : "base64");
}

std::string as_json(const mysql::DeadLetterRow& letter) {
    JsonObject object;
    object.add("topic", letter.key.partition.topic)
        .add("partition", std::int64_t{letter.key.partition.partition})
        .add("offset", to_int(letter.key.offset))
        .add("refused_at", letter.created_at)
        .add("code", letter.error_code)
        .add("server_error", std::int64_t{letter.error_number})
        .add("target", letter.target)
        .add("text", letter.error_text)
        .add("timestamp_ms",
             letter.timestamp_ms < 0 ? std::optional<std::int64_t>{} : letter.timestamp_ms)
        .add("is_whole", std::int64_t{letter.is_whole ? 1 : 0});
    add_bytes(object, "key", letter.record_key);
    add_bytes(object, "value", letter.record_value);
    std::vector<JsonObject> headers;
    for (const auto& [name, value] : headers_of(letter)) {
        JsonObject header;
        header.add("name", name);
        add_bytes(header, "value", value);
        headers.push_back(std::move(header));
    }
    object.add("headers", headers);
    return object.text() + "\n";
}

int run(const Invocation& invocation) {
    const bool is_json = wants_json(invocation);
    if (invocation.arguments.size() != 1) {
        throw SinkError{ErrorKind::usage,
                        "dead-letters show needs a record",
                        {},
                        "for example: txsink dead-letters show orders:0@42"};
    }
    const auto key = parse_record_name(invocation.arguments[0]);
    const auto settings = invocation.load_settings(
        {.mysql = true, .kafka = false, .connector = true, .routes = false});
    observe::set_up_log(settings.log);
    mysql::Database database{settings.mysql};
    mysql::DeadLetterFilter filter;
    filter.topic = key.partition.topic;
    filter.partition = key.partition.partition;
    filter.first = key.offset;
    filter.last = key.offset;
    const auto letters = mysql::read_dead_letters(database.session(),
                                                  settings.pipeline.connector,
                                                  filter,
                                                  mysql::DeadLetterContent::whole,
                                                  1);
    if (letters.empty()) {
        throw SinkError{ErrorKind::configuration,
                        fmt::format("connector {} has no dead letter {}",
                                    settings.pipeline.connector,
                                    invocation.arguments[0]),
                        {},
                        "txsink dead-letters list shows them"};
    }
    print_out(is_json ? as_json(letters.front()) : as_text(letters.front()));
    return 0;
}

}  // namespace

const Command& dead_letters_show_command() {
    static constexpr Command kCommand{
        "dead-letters show",
        "TOPIC:PARTITION@OFFSET",
        "shows one refused record, its value included",
        "Shows all that is kept of a refused record: key, value and headers as text, or as base64\n"
        "where they are not, and why it was refused.",
        kFlags,
        true,
        run,
        kOptionsOfDeadLetters};
    return kCommand;
}

}  // namespace txsink::cli
