#pragma once
// add_objections: what makes a plan one that is not carried out, judged over all of its steps.

#include "reconcile/plan.hpp"

namespace spark {

/// Adds the objections of the guard (what must not be cut) and those of the routes (what would
/// leave by another device than its rail) to the plan's own.
void add_objections(Plan& plan, const Node& node, View& view);

}  // namespace spark
