#pragma once
// find_missing_helpers: steps that need a helper program which does not start, found before the
// first of them.

#include <string_view>
#include <vector>

#include "host/process/helper_program.hpp"
#include "plan/plan.hpp"

namespace spark {

/// Id of these objections.
inline constexpr std::string_view kNoHelper = "SR-HELPER-001";

/// One objection for each helper that a step needs and `check` finds unable to start. Each is asked
/// about once; a plan whose steps need none asks about none.
std::vector<Refusal> find_missing_helpers(const Plan& plan, const CheckHelper& check);

}  // namespace spark
