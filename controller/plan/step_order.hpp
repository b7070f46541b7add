#pragma once
// put_in_order: the order in which the steps of a plan are carried out.

#include <vector>

#include "plan/step.hpp"

namespace spark::plan {

/// `steps` come kind by kind. What lives on other resources goes before them, links go down after
/// all others, and what is handed back to another program comes last.
void put_in_order(std::vector<Step>& steps);

}  // namespace spark::plan
