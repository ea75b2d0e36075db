#include "txsink/core/failpoint.hpp"

#ifdef TXSINK_FAILPOINTS

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace txsink {
namespace {

struct Armed {
    std::string_view name;
    int pass = 0;
    int signal = SIGKILL;
};

Armed armed_from_environment() noexcept {
    const char* text = std::getenv("TXSINK_FAILPOINT");
    if (text == nullptr) {
        return {};
    }
    std::string_view value{text};
    int signal = SIGKILL;
    if (constexpr std::string_view kStop = ":stop"; value.ends_with(kStop)) {
        value.remove_suffix(kStop.size());
        signal = SIGSTOP;
    }
    const auto colon = value.rfind(':');
    Armed armed{value.substr(0, colon), 1, signal};
    if (colon != std::string_view::npos) {
        std::from_chars(value.data() + colon + 1, value.data() + value.size(), armed.pass);
    }
    return armed;
}

}  // namespace

void pass_failpoint(const char* name) noexcept {
    static const Armed armed = armed_from_environment();
    static std::atomic<int> passes{0};
    if (armed.name == name && ++passes == armed.pass) {
        // SIGKILL, not exit(): nothing may be flushed, closed or rolled back by us.
        std::raise(armed.signal);
    }
}

}  // namespace txsink

#endif
