#pragma once
// apply_outcome: what came of a transaction, for the Reconciler.

#include <string>

#include "apply/report.hpp"

namespace spark::daemon {

/// The machine is as the plan says.
bool holds(const apply::Report& report);

/// What failed, and what the rollback left different, in one clause.
std::string what_failed(const apply::Report& report);

}  // namespace spark::daemon
