/// @file
/// ManualClock: time that a test turns by hand.
#pragma once

#include "txsink/core/clock.hpp"

namespace txsink::test {

class ManualClock final : public Clock {
public:
    [[nodiscard]] TimePoint now() const override { return now_; }
    void advance(std::chrono::milliseconds by) { now_ += by; }

private:
    TimePoint now_{std::chrono::hours{1}};
};

}  // namespace txsink::test
