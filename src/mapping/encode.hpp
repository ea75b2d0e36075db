/// @file
/// The encoders of one type family each: a JSON value into a literal, or why not.
///
/// All take a value that is not null, at the front of its subtree; on an error a part of the
/// literal may have been appended. Errors name the kind of the value, not yet the column. What the
/// value means is not looked at but by encode_meant, which turns to the others for the rest.
#pragma once

#include <string>
#include <string_view>

#include "mapping/column_encoder.hpp"
#include "txsink/core/result.hpp"
#include "txsink/decode/value.hpp"

namespace txsink::mapping {

using EncodeFunction = Result<Done>(const ColumnLimits& limits,
                                    decode::Document subtree,
                                    std::string& sql);

/// TINYINT to BIGINT, BIT.
[[nodiscard]] EncodeFunction encode_integer;
[[nodiscard]] EncodeFunction encode_year;
[[nodiscard]] EncodeFunction encode_decimal;
/// A string is base64 of the unscaled number; the scale is the column's.
[[nodiscard]] EncodeFunction encode_precise_decimal;
[[nodiscard]] EncodeFunction encode_floating;
[[nodiscard]] EncodeFunction encode_text;
[[nodiscard]] EncodeFunction encode_binary;
[[nodiscard]] EncodeFunction encode_enumeration;
[[nodiscard]] EncodeFunction encode_set;
[[nodiscard]] EncodeFunction encode_json;
/// DATE, DATETIME, TIMESTAMP.
[[nodiscard]] EncodeFunction encode_moment;
[[nodiscard]] EncodeFunction encode_time;
[[nodiscard]] EncodeFunction encode_geometry;
[[nodiscard]] EncodeFunction encode_vector;
[[nodiscard]] EncodeFunction encode_uuid;
/// INET4, INET6.
[[nodiscard]] EncodeFunction encode_address;

/// A value whose schema says what it means; `encode` is that of the column for values without.
[[nodiscard]] Result<Done> encode_meant(const ColumnLimits& limits,
                                        EncodeFunction* encode,
                                        decode::Document subtree,
                                        std::string& sql);

/// The bytes themselves into a binary column.
[[nodiscard]] Result<Done> encode_bytes(const ColumnLimits& limits,
                                        std::string_view bytes,
                                        std::string& sql);
/// A base64 string into a binary column.
[[nodiscard]] Result<Done> encode_base64(const ColumnLimits& limits,
                                         const decode::Value& value,
                                         std::string& sql);
/// A number of `unit` into DATE, DATETIME, TIMESTAMP: since 1970 in UTC.
[[nodiscard]] Result<Done> encode_epoch(const ColumnLimits& limits,
                                        const decode::Value& value,
                                        TimeUnit unit,
                                        std::string& sql);
/// A number of `unit` into TIME: since midnight.
[[nodiscard]] Result<Done> encode_elapsed(const ColumnLimits& limits,
                                          const decode::Value& value,
                                          TimeUnit unit,
                                          std::string& sql);
/// A string that holds JSON text into a JSON column.
[[nodiscard]] Result<Done> encode_json_text(const ColumnLimits& limits,
                                            const decode::Value& value,
                                            std::string& sql);
/// {"wkb": base64, "srid": number or null} into a geometry column.
[[nodiscard]] Result<Done> encode_wkb(const ColumnLimits& limits,
                                      decode::Document subtree,
                                      std::string& sql);

}  // namespace txsink::mapping
