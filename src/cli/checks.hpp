/// @file
/// The checks that `run` makes before it starts, and `check` in full: one list for both.
#pragma once

#include <chrono>
#include <stop_token>

#include "cli/findings.hpp"
#include "txsink/config/settings.hpp"

namespace txsink::cli {

/// `ok`, `warn`, `FAIL`, `skip`.
[[nodiscard]] const char* name_of(Status status) noexcept;

struct CheckPlan {
    /// Only what would stop `run` at once; the rest it finds out, or logs, by itself.
    bool only_for_start = false;
    /// A server that does not answer is asked again for this long; zero: once.
    std::chrono::milliseconds patience{0};
    std::stop_token stop;
};

/// Makes the checks in order, and hands each finding to `found`, which may throw to end it all.
/// Checks that need what an earlier one did not get are skipped. Writes nothing.
void make_checks(const config::Settings& settings,
                 const CheckPlan& plan,
                 const FindingListener& found);

}  // namespace txsink::cli
