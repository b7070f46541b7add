#pragma once
// find_missing_helpers: finds steps whose helper program does not start, before the first step.

#include <string_view>
#include <vector>

#include "host/process/helper_program.hpp"
#include "plan/plan.hpp"

namespace spark::plan {

/// Id of these refusals.
inline constexpr std::string_view kNoHelper = "SR-HELPER-001";

/// One refusal for each helper that a step needs and that `check` finds unable to start. Calls
/// `check` once for each helper that the steps need.
std::vector<kinds::Refusal> find_missing_helpers(const Plan& plan, const host::CheckHelper& check);

}  // namespace spark::plan
