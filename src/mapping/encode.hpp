/// @file
/// The encoders of one type family each: a JSON value into a literal, or why not.
///
/// All take a value that is not null, at the front of its subtree; on an error a part of the
/// literal may have been appended. Errors name the kind of the value, not yet the column.
#pragma once

#include <string>

#include "mapping/column_encoder.hpp"
#include "txsink/core/result.hpp"
#include "txsink/decode/value.hpp"

namespace txsink::mapping {

[[nodiscard]] Result<Done> encode_integer(const ColumnLimits& limits,
                                          decode::Document subtree,
                                          std::string& sql);
[[nodiscard]] Result<Done> encode_decimal(const ColumnLimits& limits,
                                          decode::Document subtree,
                                          std::string& sql);
[[nodiscard]] Result<Done> encode_floating(const ColumnLimits& limits,
                                           decode::Document subtree,
                                           std::string& sql);
[[nodiscard]] Result<Done> encode_text(const ColumnLimits& limits,
                                       decode::Document subtree,
                                       std::string& sql);
[[nodiscard]] Result<Done> encode_binary(const ColumnLimits& limits,
                                         decode::Document subtree,
                                         std::string& sql);
[[nodiscard]] Result<Done> encode_enumeration(const ColumnLimits& limits,
                                              decode::Document subtree,
                                              std::string& sql);
[[nodiscard]] Result<Done> encode_json(const ColumnLimits& limits,
                                       decode::Document subtree,
                                       std::string& sql);
/// DATE, DATETIME, TIMESTAMP.
[[nodiscard]] Result<Done> encode_moment(const ColumnLimits& limits,
                                         decode::Document subtree,
                                         std::string& sql);
[[nodiscard]] Result<Done> encode_time(const ColumnLimits& limits,
                                       decode::Document subtree,
                                       std::string& sql);

}  // namespace txsink::mapping
