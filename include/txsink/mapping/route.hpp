/// @file
/// Route: which topics go into which table, and how.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "txsink/mapping/table_definition.hpp"

namespace txsink::mapping {

enum class Format : std::uint8_t { json };
enum class Mode : std::uint8_t { upsert, insert };
enum class UnknownFields : std::uint8_t { ignore, error };
enum class OnBadRecord : std::uint8_t { fail };

/// Where the values of the primary key columns come from.
enum class KeySource : std::uint8_t {
    value,   ///< fields of the record's value (default)
    record,  ///< the record's key: a JSON object, or a bare value for a one-column key
};

struct Route {
    /// The X of [route.X].
    std::string name;
    /// Exact topic names, or one regular expression that starts with '^'.
    std::vector<std::string> topics;
    TableName table;
    Format format = Format::json;
    Mode mode = Mode::upsert;
    KeySource key = KeySource::value;
    UnknownFields unknown_fields = UnknownFields::ignore;
    OnBadRecord on_bad_record = OnBadRecord::fail;

    [[nodiscard]] bool is_regex() const noexcept {
        return !topics.empty() && topics.front().starts_with('^');
    }
    /// Whether this route takes `topic`. POSIX extended syntax, as librdkafka's; the expression
    /// is searched for in the name, like there. Compiles the expression each time: not for each
    /// record.
    /// Errors: SinkError configuration: the expression cannot be read.
    [[nodiscard]] bool takes(std::string_view topic) const;
};

}  // namespace txsink::mapping
