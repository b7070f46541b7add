#pragma once
// faults_of: what needs attention on a node, each thing once. The gate, the drift, the skipped
// resources and the receivers of alerts often report the same one.

#include <cstddef>
#include <string>
#include <vector>

#include "daemon/common/node_state.hpp"

namespace spark::daemon {

/// The same said of one or several things.
struct FaultLine {
  std::vector<std::string> of;  ///< links or other things; empty: the whole node
  std::string what;             ///< "1500, the file says 9000"
};

/// What one remedy is for.
struct Fault {
  bool is_bad = false;  ///< false: the node can be ready all the same
  std::string name;     ///< "mtu": of the fact or of the kind; empty: `what` is a whole sentence
  std::vector<FaultLine> lines;
  std::string state;       ///< "not ready", "contested, left alone until 06:13:08 UTC"
  std::string why;         ///< who writes it, why a correction failed; may be empty
  std::string remedy;      ///< with `commands` between backticks; may be empty
  std::string id;          ///< SR-<AREA>-NNN, or empty
  std::string place;       ///< "cluster.yaml:12:5", or empty
  std::string subject;     ///< of a fact of the node, as Fact::subject
  Moment since;            ///< not set: not known
  std::size_t follow = 0;  ///< how many others follow from it, and are not shown
  /// As why_of() would give them: the fault whose reason that is decides the verdict.
  std::vector<std::string> reasons;
};

/// "mtu of enp1s0f0np0 and enP2p1s0f0np0: 1500, the file says 9000".
std::string line_text(const Fault& fault, const FaultLine& line);

/// All that need attention, the bad ones first. What is not enforced by the file's own policy is
/// none.
std::vector<Fault> faults_of(const NodeState& state, const Moment& now);

}  // namespace spark::daemon
