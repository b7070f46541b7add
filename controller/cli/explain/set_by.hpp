#pragma once
// Who set a resource, as far as the records tell: the daemon's last changes, the history, the
// ledger.

#include <string>

#include "cli/explain/explanation.hpp"
#include "cli/plan/plan_context.hpp"

namespace spark::cli {

/// Adds a part for each record that knows something, and one that names what this user may not
/// read.
void add_who_set_it(Explanation& explanation, const Command& command, PlanContext& context,
                    const std::string& kind, const std::string& key);

}  // namespace spark::cli
