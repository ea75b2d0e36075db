#include "mapping/source_reader.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace txsink::mapping {

using decode::Document;
using decode::Meaning;
using decode::ValueKind;

namespace {

Document follow(Document from, const std::vector<PathStep>& path) {
    for (const auto& step : path) {
        if (const auto* name = std::get_if<std::string>(&step)) {
            from = decode::member(from, *name);
        } else {
            from = decode::element(from, std::get<std::size_t>(step));
        }
    }
    return from;
}

}  // namespace

SourceReader::SourceReader(Source source) : source_{std::move(source)} {}

Document SourceReader::read(const RecordView& view) {
    Document null;
    for (const auto& term : source_.terms) {
        const Document found = read_term(term, view);
        if (found.empty()) {
            continue;
        }
        if (found.front().kind != ValueKind::null) {
            return found;
        }
        null = found;
    }
    return null;
}

bool SourceReader::uses(Origin origin) const noexcept {
    return std::any_of(source_.terms.begin(), source_.terms.end(), [=](const SourceTerm& term) {
        return term.origin == origin;
    });
}

Document SourceReader::read_term(const SourceTerm& term, const RecordView& view) {
    switch (term.origin) {
        case Origin::row: {
            const Document value = follow(view.decoded->row, term.path);
            if (!value.empty() && value.front().meaning == Meaning::unavailable) {
                // It has not changed: the state before, where it was sent, has it.
                const Document before = follow(view.decoded->before, term.path);
                return before.empty() ? value : before;
            }
            return value;
        }
        case Origin::value:
            return follow(view.decoded->value, term.path);
        case Origin::before:
            return follow(view.decoded->before, term.path);
        case Origin::key:
            return follow(view.key, term.path);
        case Origin::item:
            return follow(view.item, term.path);
        case Origin::index:
            return view.item.empty() ? Document{}
                                     : keep_number(static_cast<std::int64_t>(view.index));
        case Origin::topic:
            return keep_text(view.record->topic);
        case Origin::partition:
            return keep_number(view.record->partition);
        case Origin::offset:
            return keep_number(static_cast<std::int64_t>(view.record->offset));
        case Origin::timestamp:
            return view.record->timestamp_ms == -1
                       ? Document{}
                       : keep_number(view.record->timestamp_ms, Meaning::epoch_ms);
        case Origin::header:
            return read_header(term.text, *view.record);
        case Origin::connector:
            return keep_text(view.connector);
        case Origin::constant:
            return keep_text(term.text);
    }
    return {};
}

Document SourceReader::read_header(std::string_view name, const ConsumerRecord& record) {
    const auto& headers = record.headers;
    const auto last = std::find_if(headers.rbegin(), headers.rend(), [=](const RecordHeader& one) {
        return one.name == name;
    });
    if (last == headers.rend()) {
        return {};
    }
    if (!last->value) {
        own_ = {.kind = ValueKind::null, .text = "null", .name = {}};
        return {&own_, 1};
    }
    return keep_text(*last->value, Meaning::raw_bytes);
}

Document SourceReader::keep_text(std::string_view text, Meaning meaning) {
    own_ = {.kind = ValueKind::string, .text = text, .name = {}, .meaning = meaning};
    return {&own_, 1};
}

Document SourceReader::keep_number(std::int64_t number, Meaning meaning) {
    const auto end = std::to_chars(digits_.data(), digits_.data() + digits_.size(), number).ptr;
    const auto size = static_cast<std::size_t>(end - digits_.data());
    own_ = {
        .kind = ValueKind::number, .text = {digits_.data(), size}, .name = {}, .meaning = meaning};
    return {&own_, 1};
}

FilterReader::FilterReader(Filter filter) {
    for (auto& condition : filter.conditions) {
        Check check{SourceReader{std::move(condition.source)}, condition.test, {}};
        for (auto& operand : condition.operands) {
            check.operands.emplace_back(std::move(operand));
        }
        checks_.push_back(std::move(check));
    }
}

bool FilterReader::matches(const RecordView& view) {
    return std::all_of(
        checks_.begin(), checks_.end(), [&](Check& check) { return holds(check, view); });
}

bool FilterReader::uses(Origin origin) const noexcept {
    const auto is_used = [=](const SourceReader& source) { return source.uses(origin); };
    return std::any_of(checks_.begin(), checks_.end(), [&](const Check& check) {
        return is_used(check.source) ||
               std::any_of(check.operands.begin(), check.operands.end(), is_used);
    });
}

bool FilterReader::holds(Check& check, const RecordView& view) {
    const Document value = check.source.read(view);
    const auto is_among_operands = [&] {
        return !value.empty() &&
               std::any_of(
                   check.operands.begin(), check.operands.end(), [&](SourceReader& operand) {
                       const Document other = operand.read(view);
                       return !other.empty() && other.front().text == value.front().text;
                   });
    };
    switch (check.test) {
        case Test::present:
            return !value.empty();
        case Test::absent:
            return value.empty();
        case Test::equal:
        case Test::in_list:
            return is_among_operands();
        case Test::differs:
        case Test::not_in_list:
            return !is_among_operands();
    }
    return false;
}

}  // namespace txsink::mapping
