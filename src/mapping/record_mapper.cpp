#include "txsink/mapping/record_mapper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mapping/row_mapper.hpp"
#include "mapping/source_reader.hpp"
#include "txsink/decode/record_decoder.hpp"

namespace txsink::mapping {

namespace {

using decode::DecodedRecord;
using decode::Document;
using decode::Operation;

int strictness(OnBadRecord policy) noexcept {
    switch (policy) {
        case OnBadRecord::fail:
            return 2;
        case OnBadRecord::dead_letter:
            return 1;
        case OnBadRecord::skip:
            break;
    }
    return 0;
}

RecordError as_key_error(RecordError error, std::string_view key) {
    if (error.code == RecordErrorCode::not_json) {
        error.message += " (a string must stand in double quotes, or key-format = string)";
    }
    const bool is_of_json =
        error.code == RecordErrorCode::not_json || error.code == RecordErrorCode::schema_registry;
    if (is_of_json && (key.size() == 4 || key.size() == 8)) {
        error.message +=
            fmt::format("; a number of {} bytes is key-format = int{}", key.size(), 8 * key.size());
    }
    return error;
}

}  // namespace

struct RecordMapper::State {
    /// A format that some routes share: a record is decoded once for all of them.
    struct ValueDecoding {
        ValueDecoding(Format of_format, std::string the_marker)
            : format{of_format}, marker{std::move(the_marker)}, decoder{format, {marker}} {}

        const Result<DecodedRecord>& read(const ConsumerRecord& record) {
            if (!decoded) {
                decoded.emplace(decoder.decode(record));
            }
            return *decoded;
        }

        Format format;
        std::string marker;
        decode::RecordDecoder decoder;
        std::optional<Result<DecodedRecord>> decoded;
    };

    struct KeyDecoding {
        KeyDecoding(KeyFormat of_key, Format of_value)
            : format{of_key}, format_of_value{of_value}, decoder{of_key, of_value} {}

        const Result<Document>& read(std::string_view key) {
            if (!decoded) {
                decoded.emplace(decoder.decode(key));
            }
            return *decoded;
        }

        KeyFormat format;
        Format format_of_value;
        decode::KeyDecoder decoder;
        std::optional<Result<Document>> decoded;
    };

    /// One route with what it shares with others.
    struct MappedRoute {
        std::unique_ptr<RowMapper> mapper;
        ValueDecoding* value = nullptr;
        KeyDecoding* key = nullptr;
    };

    State(std::vector<BoundRoute> bound, MapperSettings the_settings);

    [[nodiscard]] Result<Mapped> map(const ConsumerRecord& record, RowBuffer& rows);

    std::vector<BoundRoute> routes;
    const Route* refusing = nullptr;
    std::vector<MappedRoute> mapped;

private:
    /// What a route makes of a record; perhaps: others may take it as well, nobody can tell.
    enum class Taken : std::uint8_t { no, no_event, perhaps, yes };

    /// `is_left`: the row that the state before made is no longer the route's.
    [[nodiscard]] Result<Taken> offer(MappedRoute& route,
                                      const ConsumerRecord& record,
                                      bool is_left,
                                      RowBuffer& rows);
    [[nodiscard]] Result<Taken> offer(MappedRoute& route,
                                      RecordView& view,
                                      bool is_left,
                                      RowBuffer& rows);
    [[nodiscard]] bool has_left_otherwise(const MappedRoute& otherwise,
                                          const ConsumerRecord& record);
    [[nodiscard]] bool removes(const ConsumerRecord& record);
    [[nodiscard]] Result<Document> key_for(MappedRoute& route,
                                           const ConsumerRecord& record,
                                           Operation operation) const;
    void share(MappedRoute& route);

    MapperSettings settings_;
    const Route* strictest_ = nullptr;
    bool has_otherwise_ = false;
    std::vector<std::unique_ptr<ValueDecoding>> values_;
    std::vector<std::unique_ptr<KeyDecoding>> keys_;
};

RecordMapper::State::State(std::vector<BoundRoute> bound, MapperSettings the_settings)
    : routes{std::move(bound)}, settings_{std::move(the_settings)} {
    for (const BoundRoute& each : routes) {
        mapped.push_back({std::make_unique<RowMapper>(each), nullptr, nullptr});
        share(mapped.back());
        has_otherwise_ = has_otherwise_ || each.route.is_otherwise;
        if (strictest_ == nullptr ||
            strictness(each.route.on_bad_record) > strictness(strictest_->on_bad_record)) {
            strictest_ = &each.route;
        }
    }
}

/// Gives the route the decoders of one before it that reads the same.
void RecordMapper::State::share(MappedRoute& route) {
    const Route& wanted = route.mapper->route();
    const auto value = std::find_if(values_.begin(), values_.end(), [&](const auto& each) {
        return each->format == wanted.format && each->marker == wanted.unavailable_marker;
    });
    route.value = value != values_.end() ? value->get()
                                         : values_
                                               .emplace_back(std::make_unique<ValueDecoding>(
                                                   wanted.format, wanted.unavailable_marker))
                                               .get();
    const auto key = std::find_if(keys_.begin(), keys_.end(), [&](const auto& each) {
        return each->format == wanted.key_format && each->format_of_value == wanted.format;
    });
    route.key =
        key != keys_.end()
            ? key->get()
            : keys_.emplace_back(std::make_unique<KeyDecoding>(wanted.key_format, wanted.format))
                  .get();
}

Result<Mapped> RecordMapper::State::map(const ConsumerRecord& record, RowBuffer& rows) {
    for (const auto& value : values_) {
        value->decoded.reset();
    }
    for (const auto& key : keys_) {
        key->decoded.reset();
    }
    const std::size_t before = rows.changes().size();
    const bool is_backwards = removes(record);
    bool is_taken = false;
    bool is_certain = false;
    bool is_event = false;
    for (const bool otherwise : {false, true}) {
        if (otherwise && !has_otherwise_) {
            break;
        }
        for (std::size_t i = 0; i < mapped.size(); ++i) {
            MappedRoute& route = mapped[is_backwards ? mapped.size() - 1 - i : i];
            if (route.mapper->route().is_otherwise != otherwise) {
                continue;
            }
            const bool is_left = otherwise && is_certain;
            if (is_left && !has_left_otherwise(route, record)) {
                continue;
            }
            const Result<Taken> taken = offer(route, record, is_left, rows);
            if (!taken) {
                rows.shrink(before);
                return taken.error();
            }
            is_certain = is_certain || taken.value() == Taken::yes;
            is_taken = is_taken || is_certain || taken.value() == Taken::perhaps;
            is_event = is_event || taken.value() != Taken::no_event;
        }
    }
    if (is_taken) {
        return Mapped::rows;
    }
    if (!is_event) {
        return Mapped::no_event;
    }
    if (settings_.on_unrouted == OnUnrouted::ignore) {
        return Mapped::filtered;
    }
    refusing = nullptr;
    return RecordError{RecordErrorCode::no_route,
                       {},
                       "no route takes the record (none of their conditions matches it)"};
}

/// Whether no other route took a change event's state before, so that its row is in the table of
/// this one.
bool RecordMapper::State::has_left_otherwise(const MappedRoute& otherwise,
                                             const ConsumerRecord& record) {
    const Mode mode = otherwise.mapper->route().mode;
    if (mode != Mode::upsert && mode != Mode::update) {
        return false;
    }
    for (MappedRoute& route : mapped) {
        const Result<DecodedRecord>& decoded = route.value->read(record);
        if (!decoded || decoded.value().operation != Operation::write ||
            decoded.value().before.empty()) {
            return false;
        }
        if (route.mapper->route().is_otherwise) {
            continue;
        }
        DecodedRecord before{decoded.value()};
        before.row = before.before;
        RecordView view;
        view.record = &record;
        view.decoded = &before;
        view.connector = settings_.connector;
        if (route.mapper->when_needs_key() && record.key) {
            if (const Result<Document>& key = route.key->read(*record.key); key) {
                view.key = key.value();
            }
        }
        if (route.mapper->takes(view) == Takes::yes) {
            return false;
        }
    }
    return true;
}

/// Whether rows go: then the last route's go first, as a child's must before its parent's.
bool RecordMapper::State::removes(const ConsumerRecord& record) {
    if (mapped.size() == 1) {
        return false;
    }
    const Result<DecodedRecord>& decoded = mapped.front().value->read(record);
    return decoded && (decoded.value().operation == Operation::remove ||
                       decoded.value().operation == Operation::tombstone ||
                       decoded.value().operation == Operation::truncate);
}

Result<RecordMapper::State::Taken> RecordMapper::State::offer(MappedRoute& route,
                                                              const ConsumerRecord& record,
                                                              bool is_left,
                                                              RowBuffer& rows) {
    refusing = strictest_;
    const Result<DecodedRecord>& decoded = route.value->read(record);
    if (!decoded) {
        return decoded.error();
    }
    if (decoded.value().operation == Operation::none) {
        return Taken::no_event;
    }
    refusing = &route.mapper->route();
    RecordView view;
    view.record = &record;
    view.decoded = &decoded.value();
    view.connector = settings_.connector;
    return offer(route, view, is_left, rows);
}

Result<RecordMapper::State::Taken> RecordMapper::State::offer(MappedRoute& route,
                                                              RecordView& view,
                                                              bool is_left,
                                                              RowBuffer& rows) {
    RowMapper& mapper = *route.mapper;
    const ConsumerRecord& record = *view.record;
    if (mapper.when_needs_key() && record.key) {
        const Result<Document>& key = route.key->read(*record.key);
        if (!key) {
            return as_key_error(key.error(), *record.key);
        }
        view.key = key.value();
    }
    const Takes takes = mapper.takes(view);
    std::optional<DecodedRecord> other;
    if (takes == Takes::no || is_left) {
        if (!is_left && !mapper.is_left_by(view)) {
            return Taken::no;
        }
        other = *view.decoded;
        other->operation = Operation::remove;
        other->row = other->before;
        view.decoded = &*other;
    }
    if (mapper.passes_over(view)) {
        return takes == Takes::yes ? Taken::yes : Taken::perhaps;
    }
    const Result<Document> key = key_for(route, record, view.decoded->operation);
    if (!key) {
        return key.error();
    }
    view.key = key.value();
    if (view.decoded->operation == Operation::tombstone &&
        mapper.route().format == Format::debezium) {
        // A change event's key has the names of its row.
        other = *view.decoded;
        other->row = view.key;
        view.decoded = &*other;
    }
    const std::size_t bytes = rows.bytes();
    if (auto done = mapper.map(view, rows); !done) {
        return done.error();
    }
    if (rows.bytes() - bytes > kMostBytesPerRecord) {
        return too_many_bytes();
    }
    return takes == Takes::yes && !is_left ? Taken::yes : Taken::perhaps;
}

/// The record's key, where the route asks for it; empty where it has none.
Result<Document> RecordMapper::State::key_for(MappedRoute& route,
                                              const ConsumerRecord& record,
                                              Operation operation) const {
    const bool is_removal = operation == Operation::tombstone || operation == Operation::remove;
    if (!record.key || !(route.mapper->needs_key() || is_removal)) {
        return Document{};
    }
    const Result<Document>& key = route.key->read(*record.key);
    if (key) {
        return key.value();
    }
    // A change event names the row itself: its key is asked only where that does not.
    if (operation == Operation::remove && !route.mapper->needs_key()) {
        return Document{};
    }
    return as_key_error(key.error(), *record.key);
}

RecordMapper::RecordMapper(std::vector<BoundRoute> routes, MapperSettings settings)
    : state_{std::make_unique<State>(std::move(routes), std::move(settings))} {}
RecordMapper::RecordMapper(Route route, TableDefinition table)
    : RecordMapper{std::vector<BoundRoute>{{std::move(route), std::move(table)}}, {}} {}
RecordMapper::RecordMapper(RecordMapper&&) noexcept = default;
RecordMapper& RecordMapper::operator=(RecordMapper&&) noexcept = default;
RecordMapper::~RecordMapper() = default;

Result<Mapped> RecordMapper::map(const ConsumerRecord& record, RowBuffer& rows) {
    return state_->map(record, rows);
}

const Route* RecordMapper::refusing_route() const noexcept {
    return state_->refusing;
}

void RecordMapper::forget_shapes() noexcept {
    for (const auto& route : state_->mapped) {
        route.mapper->forget_shapes();
    }
}

bool RecordMapper::has_dead_letters() const noexcept {
    return std::any_of(state_->routes.begin(), state_->routes.end(), [](const BoundRoute& each) {
        return each.route.on_bad_record == OnBadRecord::dead_letter;
    });
}

const std::vector<BoundRoute>& RecordMapper::routes() const noexcept {
    return state_->routes;
}

}  // namespace txsink::mapping
