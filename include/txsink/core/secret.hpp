/// @file
/// Secret: text that must not reach a log, an error, `ps` or a core message.
#pragma once

#include <ostream>
#include <string>
#include <utility>

namespace txsink {

class Secret {
public:
    Secret() = default;
    explicit Secret(std::string value) : value_{std::move(value)} {}

    /// The secret itself: for the library that needs it, and nothing else.
    [[nodiscard]] const std::string& reveal() const noexcept { return value_; }
    [[nodiscard]] bool is_empty() const noexcept { return value_.empty(); }

    friend std::ostream& operator<<(std::ostream& out, const Secret&) { return out << "***"; }

private:
    std::string value_;
};

}  // namespace txsink
