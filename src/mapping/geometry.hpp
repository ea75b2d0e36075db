/// @file
/// Geometries out of WKT, GeoJSON and WKB, all as plain little-endian WKB with two coordinates.
///
/// Everything is checked here: MariaDB stores NULL for a text that it cannot read. Coordinates
/// stand in the order x, y on both servers, which is longitude, latitude.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "txsink/core/result.hpp"
#include "txsink/decode/value.hpp"

namespace txsink::mapping {

/// The types' numbers in WKB.
enum : std::uint32_t {
    kPoint = 1,
    kLineString,
    kPolygon,
    kMultiPoint,
    kMultiLineString,
    kMultiPolygon,
    kCollection,
};

/// The type's number in WKB, 1 (POINT) to 7 (GEOMETRYCOLLECTION); 0 for `geometry` and names that
/// are none. `name`: in any case.
[[nodiscard]] std::uint32_t geometry_type_of(std::string_view name) noexcept;

inline constexpr std::uint32_t kWgs84 = 4326;
/// Geometries inside geometries.
inline constexpr int kDeepestGeometry = 32;

/// Appends one geometry, part by part. Nothing is checked.
class WkbWriter {
public:
    explicit WkbWriter(std::string& wkb) : wkb_{wkb} {}

    void header(std::uint32_t type);
    void number(std::uint32_t value);
    void coordinate(double value);
    /// Writes a count that count_at() fills in later; returns its place.
    [[nodiscard]] std::size_t count();
    void count_at(std::size_t place, std::uint32_t value);

private:
    std::string& wkb_;
};

/// `SRID=4326;POINT(1 2)`; the SRID may be missing.
/// Errors: malformed_value; would_lose_digits: a third coordinate, or a whole number that a double
/// does not hold; out_of_range: a number beyond double.
[[nodiscard]] Result<Done> append_wkt(std::string& wkb,
                                      std::optional<std::uint32_t>& srid,
                                      std::string_view text);
/// A geometry object of RFC 7946. Errors: as append_wkt.
[[nodiscard]] Result<Done> append_geojson(std::string& wkb, decode::Document object);
/// WKB of either byte order, or EWKB with an SRID. Errors: as append_wkt.
[[nodiscard]] Result<Done> append_wkb(std::string& wkb,
                                      std::optional<std::uint32_t>& srid,
                                      std::string_view bytes);

/// Checks what append_... wrote: lines of two points, rings of four that are closed, finite
/// coordinates, and in WGS 84 degrees of the globe.
/// Errors: malformed_value, out_of_range, naming `kind`.
[[nodiscard]] Result<Done> check_geometry(std::string_view wkb,
                                          std::uint32_t srid,
                                          decode::ValueKind kind);

}  // namespace txsink::mapping
