#pragma once
// The undo log: on disk before the first change, gone after the last. Whoever finds one knows that
// an apply was cut off, what it was about to change, and what was there before.

#include <string>

#include "base/result.hpp"
#include "host/host.hpp"
#include "reconcile/plan.hpp"

namespace spark {

std::string undo_log_path(const std::string& node);

/// Writes all steps of the plan with both values, the boot id (what a reboot undid by itself need
/// not be undone again) and the ledger to come. One fsync; on disk when it returns.
Result<> write_undo_log(Host& host, const Plan& plan);

Result<> remove_undo_log(Files& files, const std::string& node);

}  // namespace spark
