/// @file
/// The pure part of connector.hpp: what the connector's log says about its waiting.
#include <regex>

#include "connector.hpp"

namespace txsink::bench {
namespace {

std::optional<double> seconds_in(const std::string& log, const std::string& what) {
    std::smatch found;
    return std::regex_search(log, found, std::regex{"([0-9.]+) s in " + what})
               ? std::optional{std::stod(found[1])}
               : std::nullopt;
}

}  // namespace

void take_waits(const std::string& log, ConnectorRun& run) {
    // Other progress lines tell of their own ten seconds only.
    const auto begin = log.rfind("whole run");
    const auto last = begin == std::string::npos ? std::string{} : log.substr(begin);
    run.statement_seconds = seconds_in(last, "statements");
    run.commit_seconds = seconds_in(last, "COMMIT");
}

}  // namespace txsink::bench
