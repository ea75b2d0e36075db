#include "config/route_values.hpp"

#include <algorithm>

namespace txsink::config {

using mapping::BinaryEncoding;
using mapping::OnConflict;
using mapping::OnExcessFraction;
using mapping::OnMissing;
using mapping::OnNull;
using mapping::TimeUnit;

std::string set_names(std::vector<std::string>& place, const std::string& text) {
    place.clear();
    for (auto& name : split(text, ',')) {
        if (name.empty()) {
            return "has an empty name";
        }
        if (std::find(place.begin(), place.end(), name) != place.end()) {
            return fmt::format("names {} twice", name);
        }
        place.push_back(std::move(name));
    }
    return {};
}

std::string set_columns(std::vector<std::string>& place, const std::string& text) {
    auto complaint = set_names(place, text);
    for (const auto& name : place) {
        complaint = complaint.empty() ? complaint_about_column(name) : complaint;
    }
    return complaint;
}

std::string complaint_about_column(const std::string& name) {
    if (name.empty()) {
        return "names no column";
    }
    return characters(name) > kLongestIdentifier
               ? fmt::format("is longer than the {} characters of a name in MySQL",
                             kLongestIdentifier)
               : "";
}

Choices<OnConflict> on_conflict_names() {
    return {{"replace", OnConflict::replace},
            {"keep", OnConflict::keep},
            {"add", OnConflict::add},
            {"max", OnConflict::max},
            {"min", OnConflict::min}};
}

Choices<OnMissing> missing_names() {
    return {
        {"default", OnMissing::fallback}, {"null", OnMissing::null}, {"error", OnMissing::error}};
}

Choices<OnNull> null_names() {
    return {{"keep-null", OnNull::keep}, {"default", OnNull::fallback}};
}

Choices<OnExcessFraction> excess_fraction_names() {
    return {{"error", OnExcessFraction::error},
            {"round", OnExcessFraction::round},
            {"truncate", OnExcessFraction::truncate}};
}

Choices<TimeUnit> unit_names() {
    return {{"automatic", TimeUnit::automatic},
            {"days", TimeUnit::days},
            {"s", TimeUnit::seconds},
            {"ms", TimeUnit::milliseconds},
            {"us", TimeUnit::microseconds},
            {"ns", TimeUnit::nanoseconds}};
}

Choices<BinaryEncoding> binary_names() {
    return {{"base64", BinaryEncoding::base64},
            {"hex", BinaryEncoding::hex},
            {"text", BinaryEncoding::text}};
}

}  // namespace txsink::config
