#pragma once
// problems_of: all that is wrong on this node, as its daemon knows it. The page, the verbs, the
// alerts and the events show what diagnose() makes of it.

#include <vector>

#include "base/moment.hpp"
#include "daemon/common/node_state_names.hpp"
#include "diagnosis/diagnose.hpp"

namespace spark::daemon {

/// What the gate, the drift and the waits for jobs say of one resource is one problem. What is not
/// enforced by the file's own policy is none.
std::vector<diagnosis::Problem> problems_of(const NodeState& state, const Moment& now);

/// Of this node alone.
diagnosis::Diagnosis diagnosis_of(const NodeState& state, const Moment& now);

/// The root of what makes the verdict what it is. Null: the node is ready or released, or none of
/// the problems does.
const diagnosis::Root* decisive_root(const NodeState& state, const diagnosis::Diagnosis& diagnosis);

}  // namespace spark::daemon
