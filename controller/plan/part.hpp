#pragma once
// part: a plan of which some steps are left for later.

#include <set>
#include <string>

#include "plan/plan.hpp"

namespace spark::plan {

/// The plan without the steps of those names. What the ledger remembers of their resources stays as
/// it is: an address that is not removed yet is ours still.
Plan without_steps(Plan plan, const std::set<std::string>& left_out, const kinds::Ledger& ledger);

/// Puts into `remember`, which was made for the time after `left_out`, what `ledger` has of that
/// step's resource.
void keep_entry(kinds::Ledger& remember, const Step& left_out, const kinds::Ledger& ledger);

}  // namespace spark::plan
