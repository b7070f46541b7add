#pragma once
// add_refusals: adds the reasons why a plan is not carried out, judged over all of its steps.

#include "plan/plan.hpp"

namespace spark::plan {

/// Adds to the plan's own refusals those for a cable's subnet that is the LAN's. Where there are
/// none, adds those of guard() (what must not be cut) and of find_diversions() (what would leave by
/// another device than its rail). Diversions are judged only for a plan of all kinds, since they
/// take longer than a correction has time for: the last such plan found nothing in the way.
void add_refusals(Plan& plan, const config::Node& node, host::View& view,
                  const kinds::Ledger& ledger);

}  // namespace spark::plan
