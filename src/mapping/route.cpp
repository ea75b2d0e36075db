#include "txsink/mapping/route.hpp"

#include <regex.h>

#include <algorithm>
#include <array>

#include "txsink/core/sink_error.hpp"

namespace txsink::mapping {

namespace {

/// A compiled POSIX extended expression.
class Expression {
public:
    /// Errors: SinkError configuration: not an expression.
    explicit Expression(const std::string& text) {
        if (const int code = ::regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB)) {
            std::array<char, 256> reason{};
            ::regerror(code, &compiled_, reason.data(), reason.size());
            throw SinkError{ErrorKind::configuration,
                            "topic expression " + text + " cannot be read",
                            reason.data(),
                            "POSIX extended syntax is needed, for example ^orders[.].*"};
        }
    }
    Expression(const Expression&) = delete;
    Expression& operator=(const Expression&) = delete;
    ~Expression() { ::regfree(&compiled_); }

    [[nodiscard]] bool is_found_in(const std::string& text) const {
        return ::regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
    }

private:
    regex_t compiled_{};
};

}  // namespace

bool Route::takes(std::string_view topic) const {
    if (is_regex()) {
        return Expression{topics.front()}.is_found_in(std::string{topic});
    }
    return std::find(topics.begin(), topics.end(), topic) != topics.end();
}

}  // namespace txsink::mapping
