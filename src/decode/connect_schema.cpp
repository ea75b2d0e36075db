#include "decode/connect_schema.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

namespace txsink::decode {

namespace {

struct NamedType {
    std::string_view name;
    ConnectType type;
};

constexpr NamedType kTypes[] = {
    {"int8", ConnectType::integer},
    {"int16", ConnectType::integer},
    {"int32", ConnectType::integer},
    {"int64", ConnectType::integer},
    {"float", ConnectType::floating},
    {"double", ConnectType::floating},
    {"boolean", ConnectType::boolean},
    {"string", ConnectType::string},
    {"bytes", ConnectType::bytes},
    {"struct", ConnectType::structure},
    {"array", ConnectType::array},
    {"map", ConnectType::map},
};

struct NamedMeaning {
    std::string_view name;
    ConnectType type;
    Meaning meaning;
};

/// Names that are not here (Year, ZonedTimestamp, IsoDate, Interval, Enum, EnumSet, Uuid, Xml,
/// FloatVector, ...) add nothing to what the value itself says.
constexpr NamedMeaning kMeanings[] = {
    {"org.apache.kafka.connect.data.Decimal", ConnectType::bytes, Meaning::decimal},
    {"org.apache.kafka.connect.data.Date", ConnectType::integer, Meaning::days},
    {"org.apache.kafka.connect.data.Time", ConnectType::integer, Meaning::time_ms},
    {"org.apache.kafka.connect.data.Timestamp", ConnectType::integer, Meaning::epoch_ms},
    {"io.debezium.time.Date", ConnectType::integer, Meaning::days},
    {"io.debezium.time.Time", ConnectType::integer, Meaning::time_ms},
    {"io.debezium.time.MicroTime", ConnectType::integer, Meaning::time_us},
    {"io.debezium.time.NanoTime", ConnectType::integer, Meaning::time_ns},
    {"io.debezium.time.Timestamp", ConnectType::integer, Meaning::epoch_ms},
    {"io.debezium.time.MicroTimestamp", ConnectType::integer, Meaning::epoch_us},
    {"io.debezium.time.NanoTimestamp", ConnectType::integer, Meaning::epoch_ns},
    {"io.debezium.data.Json", ConnectType::string, Meaning::json_text},
    {"io.debezium.data.Bits", ConnectType::bytes, Meaning::bits},
    {"io.debezium.data.VariableScaleDecimal", ConnectType::structure, Meaning::variable_decimal},
    {"io.debezium.data.geometry.Geometry", ConnectType::structure, Meaning::geometry},
    {"io.debezium.data.geometry.Geography", ConnectType::structure, Meaning::geometry},
    {"io.debezium.data.geometry.Point", ConnectType::structure, Meaning::geometry},
};

const char* name_of(ConnectType type) noexcept {
    switch (type) {
        case ConnectType::any:
            return "anything";
        case ConnectType::integer:
            return "an integer";
        case ConnectType::floating:
            return "a number";
        case ConnectType::boolean:
            return "a boolean";
        case ConnectType::string:
            return "a string";
        case ConnectType::bytes:
            return "bytes (a base64 string)";
        case ConnectType::structure:
        case ConnectType::map:
            return "an object";
        case ConnectType::array:
            return "an array";
        case ConnectType::pairs:
            return "an array of [key, value]";
    }
    return "something else";
}

RecordError no_schema(const char* what) {
    return {RecordErrorCode::not_an_envelope, {}, fmt::format("no schema of Connect: {}", what)};
}

/// The text of the member `name` where it is a string; else empty.
std::string_view text_of(Document object, std::string_view name) {
    const Document found = member(object, name);
    return !found.empty() && found[0].kind == ValueKind::string ? found[0].text
                                                                : std::string_view{};
}

Meaning meaning_of(std::string_view name, ConnectType type) {
    for (const NamedMeaning& known : kMeanings) {
        if (known.name == name && known.type == type) {
            return known.meaning;
        }
    }
    return type == ConnectType::bytes ? Meaning::base64 : Meaning::none;
}

/// Connect writes the scale as a string.
std::optional<std::int16_t> scale_of(Document schema) {
    const std::string_view digits = text_of(member(schema, "parameters"), "scale");
    std::int16_t scale = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, scale);
    if (error != std::errc{} || stop != end) {
        return std::nullopt;
    }
    return scale;
}

/// Adds the schema at member `name` of `schema` to `children`; empty on success.
std::optional<RecordError> add_child(Document schema,
                                     std::string_view name,
                                     std::vector<ConnectSchema>& children) {
    Result<ConnectSchema> child = ConnectSchema::compile(member(schema, name));
    if (!child) {
        return std::move(child.error());
    }
    children.push_back(std::move(child.value()));
    return std::nullopt;
}

std::optional<RecordError> add_fields(Document schema, std::vector<ConnectSchema>& children) {
    const Document fields = member(schema, "fields");
    if (fields.empty() || fields[0].kind != ValueKind::array) {
        return no_schema("a struct without \"fields\"");
    }
    for (std::size_t i = 1; i < fields.size(); i += fields[i].size) {
        const Document field = subtree(fields, i);
        const Document name = member(field, "field");
        if (name.empty() || name[0].kind != ValueKind::string) {
            return no_schema("a field of a struct without \"field\", its name");
        }
        Result<ConnectSchema> child = ConnectSchema::compile(field);
        if (!child) {
            return std::move(child.error());
        }
        child.value().name = name[0].text;
        children.push_back(std::move(child.value()));
    }
    return std::nullopt;
}

std::optional<RecordError> add_children(Document schema, ConnectSchema& compiled) {
    std::optional<RecordError> error;
    if (compiled.type == ConnectType::structure) {
        error = add_fields(schema, compiled.children);
    } else if (compiled.type == ConnectType::array) {
        error = add_child(schema, "items", compiled.children);
    } else if (compiled.type == ConnectType::map) {
        error = add_child(schema, "keys", compiled.children);
        if (!error) {
            error = add_child(schema, "values", compiled.children);
        }
        if (!error && compiled.children[0].type != ConnectType::string) {
            compiled.type = ConnectType::pairs;
        }
    }
    return error;
}

/// Lays a schema over a payload. The path of a misfit is put together on the way back.
struct Overlay {
    std::span<Value> values;
    std::string path;
    std::string misfit;

    [[nodiscard]] bool visit(const ConnectSchema& schema, std::size_t at);
    [[nodiscard]] bool visit_fields(const ConnectSchema& schema, std::size_t parent);
    [[nodiscard]] bool visit_members(const ConnectSchema& schema, std::size_t parent);
    [[nodiscard]] bool visit_items(const ConnectSchema& schema, std::size_t parent);
    [[nodiscard]] bool visit_pair(const ConnectSchema& schema, std::size_t pair);

    bool fail(std::string what) {
        misfit = std::move(what);
        return false;
    }
    bool below(std::string step) {
        const char* const joint = path.empty() || path.front() == '[' ? "" : ".";
        path = std::move(step) + joint + path;
        return false;
    }
};

constexpr bool fits(ConnectType type, const Value& value) noexcept {
    switch (type) {
        case ConnectType::any:
            return true;
        case ConnectType::integer:
            return value.kind == ValueKind::number;
        case ConnectType::floating:
            // JSON has no such numbers, so the converter quotes them.
            return value.kind == ValueKind::number ||
                   (value.kind == ValueKind::string &&
                    (value.text == "NaN" || value.text == "Infinity" || value.text == "-Infinity"));
        case ConnectType::boolean:
            return value.kind == ValueKind::boolean;
        case ConnectType::string:
        case ConnectType::bytes:
            return value.kind == ValueKind::string;
        case ConnectType::structure:
        case ConnectType::map:
            return value.kind == ValueKind::object;
        case ConnectType::array:
        case ConnectType::pairs:
            return value.kind == ValueKind::array;
    }
    return false;
}

bool Overlay::visit(const ConnectSchema& schema, std::size_t at) {
    Value& value = values[at];
    if (value.kind == ValueKind::null) {
        return schema.may_be_null || fail("is null, which its schema does not allow");
    }
    if (schema.meaning == Meaning::decimal && value.kind == ValueKind::number) {
        return true;  // decimal.format = NUMERIC
    }
    if (!fits(schema.type, value)) {
        return fail(fmt::format("is of kind {}; its schema says {}",
                                decode::name_of(value.kind),
                                name_of(schema.type)));
    }
    value.meaning = schema.meaning;
    value.scale = schema.scale;
    switch (schema.type) {
        case ConnectType::structure:
            return visit_fields(schema, at);
        case ConnectType::map:
            return visit_members(schema, at);
        case ConnectType::array:
        case ConnectType::pairs:
            return visit_items(schema, at);
        default:
            return true;
    }
}

/// Members come in the schema's order but where somebody else than a converter wrote them.
bool Overlay::visit_fields(const ConnectSchema& schema, std::size_t parent) {
    const std::vector<ConnectSchema>& fields = schema.children;
    std::size_t next = 0;
    const std::size_t end = parent + values[parent].size;
    for (std::size_t i = parent + 1; i < end; i += values[i].size) {
        const std::string_view name = values[i].name;
        std::size_t tried = 0;
        while (tried < fields.size() && fields[next].name != name) {
            next = next + 1 == fields.size() ? 0 : next + 1;
            ++tried;
        }
        if (tried == fields.size()) {
            return fail("is not in its schema") || below(printable_name(name));
        }
        if (!visit(fields[next], i)) {
            return below(printable_name(name));
        }
        next = next + 1 == fields.size() ? 0 : next + 1;
    }
    return true;
}

bool Overlay::visit_members(const ConnectSchema& schema, std::size_t parent) {
    const std::size_t end = parent + values[parent].size;
    for (std::size_t i = parent + 1; i < end; i += values[i].size) {
        if (!visit(schema.children[1], i)) {
            return below(printable_name(values[i].name));
        }
    }
    return true;
}

bool Overlay::visit_items(const ConnectSchema& schema, std::size_t parent) {
    const std::size_t end = parent + values[parent].size;
    std::size_t index = 0;
    for (std::size_t i = parent + 1; i < end; i += values[i].size, ++index) {
        const bool is_fit = schema.type == ConnectType::pairs ? visit_pair(schema, i)
                                                              : visit(schema.children[0], i);
        if (!is_fit) {
            return below(fmt::format("[{}]", index));
        }
    }
    return true;
}

bool Overlay::visit_pair(const ConnectSchema& schema, std::size_t pair) {
    const std::size_t key = pair + 1;
    const std::size_t end = pair + values[pair].size;
    const std::size_t value = key < end ? key + values[key].size : end;
    if (values[pair].kind != ValueKind::array || value >= end ||
        value + values[value].size != end) {
        return fail("is not a pair of key and value, as its schema says");
    }
    return visit(schema.children[0], key) ? visit(schema.children[1], value) || below("[1]")
                                          : below("[0]");
}

}  // namespace

Result<ConnectSchema> ConnectSchema::compile(Document schema) {
    if (!schema.empty() && schema[0].kind == ValueKind::null) {
        return ConnectSchema{};
    }
    if (schema.empty() || schema[0].kind != ValueKind::object) {
        return no_schema("not an object");
    }
    ConnectSchema compiled;
    const std::string_view type = text_of(schema, "type");
    for (const NamedType& known : kTypes) {
        if (known.name == type) {
            compiled.type = known.type;
        }
    }
    if (compiled.type == ConnectType::any) {
        return no_schema("its \"type\" is missing or unknown");
    }
    const Document optional = member(schema, "optional");
    const Document fallback = member(schema, "default");
    compiled.may_be_null = (!optional.empty() && optional[0].text == "true") ||
                           (!fallback.empty() && fallback[0].kind != ValueKind::null);
    compiled.meaning = meaning_of(text_of(schema, "name"), compiled.type);
    if (compiled.meaning == Meaning::decimal) {
        const std::optional<std::int16_t> scale = scale_of(schema);
        if (!scale) {
            return no_schema("a Decimal without \"scale\" among its parameters");
        }
        compiled.scale = *scale;
    }
    if (std::optional<RecordError> error = add_children(schema, compiled)) {
        return *std::move(error);
    }
    return compiled;
}

std::optional<RecordError> ConnectSchema::apply(std::span<Value> payload) const {
    Overlay overlay{payload, {}, {}};
    if (overlay.visit(*this, 0)) {
        return std::nullopt;
    }
    const std::string what =
        overlay.path.empty() ? "the payload" : fmt::format("field \"{}\"", overlay.path);
    return RecordError{RecordErrorCode::schema_mismatch,
                       std::move(overlay.path),
                       fmt::format("{} {}", what, overlay.misfit)};
}

}  // namespace txsink::decode
