#include "cli/signals.hpp"

#include <signal.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <utility>

namespace txsink::cli {
namespace {

sigset_t stop_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

void wait_for_signals(const std::stop_token& end, std::stop_source& stop) {
    const auto signals = stop_signals();
    bool is_second = false;
    while (!end.stop_requested()) {
        constexpr timespec kLook{0, 100'000'000};  // so that the end of the process is noticed
        const int number = sigtimedwait(&signals, nullptr, &kLook);
        if (number < 0) {
            continue;
        }
        if (is_second) {
            spdlog::warn("stopping at once");
            std::_Exit(128 + number);
        }
        is_second = true;
        spdlog::info("stopping ({}); a second signal ends at once",
                     number == SIGINT ? "SIGINT" : "SIGTERM");
        stop.request_stop();
    }
}

}  // namespace

StopOnSignal::StopOnSignal(std::stop_source stop) {
    const auto signals = stop_signals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    signal(SIGPIPE, SIG_IGN);
    thread_ = std::jthread{[stop = std::move(stop)](const std::stop_token& end) mutable {
        wait_for_signals(end, stop);
    }};
}

}  // namespace txsink::cli
