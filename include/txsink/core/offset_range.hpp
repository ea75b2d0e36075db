/// @file
/// Offsets and half-open offset ranges: what one transaction moves for one partition.
#pragma once

#include <cassert>
#include <cstdint>

namespace txsink {

/// Position in a partition's log, counted in records from 0.
///
/// As a position it is always "next offset to read" (last applied + 1), as Kafka's group offsets.
enum class Offset : std::int64_t {};

[[nodiscard]] constexpr std::int64_t to_int(Offset offset) noexcept {
    return static_cast<std::int64_t>(offset);
}

/// The offset that follows `offset`.
[[nodiscard]] constexpr Offset next(Offset offset) noexcept {
    return Offset{to_int(offset) + 1};
}

/// The offsets [begin, end) that one transaction applies for one partition.
///
/// Invariant: 0 <= begin < end. Gaps inside are legal (compaction, transaction markers), so
/// `end - begin` is not a row count.
/// Threading: immutable.
class OffsetRange {
public:
    /// Precondition: 0 <= begin < end.
    OffsetRange(Offset begin, Offset end) : begin_{begin}, end_{end} {
        assert(Offset{0} <= begin);
        assert(begin < end);
    }

    [[nodiscard]] Offset begin() const noexcept { return begin_; }
    [[nodiscard]] Offset end() const noexcept { return end_; }

    friend bool operator==(const OffsetRange&, const OffsetRange&) = default;

private:
    Offset begin_;
    Offset end_;
};

}  // namespace txsink
