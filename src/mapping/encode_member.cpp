/// @file
/// ENUM and SET columns: members byte for byte.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "mapping/encode.hpp"
#include "mapping/misfit.hpp"
#include "txsink/mapping/sql_literal.hpp"

namespace txsink::mapping {

namespace {

using decode::Document;
using decode::Value;
using decode::ValueKind;

/// Its place among the members, which are sorted.
std::optional<std::size_t> find_member(const ColumnLimits& limits, std::string_view text) {
    const auto at = std::lower_bound(limits.members.begin(), limits.members.end(), text);
    if (at == limits.members.end() || *at != text) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(at - limits.members.begin());
}

/// Takes the members of one SET value, one after another.
class SetBuilder {
public:
    SetBuilder(const ColumnLimits& limits, ValueKind kind, std::string& sql)
        : limits_{limits}, kind_{kind}, sql_{sql} {}

    Result<Done> add(std::string_view member) {
        const std::optional<std::size_t> place = find_member(limits_, member);
        if (!place || *place >= kMostMembers) {
            return misfit(RecordErrorCode::out_of_range,
                          kind_,
                          fmt::format("names what is not, byte for byte, one of the {} members",
                                      limits_.members.size()));
        }
        const std::uint64_t bit = std::uint64_t{1} << *place;
        if ((taken_ & bit) != 0) {
            return misfit(RecordErrorCode::would_lose_digits,
                          kind_,
                          "names a member twice, which a SET keeps once");
        }
        if (taken_ != 0) {
            sql_ += ',';
        }
        taken_ |= bit;
        // The quotes around all of it are ours.
        const std::size_t begin = sql_.size();
        append_string(sql_, member);
        sql_.erase(begin, 1);
        sql_.pop_back();
        return Done{};
    }

private:
    static constexpr std::size_t kMostMembers = 64;

    const ColumnLimits& limits_;
    ValueKind kind_;
    std::string& sql_;
    std::uint64_t taken_ = 0;
};

Result<Done> add_list(SetBuilder& set, std::string_view list) {
    for (std::size_t at = 0; !list.empty();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        if (Result<Done> done = set.add(list.substr(at, end - at)); !done || end == list.size()) {
            return done;
        }
        at = end + 1;
    }
    return Done{};
}

Result<Done> add_elements(SetBuilder& set, Document array) {
    Result<Done> done = Done{};
    decode::for_each_child(array, 0, [&](std::size_t, const Value& element) {
        if (!done) {
            return;
        }
        done = element.kind == ValueKind::string ? set.add(element.text)
                                                 : misfit(RecordErrorCode::wrong_kind,
                                                          array.front().kind,
                                                          "has an element that is no string");
    });
    return done;
}

}  // namespace

Result<Done> encode_enumeration(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind != ValueKind::string) {
        return misfit(RecordErrorCode::wrong_kind, value.kind, "is no string");
    }
    // The server would take '1' as the first member, and other cases of the letters.
    if (!find_member(limits, value.text)) {
        return misfit(
            RecordErrorCode::out_of_range,
            value.kind,
            fmt::format("is not, byte for byte, one of the {} members", limits.members.size()));
    }
    append_string(sql, value.text);
    return Done{};
}

Result<Done> encode_set(const ColumnLimits& limits, Document subtree, std::string& sql) {
    const Value& value = subtree.front();
    if (value.kind != ValueKind::string && value.kind != ValueKind::array) {
        return misfit(
            RecordErrorCode::wrong_kind, value.kind, "is neither a string nor an array of strings");
    }
    sql += '\'';
    SetBuilder set{limits, value.kind, sql};
    Result<Done> done =
        value.kind == ValueKind::string ? add_list(set, value.text) : add_elements(set, subtree);
    sql += '\'';
    return done;
}

}  // namespace txsink::mapping
