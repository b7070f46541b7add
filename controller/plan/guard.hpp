#pragma once
// guard: refuses plans that would cut the connection through which this machine is administered.

#include <vector>

#include "plan/plan.hpp"

namespace spark {

/// Id of the objection to what cuts this machine off from whoever administers it.
inline constexpr std::string_view kCutsOff = "SR-GUARD-001";

/// One objection for each step that takes down, or strips of its address, what the default route,
/// an established ssh session or the file's management link lives on. Reads nothing when no step
/// takes anything away; other changes of such links are never objected to.
std::vector<Refusal> guard(const Plan& plan, const Node& node, View& view);

}  // namespace spark
