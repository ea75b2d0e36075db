/// @file
/// Geometry columns from WKT, GeoJSON and WKB; VECTOR columns from lists of numbers.
///
/// Both are written as the bytes that both servers store: no function of the server, whose
/// arguments and order of axes differ.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>

#include "mapping/base64.hpp"
#include "mapping/encode.hpp"
#include "mapping/floating.hpp"
#include "mapping/geometry.hpp"
#include "mapping/misfit.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Value;
using decode::ValueKind;

constexpr std::size_t kSridSize = 4;
constexpr std::size_t kTypeAt = 1;

/// An SRID and WKB, as the servers store them; kept by the thread.
/// Source: https://dev.mysql.com/doc/refman/8.4/en/gis-data-formats.html
std::string& empty_geometry() {
    thread_local std::string geometry;
    geometry.assign(kSridSize, '\0');
    return geometry;
}

/// `fallback`: the SRID where neither the value nor the column has one.
Result<Done> finish(const ColumnLimits& limits,
                    std::string& geometry,
                    std::optional<std::uint32_t> srid,
                    std::uint32_t fallback,
                    ValueKind kind,
                    std::string& sql) {
    if (srid && limits.srid && *srid != *limits.srid) {
        return misfit(RecordErrorCode::out_of_range,
                      kind,
                      fmt::format("has another SRID than the column's {}", *limits.srid));
    }
    const std::uint32_t used = srid ? *srid : limits.srid.value_or(fallback);
    const std::string_view wkb = std::string_view{geometry}.substr(kSridSize);
    if (limits.geometry_type != 0 &&
        limits.geometry_type != static_cast<unsigned char>(wkb[kTypeAt])) {
        return misfit(RecordErrorCode::wrong_kind, kind, "is a geometry of another type");
    }
    if (Result<Done> done = check_geometry(wkb, used, kind); !done) {
        return done;
    }
    for (std::size_t i = 0; i < kSridSize; ++i) {
        geometry[i] = static_cast<char>(used >> (8 * i) & 0xFFU);
    }
    append_bytes(sql, geometry);
    return Done{};
}

/// Appends the four bytes of each number.
class VectorBuilder {
public:
    VectorBuilder(const ColumnLimits& limits, ValueKind kind, std::string& sql)
        : limits_{limits}, kind_{kind}, sql_{sql} {}

    Result<Done> add(std::string_view token) {
        if (++count_ > limits_.dimensions) {
            return misfit(RecordErrorCode::out_of_range,
                          kind_,
                          fmt::format("has more than {} numbers", limits_.dimensions));
        }
        const Result<double> number = to_floating(token, kind_, true);
        if (!number) {
            return number.error();
        }
        auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number.value()));
        char bytes[sizeof bits];
        for (char& byte : bytes) {
            byte = static_cast<char>(bits & 0xFFU);
            bits >>= 8U;
        }
        bytes_.append(bytes, sizeof bytes);
        return Done{};
    }

    Result<Done> finish() {
        if (count_ == 0) {
            return misfit(RecordErrorCode::out_of_range, kind_, "has no number");
        }
        append_bytes(sql_, bytes_);
        return Done{};
    }

private:
    static std::string& buffer() {
        thread_local std::string bytes;
        bytes.clear();
        return bytes;
    }

    const ColumnLimits& limits_;
    ValueKind kind_;
    std::string& sql_;
    std::string& bytes_ = buffer();
    std::uint32_t count_ = 0;
};

std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view kBlanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    text.remove_suffix(text.size() - 1 - std::min(text.find_last_not_of(kBlanks), text.size() - 1));
    return text;
}

/// `[1, 2.5]`
Result<Done> add_list(VectorBuilder& vector, std::string_view text) {
    text = trimmed(text);
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
        return misfit(RecordErrorCode::malformed_value, "is no vector as [1, 2.5]");
    }
    text = text.substr(1, text.size() - 2);
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        if (Result<Done> done = vector.add(trimmed(text.substr(at, end - at))); !done) {
            return done;
        }
        at = end + 1;
    }
    return Done{};
}

Result<Done> add_elements(VectorBuilder& vector, Document array) {
    Result<Done> done = Done{};
    decode::for_each_child(array, 0, [&](std::size_t, const Value& element) {
        if (done) {
            done = element.kind == ValueKind::number ? vector.add(element.text)
                                                     : misfit(RecordErrorCode::wrong_kind,
                                                              array.front().kind,
                                                              "has an element that is no number");
        }
    });
    return done;
}

}  // namespace

Result<Done> encode_geometry(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    std::string& geometry = empty_geometry();
    std::optional<std::uint32_t> srid;
    if (value.kind == ValueKind::object && !decode::member(subtree, "wkb").empty()) {
        return encode_wkb(limits, subtree, sql);  // Debezium's, without its schema
    }
    if (value.kind == ValueKind::object) {
        if (Result<Done> done = append_geojson(geometry, subtree); !done) {
            return done;
        }
        return finish(limits, geometry, srid, kWgs84, value.kind, sql);
    }
    if (value.kind != ValueKind::string) {
        return misfit(RecordErrorCode::wrong_kind,
                      value.kind,
                      "is neither a string as WKT nor an object as GeoJSON");
    }
    if (Result<Done> done = append_wkt(geometry, srid, value.text); !done) {
        return done;
    }
    return finish(limits, geometry, srid, 0, value.kind, sql);
}

Result<Done> encode_wkb(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const ValueKind kind = subtree.front().kind;
    const Document wkb = decode::member(subtree, "wkb");
    const Document number = decode::member(subtree, "srid");
    thread_local std::string bytes;
    bytes.clear();
    if (wkb.empty() || wkb.front().kind != ValueKind::string ||
        !decode_base64(bytes, wkb.front().text)) {
        return misfit(RecordErrorCode::malformed_value, kind, "has no WKB as base64");
    }
    std::optional<std::uint32_t> given;
    if (!number.empty() && number.front().kind != ValueKind::null) {
        const std::string_view text = number.front().text;
        std::uint32_t srid = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), srid);
        if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) {
            return misfit(RecordErrorCode::malformed_value, kind, "has an SRID that is no number");
        }
        given = srid;
    }
    std::string& geometry = empty_geometry();
    std::optional<std::uint32_t> own;
    if (Result<Done> done = append_wkb(geometry, own, bytes); !done) {
        return done;
    }
    if (given && own && *given != *own) {
        return misfit(RecordErrorCode::malformed_value, kind, "has two SRIDs that differ");
    }
    return finish(limits, geometry, given ? given : own, 0, kind, sql);
}

Result<Done> encode_vector(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind != ValueKind::string && value.kind != ValueKind::array) {
        return misfit(
            RecordErrorCode::wrong_kind, value.kind, "is neither an array of numbers nor its text");
    }
    VectorBuilder vector{limits, value.kind, sql};
    if (Result<Done> done = value.kind == ValueKind::string ? add_list(vector, value.text)
                                                            : add_elements(vector, subtree);
        !done) {
        return done;
    }
    return vector.finish();
}

}  // namespace txsink::mapping
