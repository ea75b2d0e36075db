#include "mapping/geometry.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "mapping/misfit.hpp"

namespace txsink::mapping {

namespace {

using decode::ValueKind;

constexpr std::array<std::string_view, 8> kGeometryNames{"GEOMETRY",
                                                         "POINT",
                                                         "LINESTRING",
                                                         "POLYGON",
                                                         "MULTIPOINT",
                                                         "MULTILINESTRING",
                                                         "MULTIPOLYGON",
                                                         "GEOMETRYCOLLECTION"};

/// EWKB: flags in the type.
constexpr std::uint32_t kHasZ = 0x80000000;
constexpr std::uint32_t kHasM = 0x40000000;
constexpr std::uint32_t kHasSrid = 0x20000000;

RecordError malformed(ValueKind kind, const char* what) {
    return misfit(RecordErrorCode::malformed_value, kind, what);
}

/// Takes numbers off the front of WKB; absent at its end.
class WkbReader {
public:
    explicit WkbReader(std::string_view bytes) : rest_{bytes} {}

    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

    /// Reads the byte order mark, which goes for what follows.
    bool byte_order() noexcept {
        if (rest_.empty() || static_cast<unsigned char>(rest_[0]) > 1) {
            return false;
        }
        is_big_endian_ = rest_[0] == '\0';
        rest_.remove_prefix(1);
        return true;
    }
    std::optional<std::uint32_t> number() noexcept {
        const auto value = take<sizeof(std::uint32_t)>();
        return value ? std::optional{static_cast<std::uint32_t>(*value)} : std::nullopt;
    }
    std::optional<double> coordinate() noexcept {
        const auto value = take<sizeof(double)>();
        return value ? std::optional{std::bit_cast<double>(*value)} : std::nullopt;
    }

private:
    template <std::size_t size>
    std::optional<std::uint64_t> take() noexcept {
        if (rest_.size() < size) {
            return std::nullopt;
        }
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t at = is_big_endian_ ? i : size - 1 - i;
            value = value << 8U | static_cast<unsigned char>(rest_[at]);
        }
        rest_.remove_prefix(size);
        return value;
    }

    std::string_view rest_;
    bool is_big_endian_ = false;
};

/// Copies one geometry after another from foreign WKB to ours.
class Transcoder {
public:
    Transcoder(WkbReader& reader, std::string& wkb, std::optional<std::uint32_t>& srid)
        : reader_{reader}, writer_{wkb}, srid_{srid} {}

    Result<Done> geometry(int depth) {
        const std::optional<std::uint32_t> full_type =
            reader_.byte_order() ? reader_.number() : std::nullopt;
        if (!full_type || depth > kDeepestGeometry) {
            return malformed(ValueKind::string, "is no WKB");
        }
        // ISO WKB adds 1000, 2000, 3000 for the third and fourth coordinate.
        const std::uint32_t type = *full_type & ~(kHasZ | kHasM | kHasSrid);
        if ((*full_type & (kHasZ | kHasM)) != 0 || (type > 1'000 && type < 4'000)) {
            return misfit(RecordErrorCode::would_lose_digits, "has a third coordinate");
        }
        if ((*full_type & kHasSrid) != 0) {
            srid_ = reader_.number();
        }
        if (type < kPoint || type > kCollection) {
            return malformed(ValueKind::string, "is no WKB of a known type");
        }
        writer_.header(type);
        return body(type, depth);
    }

private:
    Result<Done> body(std::uint32_t type, int depth) {
        if (type == kPoint) {
            return points(1);
        }
        const std::optional<std::uint32_t> count = reader_.number();
        if (!count) {
            return cut();
        }
        writer_.number(*count);
        if (type == kLineString) {
            return points(*count);
        }
        for (std::uint32_t i = 0; i < *count; ++i) {
            if (Result<Done> done = type == kPolygon ? ring() : geometry(depth + 1); !done) {
                return done;
            }
        }
        return Done{};
    }
    Result<Done> ring() {
        const std::optional<std::uint32_t> count = reader_.number();
        if (!count) {
            return cut();
        }
        writer_.number(*count);
        return points(*count);
    }
    Result<Done> points(std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::optional<double> x = reader_.coordinate();
            const std::optional<double> y = reader_.coordinate();
            if (!x || !y) {
                return cut();
            }
            writer_.coordinate(*x);
            writer_.coordinate(*y);
        }
        return Done{};
    }
    static RecordError cut() { return malformed(ValueKind::string, "is WKB without its end"); }

    WkbReader& reader_;
    WkbWriter writer_;
    std::optional<std::uint32_t>& srid_;
};

struct Position {
    double x = 0;
    double y = 0;
    friend bool operator==(const Position&, const Position&) = default;
};

/// Walks through WKB that is known to be complete.
class Checker {
public:
    Checker(std::string_view wkb, std::uint32_t srid, ValueKind kind)
        : reader_{wkb}, kind_{kind}, is_on_globe_{srid == kWgs84} {}

    /// `inside`: the type of the geometry around it, 0 for none.
    Result<Done> geometry(std::uint32_t inside) {
        reader_.byte_order();
        const std::uint32_t type = *reader_.number();
        const bool is_part = inside >= kMultiPoint && inside < kCollection;
        if (is_part && type != inside - (kMultiPoint - kPoint)) {
            return malformed(kind_, "has a part of another type than its own");
        }
        if (type == kPoint) {
            return points(1, 1, false);
        }
        const std::uint32_t count = *reader_.number();
        if (type == kLineString) {
            return points(count, 2, false);
        }
        if (count == 0 && type != kCollection) {
            return malformed(kind_, "is empty, which only a GEOMETRYCOLLECTION can be");
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            Result<Done> done =
                type == kPolygon ? points(*reader_.number(), 4, true) : geometry(type);
            if (!done) {
                return done;
            }
        }
        return Done{};
    }

private:
    Result<Done> points(std::uint32_t count, std::uint32_t fewest, bool is_ring) {
        if (count < fewest) {
            return malformed(kind_,
                             is_ring ? "has a ring of fewer than 4 points"
                                     : "has a line of fewer than 2 points");
        }
        Position first;
        Position last;
        for (std::uint32_t i = 0; i < count; ++i) {
            last.x = *reader_.coordinate();
            last.y = *reader_.coordinate();
            first = i == 0 ? last : first;
            if (!std::isfinite(last.x) || !std::isfinite(last.y)) {
                return malformed(kind_, "has a coordinate that is no number");
            }
            if (is_on_globe_ && (last.x <= -180 || last.x > 180 || std::fabs(last.y) > 90)) {
                return misfit(
                    RecordErrorCode::out_of_range,
                    kind_,
                    "has a longitude outside (-180, 180] or a latitude outside [-90, 90]");
            }
        }
        if (is_ring && first != last) {
            return malformed(kind_, "has a ring that is not closed");
        }
        return Done{};
    }

    WkbReader reader_;
    ValueKind kind_;
    bool is_on_globe_;
};

void append_little_endian(std::string& bytes, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
    }
}

}  // namespace

std::uint32_t geometry_type_of(std::string_view name) noexcept {
    const auto is_same = [name](std::string_view known) {
        return std::equal(name.begin(), name.end(), known.begin(), known.end(), [](char a, char b) {
            return (a >= 'a' && a <= 'z' ? a - 32 : a) == b;
        });
    };
    if (is_same("GEOMCOLLECTION")) {
        return kCollection;
    }
    const auto at = std::find_if(kGeometryNames.begin(), kGeometryNames.end(), is_same);
    return at == kGeometryNames.end() ? 0 : static_cast<std::uint32_t>(at - kGeometryNames.begin());
}

void WkbWriter::header(std::uint32_t type) {
    wkb_ += '\x01';
    number(type);
}

void WkbWriter::number(std::uint32_t value) {
    append_little_endian(wkb_, value, sizeof value);
}

void WkbWriter::coordinate(double value) {
    append_little_endian(wkb_, std::bit_cast<std::uint64_t>(value), sizeof value);
}

std::size_t WkbWriter::count() {
    const std::size_t place = wkb_.size();
    number(0);
    return place;
}

void WkbWriter::count_at(std::size_t place, std::uint32_t value) {
    for (std::size_t i = 0; i < sizeof value; ++i) {
        wkb_[place + i] = static_cast<char>(value >> (8 * i) & 0xFFU);
    }
}

Result<Done> append_wkb(std::string& wkb,
                        std::optional<std::uint32_t>& srid,
                        std::string_view bytes) {
    WkbReader reader{bytes};
    Result<Done> done = Transcoder{reader, wkb, srid}.geometry(0);
    if (done && !reader.is_at_end()) {
        return malformed(ValueKind::string, "has bytes after its WKB");
    }
    return done;
}

Result<Done> check_geometry(std::string_view wkb, std::uint32_t srid, ValueKind kind) {
    return Checker{wkb, srid, kind}.geometry(0);
}

}  // namespace txsink::mapping
