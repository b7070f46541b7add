#pragma once
// HeardNode: what one node knows of another one, as that one, its peers and the neighbours told it.
// A part of the ClusterView, with what only one node has room for.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "cluster/cluster_view.hpp"

namespace spark::cluster {

struct HeardNode {
  std::string by;  ///< the node that knows it
  NodeView node;
  std::string candidate;  ///< beginning of the digest of a file that waits there, or is on trial
  std::vector<std::string> reasons;  ///< of its verdict, as it told them; empty: it is ready, …
  /// Since it told its details; empty: it has told none in this boot.
  std::optional<std::chrono::milliseconds> told_ago;
  std::string told_failed;             ///< why the last question had no answer; empty: it had
  std::vector<PairView> pairs;         ///< its ways to its peers: `node` is it
  std::vector<diagnosis::Root> roots;  ///< its own
};

template <EitherConst<HeardNode> T, class Visit>
void each_field(T& heard, Visit visit) {
  visit("by", heard.by);
  visit("node", heard.node);
  visit("candidate", heard.candidate);
  visit("reasons", heard.reasons);
  visit("told_ms_ago", heard.told_ago);
  visit("told_failed", heard.told_failed);
  visit("pairs", heard.pairs);
  visit("causes", heard.roots);
}

/// `name`: a node of the view. `view`: that of `known`.
HeardNode heard_node(const Known& known, const ClusterView& view, std::string_view name);

}  // namespace spark::cluster
