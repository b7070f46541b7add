#pragma once
// rollout_words: what screens say of a file that rolls through the cluster.

#include <string>

#include "cluster/cluster_view.hpp"

namespace spark::cluster {

/// "roll-out of 2b77d10 → 3f9a1c0: spark3 has it; spark1 waits for spark2, which is silent (for 4
/// min)". Empty: nothing rolls.
std::string rolling_text(const ClusterView& view);

/// "roll-out of 3f9a1c0: 1 of 3 nodes has it, waits for spark2". Empty: nothing rolls.
std::string rolling_brief(const ClusterView& view);

/// The first node that `node` waits for in a roll-out; empty: for nobody.
std::string awaited_by(const ClusterView& view, const std::string& node);

}  // namespace spark::cluster
