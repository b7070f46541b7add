#pragma once
// What waits for the end of a job, in words: the change, and whom it waits for.

#include <string>
#include <vector>

#include "node_state/node_state.hpp"

namespace spark::node_state {

inline constexpr const char* kRemedyOfWait =
    "wait for the job that `spark-reconcile jobs` names, or end it; `spark-reconcile apply` makes "
    "the change now, and disturbs it";

/// "mtu enp1s0f0np0: 9000 → 4000".
std::string change_text(const DisturbWait& wait);

/// "a job uses rail 0 of cage 0 (enp1s0f0np0)", one clause for each rail; also what cannot be read,
/// and what a program of ask.d says.
std::vector<std::string> reasons_of(const DisturbWait& wait);

/// All of these reasons of all that waits, each once.
std::vector<std::string> reasons_of(const std::vector<DisturbWait>& waits);

/// Something has waited longer than agent.yaml has patience for.
bool is_overdue(const NodeState& state);

/// When the first of them began to wait; not set: nothing waits.
Moment oldest_of(const std::vector<DisturbWait>& waits);

}  // namespace spark::node_state
