/// @file
/// The names of the properties that librdkafka takes.
#pragma once

#include <string>
#include <vector>

namespace txsink::kafka {

/// Sorted. For suggesting the one that was meant; whether librdkafka takes a name is asked with
/// check_properties().
[[nodiscard]] std::vector<std::string> property_names();

/// Those that only a consumer has. Sorted.
[[nodiscard]] std::vector<std::string> consumer_property_names();

}  // namespace txsink::kafka
