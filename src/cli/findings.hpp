/// @file
/// What checks find, and how they tell it.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <span>
#include <string>
#include <utility>

#include "txsink/core/sink_error.hpp"

namespace txsink::cli {

enum class Status { good, warning, failed, skipped };

/// What one check found.
struct Finding {
    /// What was looked at: `mysql server`, `target shop.orders`.
    std::string subject;
    Status status = Status::good;
    std::string what;
    std::string detail;
    std::string hint;
    /// failed: what a command that needs it ends with.
    ErrorKind kind = ErrorKind::configuration;
};

using FindingListener = std::function<void(const Finding& finding)>;

/// Tells a listener, which must outlive it, what is found.
class Findings {
public:
    explicit Findings(const FindingListener& listener) : listener_{listener} {}

    void tell(const Finding& finding) const { listener_(finding); }
    void good(const std::string& subject, const std::string& what) const {
        tell({subject, Status::good, what, {}, {}, {}});
    }
    void warn(const std::string& subject, const std::string& what, const std::string& hint) const {
        tell({subject, Status::warning, what, {}, hint, {}});
    }
    void fail(const std::string& subject, const SinkError& error) const {
        tell({subject, Status::failed, error.what(), error.detail, error.hint, error.kind});
    }
    void skip(const std::string& subject, const std::string& why) const {
        tell({subject, Status::skipped, why, {}, {}, {}});
    }

    /// Runs one check; an error that it throws is a finding. Returns whether it went through.
    template <typename Check>
    bool attempt(const std::string& subject, const Check& check) const {
        try {
            check();
            return true;
        } catch (const SinkError& error) {
            fail(subject, error);
            return false;
        }
    }

private:
    const FindingListener& listener_;
};

/// `a, b, c`.
[[nodiscard]] inline std::string join(std::span<const std::string> parts,
                                      const char* between = ", ") {
    return fmt::format("{}", fmt::join(parts.begin(), parts.end(), between));
}

}  // namespace txsink::cli
