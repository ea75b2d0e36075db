#include "decode/change_event.hpp"

#include <fmt/format.h>

#include <string_view>

namespace txsink::decode {

namespace {

RecordError no_event(std::string_view what) {
    return {RecordErrorCode::not_an_envelope, {}, fmt::format("not a change event: {}", what)};
}

bool has(Document message, std::string_view name) noexcept {
    return !member(message, name).empty();
}

bool is_text(Document value, std::string_view text) noexcept {
    return !value.empty() && value[0].kind == ValueKind::string && value[0].text == text;
}

/// {"ts_ms": ...}
bool is_heartbeat(Document message) noexcept {
    return message.size() == 2 && message[1].name == "ts_ms" &&
           message[1].kind == ValueKind::number;
}

bool is_schema_change(Document message) noexcept {
    return has(message, "source") && has(message, "databaseName") &&
           (has(message, "ddl") || has(message, "tableChanges"));
}

bool is_transaction_metadata(Document message) noexcept {
    const Document status = member(message, "status");
    return (is_text(status, "BEGIN") || is_text(status, "END")) && has(message, "id") &&
           has(message, "event_count");
}

/// Empty where the state is null or was not sent. Error: it is no row.
Result<Document> state(Document message, std::string_view name) {
    const Document found = member(message, name);
    if (found.empty() || found[0].kind == ValueKind::null) {
        return Document{};
    }
    if (found[0].kind != ValueKind::object) {
        return no_event(fmt::format("\"{}\" is neither an object nor null", name));
    }
    return found;
}

Result<DecodedRecord> read_row_event(Document message, char op) {
    const Result<Document> before = state(message, "before");
    if (!before) {
        return before.error();
    }
    if (op == 'd') {
        return DecodedRecord{Operation::remove, message, before.value(), {}};
    }
    const Result<Document> after = state(message, "after");
    if (!after) {
        return after.error();
    }
    if (after.value().empty()) {
        return no_event(fmt::format("op \"{}\" without \"after\", the row's new state", op));
    }
    return DecodedRecord{Operation::write, message, after.value(), before.value()};
}

}  // namespace

Result<DecodedRecord> read_change_event(Document message) {
    if (message[0].kind != ValueKind::object) {
        return no_event("not an object");
    }
    const Document op = member(message, "op");
    if (op.empty()) {
        if (is_heartbeat(message) || is_schema_change(message) ||
            is_transaction_metadata(message)) {
            return DecodedRecord{Operation::none, message, {}, {}};
        }
        return no_event("\"op\" is missing, and it is no heartbeat, schema change or transaction");
    }
    if (op[0].kind == ValueKind::string && op[0].text.size() == 1) {
        switch (op[0].text.front()) {
            case 'c':
            case 'r':
            case 'u':
            case 'd':
                return read_row_event(message, op[0].text.front());
            case 't':
                return DecodedRecord{Operation::truncate, message, {}, {}};
            case 'm':
                return DecodedRecord{Operation::none, message, {}, {}};
            default:
                break;
        }
    }
    return no_event("\"op\" is none of c, r, u, d, t, m");
}

}  // namespace txsink::decode
