/// @file
/// `txsink dead-letters purge`: forgets refused records.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "cli/command.hpp"
#include "cli/dead_letters_filter.hpp"
#include "cli/output.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mysql/database.hpp"

namespace txsink::cli {
namespace {

/// Removed by one transaction.
constexpr std::size_t kAtOnce = 1'000;

constexpr config::Flag kFlags[] = {
    kTopicFlag,
    kPartitionFlag,
    kFromFlag,
    kToFlag,
    kCodeFlag,
    {"limit", "N", "Removes at most N, the first by topic, partition and offset"},
    {"yes", "", "Removes them; without it they are counted only"},
};

std::string counted(std::uint64_t count) {
    return fmt::format("{} dead letter{}", count, count == 1 ? "" : "s");
}

/// Counts in `removed` as it goes, page by page: an error leaves what was removed before.
void purge(mysql::Session& session,
           const std::string& connector,
           mysql::DeadLetterFilter filter,
           std::uint64_t most,
           std::uint64_t& removed) {
    for (std::uint64_t left = most; left > 0;) {
        const auto letters = mysql::read_dead_letters(
            session,
            connector,
            filter,
            mysql::DeadLetterContent::summary,
            static_cast<std::size_t>(std::min<std::uint64_t>(left, kAtOnce)));
        if (letters.empty()) {
            break;
        }
        std::vector<mysql::DeadLetterKey> keys;
        for (const auto& letter : letters) {
            keys.push_back(letter.key);
        }
        removed += mysql::remove_dead_letters(session, connector, keys);
        filter.after = keys.back();
        left -= keys.size();
    }
}

int run(const Invocation& invocation) {
    const auto filter = filter_of(invocation);
    const auto most = static_cast<std::uint64_t>(
        number_of(invocation, "limit", 1, std::numeric_limits<std::int64_t>::max())
            .value_or(std::numeric_limits<std::int64_t>::max()));
    const auto settings = load_with_topic(
        invocation, {.mysql = true, .kafka = false, .connector = true, .routes = false});
    observe::set_up_log(settings.log);
    const auto& connector = settings.pipeline.connector;
    mysql::Database database{settings.mysql};
    auto& session = database.session();
    if (!invocation.line.has("yes")) {
        const auto count = std::min(most, mysql::count_dead_letters(session, connector, filter));
        print_out(fmt::format("would remove {}; --yes removes them\n", counted(count)));
        return 0;
    }
    std::uint64_t removed = 0;
    try {
        purge(session, connector, filter, most, removed);
    } catch (const SinkError&) {
        print_out(fmt::format("removed {}\n", counted(removed)));
        throw;
    }
    print_out(fmt::format("removed {}\n", counted(removed)));
    return 0;
}

}  // namespace

const Command& dead_letters_purge_command() {
    static constexpr Command kCommand{
        "dead-letters purge",
        "",
        "forgets refused records for good",
        "Removes the connector's dead letters that the flags take; without flags, all of them.\n"
        "Their records are then nowhere but in Kafka. Says how many they are, unless --yes is\n"
        "given.",
        kFlags,
        true,
        run,
        kOptionsOfDeadLetters};
    return kCommand;
}

}  // namespace txsink::cli
