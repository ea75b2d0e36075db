/// @file
/// `txsink dead-letters list`: what was refused and why, without the records themselves.
#include <fmt/format.h>

#include <limits>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/dead_letters_filter.hpp"
#include "cli/output.hpp"
#include "txsink/mysql/database.hpp"

namespace txsink::cli {
namespace {

constexpr std::int64_t kLimit = 100;

constexpr config::Flag kFlags[] = {
    kTopicFlag,
    kPartitionFlag,
    kFromFlag,
    kToFlag,
    kCodeFlag,
    {"limit", "N", "Shows at most N (default 100); the counts are of all"},
    kOutputFlag,
};

using Counts = std::map<std::string, std::uint64_t>;

std::string as_text(const std::vector<mysql::DeadLetterRow>& letters, const Counts& counts) {
    TextTable table{{{"RECORD"}, {"REFUSED (UTC)"}, {"CODE"}, {"TARGET"}, {"TEXT"}}};
    for (const auto& letter : letters) {
        const auto& partition = letter.key.partition;
        table.add({printable(record_name(partition.topic, partition.partition, letter.key.offset)),
                   letter.created_at.substr(0, letter.created_at.find('.')),
                   letter.error_code,
                   printable(letter.target),
                   printable(letter.error_text)});
    }
    std::uint64_t total = 0;
    std::string codes;
    for (const auto& [code, count] : counts) {
        total += count;
        codes += fmt::format("{}{} {}", codes.empty() ? "" : ", ", count, code);
    }
    const auto shown =
        letters.size() < total ? fmt::format(", the first {} shown", letters.size()) : "";
    return table.text() +
           fmt::format("\n{} dead letter{}{}: {}\n", total, total == 1 ? "" : "s", shown, codes);
}

std::string as_json(const std::string& connector,
                    const std::vector<mysql::DeadLetterRow>& letters,
                    const Counts& counts) {
    std::vector<JsonObject> objects;
    for (const auto& letter : letters) {
        JsonObject object;
        object.add("topic", letter.key.partition.topic)
            .add("partition", std::int64_t{letter.key.partition.partition})
            .add("offset", to_int(letter.key.offset))
            .add("refused_at", letter.created_at)
            .add("code", letter.error_code)
            .add("server_error", std::int64_t{letter.error_number})
            .add("target", letter.target)
            .add("text", letter.error_text);
        objects.push_back(std::move(object));
    }
    std::vector<JsonObject> codes;
    for (const auto& [code, count] : counts) {
        JsonObject object;
        object.add("code", code).add("count", static_cast<std::int64_t>(count));
        codes.push_back(std::move(object));
    }
    JsonObject all;
    all.add("connector", connector).add("dead_letters", objects).add("codes", codes);
    return all.text() + "\n";
}

int run(const Invocation& invocation) {
    const bool is_json = wants_json(invocation);
    const auto filter = filter_of(invocation);
    const auto limit = number_of(invocation, "limit", 1, std::numeric_limits<std::int32_t>::max())
                           .value_or(kLimit);
    const auto settings = load_with_topic(
        invocation, {.mysql = true, .kafka = false, .connector = true, .routes = false});
    observe::set_up_log(settings.log);
    const auto& connector = settings.pipeline.connector;
    mysql::Database database{settings.mysql};
    auto& session = database.session();
    const auto letters = mysql::read_dead_letters(session,
                                                  connector,
                                                  filter,
                                                  mysql::DeadLetterContent::summary,
                                                  static_cast<std::size_t>(limit));
    const auto counts = mysql::count_dead_letters_by_code(session, connector, filter);
    if (is_json) {
        print_out(as_json(connector, letters, counts));
    } else if (counts.empty()) {
        print_out(fmt::format("connector {} has no such dead letters\n", connector));
    } else {
        print_out(as_text(letters, counts));
    }
    return 0;
}

}  // namespace

const Command& dead_letters_list_command() {
    static constexpr Command kCommand{
        "dead-letters list",
        "",
        "shows which records were refused, and why",
        "Shows the connector's dead letters by topic, partition and offset, and how many there\n"
        "are of each reason. Shows no value of a record: that is for dead-letters show.",
        kFlags,
        true,
        run,
        kOptionsOfDeadLetters};
    return kCommand;
}

}  // namespace txsink::cli
