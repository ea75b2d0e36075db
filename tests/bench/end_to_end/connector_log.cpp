/// @file
/// The pure part of connector.hpp: what the connector's log says about its waiting.
#include <regex>

#include "connector.hpp"

namespace txsink::bench {

void take_waits(const std::string& log, ConnectorRun& run) {
    static const std::regex kWaits{R"(waited ([0-9.]+) s for MySQL, ([0-9.]+) s of it for COMMIT)"};
    std::smatch found;
    if (std::regex_search(log, found, kWaits)) {
        run.mysql_seconds = std::stod(found[1]);
        run.commit_seconds = std::stod(found[2]);
    }
}

}  // namespace txsink::bench
