/// @file
/// Isolation: which record of a batch the target table refuses.
#pragma once

#include <functional>
#include <optional>

#include "mysql/session.hpp"
#include "txsink/batch/batch.hpp"
#include "txsink/batch/write_plan.hpp"
#include "txsink/pipeline/sink.hpp"

namespace txsink::mysql {

/// Plans the changes [first, last) into the plan; returns one that no packet can hold.
using BuildPlan = std::function<std::optional<batch::ChangePosition>(batch::ChangePosition first,
                                                                     batch::ChangePosition last)>;
/// Runs a statement of the plan. After SinkError bad_record with `reconnect` the session is gone.
using WriteStatement = std::function<void(const batch::Statement&)>;

/// Finds the first change of `batch`, in plan order, that is refused with a bad record code, by
/// halving the statement that fails. What is not refused stays applied in the open transaction,
/// so that each change meets the rows that it would have met: the caller rolls back.
/// Errors: SinkError of any other kind, as it comes.
[[nodiscard]] std::optional<pipeline::RefusedRecord> find_refused(Session& session,
                                                                  const batch::Batch& batch,
                                                                  const batch::WritePlan& plan,
                                                                  const BuildPlan& build,
                                                                  const WriteStatement& write);

}  // namespace txsink::mysql
