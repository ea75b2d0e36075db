/// @file
/// Repeatable random numbers, even ones and such as hot keys have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace txsink::bench {

/// splitmix64: the same numbers from the same seed, everywhere.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_{seed} {}

    [[nodiscard]] std::uint64_t next() noexcept {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    /// 0 to `bound` - 1. Precondition: 0 < bound.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
    /// 0 to just below 1.
    [[nodiscard]] double fraction() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    std::uint64_t state_;
};

/// Ranks 0, 1, ... of which rank r comes in proportion to 1 / (r + 1) ^ exponent.
class Zipf {
public:
    /// Precondition: 0 < ranks.
    Zipf(std::size_t ranks, double exponent);
    [[nodiscard]] std::size_t next(Random& random) const;

private:
    std::vector<double> up_to_;  ///< of all, the share of the ranks up to this one
};

}  // namespace txsink::bench
