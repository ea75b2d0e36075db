/// @file
/// Who this process is, for the people who read txsink_offsets and txsink_gaps.
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace txsink::cli {

/// `host:pid`.
[[nodiscard]] inline std::string process_name() {
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) {
        host[0] = '?';
    }
    return std::string{host.data()} + ":" + std::to_string(getpid());
}

}  // namespace txsink::cli
