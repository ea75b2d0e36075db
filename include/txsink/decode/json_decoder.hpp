/// @file
/// JsonDecoder: JSON text to a Document, strictly.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "txsink/core/result.hpp"
#include "txsink/decode/value.hpp"

namespace txsink::decode {

struct JsonLimits {
    /// Nesting of objects and arrays; MySQL's own JSON type takes 100.
    std::size_t max_depth = 100;
};

/// Decodes one JSON text at a time into reused buffers: no allocation once they have grown.
///
/// Stricter than most parsers, because a guess here is a wrong row: duplicate names, lone
/// surrogates, invalid UTF-8, NaN, anything after the value, and nesting beyond the limit are
/// refused. Numbers stay text: 9007199254740993 and 38-digit decimals keep every digit.
/// Errors: not_json, too_deep, duplicate_field, schema_registry.
/// Threading: one thread.
class JsonDecoder {
public:
    explicit JsonDecoder(JsonLimits limits = {});
    JsonDecoder(JsonDecoder&&) noexcept;
    JsonDecoder& operator=(JsonDecoder&&) noexcept;
    ~JsonDecoder();

    /// The document lives until the next call.
    [[nodiscard]] Result<Document> decode(std::string_view text);

    /// The document that decode() gave last, for whoever knows what its values mean.
    [[nodiscard]] std::span<Value> values() noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace txsink::decode
