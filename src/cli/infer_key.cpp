#include "cli/infer_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "cli/infer_types.hpp"
#include "cli/output.hpp"

namespace txsink::cli {
namespace {

/// `order_id` is less sure to name a row than `id`: in few records it may be distinct by chance.
constexpr std::uint64_t kFewRecords = 20;
/// Bytes of a key of raw bytes that fit into an index.
constexpr std::size_t kLongestRawKey = 255;

std::string lower(std::string_view name) {
    std::string text{name};
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

bool is_id(std::string_view name) {
    constexpr std::array<std::string_view, 3> kNames{"id", "_id", "uuid"};
    return std::find(kNames.begin(), kNames.end(), lower(name)) != kNames.end();
}

bool is_like_id(std::string_view name) {
    return lower(name).ends_with("_id") || lower(name).ends_with("uuid") || name.ends_with("Id");
}

bool fits_a_key(std::string_view name, const FieldEvidence& evidence, std::uint64_t rows) {
    return evidence.count == rows && evidence.nulls == 0 &&
           propose_type(name, evidence, true).fits_a_key;
}

/// The field of the value that names the record; null: none does.
const Fields::Field* id_field(const Sample& sample) {
    const Fields::Field* found = nullptr;
    for (const auto& field : sample.fields().all()) {
        if (!field.evidence.is_distinct() ||
            !fits_a_key(field.name, field.evidence, sample.rows())) {
            continue;
        }
        if (is_id(field.name)) {
            return &field;
        }
        if (found == nullptr && is_like_id(field.name) && sample.rows() >= kFewRecords) {
            found = &field;
        }
    }
    return found;
}

bool are_members_fit(const KeySample& key) {
    const auto& members = key.members.all();
    return !members.empty() && key.members.left_out() == 0 &&
           std::all_of(members.begin(), members.end(), [&](const auto& member) {
               return fits_a_key(member.name, member.evidence, key.present);
           });
}

/// A key of one value: under the name of the field that always says the same, else a free one.
void add_one(KeyProposal& proposal,
             const Sample& sample,
             const FieldEvidence& evidence,
             const std::optional<std::vector<std::string>>& same) {
    if (same && !same->empty()) {
        const auto id = std::find_if(same->begin(), same->end(), is_id);
        const auto& name = id == same->end() ? same->front() : *id;
        proposal.columns.emplace_back(name, sample.fields().find(name));
        return;
    }
    proposal.columns.emplace_back(sample.fields().find("id") == nullptr ? "id" : "record_key",
                                  &evidence);
}

/// What the records' keys suggest; its note alone when they do not.
KeyProposal of_record_key(const Sample& sample) {
    const auto& key = sample.key();
    KeyProposal proposal;
    if (key.present == 0) {
        proposal.note = "the records have no key";
        return proposal;
    }
    if (key.absent > 0) {
        proposal.note = fmt::format("{} of {} records have no key", key.absent, sample.records());
        return proposal;
    }
    proposal.is_of_record = true;
    const auto are_all = [&](std::uint64_t count) { return count == key.present; };
    const bool is_binary = key.texts < key.present;
    if (are_all(key.objects) && are_members_fit(key)) {
        proposal.note = "primary key: the members of the records' keys";
        for (const auto& member : key.members.all()) {
            proposal.columns.emplace_back(member.name, &member.evidence);
        }
    } else if (are_all(key.bare) && fits_a_key("key", key.bare_value, key.present)) {
        proposal.note = "primary key: the records' keys, JSON values";
        add_one(proposal, sample, key.bare_value, key.same_as_bare);
    } else if (is_binary && (are_all(key.of_8_bytes) || are_all(key.of_4_bytes))) {
        proposal.note = "primary key: the records' keys, binary integers";
        proposal.format = are_all(key.of_8_bytes) ? "int64" : "int32";
        proposal.columns.emplace_back(sample.fields().find("id") == nullptr ? "id" : "record_key",
                                      nullptr);
    } else if (are_all(key.texts) && key.objects == 0 &&
               fits_a_key("key", key.text_value, key.present)) {
        proposal.note = "primary key: the records' keys, as text";
        proposal.format = "string";
        add_one(proposal, sample, key.text_value, key.same_as_text);
    } else if (key.framed > 0) {
        return {{}, false, {}, "the records' keys seem framed by a schema registry: not read"};
    } else if (is_binary && key.longest <= kLongestRawKey) {
        proposal.note = "primary key: the records' keys, as bytes";
        proposal.format = "raw";
        proposal.columns.emplace_back("record_key", nullptr);
    } else {
        return {{}, false, {}, "the records' keys are of several kinds, or too long for a key"};
    }
    return proposal;
}

bool has_column(const KeyProposal& proposal, std::string_view name) {
    return std::any_of(proposal.columns.begin(), proposal.columns.end(), [&](const auto& column) {
        return column.first == name;
    });
}

}  // namespace

KeyProposal propose_key(const Sample& sample) {
    auto of_record = of_record_key(sample);
    const auto* id = id_field(sample);
    const bool is_of_events = id != nullptr && sample.key().has_repeats && sample.removals() == 0 &&
                              !has_column(of_record, id->name);
    if (!of_record.columns.empty() && !is_of_events) {
        return of_record;
    }
    if (id == nullptr) {
        return {{},
                false,
                {},
                of_record.note +
                    ", and no field is named like an id and distinct: no primary key, every record "
                    "a row"};
    }
    KeyProposal proposal;
    proposal.columns.emplace_back(id->name, &id->evidence);
    proposal.note = fmt::format("primary key: {}, distinct in every record ({})",
                                printable(id->name),
                                is_of_events ? "the records' keys repeat" : of_record.note);
    return proposal;
}

}  // namespace txsink::cli
