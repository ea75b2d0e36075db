/// @file
/// Geometries and vectors: the bytes that both servers store.
#include <gtest/gtest.h>

#include <string>

#include "unit/encoding.hpp"

namespace txsink::mapping {
namespace {

using namespace testing;

Case geometry(Case given) {
    return meant(Meaning::geometry, std::move(given));
}

TEST(EncodeGeometry, ReadsWkt) {
    expect_all(
        geometry_column("geometry"),
        {ok("\"POINT(1 2)\"", "x'000000000101000000000000000000f03f0000000000000040'"),
         ok("\"point ( 1.0 2e0 )\"", "x'000000000101000000000000000000f03f0000000000000040'"),
         ok("\"SRID=4326;POINT(1 2)\"", "x'e61000000101000000000000000000f03f0000000000000040'"),
         ok("\"LINESTRING(0 0, 1.5 -2)\"",
            "x'"
            "0000000001020000000200000000000000000000000000000000000000000000000000f83f000000000000"
            "00c0'"),
         ok("\"POLYGON((0 0,1 0,1 1,0 0))\"",
            "x'"
            "000000000103000000010000000400000000000000000000000000000000000000000000000000f03f0000"
            "000000000000000000000000f03f000000000000f03f00000000000000000000000000000000'"),
         ok("\"MULTIPOINT((0 0),(1 1))\"",
            "x'"
            "00000000010400000002000000010100000000000000000000000000000000000000010100000000000000"
            "0000f03f000000000000f03f'"),
         ok("\"MULTIPOINT(0 0,1 1)\"",
            "x'"
            "00000000010400000002000000010100000000000000000000000000000000000000010100000000000000"
            "0000f03f000000000000f03f'"),
         ok("\"MULTILINESTRING((0 0,1.5 -2))\"",
            "x'"
            "00000000010500000001000000010200000002000000000000000000000000000000000000000000000000"
            "00f83f00000000000000c0'"),
         ok("\"MULTIPOLYGON(((0 0,1 0,1 1,0 0)))\"",
            "x'"
            "00000000010600000001000000010300000001000000040000000000000000000000000000000000000000"
            "0000000000f03f0000000000000000000000000000f03f000000000000f03f000000000000000000000000"
            "00000000'"),
         ok("\"GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1.5 -2))\"",
            "x'"
            "000000000107000000020000000101000000000000000000f03f0000000000000040010200000002000000"
            "00000000000000000000000000000000000000000000f83f00000000000000c0'"),
         ok("\"GEOMETRYCOLLECTION EMPTY\"", "x'00000000010700000000000000'")});
}

TEST(EncodeGeometry, RefusesWhatIsNoWkt) {
    expect_all(
        geometry_column("geometry"),
        {bad("\"\"", Code::malformed_value, "string is no geometry as WKT"),
         bad("\"POINT\"", Code::malformed_value),
         bad("\"POINT(1 3) x\"", Code::malformed_value),
         bad("\"POINTY(1 3)\"", Code::malformed_value),
         bad("\"GEOMETRY(1 3)\"", Code::malformed_value),
         bad("\"POINT(1)\"", Code::malformed_value),
         bad("\"POINT(1,2)\"", Code::malformed_value),
         bad("\"POINT(1 2\"", Code::malformed_value),
         bad("\"POINT((1 2))\"", Code::malformed_value),
         bad("\"POINT(nan 1)\"", Code::malformed_value),
         bad("\"POINT(1 2 3)\"", Code::would_lose_digits, "string has a third coordinate"),
         bad("\"POINT Z(1 2 3)\"", Code::would_lose_digits),
         bad("\"POINT EMPTY\"", Code::malformed_value),
         bad("\"POINT(1e400 1)\"", Code::out_of_range),
         bad("\"POINT(9007199254740993 1)\"", Code::would_lose_digits),
         bad("\"LINESTRING(0 0)\"",
             Code::malformed_value,
             "string has a line of fewer than 2 points"),
         bad("\"POLYGON((0 0,1 0,1 1,0 1))\"",
             Code::malformed_value,
             "string has a ring that is not closed"),
         bad("\"POLYGON((0 0,1 1,0 0))\"",
             Code::malformed_value,
             "string has a ring of fewer than 4 points"),
         bad("\"SRID=x;POINT(1 2)\"", Code::malformed_value),
         bad("\"SRID=4326\"", Code::malformed_value),
         bad("\"SRID=4326;POINT(1 91)\"", Code::out_of_range),
         bad("\"SRID=4326;POINT(181 1)\"", Code::out_of_range),
         bad("1", Code::wrong_kind, "number is neither a string as WKT nor an object as GeoJSON"),
         bad("[1,2]", Code::wrong_kind),
         bad("true", Code::wrong_kind)});
    expect_all(geometry_column("geometry"),
               {bad("\"GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION("
                    "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION("
                    "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION("
                    "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION("
                    "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION("
                    "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION("
                    "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION("
                    "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION("
                    "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION("
                    "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(GEOMETRYCOLLECTION("
                    "POINT(1 2)))))))))))))))))))))))))))))))))))))))))\"",
                    Code::malformed_value)});
}

TEST(EncodeGeometry, ReadsGeoJson) {
    expect_all(
        geometry_column("geometry"),
        {ok("{\"type\":\"Point\",\"coordinates\":[1,2]}",
            "x'e61000000101000000000000000000f03f0000000000000040'"),
         ok("{\"coordinates\":[[0,0],[1.5,-2]],\"type\":\"LineString\",\"bbox\":[0,0,1,1]}",
            "x'"
            "e610000001020000000200000000000000000000000000000000000000000000000000f83f000000000000"
            "00c0'"),
         ok("{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0],[1,1],[0,0]]]}",
            "x'"
            "e61000000103000000010000000400000000000000000000000000000000000000000000000000f03f0000"
            "000000000000000000000000f03f000000000000f03f00000000000000000000000000000000'"),
         ok("{\"type\":\"MultiPoint\",\"coordinates\":[[0,0],[1,1]]}",
            "x'"
            "e6100000010400000002000000010100000000000000000000000000000000000000010100000000000000"
            "0000f03f000000000000f03f'"),
         ok("{\"type\":\"MultiLineString\",\"coordinates\":[[[0,0],[1.5,-2]]]}",
            "x'"
            "e6100000010500000001000000010200000002000000000000000000000000000000000000000000000000"
            "00f83f00000000000000c0'"),
         ok("{\"type\":\"MultiPolygon\",\"coordinates\":[[[[0,0],[1,0],[1,1],[0,0]]]]}",
            "x'"
            "e6100000010600000001000000010300000001000000040000000000000000000000000000000000000000"
            "0000000000f03f0000000000000000000000000000f03f000000000000f03f000000000000000000000000"
            "00000000'"),
         ok("{\"type\":\"GeometryCollection\",\"geometries\":[{\"type\":\"Point\",\"coordinates\":["
            "1,2]},{\"type\":\"LineString\",\"coordinates\":[[0,0],[1.5,-2]]}]}",
            "x'"
            "e61000000107000000020000000101000000000000000000f03f0000000000000040010200000002000000"
            "00000000000000000000000000000000000000000000f83f00000000000000c0'"),
         ok("{\"type\":\"GeometryCollection\",\"geometries\":[]}",
            "x'e6100000010700000000000000'")});
}

TEST(EncodeGeometry, RefusesWhatIsNoGeoJson) {
    expect_all(
        geometry_column("geometry"),
        {bad("{}", Code::malformed_value, "object is no geometry as GeoJSON (RFC 7946)"),
         bad("{\"type\":\"point\",\"coordinates\":[1,2]}", Code::malformed_value),
         bad("{\"type\":\"Point\"}", Code::malformed_value),
         bad("{\"type\":\"Point\",\"coordinates\":[1]}", Code::malformed_value),
         bad("{\"type\":\"Point\",\"coordinates\":[\"1\",\"2\"]}", Code::malformed_value),
         bad("{\"type\":\"Point\",\"coordinates\":[1,2,3]}",
             Code::would_lose_digits,
             "object has a third coordinate"),
         bad("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}",
             Code::malformed_value),
         bad("{\"type\":\"Point\",\"coordinates\":[100,91]}", Code::out_of_range),
         bad("{\"type\":\"LineString\",\"coordinates\":[1,2]}", Code::malformed_value),
         bad("{\"type\":\"MultiPoint\",\"coordinates\":[]}", Code::malformed_value),
         bad("{\"type\":\"GeometryCollection\",\"geometries\":[{\"type\":\"Point\"}]}",
             Code::malformed_value),
         bad("{\"type\":\"Point\",\"coordinates\":[1,2],\"crs\":{\"type\":\"name\"}}",
             Code::malformed_value)});
}

TEST(EncodeGeometry, ReadsWkb) {
    expect_all(
        geometry_column("geometry"),
        {geometry(ok("{\"wkb\":\"AQEAAAAAAAAAAADwPwAAAAAAAABA\",\"srid\":null}",
                     "x'000000000101000000000000000000f03f0000000000000040'")),
         geometry(ok("{\"wkb\":\"AQEAAAAAAAAAAADwPwAAAAAAAABA\"}",
                     "x'000000000101000000000000000000f03f0000000000000040'")),
         geometry(ok("{\"wkb\":\"AAAAAAE/8AAAAAAAAEAAAAAAAAAA\",\"srid\":4326}",
                     "x'e61000000101000000000000000000f03f0000000000000040'")),
         geometry(ok("{\"wkb\":\"AQEAACDmEAAAAAAAAAAA8D8AAAAAAAAAQA==\",\"srid\":4326}",
                     "x'e61000000101000000000000000000f03f0000000000000040'")),
         geometry(ok("{\"wkb\":\"AQEAACDmEAAAAAAAAAAA8D8AAAAAAAAAQA==\",\"srid\":null}",
                     "x'e61000000101000000000000000000f03f0000000000000040'")),
         geometry(ok("{\"wkb\":"
                     "\"AQcAAAACAAAAAQEAAAAAAAAAAADwPwAAAAAAAABAAQIAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                     "AAAAAAPg/AAAAAAAAAMA=\",\"srid\":0}",
                     "x'"
                     "000000000107000000020000000101000000000000000000f03f0000000000000040010200000"
                     "00200000000000000000000000000000000000000000000000000f83f00000000000000c0'")),
         geometry(ok("{\"wkb\":"
                     "\"AQYAAAABAAAAAQMAAAABAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADwPwAAAAAAAAAAAAA"
                     "AAAAA8D8AAAAAAADwPwAAAAAAAAAAAAAAAAAAAAA=\",\"srid\":0}",
                     "x'"
                     "00000000010600000001000000010300000001000000040000000000000000000000000000000"
                     "0000000000000000000f03f0000000000000000000000000000f03f000000000000f03f000000"
                     "00000000000000000000000000'")),
         geometry(bad("{\"wkb\":\"AQEAACDmEAAAAAAAAAAA8D8AAAAAAAAAQA==\",\"srid\":1}",
                      Code::malformed_value)),
         geometry(bad("{\"wkb\":\"AQEAAIAAAAAAAADwPwAAAAAAAABAAAAAAAAACEA=\"}",
                      Code::would_lose_digits)),
         geometry(bad("{\"wkb\":\"AekDAAAAAAAAAADwPwAAAAAAAABAAAAAAAAACEA=\"}",
                      Code::would_lose_digits)),
         geometry(bad("{\"wkb\":\"AQEAAAAAAAAAAADwPwAAAAAAAAA=\"}", Code::malformed_value)),
         geometry(bad("{\"wkb\":\"AQEAAAAAAAAAAADwPwAAAAAAAABAeA==\"}", Code::malformed_value)),
         geometry(bad("{\"wkb\":\"\"}", Code::malformed_value)),
         geometry(bad("{\"wkb\":null}", Code::malformed_value)),
         geometry(bad("{}", Code::malformed_value)),
         geometry(
             bad("{\"wkb\":\"AQEAAAAAAAAAAADwPwAAAAAAAABA\",\"srid\":-1}", Code::malformed_value)),
         geometry(bad("{\"wkb\":\"AQIAAAD/////\"}", Code::malformed_value)),
         geometry(bad("{\"wkb\":\"AQgAAAA=\"}", Code::malformed_value)),
         geometry(bad(
             "{\"wkb\":\"AQQAAAABAAAAAQIAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPg/AAAAAAAAAMA=\"}",
             Code::malformed_value)),
         geometry(bad("{\"wkb\":\"AQEAAAAAAAAAAADwfwAAAAAAAPA/\"}", Code::malformed_value)),
         geometry(bad(
             "{\"wkb\":"
             "\"AQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAA"
             "AAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAA"
             "AQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAA"
             "QcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQ"
             "cAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQc"
             "AAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAABAAAAAQcAAAAAAAAA\"}",
             Code::malformed_value))});
}

TEST(EncodeGeometry, KeepsToTheColumnsTypeAndSrid) {
    expect_all(
        geometry_column("point"),
        {ok("\"POINT(1 2)\"", "x'000000000101000000000000000000f03f0000000000000040'"),
         bad("\"LINESTRING(0 0,1 1)\"", Code::wrong_kind, "string is a geometry of another type")});
    for (const char* type : {"geomcollection", "geometrycollection"}) {
        expect_all(geometry_column(type),
                   {ok("\"GEOMETRYCOLLECTION EMPTY\"", "x'00000000010700000000000000'"),
                    bad("\"POINT(1 2)\"", Code::wrong_kind)});
    }
    expect_all(geometry_column("point", 4326),
               {ok("\"POINT(1 2)\"", "x'e61000000101000000000000000000f03f0000000000000040'"),
                ok("{\"type\":\"Point\",\"coordinates\":[1,2]}",
                   "x'e61000000101000000000000000000f03f0000000000000040'"),
                geometry(ok("{\"wkb\":\"AQEAAAAAAAAAAADwPwAAAAAAAABA\",\"srid\":null}",
                            "x'e61000000101000000000000000000f03f0000000000000040'")),
                bad("\"POINT(1 91)\"", Code::out_of_range),
                bad("\"SRID=0;POINT(1 2)\"",
                    Code::out_of_range,
                    "string has another SRID than the column's 4326")});
    expect_all(geometry_column("point", 0),
               {ok("{\"type\":\"Point\",\"coordinates\":[1,91]}",
                   "x'000000000101000000000000000000f03f0000000000c05640'")});
}

TEST(EncodeVector, KeepsTheNearestOfFourBytes) {
    expect_all(vector_column(3),
               {ok("[1,2.5,30]", "x'0000803f000020400000f041'"),
                ok("\"[1, 2.5,3e1]\"", "x'0000803f000020400000f041'"),
                ok("[0.1]", "x'cdcccc3d'"),
                ok("[-0.0,0]", "x'0000000000000000'"),
                ok("[16777216]", "x'0000804b'"),
                bad("[]", Code::out_of_range, "array has no number"),
                bad("[1,2,3,4]", Code::out_of_range, "array has more than 3 numbers"),
                bad("[1,\"2\"]", Code::wrong_kind, "array has an element that is no number"),
                bad("[1e39]", Code::out_of_range),
                bad("[16777217]", Code::would_lose_digits),
                bad("\"1,2\"", Code::malformed_value, "string is no vector as [1, 2.5]"),
                bad("\"[1,]\"", Code::malformed_value),
                bad("\"[]\"", Code::malformed_value),
                bad("\"[\"", Code::malformed_value),
                bad("\"[NaN]\"", Code::malformed_value),
                bad("1", Code::wrong_kind),
                bad("{}", Code::wrong_kind)});
}

}  // namespace
}  // namespace txsink::mapping
