#pragma once
// guard: refuses plans that would cut the connection through which this machine is administered.

#include <vector>

#include "plan/plan.hpp"

namespace spark::plan {

/// Id of the refusal of a plan that cuts this machine off from those who administer it.
inline constexpr std::string_view kCutsOff = "SR-GUARD-001";

/// One refusal for each step that takes down, or strips of its address, what the default route, an
/// established ssh session or the file's management link depends on. Reads nothing when no step
/// takes anything away; other changes of such links are never refused. `ledger`: what was known as
/// ours when the plan was made.
std::vector<kinds::Refusal> guard(const Plan& plan, const config::Node& node, host::View& view,
                                  const kinds::Ledger& ledger);

}  // namespace spark::plan
