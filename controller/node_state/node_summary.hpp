#pragma once
// summary_of: a node in one sentence, what that sentence is about, and what else needs attention.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/moment.hpp"
#include "base/sentence.hpp"
#include "node_state/node_state.hpp"

namespace spark::node_state {

/// A root, or what of it has another remedy or stands otherwise.
struct Fault {
  bool is_bad = false;  ///< false: the node can be ready all the same
  std::vector<Sentence> lines;
  std::string state;   ///< "not ready", "contested, left alone until 06:13:08 UTC"
  std::string why;     ///< who writes it, why a correction failed; may be empty
  std::string remedy;  ///< with `commands` between backticks; may be empty
  std::string id;      ///< SR-<AREA>-NNN, or empty
  std::string place;   ///< "cluster.yaml:12:5", or empty
  std::optional<std::chrono::milliseconds> since;  ///< empty: not known
  std::size_t follow = 0;  ///< how many others follow from it, and are not shown
};

struct NodeSummary {
  /// "spark1 is ready: 2 cables proven, 4 rails carry RDMA. Nothing differs."
  Sentence sentence;
  /// What decides the verdict, which is not among the others.
  std::optional<Fault> lead;
  std::vector<Fault> others;  ///< the bad ones first
};

NodeSummary summary_of(const NodeState& state, const Moment& now);

}  // namespace spark::node_state
