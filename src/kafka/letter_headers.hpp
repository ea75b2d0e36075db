/// @file
/// The headers of a dead letter, from its JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txsink::kafka {

struct LetterHeader {
    std::string name;
    /// Absent: null.
    std::optional<std::string> value;
};

/// Reads batch::DeadLetter::headers; empty text: none.
/// Errors: SinkError internal: it is not what make_dead_letter() writes.
[[nodiscard]] std::vector<LetterHeader> letter_headers(std::string_view json);

}  // namespace txsink::kafka
