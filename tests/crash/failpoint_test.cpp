/// @file
/// Killed with -9 at every point of the protocol, started again: each record once.
#include <csignal>
#include <string>

#include "support/ledger_world.hpp"

namespace txsink::test {
namespace {

struct Crash {
    const char* point;
    int pass;
    /// Comes back as a static member of the group, instead of with fixed partitions.
    bool in_group;
    friend std::ostream& operator<<(std::ostream& out, const Crash& crash) {
        return out << crash.point << ":" << crash.pass << (crash.in_group ? " in a group" : "");
    }
};

class EveryFailpoint : public LedgerWorld, public ::testing::WithParamInterface<Crash> {};

TEST_P(EveryFailpoint, EachRecordOnce) {
    const Crash& crash = GetParam();
    const auto failpoint = std::string{crash.point} + ":" + std::to_string(crash.pass);
    open();
    producer->produce(20'000);
    if (crash.in_group) {
        options["instance"] = topic;
    } else {
        use_fixed_partitions();
    }
    expect_exit(run_until_end({}, {{"TXSINK_FAILPOINT", failpoint}}), {-1, SIGKILL}, seconds{30});
    expect_exit(run_until_end(), {0, 0}, seconds{30});
    expect_exactly_once();
}

INSTANTIATE_TEST_SUITE_P(Points,
                         EveryFailpoint,
                         ::testing::Values(Crash{"create-offsets-before-commit", 1, false},
                                           Crash{"create-offsets-before-commit", 1, true},
                                           Crash{"claim-before-commit", 1, false},
                                           Crash{"claim-before-commit", 2, true},
                                           Crash{"claim-after-commit", 1, false},
                                           Crash{"claim-after-commit", 2, true},
                                           Crash{"before-begin", 1, true},
                                           Crash{"before-begin", 3, false},
                                           Crash{"after-begin", 1, false},
                                           Crash{"after-begin", 3, true},
                                           Crash{"after-offsets", 1, true},
                                           Crash{"after-offsets", 3, false},
                                           Crash{"before-commit", 1, false},
                                           Crash{"before-commit", 3, true},
                                           Crash{"after-commit", 1, true},
                                           Crash{"after-commit", 3, false},
                                           Crash{"after-acknowledge", 1, false},
                                           Crash{"after-acknowledge", 3, true}),
                         [](const auto& param_info) {
                             std::string name;
                             for (const char c : std::string{param_info.param.point}) {
                                 name += c == '-' ? '_' : c;
                             }
                             return name + "_" + std::to_string(param_info.param.pass) +
                                    (param_info.param.in_group ? "_group" : "");
                         });

/// Between the statements of one transaction: its rows must be more than one statement holds.
class BetweenRows : public LedgerWorld, public ::testing::WithParamInterface<int> {};

TEST_P(BetweenRows, EachRecordOnce) {
    open();
    use_fixed_partitions();
    producer->produce(6'000, 2'000);
    options["batch.rows"] = "2000";
    options["batch.bytes"] = "64MiB";
    options["batch.linger"] = "2s";
    const auto failpoint = "between-rows:" + std::to_string(GetParam());
    expect_exit(run_until_end({}, {{"TXSINK_FAILPOINT", failpoint}}), {-1, SIGKILL}, seconds{30});
    expect_exit(run_until_end(), {0, 0}, seconds{30});
    expect_exactly_once();
}

INSTANTIATE_TEST_SUITE_P(Passes, BetweenRows, ::testing::Values(1, 3));

}  // namespace
}  // namespace txsink::test
