/// @file
/// Fence: the random token under which a worker owns a partition's offset row.
#pragma once

#include <cstdint>

namespace txsink {

/// Written by a claim, compared by every batch.
///
/// A random number, because a counter hands the same number out twice when the database goes
/// back in time (fail-over to a lagging replica, a restored backup).
/// Invariant: 0 means "nobody has claimed this row yet".
enum class Fence : std::uint64_t {};

[[nodiscard]] constexpr std::uint64_t to_int(Fence fence) noexcept {
    return static_cast<std::uint64_t>(fence);
}

/// A fresh token from the system's random source; never 0.
/// Threading: any.
[[nodiscard]] Fence random_fence();

}  // namespace txsink
