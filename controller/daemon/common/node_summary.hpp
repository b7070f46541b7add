#pragma once
// summary_of: a node in one sentence, the fault that the sentence is of, and the other faults.

#include <optional>
#include <string>
#include <vector>

#include "daemon/common/faults.hpp"

namespace spark::daemon {

struct NodeSummary {
  /// "spark1 is ready: 2 cables proven, 4 rails carry RDMA. Nothing differs."
  std::string sentence;
  /// The fault that the sentence names, which is not among the others.
  std::optional<Fault> lead;
  std::vector<Fault> others;
};

/// The verdict is that of the state, and its reason that of why_of().
NodeSummary summary_of(const NodeState& state, const Moment& now);

}  // namespace spark::daemon
