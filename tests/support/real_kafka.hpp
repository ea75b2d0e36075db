/// @file
/// RealKafka: a test fixture for tests that need the broker of tools/with-services.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/skip.hpp"

namespace txsink::test {

/// Skips the test when there is no broker; fails it where one is a must (CI=true).
class RealKafka : public ::testing::Test {
protected:
    void SetUp() override {
        const char* address = std::getenv("TXSINK_TEST_KAFKA");
        if (address == nullptr) {
            TXSINK_SKIP("no broker; run this under tools/with-services");
        }
        broker = address;
    }

    std::string broker;  ///< bootstrap.servers
};

}  // namespace txsink::test
