/// @file
/// `txsink check`: everything that `run` needs, one line a check; writes nothing.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/checks.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"

namespace txsink::cli {
namespace {

constexpr config::Flag kFlags[] = {kOutputFlag};

void print_text(const Finding& finding) {
    auto text = fmt::format("{:<5} {:<18} {}\n",
                            name_of(finding.status),
                            printable(finding.subject),
                            printable(finding.what));
    if (!finding.detail.empty()) {
        text += fmt::format("      detail: {}\n", printable(finding.detail));
    }
    if (!finding.hint.empty()) {
        text += fmt::format("      hint: {}\n", printable(finding.hint));
    }
    print_out(text);
}

JsonObject to_json(const Finding& finding) {
    JsonObject object;
    object.add("check", finding.subject)
        .add("status", name_of(finding.status))
        .add("what", finding.what)
        .add("detail", finding.detail)
        .add("hint", finding.hint);
    return object;
}

int run(const Invocation& invocation) {
    const bool as_json = wants_json(invocation);
    const auto settings = invocation.load_settings({});
    observe::set_up_log(settings.log);
    std::vector<JsonObject> objects;
    std::optional<ErrorKind> first_failure;
    int failures = 0;
    make_checks(settings, {}, [&](const Finding& finding) {
        if (as_json) {
            objects.push_back(to_json(finding));
        } else {
            print_text(finding);
        }
        if (finding.status == Status::failed) {
            ++failures;
            first_failure = first_failure.value_or(finding.kind);
        }
    });
    if (as_json) {
        JsonObject all;
        all.add("status", failures == 0 ? "ok" : "fail").add("checks", objects);
        print_out(all.text() + "\n");
    } else if (failures == 0) {
        print_out("\nready to run\n");
    } else {
        print_out(fmt::format("\n{} check{} failed\n", failures, failures == 1 ? "" : "s"));
    }
    return first_failure ? exit_code(*first_failure) : 0;
}

}  // namespace

const Command& check_command() {
    static constexpr Command kCommand{
        "check",
        "",
        "checks everything that run needs, and says how to mend what is missing",
        "Connects to both servers and checks all that run needs: versions, privileges, txsink's\n"
        "tables, target tables with their engine and keys, topics, and whether the stored offsets\n"
        "are still in range. One line a check. Writes nothing. Ends with 0 only if nothing failed.",
        kFlags,
        true,
        run};
    return kCommand;
}

}  // namespace txsink::cli
