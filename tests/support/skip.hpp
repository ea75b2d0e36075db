/// @file
/// TXSINK_SKIP(why): the one way for a test to leave itself out; with CI=true it fails instead.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace txsink::test {

/// True where a test that cannot run is a failure.
[[nodiscard]] inline bool must_run_all() noexcept {
    const char* ci = std::getenv("CI");
    return ci != nullptr && std::string_view{ci} == "true";
}

}  // namespace txsink::test

/// For SetUp() and test bodies: ends them. `why` names what is missing and where it comes from.
#define TXSINK_SKIP(why)                           \
    do {                                           \
        if (::txsink::test::must_run_all()) {      \
            FAIL() << "cannot be tested: " << why; \
        }                                          \
        GTEST_SKIP() << "NOT TESTED: " << why;     \
    } while (false)
