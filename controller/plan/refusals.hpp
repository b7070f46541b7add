#pragma once
// add_objections: what makes a plan one that is not carried out, judged over all of its steps.

#include "plan/plan.hpp"

namespace spark {

/// Adds to the plan's own objections: a cable's subnet that is the LAN's; where there is none,
/// those of the guard (what must not be cut) and those of the routes (what would leave by another
/// device than its rail). Routes take longer than a correction has time for, and are judged of all
/// kinds alone: the last such plan found nothing in the way.
void add_objections(Plan& plan, const Node& node, View& view);

}  // namespace spark
