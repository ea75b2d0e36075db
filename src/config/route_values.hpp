/// @file
/// Values that options of routes and of their columns share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/option_values.hpp"
#include "txsink/core/sink_error.hpp"
#include "txsink/mapping/route.hpp"

namespace txsink::config {

/// Puts what `parse` makes of `text` into `place`. Returns what is wrong with it.
template <typename Value>
std::string parse_into(Value& place, const std::string& text, Value (*parse)(std::string_view)) {
    try {
        place = parse(text);
    } catch (const SinkError& error) {
        return fmt::format("is {}: {}", error.what(), error.detail);
    }
    return {};
}

[[nodiscard]] inline std::string set_source(std::optional<mapping::Source>& place,
                                            const std::string& text) {
    return parse_into(place.emplace(), text, &mapping::parse_source);
}

/// Names separated by commas. Returns what is wrong with them.
[[nodiscard]] std::string set_names(std::vector<std::string>& place, const std::string& text);
/// The same for columns of a table.
[[nodiscard]] std::string set_columns(std::vector<std::string>& place, const std::string& text);
[[nodiscard]] std::string complaint_about_column(const std::string& name);

[[nodiscard]] Choices<mapping::OnConflict> on_conflict_names();
[[nodiscard]] Choices<mapping::OnMissing> missing_names();
[[nodiscard]] Choices<mapping::OnNull> null_names();
[[nodiscard]] Choices<mapping::OnExcessFraction> excess_fraction_names();
[[nodiscard]] Choices<mapping::TimeUnit> unit_names();
[[nodiscard]] Choices<mapping::BinaryEncoding> binary_names();

}  // namespace txsink::config
