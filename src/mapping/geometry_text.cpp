/// @file
/// Geometries out of text: WKT and GeoJSON.
#include <algorithm>
#include <charconv>

#include "mapping/floating.hpp"
#include "mapping/geometry.hpp"
#include "mapping/misfit.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Value;
using decode::ValueKind;

constexpr const char* kThirdCoordinate = "has a third coordinate";

/// How deep the lists of a type are: a position, a list of positions, of rings, of polygons.
int depth_of(std::uint32_t type) noexcept {
    constexpr int kDepths[] = {0, 0, 1, 2, 1, 2, 3, 0};
    return kDepths[type];
}

/// The type of each part of a MULTI type; 0 for others.
std::uint32_t part_of(std::uint32_t type) noexcept {
    return type >= kMultiPoint && type <= kMultiPolygon ? type - (kMultiPoint - kPoint) : 0;
}

RecordError no_wkt() {
    return misfit(RecordErrorCode::malformed_value, "is no geometry as WKT");
}

/// Recursive descent over WKT.
class WktReader {
public:
    WktReader(std::string_view text, std::string& wkb) : rest_{text}, writer_{wkb} {}

    Result<Done> all() {
        Result<Done> done = geometry(0);
        skip_blanks();
        return done && !rest_.empty() ? no_wkt() : done;
    }

private:
    void skip_blanks() noexcept {
        const std::size_t at = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(std::min(at, rest_.size()));
    }
    bool take(char mark) noexcept {
        skip_blanks();
        if (!rest_.starts_with(mark)) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }
    [[nodiscard]] bool sees(char mark) noexcept {
        skip_blanks();
        return rest_.starts_with(mark);
    }
    std::string_view word() noexcept {
        skip_blanks();
        const auto end = std::find_if(rest_.begin(), rest_.end(), [](char c) {
            return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
        });
        const auto size = static_cast<std::size_t>(end - rest_.begin());
        const std::string_view result = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return result;
    }

    Result<Done> geometry(int depth) {
        const std::uint32_t type = geometry_type_of(word());
        if (type == 0 || depth > kDeepestGeometry) {
            return no_wkt();
        }
        writer_.header(type);
        if (!sees('(')) {
            return after_type(type);
        }
        if (type == kCollection) {
            return list([&] { return geometry(depth + 1); });
        }
        return type == kPoint ? bracketed_position() : lists(type, depth_of(type));
    }

    /// EMPTY, or Z, M and ZM.
    Result<Done> after_type(std::uint32_t type) {
        const std::string_view what = word();
        if (what == "Z" || what == "M" || what == "ZM") {
            return misfit(RecordErrorCode::would_lose_digits, kThirdCoordinate);
        }
        if (what != "EMPTY") {
            return no_wkt();
        }
        if (type != kCollection) {
            return misfit(RecordErrorCode::malformed_value,
                          "is empty, which only a GEOMETRYCOLLECTION can be");
        }
        writer_.number(0);
        return Done{};
    }

    /// `( element, element )`, with their count before it.
    template <typename Element>
    Result<Done> list(Element element) {
        if (!take('(')) {
            return no_wkt();
        }
        const std::size_t place = writer_.count();
        std::uint32_t count = 0;
        do {
            if (Result<Done> done = element(); !done) {
                return done;
            }
            ++count;
        } while (take(','));
        writer_.count_at(place, count);
        return take(')') ? Result<Done>{Done{}} : no_wkt();
    }

    Result<Done> lists(std::uint32_t type, int depth) {
        const std::uint32_t part = part_of(type);
        return list([&]() -> Result<Done> {
            if (part != 0) {
                writer_.header(part);
            }
            if (part == kPoint && sees('(')) {
                return bracketed_position();
            }
            return depth == 1 ? position() : lists(0, depth - 1);
        });
    }

    Result<Done> bracketed_position() {
        if (!take('(')) {
            return no_wkt();
        }
        if (Result<Done> done = position(); !done) {
            return done;
        }
        return take(')') ? Result<Done>{Done{}} : no_wkt();
    }

    Result<Done> position() {
        for (int i = 0; i < 2; ++i) {
            if (Result<Done> done = coordinate(); !done) {
                return done;
            }
        }
        return sees(',') || sees(')') ? Result<Done>{Done{}}
               : coordinate_follows() ? misfit(RecordErrorCode::would_lose_digits, kThirdCoordinate)
                                      : no_wkt();
    }

    [[nodiscard]] bool coordinate_follows() const noexcept {
        return !rest_.empty() && (rest_[0] == '-' || (rest_[0] >= '0' && rest_[0] <= '9'));
    }

    Result<Done> coordinate() {
        skip_blanks();
        const std::size_t size = std::min(rest_.find_first_of(" \t\r\n,()"), rest_.size());
        const Result<double> value = to_floating(rest_.substr(0, size), ValueKind::string, false);
        if (!value) {
            return value.error();
        }
        rest_.remove_prefix(size);
        writer_.coordinate(value.value());
        return Done{};
    }

    std::string_view rest_;
    WkbWriter writer_;
};

RecordError no_geojson() {
    return misfit(RecordErrorCode::malformed_value,
                  ValueKind::object,
                  "is no geometry as GeoJSON (RFC 7946)");
}

Result<Done> append_position(WkbWriter& writer, Document array) {
    int count = 0;
    Result<Done> done = Done{};
    decode::for_each_child(array, 0, [&](std::size_t, const Value& coordinate) {
        if (!done || ++count > 2) {
            return;
        }
        if (coordinate.kind != ValueKind::number) {
            done = no_geojson();
            return;
        }
        const Result<double> value = to_floating(coordinate.text, ValueKind::object, false);
        if (!value) {
            done = value.error();
            return;
        }
        writer.coordinate(value.value());
    });
    if (done && count > 2) {
        return misfit(RecordErrorCode::would_lose_digits, ValueKind::object, kThirdCoordinate);
    }
    return done && count < 2 ? no_geojson() : done;
}

/// `depth`: how many lists are around a position.
Result<Done> append_coordinates(WkbWriter& writer, Document array, int depth, std::uint32_t part) {
    if (array.empty() || array.front().kind != ValueKind::array) {
        return no_geojson();
    }
    if (depth == 0) {
        return append_position(writer, array);
    }
    const std::size_t place = writer.count();
    std::uint32_t count = 0;
    Result<Done> done = Done{};
    decode::for_each_child(array, 0, [&](std::size_t at, const Value&) {
        if (!done) {
            return;
        }
        if (part != 0) {
            writer.header(part);
        }
        done = append_coordinates(writer, decode::subtree(array, at), depth - 1, 0);
        ++count;
    });
    writer.count_at(place, count);
    return done;
}

/// GeoJSON writes `MultiPoint`; other cases of the letters are not its names.
std::uint32_t geojson_type_of(std::string_view name) noexcept {
    constexpr std::string_view kNames[] = {"Point",
                                           "LineString",
                                           "Polygon",
                                           "MultiPoint",
                                           "MultiLineString",
                                           "MultiPolygon",
                                           "GeometryCollection"};
    const auto at = std::find(std::begin(kNames), std::end(kNames), name);
    return at == std::end(kNames) ? 0 : static_cast<std::uint32_t>(at - std::begin(kNames)) + 1;
}

Result<Done> append_object(WkbWriter& writer, Document object, int depth) {
    const Document name =
        object.front().kind == ValueKind::object ? decode::member(object, "type") : Document{};
    const std::uint32_t type = name.empty() || name.front().kind != ValueKind::string
                                   ? 0
                                   : geojson_type_of(name.front().text);
    if (type == 0 || depth > kDeepestGeometry) {
        return no_geojson();
    }
    const Document system = decode::member(object, "crs");
    if (!system.empty() && system.front().kind != ValueKind::null) {
        return misfit(RecordErrorCode::malformed_value,
                      ValueKind::object,
                      "names a coordinate system, which GeoJSON (RFC 7946) no longer has");
    }
    writer.header(type);
    if (type != kCollection) {
        return append_coordinates(
            writer, decode::member(object, "coordinates"), depth_of(type), part_of(type));
    }
    const Document parts = decode::member(object, "geometries");
    if (parts.empty() || parts.front().kind != ValueKind::array) {
        return no_geojson();
    }
    const std::size_t place = writer.count();
    std::uint32_t count = 0;
    Result<Done> done = Done{};
    decode::for_each_child(parts, 0, [&](std::size_t at, const Value&) {
        if (done) {
            done = append_object(writer, decode::subtree(parts, at), depth + 1);
            ++count;
        }
    });
    writer.count_at(place, count);
    return done;
}

}  // namespace

Result<Done> append_wkt(std::string& wkb,
                        std::optional<std::uint32_t>& srid,
                        std::string_view text) {
    constexpr std::string_view kPrefix = "SRID=";
    if (text.starts_with(kPrefix)) {
        const std::size_t end = text.find(';');
        std::uint32_t number = 0;
        const char* const last = text.data() + std::min(end, text.size());
        const auto parsed = std::from_chars(text.data() + kPrefix.size(), last, number);
        if (end == std::string_view::npos || parsed.ec != std::errc{} || parsed.ptr != last) {
            return no_wkt();
        }
        srid = number;
        text.remove_prefix(end + 1);
    }
    return WktReader{text, wkb}.all();
}

Result<Done> append_geojson(std::string& wkb, Document object) {
    WkbWriter writer{wkb};
    return append_object(writer, object, 0);
}

}  // namespace txsink::mapping
