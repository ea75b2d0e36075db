/// @file
/// first_refused(): the first record that Sink::isolate names.
#pragma once

#include <optional>

#include "txsink/pipeline/sink.hpp"

namespace txsink::test {

[[nodiscard]] inline std::optional<pipeline::RefusedRecord> first_refused(
    pipeline::Sink& sink, const batch::Batch& batch) {
    const auto found = sink.isolate(batch, 1);
    return found.empty() ? std::nullopt : std::optional{found.front()};
}

}  // namespace txsink::test
